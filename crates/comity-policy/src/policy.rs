//! What each result means, as data.

#[cfg(feature = "serde")]
mod fields;
mod ladder;
mod row;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use comity::UnknownName;

pub use ladder::{Fallback, Ladder, Rung};
pub use row::Row;

use crate::event::Event;

/// A policy: what each way to end means, and for how long. The presets are its constants; a policy of your own is one
/// of them with other values.
///
/// With the feature `serde` it is written as its name; one of your own, as a table of what differs from the standard
/// policy. Such a table can also be read, with any preset as `base`. It has the names of the fields here and the names of
/// their values in kebab case, durations in seconds, and refuses unknown fields. The policy is then called `custom`.
///
/// ```
/// use comity_policy::{Effect, Policy};
///
/// assert_eq!(Policy::named("strict"), Some(Policy::STRICT));
/// let mut mine = Policy::STANDARD;
/// mine.name = "mine";
/// mine.forbidden = Effect::Denied;
/// # #[cfg(feature = "serde")] {
/// let read: Policy = serde_json::from_str(r#"{ "base": "standard", "forbidden": "denied" }"#).unwrap();
/// assert_eq!((read.name, read.forbidden), ("custom", Effect::Denied));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// What it is called in verdicts and records.
    pub name: &'static str,
    /// How many redirects are followed (RFC 9309 §2.3.1.2: at least five).
    pub redirects: u8,
    /// One redirect too many, or a circle.
    pub redirects_end: Effect,
    /// 401 and 403.
    pub forbidden: Effect,
    /// 429.
    pub too_many_requests: Effect,
    /// 408, 421 and 425: this request failed, which says nothing about the file.
    pub request_failed: Effect,
    /// While the file is unreachable.
    pub unreachable: Ladder,
    /// While it is unreachable because the caller's own rules about addresses refuse it: no fault of the site, so no
    /// preset takes it for permission, however long it lasts.
    pub refused: Ladder,
    /// The number of distinct UTC days with a failed attempt that the ladder's [last](Ladder::last) step requires,
    /// besides the 30 days. Until there are as many, [`Ladder::then`] counts.
    pub failed_days: u32,
    /// An answer is good for at least so long, whatever its headers say.
    pub fresh_least: Duration,
    /// And for no longer than this.
    pub fresh_most: Duration,
    /// Whether the probe for sites that answer 5xx for missing pages may be asked for.
    pub probes: bool,
    /// How long an attempt may take, redirects included.
    pub deadline: Duration,
}

/// What a final answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[must_use]
#[non_exhaustive]
pub enum Effect {
    /// The file's rules count.
    Rules,
    /// As if there were no robots.txt: everything is allowed ("unavailable" in RFC 9309 §2.3.1.3).
    Absent,
    /// Everything is disallowed, as an answer and not for want of one.
    Denied,
    /// Nobody knows the rules now: the [`Ladder`] decides (RFC 9309 §2.3.1.4).
    Unreachable,
}

comity::__names! {
    Effect is "an effect" {
        Rules = "rules",
        Absent = "absent",
        Denied = "denied",
        Unreachable = "unreachable",
    }, Display
}

impl Effect {
    /// Returns the words for people.
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
    /// RFC 9309 with the cautious reading of what it leaves open, and Google's 429. The default.
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
        fresh_least: Duration::from_secs(5 * MINUTE),
        fresh_most: Duration::from_secs(DAY),
        probes: true,
        deadline: Duration::from_secs(30),
    };

    /// What Google documents in 2026.
    pub const GOOGLE: Self = Self {
        name: "google",
        request_failed: Effect::Absent,
        unreachable: Ladder {
            first: Fallback::Disallow,
            then: Fallback::CopyElseAllow,
            last: Fallback::AllowIfSiteAnswers,
        },
        failed_days: 1,
        fresh_most: Duration::from_secs(30 * DAY),
        probes: false,
        ..Self::STANDARD
    };

    /// What Google documented from 2019 on.
    pub const GOOGLE_2019: Self = Self {
        name: "google-2019",
        too_many_requests: Effect::Absent,
        request_failed: Effect::Absent,
        unreachable: Ladder { first: Fallback::Disallow, then: Fallback::Disallow, last: Fallback::CopyElseAllow },
        failed_days: 1,
        fresh_most: Duration::from_secs(30 * DAY),
        ..Self::STANDARD
    };

    /// The letter of RFC 9309: every 4xx is "unavailable", and headers may ask for any lifetime up to a day.
    pub const RFC9309: Self = Self {
        name: "rfc9309",
        too_many_requests: Effect::Absent,
        request_failed: Effect::Absent,
        failed_days: 1,
        fresh_least: Duration::ZERO,
        probes: false,
        ..Self::STANDARD
    };

    /// When in doubt, no.
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

    /// For archives, which take an error of the site for no objection.
    pub const ARCHIVE: Self = Self {
        name: "archive",
        too_many_requests: Effect::Absent,
        request_failed: Effect::Absent,
        unreachable: Ladder::always(Fallback::Allow),
        failed_days: 1,
        fresh_most: Duration::from_secs(30 * DAY),
        probes: false,
        ..Self::STANDARD
    };

    /// All presets.
    pub const ALL: &'static [Self] =
        &[Self::STANDARD, Self::GOOGLE, Self::GOOGLE_2019, Self::RFC9309, Self::STRICT, Self::ARCHIVE];

    /// Returns the preset of this name, ASCII case folded. [`FromStr`] does the same with an error that says which names
    /// there are.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| policy.name.eq_ignore_ascii_case(name))
    }

    /// What an event means.
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
            Row::ClientError | Row::ErrorForMissing | Row::FtpMissing => Effect::Absent,
            Row::OddAnswer | Row::Refused | Row::ProxyRefused | Row::ServerError | Row::FtpError => Effect::Unreachable,
        }
    }

    /// What counts on a rung after an event that left the file unreachable.
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

    /// How long an answer is good whose sender says so much.
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
    pub fn fresh_for(&self, said: Option<Duration>) -> Duration {
        /// RFC 9309 §2.4: not more than 24 hours, unless the file is unreachable.
        const UNSAID: Duration = Duration::from_secs(DAY);
        said.unwrap_or(UNSAID).max(self.fresh_least).min(self.fresh_most)
    }
}

impl FromStr for Policy {
    type Err = UnknownName;

    /// Parses a name, as [`named`](Self::named).
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

impl Default for Policy {
    fn default() -> Self {
        Self::STANDARD
    }
}
