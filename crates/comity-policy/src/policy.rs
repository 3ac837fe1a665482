//! Policies: the meaning of each result of an attempt, as data.

mod ladder;
mod row;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use comity::UnknownName;

pub use ladder::{Fallback, Ladder, Rung};
pub use row::Row;

use crate::event::Event;

/// A policy: the meaning of each result of an attempt, and its lifetime. The presets are constants. For your own
/// policy, copy one and change its fields.
///
/// Policies are compared by value, with their names. Give a policy of your own another [`name`](Self::name): a result
/// without a file is fetched again if it was recorded under another name. With the feature `serde`, a policy is
/// serialized as its name, and the names of [`ALL`](Self::ALL) are deserialized. A policy that differs from the preset
/// with its name is not serialized, since the preset would be read back.
///
/// ```
/// use comity_policy::{Effect, Policy};
///
/// assert_eq!(Policy::named("strict"), Some(Policy::STRICT));
/// let mut mine = Policy::STANDARD;
/// mine.name = "mine";
/// mine.forbidden = Effect::Denied;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// The name, as used in rulings and records.
    pub name: &'static str,
    /// The number of redirects that are followed (RFC 9309 §2.3.1.2: at least five).
    pub redirects: u8,
    /// The effect of too many redirects, or of a redirect loop.
    pub redirects_end: Effect,
    /// The effect of 401 and 403.
    pub forbidden: Effect,
    /// The effect of 429.
    pub too_many_requests: Effect,
    /// The effect of 408, 421 and 425, which mean that this request failed and say nothing about the file.
    pub request_failed: Effect,
    /// The access while the file is unreachable.
    pub unreachable: Ladder,
    /// The access while the caller's own address rules refuse the site. This is not the site's fault, so no preset
    /// treats it as permission, however long it lasts.
    pub refused: Ladder,
    /// The number of distinct UTC days with a failed attempt that the [last](Ladder::last) rung of the ladder requires,
    /// besides the 30 days. With fewer days, [`Ladder::then`] applies.
    pub failed_days: u32,
    /// The minimum lifetime of an answer, whatever its headers state.
    pub min_fresh: Duration,
    /// The maximum lifetime of an answer.
    pub max_fresh: Duration,
    /// True if probes for sites that answer 5xx for missing pages are allowed.
    pub probes: bool,
    /// The time limit of an attempt, including redirects.
    pub deadline: Duration,
}

/// The effect of an event: its meaning under a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
#[non_exhaustive]
pub enum Effect {
    /// The rules of the file apply.
    Rules,
    /// There is no robots.txt, so everything is allowed ("unavailable" in RFC 9309 §2.3.1.3).
    Absent,
    /// The site denies access to the file, so everything is disallowed.
    Denied,
    /// The rules are currently unknown, so the [`Ladder`] decides (RFC 9309 §2.3.1.4).
    Unreachable,
}

impl Effect {
    /// Returns a label for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Rules => "the file's rules",
            Self::Absent => "allow, as if there were no file",
            Self::Denied => "disallow",
            Self::Unreachable => "unreachable",
        }
    }
}

const MINUTE: u64 = 60;
const DAY: u64 = 24 * 60 * MINUTE;

impl Policy {
    /// RFC 9309, with the cautious choice where it leaves one, and with Google's treatment of 429. The default.
    pub const STANDARD: Self = Self {
        name: "standard",
        redirects: 5,
        redirects_end: Effect::Absent,
        forbidden: Effect::Absent,
        too_many_requests: Effect::Unreachable,
        request_failed: Effect::Unreachable,
        unreachable: Ladder {
            first: Fallback::CopyElseDisallow,
            then: Fallback::CopyElseDisallow,
            last: Fallback::CopyElseAllow,
        },
        refused: Ladder::always(Fallback::CopyElseDisallow),
        failed_days: 5,
        min_fresh: Duration::from_secs(5 * MINUTE),
        max_fresh: Duration::from_secs(DAY),
        probes: true,
        deadline: Duration::from_secs(30),
    };

    /// The behavior that Google documents in 2026.
    pub const GOOGLE: Self = Self {
        name: "google",
        request_failed: Effect::Absent,
        unreachable: Ladder {
            first: Fallback::Disallow,
            then: Fallback::CopyElseAllow,
            last: Fallback::AllowIfSiteAnswers,
        },
        failed_days: 1,
        max_fresh: Duration::from_secs(30 * DAY),
        probes: false,
        ..Self::STANDARD
    };

    /// The behavior that Google has documented since 2019.
    pub const GOOGLE_2019: Self = Self {
        name: "google-2019",
        too_many_requests: Effect::Absent,
        request_failed: Effect::Absent,
        unreachable: Ladder { first: Fallback::Disallow, then: Fallback::Disallow, last: Fallback::CopyElseAllow },
        failed_days: 1,
        max_fresh: Duration::from_secs(30 * DAY),
        ..Self::STANDARD
    };

