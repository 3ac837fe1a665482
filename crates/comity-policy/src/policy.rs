//! What each result means, as data.

#[cfg(feature = "serde")]
mod fields;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use comity::UnknownName;

use crate::event::{Event, Failure};

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

/// What counts while the file is unreachable, by how long that has been so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Ladder {
    /// For less than 12 hours.
    pub first: Fallback,
    /// For 12 hours up to 30 days.
    pub then: Fallback,
    /// For more than 30 days, with failed attempts on at least [`Policy::failed_days`] days.
    pub last: Fallback,
}

/// What counts in place of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
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
    /// Everything is allowed if the caller knows that the site's pages answer, else disallowed.
    AllowIfSiteAnswers,
}

comity::__names! {
    Fallback is "a fallback" {
        CopyElseDisallow = "copy-else-disallow",
        CopyElseAllow = "copy-else-allow",
        Disallow = "disallow",
        Allow = "allow",
        AllowIfSiteAnswers = "allow-if-site-answers",
    }, Display
}

/// A rung of the ladder: how long the file has been unreachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[must_use]
#[non_exhaustive]
pub enum Rung {
    /// Less than 12 hours.
    First,
    /// 12 hours up to 30 days.
    Then,
    /// More than 30 days, but with failed attempts on fewer days than the policy requires: as [`Then`](Self::Then).
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
    const fn always(fallback: Fallback) -> Self {
        Self { first: fallback, then: fallback, last: fallback }
    }

    /// What counts on a rung.
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

    /// Returns the rung after so long without an answer, with failed attempts on so many days, under a policy.
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
}

impl Rung {
    /// Returns the words for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::First => "less than 12 hours",
            Self::Then => "12 hours to 30 days",
            Self::Unconfirmed => "more than 30 days, with attempts on too few of them",
            Self::Last => "more than 30 days",
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

/// A row of the policy table: the kinds of ends between which policies tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Row {
    /// 2xx, and a 304 that was asked for.
    Found,
    /// 206, a final 1xx, 300, a 304 that nobody asked for, 3xx without a usable `Location`, what is no valid response.
    OddAnswer,
    /// The sixth redirect, or a circle.
    RedirectsEnd,
    /// The caller's rules about addresses refuse the site, or where it redirects.
    Refused,
    /// 401, 403.
    Forbidden,
    /// 407.
    ProxyRefused,
    /// 429.
    TooManyRequests,
    /// 408, 421, 425.
    RequestFailed,
    /// Other 4xx.
    ClientError,
    /// 5xx, and every failure of the network: names, connections, TLS, time, bodies cut short.
    ServerError,
    /// 5xx on a site that answers so for every missing page.
    ErrorForMissing,
    /// FTP 550.
    FtpMissing,
    /// Any other FTP reply but success.
    FtpError,
}

comity::__names! {
    Row is "a row of the policy table" {
        Found = "found",
        OddAnswer = "odd-answer",
        RedirectsEnd = "redirects-end",
        Refused = "refused",
        Forbidden = "forbidden",
        ProxyRefused = "proxy-refused",
        TooManyRequests = "too-many-requests",
        RequestFailed = "request-failed",
        ClientError = "client-error",
        ServerError = "server-error",
        ErrorForMissing = "error-for-missing",
        FtpMissing = "ftp-missing",
        FtpError = "ftp-error",
    }, Display
}

impl Row {
    /// The row of an event.
    pub fn of(event: Event) -> Self {
        match event {
            Event::Found | Event::NotModified => Self::Found,
            Event::Status(401 | 403) => Self::Forbidden,
            Event::Status(407) => Self::ProxyRefused,
            Event::Status(429) => Self::TooManyRequests,
            Event::Status(408 | 421 | 425) => Self::RequestFailed,
            Event::Status(400..=499) => Self::ClientError,
            Event::Status(500..=599) => Self::ServerError,
            Event::RedirectLimit | Event::RedirectLoop => Self::RedirectsEnd,
            Event::ErrorForMissing(_) => Self::ErrorForMissing,
            Event::Ftp(550) => Self::FtpMissing,
            Event::Ftp(_) => Self::FtpError,
            Event::Failed(Failure::Refused) => Self::Refused,
            Event::Status(_) | Event::Failed(Failure::BadRedirect | Failure::InvalidResponse) => Self::OddAnswer,
            Event::Failed(_) => Self::ServerError,
        }
    }

    /// What it is about, for a table.
    pub fn title(self) -> &'static str {
        match self {
            Self::Found => "2xx",
            Self::OddAnswer => "206, 1xx, 300, 304 unasked, 3xx without Location, invalid response",
            Self::RedirectsEnd => "too many redirects, or a circle",
            Self::Refused => "refused by the address rules",
            Self::Forbidden => "401, 403",
            Self::ProxyRefused => "407",
            Self::TooManyRequests => "429",
            Self::RequestFailed => "408, 421, 425",
            Self::ClientError => "other 4xx",
            Self::ServerError => "5xx, DNS, TLS, connection, timeout, truncated body",
            Self::ErrorForMissing => "5xx for every missing page (probed)",
            Self::FtpMissing => "FTP 550",
            Self::FtpError => "other FTP replies",
        }
    }

    /// Where it is written.
    pub fn source(self) -> &'static str {
        match self {
            Self::Found => "RFC 9309 §2.3.1.1; Google: 2xx is processed, whatever came",
            Self::OddAnswer => "not in RFC 9309; Google: an invalid response is a server error",
            Self::RedirectsEnd => "RFC 9309 §2.3.1.2: beyond five, may be taken as unavailable; Google: as 404",
            Self::Refused => "RFC 9309 §2.3.1.4: unreachable; a refusal of ours is never the site's permission",
            Self::Forbidden => "RFC 9309 §2.3.1.3: unavailable; Google: 401 and 403 as 404",
            Self::ProxyRefused => "RFC 9110 §15.5.8: only a proxy answers so; the site was not asked",
            Self::TooManyRequests => {
                "RFC 9309 §2.3.1.3 as any 4xx; Google in 2019: the same, by now: as a server error"
            }
            Self::RequestFailed => {
                "RFC 9309 §2.3.1.3 as any 4xx; RFC 9110 §15.5.9, §15.5.20, RFC 8470 §5.2: this request failed, try again"
            }
            Self::ClientError => "RFC 9309 §2.3.1.3: unavailable",
            Self::ServerError => "RFC 9309 §2.3.1.4: unreachable; Google: network errors as server errors",
            Self::ErrorForMissing => "Google in 2018 and 2019, no longer in 2026: such a 5xx is taken as 404",
            Self::FtpMissing => "RFC 959 §4.2: 550, no such file; Google: FTP is supported",
            Self::FtpError => "RFC 9309 §2.3.1.4: unreachable",
        }
    }
}

impl Fallback {
    /// Returns the words for people.
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
