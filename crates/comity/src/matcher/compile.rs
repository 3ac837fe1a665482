//! Compiles the rules of one crawler into stems and tails, for [`Rules`](super::compiled::Rules).

use alloc::vec::Vec;
use core::ops::Range;

use memchr::memchr;

use crate::dialect::{Dialect, Precedence};
use crate::document::Rule;
use crate::matcher::grams::Grams;
use crate::matcher::heads::Head;
use crate::matcher::mask::Mask;
use crate::matcher::pattern;
use crate::parse::line::RuleKind;
use crate::verdict::Key;

/// Stems with at least this many tails use the gram index.
pub(super) const MIN_TAILS_FOR_GRAMS: usize = 32;

/// The part of one or more patterns before the first operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stem {
    /// The greatest key of the literals that equal this stem or are a prefix of it.
    pub(super) literal: Key,
    /// The greatest key of the tails of this stem and its parents, except those in the gram index.
    pub(super) tail: Key,
    /// The offset in the texts of the document.
    pub(super) start: u32,
    /// The longest other stem that is a prefix of this one.
    pub(super) parent: u32,
    /// The index of its first tail. Its tails end where those of the next stem start.
    pub(super) tails: u32,
    pub(super) len: u16,
}

/// The parent of a stem that has none.
pub(super) const NO_PARENT: u32 = u32::MAX;

/// The part of a pattern after its stem: a `*` and the rest, or only the end anchor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    pub(super) key: Key,
    /// The bytes that it requires.
    pub(super) octets: u64,
    pub(super) start: u32,
    pub(super) len: u16,
    pub(super) anchored: bool,
}

/// A rule, split into stem and tail.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compiled {
    key: Key,
    /// The first bytes of the stem.
    head: Head,
    start: u32,
    stem: u16,
    /// The length of the pattern, including the stem and without the `$`.
    len: u16,
    anchored: bool,
}

impl Compiled {
    fn stem<'t>(&self, texts: &'t [u8]) -> &'t [u8] {
        &texts[self.start as usize..][..usize::from(self.stem)]
    }
}

impl Stem {
    pub(super) fn text<'t>(&self, texts: &'t [u8]) -> &'t [u8] {
        &texts[self.start as usize..][..usize::from(self.len)]
    }
}

impl Tail {
    pub(super) fn text<'t>(&self, texts: &'t [u8]) -> &'t [u8] {
        &texts[self.start as usize..][..usize::from(self.len)]
    }
}

/// Splits a rule into stem and tail, and adds it. An `Allow` of an index page may add a second row, for its directory.
pub(super) fn compile(rule: &Rule<'_>, dialect: &Dialect, compiled: &mut Vec<Compiled>) {
    let (pattern, kind, precedence) = (rule.pattern(), rule.kind(), dialect.precedence);
    if pattern.is_empty() && kind == RuleKind::Allow && precedence == Precedence::FirstMatch {
        return; // see `matcher::rank::rank`
    }
    let key = |priority| Key::new(priority, kind, rule.line(), precedence);
    let start = rule.start();
    let mut body = pattern;
    let mut anchored = false;
    if dialect.wildcards {
        match pattern.strip_suffix(b"$") {
            Some(shorter) => (body, anchored) = (shorter, true),
            None => {
                // A trailing star changes only the priority.
                while let Some(shorter) = body.strip_suffix(b"*") {
                    body = shorter;
                }
            }
        }
    }
    let stem = |body: &[u8]| if dialect.wildcards { memchr(b'*', body).unwrap_or(body.len()) } else { body.len() };
    let mut push = |priority, body: &[u8], anchored| {
        let stem = stem(body);
        let (key, head) = (key(priority), Head::of(&body[..stem]));
        compiled.push(Compiled { key, head, start, stem: stem as u16, len: body.len() as u16, anchored });
    };
    push(rule.priority(), body, anchored);
    if dialect.allow_index_allows_directory
        && kind == RuleKind::Allow
        && let Some(directory) = pattern::directory_of_index(pattern)
    {
        push(directory as u16 + 1, &pattern[..directory], true);
    }
}