    /// RFC 9309 to the letter: every 4xx is "unavailable", and headers may state any lifetime up to a day.
    pub const RFC9309: Self = Self {
        name: "rfc9309",
        too_many_requests: Effect::Absent,
        request_failed: Effect::Absent,
        failed_days: 1,
        min_fresh: Duration::ZERO,
        probes: false,
        ..Self::STANDARD
    };

    /// The strictest choices: everything is disallowed in case of doubt.
    pub const STRICT: Self = Self {
        name: "strict",
        redirects_end: Effect::Unreachable,
        forbidden: Effect::Denied,
        unreachable: Ladder::always(Fallback::Disallow),
        refused: Ladder::always(Fallback::Disallow),
        failed_days: 1,
        probes: false,
        ..Self::STANDARD
    };

    /// A policy for archives: errors of the site are treated as permission.
    pub const ARCHIVE: Self = Self {
        name: "archive",
        too_many_requests: Effect::Absent,
        request_failed: Effect::Absent,
        unreachable: Ladder::always(Fallback::Allow),
        failed_days: 1,
        max_fresh: Duration::from_secs(30 * DAY),
        probes: false,
        ..Self::STANDARD
    };

    /// All presets.
    pub const ALL: &'static [Self] =
        &[Self::STANDARD, Self::GOOGLE, Self::GOOGLE_2019, Self::RFC9309, Self::STRICT, Self::ARCHIVE];

    /// Returns the preset with this name, ignoring ASCII case. [`FromStr`] does the same with an error that lists the
    /// names.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| policy.name.eq_ignore_ascii_case(name))
    }

    /// Returns the effect of an event.
    ///
    /// ```
    /// use comity_policy::{Effect, Event, Policy};
    ///
    /// assert_eq!(Policy::STANDARD.effect(Event::Status(403)), Effect::Absent);
    /// assert_eq!(Policy::STRICT.effect(Event::Status(403)), Effect::Denied);
    /// ```
    pub fn effect(&self, event: Event) -> Effect {
        match Row::of(event) {
            Row::Found => Effect::Rules,
            Row::RedirectsEnd => self.redirects_end,
            Row::Forbidden => self.forbidden,
            Row::TooManyRequests => self.too_many_requests,
            Row::RequestFailed => self.request_failed,
            // A record of a policy that probes, under one that does not: there, it is a 5xx like any other.
            Row::ErrorForMissing if !self.probes => Effect::Unreachable,
            Row::ClientError | Row::ErrorForMissing | Row::FtpMissing => Effect::Absent,
            Row::OddAnswer | Row::Refused | Row::ProxyRefused | Row::ServerError | Row::FtpError => Effect::Unreachable,
        }
    }

    /// Returns the fallback on a rung, after an event that left the file unreachable.
    ///
    /// ```
    /// use comity_policy::{Event, Fallback, Policy, Rung};
    ///
    /// assert_eq!(Policy::STANDARD.fallback(Event::Status(500), Rung::Last), Fallback::CopyElseAllow);
    /// assert_eq!(Policy::STRICT.fallback(Event::Status(500), Rung::Last), Fallback::Disallow);
    /// ```
    pub fn fallback(&self, event: Event, rung: Rung) -> Fallback {
        let ladder = if Row::of(event) == Row::Refused { self.refused } else { self.unreachable };
        ladder.on(rung)
    }

    /// Returns the lifetime of an answer, given the lifetime that its sender states. Defaults to 24 hours, and is
    /// limited by the policy.
    ///
    /// ```
    /// use std::time::Duration;
    /// use comity_policy::Policy;
    ///
    /// let week = Duration::from_secs(7 * 24 * 60 * 60);
    /// assert_eq!(Policy::GOOGLE.fresh_for(Some(week)), week);
    /// assert_eq!(Policy::STANDARD.fresh_for(Some(week)), Duration::from_secs(24 * 60 * 60));
    /// ```
    #[must_use]
    pub fn fresh_for(&self, stated: Option<Duration>) -> Duration {
        /// RFC 9309 §2.4: at most 24 hours, unless the file is unreachable.
        const DEFAULT_LIFETIME: Duration = Duration::from_secs(DAY);
        stated.unwrap_or(DEFAULT_LIFETIME).max(self.min_fresh).min(self.max_fresh)
    }
}

impl FromStr for Policy {
    type Err = UnknownName;

    /// Parses a name, like [`named`](Self::named).
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let names = || Self::ALL.iter().map(|policy| policy.name);
        Self::named(name).ok_or_else(|| UnknownName::new("a policy", names(), name))
    }
}

impl fmt::Display for Policy {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Policy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Self::named(self.name) {
            Some(preset) if preset != *self => {
                let name = self.name;
                Err(serde::ser::Error::custom(format_args!(
                    "expected a name of its own for a changed policy, found `{name}`"
                )))
            }
            _ => serializer.serialize_str(self.name),
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Policy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::STANDARD
    }
}
