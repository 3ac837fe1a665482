//! One change between two files, as data and as a sentence.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use comity::Escaped;

/// The direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Direction {
    /// The old file allows the URLs, and the new one does not.
    Blocked,
    /// The old file blocks the URLs, and the new one does not.
    Allowed,
}

/// One of the two files of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Side {
    /// The file before the change.
    Old,
    /// The file after the change.
    New,
}

impl Side {
    pub(crate) fn index(self) -> usize {
        usize::from(self == Self::New)
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }
}

/// A rule that takes part in a [`Change`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct ChangeRule {
    /// The file that contains it.
    pub side: Side,
    /// Its line, from 1. `None` if URLs are allowed because no rule matches.
    pub line: Option<u32>,
    /// Its pattern, in normal form. An `Allow` of an index page may also be a rule for the directory of the page, whose
    /// pattern is then that directory with `$`.
    pub pattern: Vec<u8>,
}

/// A rule whose URLs do not change, except those that match one of some other rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct ChangeException {
    /// The rule that keeps the answers of its URLs.
    pub rule: ChangeRule,
    /// Rules of the same file that overrule it. URLs that match one of them are not excepted.
    pub unless: Vec<ChangeRule>,
}

/// A set of URLs whose answers differ between two files because of one rule.
///
/// They match [`rule`](Self::rule), one of [`narrowed_by`](Self::narrowed_by) if there is any, and none of
/// [`except`](Self::except). An exception has exceptions of its own, so no URL that changes is excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The direction: the URLs are newly blocked or newly allowed.
    pub direction: Direction,
    /// The crawlers that the change affects. `*` means every crawler that neither file names. Changes of the same
    /// crawlers share their names.
    pub crawlers: Arc<[String]>,
    /// The rule that makes the difference: the one that decides in the new file, or the one that decided in the old file
    /// and was removed.
    pub rule: ChangeRule,
    /// The rules of the other file that limit the change. If there are any, the change contains only URLs that one of
    /// these rules decides in that file.
    pub narrowed_by: Vec<ChangeRule>,
    /// The exceptions: rules whose URLs keep their answers. They overrule [`rule`](Self::rule), or give the same answer
    /// in the other file.
    pub except: Vec<ChangeException>,
    /// True if the description is exact: each URL that it contains has another answer, except `/robots.txt` itself. If
    /// not, it contains all URLs that change because of the rule, and perhaps others.
    pub is_exact: bool,
    /// False if no browser or crawler sends a URL that changes, as for a pattern with a raw space: clients escape it, and
    /// the pattern then does not match.
    pub is_sent: bool,
    /// An example: a path whose answers differ, as a URL contains it.
    pub witness: Vec<u8>,
}

impl Change {
    /// Returns all fields except the crawlers, in the order by which changes are sorted.
    pub(crate) fn key(&self) -> impl Ord {
        let Self { direction, rule, narrowed_by, except, is_exact, is_sent, witness, .. } = self;
        (direction, rule, witness, narrowed_by, except, is_exact, is_sent)
    }

    /// Returns the same change for crawlers whose groups have the same rules on other lines. Both lists contain the lines
    /// of all rules in order, for each file.
    pub(crate) fn on_other_lines(&self, from: &[Vec<u32>; 2], to: &[Vec<u32>; 2]) -> Self {
        let mut change = self.clone();
        let except =
            change.except.iter_mut().flat_map(|except| core::iter::once(&mut except.rule).chain(&mut except.unless));
        let rules = change.narrowed_by.iter_mut().chain(except);
        for rule in core::iter::once(&mut change.rule).chain(rules) {
            let file = rule.side.index();
            let place = rule.line.and_then(|line| from[file].binary_search(&line).ok());
            rule.line = place.and_then(|place| to[file].get(place)).copied().or(rule.line);
        }
        change
    }
}

/// The maximum number of rules of one kind that a sentence names.
const MAX_NAMED: usize = 5;

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.direction == Direction::Blocked { "blocked" } else { "allowed" };
        write!(f, "newly {verb} for {}: ", Escaped(self.crawlers.join(", ").as_bytes()))?;
        if !self.is_exact {
            f.write_str("some of the ")?;
        }
        match self.rule.line {
            Some(_) => write!(f, "URLs that match {}", self.rule)?,
            None => f.write_str("URLs that no rule matches")?,
        }
        list(f, " and ", self.narrowed_by.iter())?;
        let (simple, nested): (Vec<_>, Vec<_>) = self.except.iter().partition(|except| except.unless.is_empty());
        list(f, ", but not ", simple.iter().map(|except| &except.rule))?;
        for (index, except) in nested.iter().take(MAX_NAMED).enumerate() {
            let before = if index == 0 && simple.is_empty() { ", but not " } else { ", and not " };
            write!(f, "{before}{}", except.rule)?;
            list(f, " unless they match ", except.unless.iter())?;
        }
        if let Some(more @ 1..) = nested.len().checked_sub(MAX_NAMED) {
            write!(f, ", and not {more} more rules with exceptions of their own")?;
        }
        write!(f, ", such as {}", Escaped(&self.witness))?;
        if self.is_sent { Ok(()) } else { f.write_str(" (no browser or crawler sends such a URL)") }
    }
}

impl fmt::Display for ChangeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = if self.side == Side::Old { "old line" } else { "line" };
        match self.line {
            Some(line) => write!(f, "{} ({file} {line})", Escaped(&self.pattern)),
            None => f.write_str("no rule"),
        }
    }
}

/// Writes rules joined by "or", and the number of those that are omitted.
fn list<'r>(
    f: &mut fmt::Formatter<'_>,
    before: &str,
    rules: impl ExactSizeIterator<Item = &'r ChangeRule>,
) -> fmt::Result {
    let more = rules.len().saturating_sub(MAX_NAMED);
    for (index, rule) in rules.take(MAX_NAMED).enumerate() {
        write!(f, "{}{rule}", if index == 0 { before } else { " or " })?;
    }
    if more > 0 { write!(f, " or {more} more") } else { Ok(()) }
}
