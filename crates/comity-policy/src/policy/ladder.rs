//! Ladders: the fallbacks while a file is unreachable, by the duration of the outage.

use std::time::Duration;

use super::Policy;

/// A ladder: the fallbacks while a file is unreachable, by the duration of the outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Ladder {
    /// The fallback for the first 12 hours.
    pub first: Fallback,
    /// The fallback from 12 hours up to 30 days.
    pub then: Fallback,
    /// The fallback after 30 days, if attempts failed on at least [`Policy::failed_days`] of these days.
    pub last: Fallback,
}

/// A fallback: the access while the rules are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
#[non_exhaustive]
pub enum Fallback {
    /// The last good copy; without one, everything is disallowed.
    CopyElseDisallow,
    /// The last good copy; without one, everything is allowed.
    CopyElseAllow,
    /// Everything is disallowed.
    Disallow,
    /// Everything is allowed.
    Allow,
    /// Everything is allowed if the caller knows that the site's pages answer; otherwise, everything is disallowed.
    AllowIfSiteAnswers,
}

/// A rung of the ladder: a range of the time that the file has been unreachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[must_use]
#[non_exhaustive]
pub enum Rung {
    /// Less than 12 hours.
    First,
    /// 12 hours up to 30 days.
    Then,
    /// More than 30 days, but with failed attempts on fewer days than the policy requires. Treated like
    /// [`Then`](Self::Then).
    Unconfirmed,
    /// More than 30 days.
    Last,
}

comity::__names! {
    Rung is "a rung" {
        First = "first",
        Then = "then",
        Unconfirmed = "unconfirmed",
        Last = "last",
    }, Display
}

impl Ladder {
    pub(super) const fn always(fallback: Fallback) -> Self {
        Self { first: fallback, then: fallback, last: fallback }
    }

    /// Returns the fallback on a rung.
    pub const fn on(self, rung: Rung) -> Fallback {
        match rung {
            Rung::First => self.first,
            Rung::Then | Rung::Unconfirmed => self.then,
            Rung::Last => self.last,
        }
    }
}

impl Rung {
    const FIRST_ENDS: Duration = Duration::from_secs(12 * 60 * 60);
    const THEN_ENDS: Duration = Duration::from_secs(30 * 24 * 60 * 60);

    /// Returns the rung for the time without an answer and the number of days with failed attempts.
    ///
    /// ```
    /// use std::time::Duration;
    /// use comity_policy::{Policy, Rung};
    ///
    /// let month = Duration::from_secs(31 * 24 * 60 * 60);
    /// assert_eq!(Rung::after(month, 5, &Policy::STANDARD), Rung::Last);
    /// assert_eq!(Rung::after(month, 4, &Policy::STANDARD), Rung::Unconfirmed);
    /// assert_eq!(Rung::after(month, 1, &Policy::RFC9309), Rung::Last);
    /// ```
    pub fn after(unreachable: Duration, failed_days: u32, policy: &Policy) -> Self {
        if unreachable < Self::FIRST_ENDS {
            Self::First
        } else if unreachable <= Self::THEN_ENDS {
            Self::Then
        } else if failed_days < policy.failed_days {
            Self::Unconfirmed
        } else {
            Self::Last
        }
    }

    /// Returns a label for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::First => "less than 12 hours",
            Self::Then => "12 hours to 30 days",
            Self::Unconfirmed => "more than 30 days, with attempts on too few of them",
            Self::Last => "more than 30 days",
        }
    }
}

impl Fallback {
    /// Returns a label for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::CopyElseDisallow => "the last good copy, else disallow",
            Self::CopyElseAllow => "the last good copy, else allow",
            Self::Disallow => "disallow",
            Self::Allow => "allow",
            Self::AllowIfSiteAnswers => "allow if the site answers, else disallow",
        }
    }
}
