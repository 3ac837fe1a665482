//! Rulings: the access to an origin at a moment, with the reason.

use std::fmt;
use std::time::Duration;

use crate::event::Event;
use crate::policy::{Effect, Fallback, Policy, Row, Rung};
use crate::record::StoredRecord;
use crate::time::Time;

/// The ruling of a policy: the access to an origin at a moment, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Ruling {
    /// The access: by rules, everything allowed, or everything disallowed.
    pub access: Access,
    /// The event that ended the last attempt, on which the ruling is based.
    pub event: Event,
    /// The row of the policy table for this event.
    pub row: Row,
    /// The time that the file has been unreachable, as a rung; `None` if it is not.
    pub rung: Option<Rung>,
    /// The name of the policy.
    pub policy: &'static str,
}

/// The access to all URLs of an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[must_use]
#[non_exhaustive]
pub enum Access {
    /// The rules of the last good copy decide.
    Rules,
    /// Everything is allowed.
    AllowAll,
    /// Everything is disallowed.
    DisallowAll,
}

comity::__names! {
    Access is "a kind of access" {
        Rules = "rules",
        AllowAll = "allow-all",
        DisallowAll = "disallow-all",
    }, Display
}

impl Ruling {
    /// Returns the ruling of a policy on the last attempt of a record, or `None` if there was no attempt.
    pub(crate) fn of(record: &StoredRecord, policy: &Policy, now: Time) -> Option<Self> {
        let event = record.last.as_ref()?.event;
        let ruling = |access, rung| Self { access, event, row: Row::of(event), rung, policy: policy.name };
        Some(match policy.effect(event) {
            // A store may have lost the copy or its body. That must not be treated as an empty file.
            Effect::Rules if record.whole_copy().is_none() => ruling(Access::DisallowAll, None),
            Effect::Rules => ruling(Access::Rules, None),
            Effect::Absent => ruling(Access::AllowAll, None),
            Effect::Denied => ruling(Access::DisallowAll, None),
            Effect::Unreachable => {
                let unreachable = record.failing_since.map_or(Duration::ZERO, |since| now.since(since));
                let rung = Rung::after(unreachable, record.failed_days(), policy);
                let access = match policy.fallback(event, rung) {
                    Fallback::CopyElseDisallow | Fallback::CopyElseAllow if record.copy.is_some() => {
                        // A copy without its body must not be treated as missing either.
                        if record.whole_copy().is_some() { Access::Rules } else { Access::DisallowAll }
                    }
                    Fallback::CopyElseAllow | Fallback::Allow => Access::AllowAll,
                    Fallback::AllowIfSiteAnswers if site_answers(record, now) == Some(true) => Access::AllowAll,
                    Fallback::CopyElseDisallow | Fallback::Disallow | Fallback::AllowIfSiteAnswers => {
                        Access::DisallowAll
                    }
                };
                ruling(access, Some(rung))
            }
        })
    }

    /// Returns the ruling for a file that the caller has, or for a site without one, whose access the caller knows. No
    /// request was made: the event is the one that leads to this access in every policy.
    pub fn given(access: Access) -> Self {
        let event = match access {
            Access::Rules => Event::Found,
            Access::AllowAll => Event::Status(404),
            Access::DisallowAll => Event::Status(503),
        };
        Self { access, event, row: Row::of(event), rung: None, policy: Policy::STANDARD.name }
    }

    /// Returns true if everything is allowed because of a failure: no answer allowed it, but the policy turns such a
    /// failure into permission.
    ///
    /// ```
    /// use comity::Origin;
    /// use comity_policy::{Access, Failure, Input, Policy, Site, Time};
    ///
    /// let now = Time::from_unix_seconds(1_800_000_000);
    /// let mut site = Site::new(&Origin::of("https://example.com/")?, Policy::ARCHIVE);
    /// site.poll(now);
    /// site.handle(Input::Failed(Failure::Connect, "connection refused"), now);
    /// let ruling = site.ruling(now).unwrap();
    /// assert_eq!(ruling.access, Access::AllowAll);
    /// assert!(ruling.is_allowed_by_failure());
    /// # Ok::<(), comity::OriginError>(())
    /// ```
    #[must_use]
    pub fn is_allowed_by_failure(&self) -> bool {
        self.access == Access::AllowAll && self.rung.is_some()
    }
}

/// Returns the caller's report on whether the site's pages answer, unless it is a day old or older.
fn site_answers(record: &StoredRecord, now: Time) -> Option<bool> {
    const REPORT_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
    report(record, now, REPORT_LIFETIME)
}

/// Returns true if the caller has just reported that the site's pages answer, so `/` need not be probed. An earlier report
/// says nothing about an outage that has begun since.
pub(crate) fn has_just_answered(record: &StoredRecord, now: Time) -> bool {
    const REPORT_LIFETIME: Duration = Duration::from_secs(5 * 60);
    report(record, now, REPORT_LIFETIME) == Some(true)
}

fn report(record: &StoredRecord, now: Time, lifetime: Duration) -> Option<bool> {
    let (answers, said) = record.answers?;
    (said <= now && now.since(said) < lifetime).then_some(answers)
}

impl fmt::Display for Ruling {
    /// Writes a sentence without its period, such as `everything is disallowed: the site answered 403 (policy strict)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = match (self.access, self.rung) {
            (Access::Rules, None) => "the file's rules count",
            (Access::Rules, Some(_)) => "the rules of the last good copy count",
            (Access::AllowAll, _) => "everything is allowed",
            (Access::DisallowAll, _) => "everything is disallowed",
        };
        write!(f, "{counts}: the site {}", self.event)?;
        if self.event.is_found() && self.access == Access::DisallowAll {
            f.write_str(", but the copy of it was lost")?;
        }
        if let Some(rung) = self.rung {
            write!(f, ", and it has been unreachable for {}", rung.label())?;
        }
        write!(f, " (policy {})", self.policy)
    }
}