/// Sorts rules by stem, collects the tails of each stem, and links each stem to the longest other one that is a prefix
/// of it.
pub(super) fn link(rules: &[Compiled], texts: &[u8]) -> (Vec<Stem>, Vec<Tail>, Vec<u64>, Vec<Head>) {
    let mut order: Vec<u128> = (0..).zip(rules).map(|(index, rule)| rule.head.with(index)).collect();
    order.sort_unstable();
    for run in order.chunk_by_mut(|a, b| a >> u32::BITS == b >> u32::BITS).filter(|run| run.len() > 1) {
        run.sort_unstable_by(|a, b| {
            let (a, b) = (&rules[*a as u32 as usize], &rules[*b as u32 as usize]);
            a.stem(texts).cmp(b.stem(texts)).then(b.key.cmp(&a.key))
        });
    }
    let mut stems: Vec<Stem> = Vec::with_capacity(rules.len());
    let (mut tails, mut pairs) = (Vec::new(), Vec::new());
    let mut heads: Vec<Head> = Vec::with_capacity(rules.len());
    for index in order {
        let rule = &rules[index as u32 as usize];
        let text = rule.stem(texts);
        let is_new = stems.last().zip(heads.last()).is_none_or(|(last, head)| {
            last.len != rule.stem || *head != rule.head || text.get(Head::LEN..) != last.text(texts).get(Head::LEN..)
        });
        if is_new {
            let mut parent = (stems.len() as u32).checked_sub(1).unwrap_or(NO_PARENT);
            while let Some(candidate) = stems.get(parent as usize)
                && !starts_with(text, rule.head, candidate.text(texts), heads[parent as usize])
            {
                parent = candidate.parent;
            }
            let literal = stems.get(parent as usize).map_or(Key::NONE, |parent| parent.literal);
            let (start, tails, len) = (rule.start, tails.len() as u32, rule.stem);
            heads.push(rule.head);
            stems.push(Stem { literal, tail: Key::NONE, start, parent, tails, len });
        }
        let Some(stem) = stems.last_mut() else { continue };
        if rule.len == rule.stem && !rule.anchored {
            stem.literal = stem.literal.max(rule.key);
        } else {
            let (start, len) = (rule.start + u32::from(rule.stem), rule.len - rule.stem);
            let needs = Mask::of(&texts[start as usize..][..usize::from(len)]);
            tails.push(Tail { key: rule.key, octets: needs.octets, start, len, anchored: rule.anchored });
            pairs.push(needs.pairs);
        }
    }
    (stems, tails, pairs, heads)
}

/// Returns true if a text starts with another one. In most cases the heads decide, without reading the texts.
fn starts_with(text: &[u8], head: Head, start: &[u8], start_head: Head) -> bool {
    text.len() >= start.len()
        && head.starts_with(start_head, start.len())
        && start.get(Head::LEN..).is_none_or(|rest| text.get(Head::LEN..).is_some_and(|text| text.starts_with(rest)))
}

/// Returns the range of the tails of a stem.
pub(super) fn tails_of(stems: &[Stem], stem: usize, tails: &[Tail]) -> Range<usize> {
    let end = stems.get(stem + 1).map_or(tails.len(), |next| next.tails as usize);
    stems[stem].tails as usize..end
}

/// Sets the greatest key of the tails on each chain of stems. The tails of stems with many of them are left out and go
/// into the gram index that is returned.
pub(super) fn index_by_grams(stems: &mut [Stem], tails: &[Tail], texts: &[u8]) -> Grams {
    let mut many = Vec::new();
    for index in 0..stems.len() {
        let own = tails_of(stems, index, tails);
        let above = stems.get(stems[index].parent as usize).map_or(Key::NONE, |parent| parent.tail);
        if own.len() < MIN_TAILS_FOR_GRAMS {
            stems[index].tail = tails[own].first().map_or(above, |tail| tail.key.max(above));
        } else {
            stems[index].tail = above;
            many.extend(own.map(|tail| (tail as u32, index as u32, tails[tail].text(texts))));
        }
    }
    Grams::new(&many)
}
