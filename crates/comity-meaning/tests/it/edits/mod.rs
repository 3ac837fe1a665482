//! Edits of one rule of a file, as people and typing errors make them.

use comity::{Dialect, Robots, Rule, RuleKind};

/// A kind of edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Edit {
    /// Removes the rule.
    Drop,
    /// Replaces a byte of its pattern by a letter.
    Letter,
    /// Makes it the other kind.
    Kind,
    /// Adds a final `$`, or removes it.
    Dollar,
    /// Adds a star.
    Star,
    /// Removes a star.
    Unstar,
    /// Gives it the pattern of another rule.
    Pattern,
    /// Lets it trade places with another rule.
    Order,
}

impl Edit {
    pub(crate) const ALL: [Self; 8] =
        [Self::Drop, Self::Letter, Self::Kind, Self::Dollar, Self::Star, Self::Unstar, Self::Pattern, Self::Order];
}

/// Returns a file after an edit. The numbers choose the rule, and the place or the other rule. The lines keep their
/// numbers. `None` if the file has no such rule.
pub(crate) fn edited(body: &[u8], dialect: &Dialect, edit: Edit, numbers: [usize; 2]) -> Option<Vec<u8>> {
    let robots = Robots::parse_with(body, dialect);
    let rules: Vec<Rule<'_>> = robots.groups().flat_map(|group| group.rules()).collect();
    let rule = rules.get(numbers[0].checked_rem(rules.len())?)?;
    let other = &rules[numbers[1] % rules.len()];
    let mut pattern = rule.value().to_vec();
    let mut kind = rule.kind();
    let place = numbers[1] % (pattern.len() + 1);
    match edit {
        Edit::Drop => return replaced(body, &[(rule.line(), b"#".to_vec())]),
        Edit::Letter => {
            let octet = pattern.get_mut(place)?;
            *octet = if *octet == b'a' { b'b' } else { b'a' };
        }
        Edit::Kind if kind == RuleKind::Allow => kind = RuleKind::Disallow,
        Edit::Kind => kind = RuleKind::Allow,
        Edit::Dollar if pattern.ends_with(b"$") => drop(pattern.pop()),
        Edit::Dollar => pattern.push(b'$'),
        Edit::Star => pattern.insert(place, b'*'),
        Edit::Unstar => {
            let stars: Vec<usize> = (0..pattern.len()).filter(|at| pattern[*at] == b'*').collect();
            pattern.remove(*stars.get(place.checked_rem(stars.len())?)?);
        }
        Edit::Pattern => pattern = other.value().to_vec(),
        Edit::Order => {
            let [one, two] = [line(rule.kind(), rule.value()), line(other.kind(), other.value())];
            return replaced(body, &[(rule.line(), two), (other.line(), one)]);
        }
    }
    replaced(body, &[(rule.line(), line(kind, &pattern))])
}

fn line(kind: RuleKind, pattern: &[u8]) -> Vec<u8> {
    [if kind == RuleKind::Allow { &b"Allow: "[..] } else { b"Disallow: " }, pattern].concat()
}

/// Returns a file with other lines. CR, LF and CRLF end a line.
fn replaced(body: &[u8], by: &[(u32, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len() + 16);
    let (mut number, mut start) = (1, 0);
    let mut found = 0;
    for index in 0..=body.len() {
        let octet = body.get(index);
        let is_crlf = octet == Some(&b'\r') && body.get(index + 1) == Some(&b'\n');
        if is_crlf || octet.is_some_and(|octet| !matches!(octet, b'\r' | b'\n')) {
            continue;
        }
        match by.iter().find(|(line, _)| *line == number) {
            Some((_, text)) => {
                out.extend_from_slice(text);
                found += 1;
            }
            None => out.extend_from_slice(&body[start..index]),
        }
        out.extend(octet);
        number += 1;
        start = index + 1;
    }
    (found > 0).then_some(out)
}
