//! The answer for a URL of a live site, and where it comes from.

use std::fmt;

use comity::{Answer, Crawler, Governed, Reason, Rules, Verdict};
use comity_policy::{Access, Effect, Fallback, Rung};

use crate::site_robots::SiteRobots;

/// The answer to whether a crawler may fetch a URL, the rules that it rests on, where they came from, how old they are, and
/// when they are next due.
#[derive(Clone, Debug)]
#[must_use]
pub struct Decision {
    outcome: CheckOutcome,
    site: SiteRobots,
}

/// The answer alone to whether a crawler may fetch a URL, as [`SiteRules`](crate::SiteRules) gives it, without the [`Decision`]'s reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct CheckOutcome {
    answer: Answer,
    verdict: Option<Verdict>,
    is_robots_txt: bool,
}

impl CheckOutcome {
    /// Decides by what is in force. `rules` are those of the last good copy, if there is one.
    pub(crate) fn new(access: Access, rules: Option<&Rules>, governed: Governed, url: &str) -> Self {
        if let (Access::Rules, Some(rules)) = (access, rules) {
            let verdict = rules.check(url);
            let is_robots_txt = verdict.reason() == Reason::RobotsTxt;
            return Self { answer: verdict.answer(), verdict: Some(verdict), is_robots_txt };
        }
        Self::without_rules(access, governed, url)
    }

    /// Returns what a crawler may do on a site where no rules count: `access` is what counts instead.
    ///
    /// [`Access::Rules`] disallows everything here: rules that should exist and do not are no permission. `url` is the
    /// URL or the path that is asked about.
    ///
    /// ```
    /// use comity::Governed;
    /// use comity_fetch::{Access, CheckOutcome};
    ///
    /// let outcome = CheckOutcome::without_rules(Access::DisallowAll, Governed::Yes, "http://shop.example/cart/");
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

    /// The verdict of the file's rules; none where no rules count, and the [ruling](SiteRobots::ruling) alone decides.
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
    pub(crate) fn fails_open(&self, site: &SiteRobots) -> bool {
        if !self.is_allowed() || self.is_robots_txt {
            return false;
        }
        let (ruling, policy) = (site.ruling(), site.policy());
        let has_copy = site.copy().is_some();
        let has_rules = site.has_rules() && self.verdict.is_some();
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
    pub(crate) fn new(outcome: CheckOutcome, site: SiteRobots) -> Self {
        Self { outcome, site }
    }

    /// The answer alone.
    pub fn outcome(&self) -> CheckOutcome {
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

    /// The verdict of the file's rules; none where no rules count, and the [ruling](SiteRobots::ruling) alone decides.
    pub fn verdict(&self) -> Option<Verdict> {
        self.outcome.verdict
    }

    /// Whether it is about the robots.txt itself, which may always be fetched (RFC 9309 §2.2.2).
    pub fn is_robots_txt(&self) -> bool {
        self.outcome.is_robots_txt
    }

    /// Returns the robots.txt that it rests on.
    pub fn site(&self) -> &SiteRobots {
        &self.site
    }
}

impl fmt::Display for Decision {
    /// A sentence without its full stop: `disallowed by line 2 of https://a.example/robots.txt`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, ruling) = (self.site.origin(), self.site.ruling());
        match (self.outcome.verdict, self.site.copy()) {
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
