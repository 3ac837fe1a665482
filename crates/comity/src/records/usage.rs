//! `Content-Usage`: the permitted uses of content, by the drafts of the IETF's AIPREF group:
//! draft-ietf-aipref-attach-05 of 18 August 2026 and draft-ietf-aipref-vocab-08 of 13 September 2026. Neither is an
//! RFC, and both may change.

use alloc::vec::Vec;
use core::fmt;

use crate::crawler::identity::Crawler;
use crate::crawler::selection::Selection;
use crate::document::{Record, Robots};
use crate::escape::Escaped;
use crate::matcher::pattern;
use crate::matcher::search::Search;
use crate::normal_form::normalize;
use crate::normal_form::path::with_path;
use crate::parse::directive::Field;
use crate::records::structured::{self, Bare};
use crate::records::{Meaning, path_and_rest};
use crate::verdict::Verdict;

/// The preference for one use of content, in order of restriction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Preference {
    /// No preference is stated, or an unknown one.
    #[default]
    Unknown,
    /// `y`
    Allow,
    /// `n`
    Disallow,
}

impl Preference {
    /// Combines two preferences for the same use. The more restrictive one is returned, unlike with `Allow` and
    /// `Disallow` rules.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unknown => "unknown",
            Self::Allow => "allowed",
            Self::Disallow => "disallowed",
        })
    }
}

/// The preferences of one record: a dictionary of structured fields (RFC 9651), as in the HTTP field `Content-Usage`.
/// If that field occurs several times, join the values with commas first.
///
/// ```
/// use comity::{Preference, Preferences};
///
/// let stated = Preferences::parse(b"train-ai=n, search=y;since=2026, other=?1").unwrap();
/// assert_eq!(stated.of("train-ai"), Preference::Disallow);
/// assert_eq!(stated.of("search"), Preference::Allow);
/// assert_eq!(stated.of("other"), Preference::Unknown); // a value of another type
/// assert_eq!(Preferences::parse(b"train-ai=n,"), None); // a malformed field is invalid as a whole
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preferences<'a>(&'a [u8]);

impl<'a> Preferences<'a> {
    /// Parses the dictionary of a field. Returns `None` if it is malformed.
    pub fn parse(field: &'a [u8]) -> Option<Self> {
        structured::dictionary(field).map(|_| Self(field))
    }

    /// Returns the preference for a use: `train-ai` or `search` in the current vocabulary. Names are case-sensitive.
    pub fn of(&self, usage: &str) -> Preference {
        let stated = self.iter().filter(|(label, _)| *label == usage.as_bytes()).last();
        stated.map_or(Preference::Unknown, |(_, preference)| preference)
    }

    /// Returns all preferences, in order. Of repeated names, the last one applies.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], Preference)> + use<'a> {
        let members = structured::dictionary(self.0).unwrap_or_default();
        members.into_iter().map(|(label, value)| {
            let preference = match value {
                Bare::Token(b"y") => Preference::Allow,
                Bare::Token(b"n") => Preference::Disallow,
                Bare::Token(_) | Bare::Other => Preference::Unknown,
            };
            (label, preference)
        })
    }
}

impl fmt::Display for Preferences<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_empty = true;
        for (label, preference) in self.iter() {
            write!(f, "{}{} {preference}", if is_empty { "" } else { ", " }, Escaped(label))?;
            is_empty = false;
        }
        if is_empty { f.write_str("nothing stated") } else { Ok(()) }
    }
}

/// A `Content-Usage` record: preferences, and the paths that they apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentUsage<'a> {
    /// The pattern of the paths, or `None` for all paths.
    pub path: Option<&'a [u8]>,
    /// The preferences for those paths.
    pub preferences: Preferences<'a>,
}

impl<'a> ContentUsage<'a> {
    /// Parses `[path SP] dictionary`. White space in a path must be escaped.
    pub(super) fn parse(value: &'a [u8]) -> Option<Self> {
        let (path, preferences) = path_and_rest(value);
        Some(Self { path, preferences: Preferences::parse(preferences)? })
    }
}

impl fmt::Display for ContentUsage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.preferences.fmt(f)?;
        match self.path {
            Some(path) => write!(f, " on {}", Escaped(path)),
            None => Ok(()),
        }
    }
}

