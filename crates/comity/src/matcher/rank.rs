//! Ranking of one rule for one path.

use crate::dialect::{Dialect, Precedence};
use crate::matcher::pattern;
use crate::matcher::search::Search;
use crate::parse::line::RuleKind;
use crate::verdict::Key;

/// Returns the key of a rule for a path, or [`Key::NONE`] if it does not match or is not greater than `best`.
#[inline]
pub(crate) fn rank(rule: Candidate<'_>, search: &mut Search<'_>, best: Key, dialect: &Dialect) -> Key {
    let Candidate { kind, line, pattern } = rule;
    let precedence = dialect.precedence;
    if pattern.is_empty() && kind == RuleKind::Allow && precedence == Precedence::FirstMatch {
        return Key::NONE; // it forbids nothing and would hide the rules after it
    }
    let key = Key::new(pattern.len() as u16, kind, line, precedence);
    if key > best && pattern::matches(pattern, search, dialect.wildcards) {
        return key;
    }
    if dialect.allow_index_allows_directory
        && kind == RuleKind::Allow
        && let Some(directory) = pattern::directory_of_index(pattern)
    {
        let key = Key::new(directory as u16 + 1, kind, line, precedence);
        let directory = &pattern[..directory];
        let matches = if dialect.wildcards {
            pattern::matches_segments(directory, true, 0, search)
        } else {
            search.path() == directory
        };
        if key > best && matches {
            return key;
        }
    }
    Key::NONE
}

/// Returns true if the first byte after the slash of a pattern proves that it does not match, as it does for most
/// rules. Works for values before normalization too, since letters and digits are the same in every normal form.
#[inline]
pub(crate) fn first_octet_differs(kind: RuleKind, value: &[u8], path: &[u8], dialect: &Dialect) -> bool {
    match value {
        [b'/', octet, ..] if octet.is_ascii_alphanumeric() && path.get(1) != Some(octet) => {
            kind == RuleKind::Disallow || !dialect.allow_index_allows_directory
        }
        _ => false,
    }
}

/// A rule that may decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) kind: RuleKind,
    pub(crate) line: u32,
    /// The pattern in normal form.
    pub(crate) pattern: &'a [u8],
}
