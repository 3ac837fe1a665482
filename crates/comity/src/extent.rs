//! How much of a site a crawler may fetch, without asking for each URL.

use core::fmt;

use crate::crawler::identity::Crawler;
use crate::crawler::selection::{Basis, Selection};
use crate::dialect::{Dialect, Precedence};
use crate::document::{Robots, Rule};
use crate::matcher::linear::candidate;
use crate::matcher::pattern;
use crate::parse::line::RuleKind;
use crate::verdict::{Key, Reason};

/// How much of a site a crawler may fetch, by [`Robots::extent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[must_use]
#[non_exhaustive]
pub struct Extent {
    /// How much.
    pub reach: Reach,
    /// The line of the rule that matches every URL and decides where no other does; none, if there is no such rule.
    pub line: Option<u32>,
    /// How many rules make exceptions.
    pub exceptions: u32,
    /// Which groups it rests on.
    pub basis: Basis,
}

/// How much of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum Reach {
    /// Everything.
    All,
    /// Everything, but for what some rules forbid.
    Most,
    /// Nothing, but for what some rules allow.
    Some,
    /// Nothing, but for the robots.txt itself.
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
    /// How much of the site this crawler may fetch. `Nothing` is proof that no URL may be fetched, and `All` that
    /// every one may; of the other two, a rule that looks like an exception may match nothing that exists.
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
        let selection = Selection::new(document, *crawler);
        let rules = || selection.groups(document).flat_map(|group| group.rules());
        let key = |rule: &Rule<'_>| Key::new(rule.priority(), rule.kind(), rule.line(), dialect.precedence);
        // Where the first match decides, an empty Disallow is one, and forbids nothing.
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
        // What conclude() makes of the crawler and the size of the file is asked of it, not worked out again.
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

/// Whether a pattern matches every path: stars around at most one slash.
fn matches_everything(mut pattern: &[u8], wildcards: bool) -> bool {
    if wildcards && pattern.ends_with(b"*$") {
        pattern = &pattern[..pattern.len() - 1];
    }
    let slash = pattern.iter().position(|octet| *octet == b'/');
    let (before, behind) = slash.map_or((pattern, &b""[..]), |slash| (&pattern[..slash], &pattern[slash + 1..]));
    let is_stars = |part: &[u8]| part.iter().all(|octet| *octet == b'*' && wildcards);
    !pattern.is_empty() && is_stars(before) && is_stars(behind)
}

/// Whether a pattern matches anything at all, as far as can be seen.
fn can_match(pattern: &[u8], wildcards: bool) -> bool {
    match pattern.first() {
        Some(b'/') => true,
        Some(b'*') => wildcards,
        _ => false,
    }
}

/// Whether an `Allow` also stands for its directory, as a rule of another length.
fn makes_twin(rule: &Rule<'_>, dialect: &Dialect) -> bool {
    dialect.allow_index_allows_directory
        && rule.kind() == RuleKind::Allow
        && pattern::directory_of_index(rule.pattern()).is_some()
}
