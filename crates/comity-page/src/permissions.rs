//! The permissions of a crawler for a page, by the rules of a robots.txt and of the page.

mod combine;

use std::fmt;

use comity::{Escaped, Verdict};

pub use combine::permissions;

/// The permissions of a crawler for a page: to fetch it, index it, follow its links, and use it for AI; each with its
/// reasons.
///
/// Returned by [`permissions`](permissions()).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Permissions {
    /// The verdict on fetching the page.
    pub fetch: Verdict,
    /// The permission to show the page in results.
    pub index: Permission,
    /// The permission to follow the links of the page.
    pub follow: Permission,
    /// The permission to train models on the page.
    pub training: Permission,
    /// The permission to use the page as an input to a model that answers a question.
    pub ai_input: Permission,
    /// The permission to use the page for search, as one of the uses of content that preferences distinguish.
    pub search: Permission,
    /// Statements that cannot have an effect, or that contradict each other.
    pub conflicts: Vec<Conflict>,
}

/// One permission and its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Permission {
    /// The answer.
    pub stance: Stance,
    /// The statements that give this answer. Empty if nothing is stated.
    pub because: Vec<Because>,
}

/// The answer about one use of a page. Ordered from least to most restrictive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[must_use]
#[non_exhaustive]
pub enum Stance {
    /// Nothing is stated about it.
    NotStated,
    /// Yes.
    Yes,
    /// No.
    No,
    /// Not known: the page may not be fetched, so its rules are never read, or a part of it was not read.
    Hidden,
}

impl Stance {
    /// Returns true if a crawler must refrain: the answer is no, or it is not known because the page may not be
    /// fetched. Returns false for [`NotStated`](Self::NotStated), which leaves the choice to the crawler.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    /// use comity_page::{Page, Stance, permissions};
    ///
    /// let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\n");
    /// let index = |url| permissions(&robots, &Crawler::ANY, url, &Page::new()).index.stance;
    /// assert!(!index("/page").forbids());
    /// assert_eq!(index("/private/page"), Stance::Hidden);
    /// assert!(index("/private/page").forbids());
    /// ```
    #[must_use]
    pub fn forbids(self) -> bool {
        match self {
            Self::No | Self::Hidden => true,
            Self::NotStated | Self::Yes => false,
        }
    }
}

impl fmt::Display for Stance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotStated => "not stated",
            Self::Yes => "yes",
            Self::No => "no",
            Self::Hidden => "not known",
        })
    }
}

/// A reason for an answer: one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Because {
    /// The source of the statement.
    pub source: BecauseSource,
    /// The line in the source, from 1.
    pub line: Option<u32>,
    /// The statement as written.
    pub text: String,
}

/// The source of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum BecauseSource {
    /// In the robots.txt.
    RobotsTxt,
    /// In the response's header.
    Header,
    /// In a meta tag.
    Meta,
}

impl fmt::Display for BecauseSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RobotsTxt => "robots.txt",
            Self::Header => "header",
            Self::Meta => "HTML",
        })
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{} line {line}: {}", self.source, Escaped(self.text.as_bytes())),
            None => write!(f, "{}: {}", self.source, Escaped(self.text.as_bytes())),
        }
    }
}

/// A statement that cannot have an effect, or a contradiction between two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", tag = "conflict"))]
#[non_exhaustive]
pub enum Conflict {
    /// The page must not be indexed, but no crawler reads that because the page may not be fetched. So its address may
    /// still be listed.
    #[non_exhaustive]
    NeverSeen {
        /// The statement of the page.
        statement: Because,
        /// The line of the robots.txt that disallows the page.
        line: u32,
    },
    /// One statement grants a permission that another one refuses. The refusal applies.
    #[non_exhaustive]
    Disagree {
        /// The permission.
        about: &'static str,
        /// The statement that grants it.
        granted: Because,
        /// The statement that refuses it.
        refused: Because,
    },
    /// A preference is in no group, so it applies to no crawler.
    #[non_exhaustive]
    InNoGroup {
        /// The preference.
        statement: Because,
    },
    /// The groups of `*` state a preference, but this crawler has a group of its own, which states none.
    #[non_exhaustive]
    NotInherited {
        /// The preference of the groups of `*`.
        statement: Because,
    },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverSeen { statement, line } => write!(
                f,
                "{statement}: it is never seen, because line {line} of the robots.txt disallows the page. Allow \
                 it to be fetched, or drop the rule"
            ),
            Self::Disagree { about, granted, refused } => {
                write!(f, "{about} is granted by {granted}, and refused by {refused}. The refusal applies")
            }
            Self::InNoGroup { statement } => {
                write!(f, "{statement}: it is in no group, so it applies to no crawler. Put it below a user-agent line")
            }
            Self::NotInherited { statement } => write!(
                f,
                "{statement}: it applies to crawlers that no group names, and this one has a group of its own. Repeat \
                 it there"
            ),
        }
    }
}
