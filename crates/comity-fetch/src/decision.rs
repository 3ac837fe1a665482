//! The answer for a URL of a live site, and where it comes from.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use comity::{Answer, Crawler, Origin, Reason, Robots, Rules, Verdict};
use comity_policy::{Access, Attempt, Effect, Fallback, GoodCopy, Record, Ruling, Rung, Time};

use crate::entry::Entry;
use crate::story::Step;

/// May this crawler fetch this URL: the answer, the rules that it rests on, where they came from, how old they are, and
/// when they are next due.
#[derive(Clone, Debug)]
pub struct Decision {
    answer: Answer,
    verdict: Option<Verdict>,
    is_robots_txt: bool,
    known: Known,
}

/// What is known of an origin's robots.txt at a moment, and what counts because of it.
#[derive(Clone, Debug)]
pub struct Known {
    origin: Origin,
    ruling: Ruling,
    at: Time,
    entry: Arc<Entry>,
}

impl Decision {
    /// `rules` are those of the copy, if there is one.
    pub(crate) fn new(known: Known, rules: Option<&Rules>, crawler: Crawler<'_>, url: &str) -> Self {
        // What holds whatever the rules say: the robots.txt itself may always be fetched (RFC 9309 §2.2.2), and some
        // crawlers are not governed at all.
        let plain = comity::decide(b"", crawler, url);
        let is_robots_txt = plain.reason() == Reason::RobotsTxt;
        let (answer, verdict) = match (known.ruling.access, rules) {
            (Access::Rules, Some(rules)) => {
                let verdict = rules.check(url);
                (verdict.answer(), Some(verdict))
            }
            _ if is_robots_txt || plain.answer() == Answer::NotGoverned => (plain.answer(), None),
            (Access::AllowAll, _) => (Answer::Allowed, None),
            // Rules that should be there and are not forbid everything.
            _ => (Answer::Disallowed, None),
        };
        Self { answer, verdict, is_robots_txt, known }
    }

    /// About a URL of another origin.
    pub(crate) fn out_of_scope(known: Known) -> Self {
        let verdict = Verdict::out_of_scope();
        Self { answer: verdict.answer(), verdict: Some(verdict), is_robots_txt: false, known }
    }

    /// The same with another answer.
    pub(crate) fn disallowed(mut self) -> Self {
        self.answer = Answer::Disallowed;
        self.verdict = None;
        self
    }

    /// Whether the crawler may fetch the URL. False when there is no verdict: nothing fails open.
    pub fn is_allowed(&self) -> bool {
        self.answer == Answer::Allowed
    }

    /// Whether the crawler may not fetch the URL. False when robots.txt does not govern the crawler.
    pub fn is_disallowed(&self) -> bool {
        self.answer == Answer::Disallowed
    }

    /// The answer.
    pub fn answer(&self) -> Answer {
        self.answer
    }

    /// The verdict of the file's rules; none where no rules count, and the [ruling](Known::ruling) alone decides.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// Whether it is about the robots.txt itself, which may always be fetched (RFC 9309 §2.2.2).
    pub fn is_robots_txt(&self) -> bool {
        self.is_robots_txt
    }

    /// What is known of the origin.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Whether it is allowed for no reason that there can be: not by rules, not by what the site answered, not by a
    /// step of the policy. Worked out from the outside, as a second pair of eyes.
    pub(crate) fn fails_open(&self) -> bool {
        let Known { ruling, entry, .. } = &self.known;
        if !self.is_allowed() || self.is_robots_txt {
            return false;
        }
        let has_copy = self.known.copy().is_some();
        let has_rules = has_copy && self.known.robots().is_some() && self.verdict.is_some();
        let policy = entry.site.policy();
        let is_decided = match (policy.effect(ruling.event), ruling.access) {
            (Effect::Rules, Access::Rules) => has_rules && ruling.event.is_found(),
            (Effect::Absent, Access::AllowAll) => !ruling.event.is_found(),
            (Effect::Unreachable, access) => {
                let rung = ruling.rung.unwrap_or(Rung::First);
                match (policy.fallback(ruling.event, rung), access) {
                    (Fallback::CopyElseDisallow | Fallback::CopyElseAllow, Access::Rules) => has_rules,
                    (Fallback::CopyElseAllow, Access::AllowAll) => !has_copy,
                    (Fallback::Allow | Fallback::AllowIfSiteAnswers, Access::AllowAll) => true,
                    _ => false,
                }
            }
            _ => false,
        };
        !is_decided
    }
}

impl Known {
    pub(crate) fn new(origin: Origin, ruling: Ruling, at: Time, entry: Arc<Entry>) -> Self {
        Self { origin, ruling, at, entry }
    }

    /// Whose robots.txt it is.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What counts, and which event and row of the policy decided it.
    pub fn ruling(&self) -> &Ruling {
        &self.ruling
    }

    /// When this was so.
    pub fn at(&self) -> Time {
        self.at
    }

    /// The last good copy, if there is one; it counts if the [ruling](Self::ruling) says so.
    pub fn copy(&self) -> Option<&GoodCopy> {
        self.record().copy.as_ref()
    }

    /// The last good copy, parsed.
    pub fn robots(&self) -> Option<&Robots> {
        self.entry.robots.as_ref()
    }

    /// How long ago the site last said that the copy is good.
    pub fn age(&self) -> Option<Duration> {
        self.copy().map(|copy| self.at.since(copy.confirmed))
    }

    /// The last attempt, whatever came of it.
    pub fn attempt(&self) -> Option<&Attempt> {
        self.record().last.as_ref()
    }

    /// All that is remembered of the origin.
    pub fn record(&self) -> &Record {
        self.entry.site.record()
    }

    /// The requests of the last attempt, if this client made it.
    pub fn steps(&self) -> &[Step] {
        &self.entry.steps
    }

    /// When the file is next asked for.
    pub fn due(&self) -> Time {
        self.entry.site.due()
    }

    /// Whether it should have been asked for again, and was not: only offline.
    pub fn is_overdue(&self) -> bool {
        self.entry.site.is_due(self.at)
    }

    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, ruling) = (&self.known.origin, &self.known.ruling);
        match (self.verdict, self.known.copy()) {
            (Some(verdict), Some(copy)) => write!(f, "{verdict} of {}", copy.url),
            _ if self.answer == Answer::NotGoverned => {
                f.write_str("not governed: this crawler does not heed robots.txt")
            }
            _ => write!(f, "{} for {origin}: {ruling}", if self.is_allowed() { "allowed" } else { "disallowed" }),
        }
    }
}
