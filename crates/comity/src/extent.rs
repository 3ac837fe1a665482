//! The extent of a site that a crawler may fetch, without checking single URLs.

use core::fmt;

use crate::crawler::identity::Crawler;
use crate::crawler::selection::{Basis, Selection};
use crate::dialect::{Dialect, Precedence};
use crate::document::{Robots, Rule};
use crate::matcher::linear::candidate;
use crate::matcher::pattern;
use crate::parse::line::RuleKind;
use crate::verdict::{Key, Reason};

/// The extent of a site that a crawler may fetch. Returned by [`Robots::extent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Extent {
    /// The part of the site that may be fetched.
    pub reach: Reach,
    /// The line of the rule that matches every URL and decides where no other rule does, if there is one.
    pub line: Option<u32>,
    /// The number of rules that make exceptions.
    pub exceptions: u32,
    /// The groups that it is based on.
    pub basis: Basis,
}

/// The part of a site that may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Reach {
    /// Everything.
    All,
    /// Everything, except where some rules disallow.
    Most,
    /// Nothing, except where some rules allow.
    Some,
    /// Nothing except the robots.txt itself.
    Nothing,
    /// Robots.txt does not govern the crawler.
    NotGoverned,
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::All => "allowed",
            Self::Most | Self::Some => "partly",
            Self::Nothing => "blocked",
            Self::NotGoverned => "not governed",
        })
    }
}

impl Robots {
    /// Returns the extent of the site that this crawler may fetch. `Nothing` proves that no URL may be fetched, and
    /// `All` that every URL may. In the other two cases, a rule that looks like an exception may match no URL that
    /// exists.
    ///
    /// ```
    /// use comity::{Crawler, Reach, Robots};
    ///
    /// let robots = Robots::parse(b"
    ///     User-agent: GPTBot
    ///     Disallow: /
    ///     Allow: /$
    ///
    ///     User-agent: *
    ///     Disallow: /cart/
    /// ");
    /// let extent = robots.extent(&Crawler::known("GPTBot").unwrap());
    /// assert_eq!((extent.reach, extent.line, extent.exceptions), (Reach::Some, Some(3), 1));
    /// assert_eq!(robots.extent(&Crawler::ANY).reach, Reach::Most);
    /// ```
    pub fn extent(&self, crawler: &Crawler<'_>) -> Extent {
        let document = &**self.document();
        let dialect = &document.dialect;
        let selection = Selection::new(document, crawler);
        let rules = || selection.groups(document).flat_map(|group| group.rules());
        let key = |rule: &Rule<'_>| Key::new(rule.priority(), rule.kind(), rule.line(), dialect.precedence);
        // Where the first match decides, an empty `Disallow` matches everything and forbids nothing.
        let ends_all = |rule: &Rule<'_>| {
            let is_empty = rule.pattern().is_empty() && rule.kind() == RuleKind::Disallow;
            is_empty && dialect.precedence == Precedence::FirstMatch
        };
        let catch_all = rules()
            .filter(|rule| matches_everything(rule.pattern(), dialect.wildcards) || ends_all(rule))
            .max_by_key(|rule| key(rule));
        let kind = catch_all.filter(|rule| !ends_all(rule)).map_or(RuleKind::Allow, |rule| rule.kind());
        let least = catch_all.map_or(Key::NONE, |rule| key(&rule));
        let is_exception = |rule: &Rule<'_>| {
            rule.kind() != kind
                && (key(rule) > least || makes_twin(rule, dialect))
                && can_match(candidate(rule).pattern, dialect.wildcards)
        };
        let exceptions = rules().filter(is_exception).count() as u32;
        // The root tells what `conclude` derives from the crawler and the file size, so that it is not derived twice.
        let root = self.check(crawler, "/");
        let reach = match (root.reason(), kind, exceptions) {
            (Reason::NotGoverned, ..) => Reach::NotGoverned,
            (Reason::FileRefused, ..) | (_, RuleKind::Allow, 0) => Reach::All,
            (_, RuleKind::Allow, _) => Reach::Most,
            (_, RuleKind::Disallow, 0) => Reach::Nothing,
            (_, RuleKind::Disallow, _) => Reach::Some,
        };
        Extent { reach, line: catch_all.map(|rule| rule.line()), exceptions, basis: selection.basis }
    }
}

/// Returns true if a pattern matches every path, that is, if it consists of stars around at most one slash.
fn matches_everything(mut pattern: &[u8], wildcards: bool) -> bool {
    if wildcards && pattern.ends_with(b"*$") {
        pattern = &pattern[..pattern.len() - 1];
    }
    let slash = pattern.iter().position(|octet| *octet == b'/');
    let (before, after) = slash.map_or((pattern, &b""[..]), |slash| (&pattern[..slash], &pattern[slash + 1..]));
    let is_stars = |part: &[u8]| part.iter().all(|octet| *octet == b'*' && wildcards);
    !pattern.is_empty() && is_stars(before) && is_stars(after)
}

/// Returns false if a pattern obviously matches nothing.
fn can_match(pattern: &[u8], wildcards: bool) -> bool {
    match pattern.first() {
        Some(b'/') => true,
        Some(b'*') => wildcards,
        _ => false,
    }
}

/// Returns true if an `Allow` also acts as a rule for its directory, which has another length.
fn makes_twin(rule: &Rule<'_>, dialect: &Dialect) -> bool {
    dialect.allow_index_allows_directory
        && rule.kind() == RuleKind::Allow
        && pattern::directory_of_index(rule.pattern()).is_some()
}
