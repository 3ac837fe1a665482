//! The answer for a URL of a live site, and where it comes from.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use comity::{Answer, Crawler, Dialect, Governed, Origin, Reason, Robots, Rules, Verdict};
use comity_policy::{Access, Attempt, Effect, Fallback, GoodCopy, Policy, Record, Ruling, Rung, Site, Time};

use crate::entry::Entry;
use crate::lines::Marks;
use crate::store::ContentHash;
use crate::story::Step;

/// The answer to whether a crawler may fetch a URL, the rules that it rests on, where they came from, how old they are, and
/// when they are next due.
#[derive(Clone, Debug)]
#[must_use]
pub struct Decision {
    outcome: Outcome,
    known: Known,
}

/// The answer alone to whether a crawler may fetch a URL, of a [`Decision`] or of a [`Standing`](crate::Standing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Outcome {
    answer: Answer,
    verdict: Option<Verdict>,
    is_robots_txt: bool,
}

/// What is known of an origin's robots.txt at a moment, and what counts because of it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Known {
    ruling: Ruling,
    at: Time,
    entry: Arc<Entry>,
}

impl Outcome {
    /// `rules` are those of the copy, if there is one.
    pub(crate) fn new(known: &Known, rules: Option<&Rules>, governed: Governed, url: &str) -> Self {
        if let (Access::Rules, Some(rules)) = (known.ruling.access, rules) {
            let verdict = rules.check(url);
            let is_robots_txt = verdict.reason() == Reason::RobotsTxt;
            return Self { answer: verdict.answer(), verdict: Some(verdict), is_robots_txt };
        }
        Self::without_rules(known.ruling.access, governed, url)
    }

    /// Returns what a crawler may do on a site where no rules count: `access` is what counts instead.
    ///
    /// [`Access::Rules`] disallows everything here: rules that should exist and do not are no permission. `url` is the
    /// URL or the path that is asked about.
    ///
    /// ```
    /// use comity::Governed;
    /// use comity_fetch::{Access, Outcome};
    ///
    /// let outcome = Outcome::without_rules(Access::DisallowAll, Governed::Yes, "http://shop.example/cart/");
    /// assert!(outcome.is_disallowed());
    /// ```
    pub fn without_rules(access: Access, governed: Governed, url: &str) -> Self {
        // Some crawlers are not governed at all, and the robots.txt itself may always be fetched (RFC 9309 §2.2.2).
        let is_governed = governed != Governed::No;
        let is_robots_txt = is_governed && comity::decide(b"", &Crawler::ANY, url).reason() == Reason::RobotsTxt;
        let answer = match access {
            _ if !is_governed => Answer::NotGoverned,
            _ if is_robots_txt => Answer::Allowed,
            Access::AllowAll => Answer::Allowed,
            // Rules that should be there and are not forbid everything.
            _ => Answer::Disallowed,
        };
        Self { answer, verdict: None, is_robots_txt }
    }

