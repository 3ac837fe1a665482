//! Recognizes the crawlers that an unknown name probably means.

use comity::crawlers::Misnomer;
use comity::spelling::edit_distance;

use crate::agents::{Agents, MIN_MISSPELLED, letters};
use crate::prelude::*;

/// Returns the crawler of which a token is probably a misspelling.
pub(crate) fn crawler_meant<'t>(token: &[u8], known: &Agents<'t>) -> Option<&'t Profile> {
    nearest(token, known).filter(|_| !is_listed(token, words::UNLISTED_CRAWLER))
}

fn nearest<'t>(token: &[u8], known: &Agents<'t>) -> Option<&'t Profile> {
    // A token may lack a letter.
    if token.len() + 1 < MIN_MISSPELLED {
        return None;
    }
    if let Some(row) = known.table().iter().find(|row| has_other_hyphens(token, row.token.as_bytes()) && !row.retired) {
        return Some(row);
    }
    if let Some(row) =
        without_plural(token, known).or_else(|| without_bot(token, known)).or_else(|| of_device(token, known))
    {
        return Some(row);
    }
    let own = letters(token);
    // Lengths tell most names apart, and are compared in fewer instructions.
    let near = known.spelled().iter().filter(|(_, most, row)| row.token.len().abs_diff(token.len()) <= *most as usize);
    let near = near.filter_map(|(set, most, row)| {
        if (set ^ own).count_ones() > 2 * most {
            return None;
        }
        let known = row.token.as_bytes();
        let steps = edit_distance(token, known, *most as usize)?;
        // A short name with another letter is usually another name: Roverbot is not a misspelling of rogerbot.
        let is_other = known.len() < 9 && known.len() == token.len() && set != &own;
        (!is_other && differs_in_letters(token, known)).then_some((steps, *row))
    });
    near.min_by_key(|(steps, _)| *steps).map(|(_, row)| row)
}

/// Returns the crawler of which a token is the plural, such as `CCBots`.
fn without_plural<'t>(token: &[u8], known: &Agents<'t>) -> Option<&'t Profile> {
    let singular = token.strip_suffix(b"s").or_else(|| token.strip_suffix(b"S"))?;
    known.find(singular).filter(|row| !row.retired && ends_in_bot(singular))
}

/// Returns the crawler whose token another one has before its hyphen in full, such as `Google-Extended` for
/// `Googlebot-Extended`.
fn without_bot<'t>(token: &[u8], known: &Agents<'t>) -> Option<&'t Profile> {
    let hyphen = token.iter().position(|byte| *byte == b'-')?;
    let (family, last) = token.split_at(hyphen);
    let short = [family.get(..family.len().checked_sub(3)?)?, last].concat();
    known.find(&short).filter(|row| !row.retired && ends_in_bot(family) && known.find(family).is_some())
}

/// Returns the crawler of which a token is the one for a device, such as `Googlebot` for `Googlebot-Smartphone`.
fn of_device<'t>(token: &[u8], known: &Agents<'t>) -> Option<&'t Profile> {
    let hyphen = token.iter().rposition(|byte| *byte == b'-')?;
    let is_device = is_in("smartphone desktop mobile tablet", &token[hyphen + 1..]);
    known.find(&token[..hyphen]).filter(|row| is_device && !row.retired)
}

fn ends_in_bot(token: &[u8]) -> bool {
    token.len() > 3 && token[token.len() - 3..].eq_ignore_ascii_case(b"bot")
}

/// Returns true if two names differ only in hyphens, underscores and dots, such as `CC-Bot` and `CCBot`.
fn has_other_hyphens(a: &[u8], b: &[u8]) -> bool {
    let letters = |name: &[u8]| {
        name.iter().filter(|b| !matches!(b, b'-' | b'_' | b'.')).map(u8::to_ascii_lowercase).collect::<Vec<_>>()
    };
    a.len().abs_diff(b.len()) < 3
        && a[0].eq_ignore_ascii_case(&b[0])
        && a[a.len() - 1].eq_ignore_ascii_case(&b[b.len() - 1])
        && !a.eq_ignore_ascii_case(b)
        && letters(a) == letters(b)
}

/// Returns true if two names differ in more than digits or their last parts, which distinguish crawlers of a family.
/// Long last parts are words, which may be misspelled.
fn differs_in_letters(a: &[u8], b: &[u8]) -> bool {
    let digits = |name: &[u8]| name.iter().filter(|b| b.is_ascii_digit()).copied().collect::<Vec<_>>();
    let parts = |name: &[u8]| {
        let at = name.iter().rposition(|b| *b == b'-')?;
        Some((name[..at].to_ascii_lowercase(), name.len() - at - 1))
    };
    let is_sibling = match (parts(a), parts(b)) {
        (Some((family, len)), Some((other, other_len))) => family == other && len.min(other_len) < MIN_LAST_PART,
        _ => false,
    };
    digits(a) == digits(b) && !is_sibling
}

/// The minimum length of the last part of a name that is treated as a word.
const MIN_LAST_PART: usize = 5;

/// Returns the company or the product that a user-agent line names instead of a crawler. Returns `None` if the line names
/// a crawler, and if nothing is known about the name.
pub(crate) fn misnomer(agent: &AgentOf<'_>, known: &Agents<'_>) -> Option<Misnomer> {
    // Other text after the token of a crawler is reported by `token-cut`.
    if agent.known.is_some() || agent.token.is_empty() {
        return None;
    }
    // In names, a star is not a wildcard.
    known.table().misnomer_in_file(str::from_utf8(agent.value.strip_suffix(b"*").unwrap_or(agent.value)).ok()?)
}