/// The preferences of a file for the use of one URL. Returned by [`Robots::content_usage`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Usage<'r> {
    verdict: Verdict,
    /// The preferences that apply, with their lines; empty if the URL may not be fetched.
    stated: Vec<(u32, Preferences<'r>)>,
}

impl<'r> Usage<'r> {
    /// Returns the verdict. Preferences apply only if the URL may be fetched.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the records that apply, with their lines: those with the longest path.
    pub fn stated(&self) -> impl ExactSizeIterator<Item = (u32, Preferences<'r>)> {
        self.stated.iter().copied()
    }

    /// Returns the preference for a use, such as `train-ai`, and the first line that states it. The most restrictive
    /// one applies.
    pub fn preference(&self, usage: &str) -> StatedPreference {
        let unknown = StatedPreference { preference: Preference::Unknown, line: None };
        self.stated.iter().fold(unknown, |known, (line, preferences)| {
            let preference = preferences.of(usage);
            if preference > known.preference { StatedPreference { preference, line: Some(*line) } } else { known }
        })
    }
}

/// A preference and the line that states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatedPreference {
    /// The preference.
    pub preference: Preference,
    /// The line number of the record, or `None` if nothing is stated.
    pub line: Option<u32>,
}

impl Robots {
    /// Returns the preferences for the use of a page that this crawler has fetched, by the `Content-Usage` records of
    /// its groups (draft-ietf-aipref-attach-05).
    ///
    /// If [`check`](Self::check) disallows the URL, there is no preference. Of the records in the crawler's groups,
    /// those with the longest matching path apply, as with rules. If a group names the crawler and has no such records,
    /// nothing is known; those of `*` are not used.
    ///
    /// ```
    /// use comity::{Crawler, Preference, Robots};
    ///
    /// let robots = Robots::parse(b"
    ///     User-Agent: *
    ///     Allow: /
    ///     Disallow: /never/
    ///     Content-Usage: train-ai=n
    ///     Content-Usage: /ai-ok/ train-ai=y
    /// ");
    /// let train = |url| robots.content_usage(&Crawler::ANY, url).preference("train-ai");
    /// assert_eq!((train("/test").preference, train("/test").line), (Preference::Disallow, Some(5)));
    /// assert_eq!(train("/ai-ok/test").preference, Preference::Allow);
    /// assert_eq!(train("/never/test").preference, Preference::Unknown);
    /// ```
    pub fn content_usage(&self, crawler: &Crawler<'_>, url: impl AsRef<str>) -> Usage<'_> {
        let url = url.as_ref().as_bytes();
        let verdict = self.check_bytes(crawler, url);
        let mut stated = Vec::new();
        if !verdict.is_disallowed() {
            let mut longest = 0;
            self.scoped_records(crawler, url, |record, length| {
                let value = match record.meaning() {
                    Meaning::ContentUsage(usage) => usage.preferences,
                    // An invalid record also overrides shorter paths, since it is the site's statement about this one.
                    Meaning::NotUnderstood { .. } if record.field() == Field::ContentUsage => Preferences(b""),
                    _ => return,
                };
                if length > longest {
                    stated.clear();
                    longest = length;
                }
                if length == longest {
                    stated.push((record.line(), value));
                }
            });
        }
        Usage { verdict, stated }
    }

    /// Calls `each` with the records of a crawler's groups that apply to a URL, and the length of their path, which is
    /// 0 without a path.
    pub(super) fn scoped_records<'r>(
        &'r self,
        crawler: &Crawler<'_>,
        url: &[u8],
        mut each: impl FnMut(Record<'r>, usize),
    ) {
        let document = self.document();
        let dialect = &document.dialect;
        let selection = Selection::new(document, crawler);
        let groups: Vec<usize> = selection.groups(document).map(|group| group.index()).collect();
        let mut comparable = Vec::new();
        // No record applies to text that is neither a path nor a URL.
        let _ = with_path(url, dialect, |path| {
            let mut search = Search::new(path.octets);
            for record in self.records() {
                if record.group().is_none_or(|group| groups.binary_search(&group).is_err()) {
                    continue;
                }
                let (start, _) = path_and_rest(record.value());
                comparable.clear();
                if let Some(start) = start {
                    normalize::normalize(start, false, dialect, &mut comparable);
                }
                if start.is_none() || pattern::matches(&comparable, &mut search, dialect.wildcards) {
                    each(record, comparable.len());
                }
            }
        });
    }
}