    /// About a URL of another origin.
    pub(crate) fn out_of_scope() -> Self {
        let verdict = Verdict::out_of_scope();
        Self { answer: verdict.answer(), verdict: Some(verdict), is_robots_txt: false }
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

    /// Whether it is about the robots.txt itself, which may always be fetched (RFC 9309 §2.2.2); where rules count,
    /// whether they are read in a dialect that says so.
    pub fn is_robots_txt(&self) -> bool {
        self.is_robots_txt
    }

    /// Whether it is allowed for no reason that there can be: not by rules, not by what the site answered, not by a
    /// step of the policy. Worked out from the outside, as a second pair of eyes.
    pub(crate) fn fails_open(&self, known: &Known) -> bool {
        let Known { ruling, entry, .. } = known;
        if !self.is_allowed() || self.is_robots_txt {
            return false;
        }
        let has_copy = known.copy().is_some();
        let has_rules = has_copy && known.robots().is_some() && self.verdict.is_some();
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

impl Decision {
    pub(crate) fn new(outcome: Outcome, known: Known) -> Self {
        Self { outcome, known }
    }

    /// About a URL of another origin.
    pub(crate) fn out_of_scope(known: Known) -> Self {
        Self { outcome: Outcome::out_of_scope(), known }
    }

    /// The answer alone.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Whether the crawler may fetch the URL. False when there is no verdict: nothing fails open.
    pub fn is_allowed(&self) -> bool {
        self.outcome.is_allowed()
    }

    /// Whether the crawler may not fetch the URL. False when robots.txt does not govern the crawler.
    pub fn is_disallowed(&self) -> bool {
        self.outcome.is_disallowed()
    }

    /// The answer.
    pub fn answer(&self) -> Answer {
        self.outcome.answer
    }

    /// The verdict of the file's rules; none where no rules count, and the [ruling](Known::ruling) alone decides.
    pub fn verdict(&self) -> Option<Verdict> {
        self.outcome.verdict
    }

    /// Whether it is about the robots.txt itself, which may always be fetched (RFC 9309 §2.2.2).
    pub fn is_robots_txt(&self) -> bool {
        self.outcome.is_robots_txt
    }

    /// What is known of the origin.
    pub fn known(&self) -> &Known {
        &self.known
    }
}

impl Known {
    pub(crate) fn new(ruling: Ruling, at: Time, entry: Arc<Entry>) -> Self {
        Self { ruling, at, entry }
    }

    /// Whose robots.txt it is.
    pub fn origin(&self) -> &Origin {
        &self.entry.origin
    }

    /// What counts, and which event and row of the policy decided it.
    pub fn ruling(&self) -> &Ruling {
        &self.ruling
    }

    /// When this was so.
    pub fn at(&self) -> Time {
        self.at
    }

    /// Returns the last good copy, if there is one, with its body. It counts if the [ruling](Self::ruling) says so.
    pub fn copy(&self) -> Option<&GoodCopy> {
        self.record().whole_copy()
    }

    /// Returns the last good copy, parsed; `None` if there is none.
    ///
    /// This is the copy, whether it counts or not. While the site is unreachable, some policies decide without it: `google`
    /// and `google-2019` for a time, `strict` and `archive` always. So use it only if the [ruling](Self::ruling)'s access
    /// is [`Access::Rules`]. If that is [`Access::AllowAll`], there are no rules: `Robots::parse(b"")`.
    pub fn robots(&self) -> Option<&Robots> {
        self.entry.robots.as_ref()
    }

    /// The hash of the last good copy.
    pub fn hash(&self) -> Option<ContentHash> {
        let copy = self.copy()?;
        Some(*self.entry.hash.get_or_init(|| ContentHash::of(&copy.body)))
    }

    /// A line of the last good copy as it stands, by its number from 1, as far as it counts. Reads a small part of the
    /// file.
    pub fn line(&self, number: u32) -> Option<Cow<'_, [u8]>> {
        let (copy, dialect) = (self.copy()?, self.robots()?.dialect());
        self.entry.marks.get_or_init(|| Marks::new(&copy.body, dialect)).line(&copy.body, dialect, number)
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

    /// The same with the copy read in another dialect. That parses the file, so it is not for each question.
    pub fn read_in(&self, dialect: &Dialect) -> Self {
        let entry = Entry::new(self.origin().clone(), Arc::clone(&self.entry.site), dialect, self.entry.steps.clone());
        Self { entry: Arc::new(entry), ..self.clone() }
    }

    /// What the same would mean to another policy; none if no attempt was made yet.
    pub fn under(&self, policy: &Policy) -> Option<Self> {
        let site = Site::resume(self.record().clone(), *policy);
        let ruling = site.last_ruling(self.at)?;
        let dialect = self.robots().map_or(&Dialect::STANDARD, Robots::dialect);
        let entry = Entry::new(self.origin().clone(), Arc::new(site), dialect, self.entry.steps.clone());
        Some(Self { ruling, entry: Arc::new(entry), ..self.clone() })
    }

    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl fmt::Display for Decision {
    /// A sentence without its full stop: `disallowed by line 2 of https://a.example/robots.txt`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, ruling) = (self.known.origin(), &self.known.ruling);
        match (self.outcome.verdict, self.known.copy()) {
            _ if self.answer() == Answer::OutOfScope => write!(f, "out of scope: the URL is not of {origin}"),
            _ if self.answer() == Answer::NotGoverned => {
                f.write_str("not governed: this crawler does not heed robots.txt")
            }
            _ if self.is_robots_txt() => f.write_str("allowed: it is the robots.txt itself"),
            (Some(verdict), Some(copy)) => match verdict.line() {
                Some(line) if verdict.reason() == Reason::Rule => {
                    let allowed = if self.is_allowed() { "allowed" } else { "disallowed" };
                    let advisory = if verdict.is_advisory() { " (advisory)" } else { "" };
                    write!(f, "{allowed} by line {line} of {}{advisory}", copy.url)
                }
                _ => write!(f, "{verdict} (in {})", copy.url),
            },
            _ => write!(f, "{} for {origin}: {ruling}", if self.is_allowed() { "allowed" } else { "disallowed" }),
        }
    }
}
