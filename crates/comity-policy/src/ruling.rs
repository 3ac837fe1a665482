//! What counts for an origin at a moment, and why.

use std::fmt;
use std::time::Duration;

use crate::event::Event;
use crate::policy::{Effect, Fallback, Policy, Row, Rung};
use crate::record::Record;
use crate::time::Time;

/// What counts for an origin now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Ruling {
    /// Whether rules decide, or all is allowed or disallowed.
    pub access: Access,
    /// The end of the last attempt, which decided this.
    pub event: Event,
    /// The row of the policy table.
    pub row: Row,
    /// While the file is unreachable: how long it has been so.
    pub rung: Option<Rung>,
    /// The policy.
    pub policy: &'static str,
}

/// What counts for every URL of an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[must_use]
#[non_exhaustive]
pub enum Access {
    /// The rules of the last good copy.
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
    /// What the last attempt of a record means under a policy; none if there was no attempt.
    pub(crate) fn of(record: &Record, policy: &Policy, now: Time) -> Option<Self> {
        let event = record.last.as_ref()?.event;
        let ruling = |access, rung| Self { access, event, row: Row::of(event), rung, policy: policy.name };
        Some(match policy.effect(event) {
            // The copy, or its body, may have been lost in a store: that is not an empty file.
            Effect::Rules if record.whole_copy().is_none() => ruling(Access::DisallowAll, None),
            Effect::Rules => ruling(Access::Rules, None),
            Effect::Absent => ruling(Access::AllowAll, None),
            Effect::Denied => ruling(Access::DisallowAll, None),
            Effect::Unreachable => {
                let unreachable = record.failing_since.map_or(Duration::ZERO, |since| now.since(since));
                let rung = Rung::after(unreachable, record.failed_days(), policy);
                let access = match policy.fallback(event, rung) {
                    Fallback::CopyElseDisallow | Fallback::CopyElseAllow if record.copy.is_some() => {
                        // Nor does a copy that can't be read leave the site without rules.
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

    /// Whether everything is allowed although no answer said so: a step of the policy turned a failure into
    /// permission.
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

/// What the caller said of the site's pages, unless that was a day ago or more.
pub(crate) fn site_answers(record: &Record, now: Time) -> Option<bool> {
    const HOLDS: Duration = Duration::from_secs(24 * 60 * 60);
    let (answers, said) = record.answers?;
    (said <= now && now.since(said) < HOLDS).then_some(answers)
}

impl fmt::Display for Ruling {
    /// A sentence without its full stop: `everything is disallowed: the site answered 503 (less than 12 hours ...)`.
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
