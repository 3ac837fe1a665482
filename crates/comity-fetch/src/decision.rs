//! The answer for a URL of a live site, with its reasons.

use std::fmt;

use comity::{Answer, Crawler, Escaped, Governed, Reason, Verdict};
use comity_policy::{Access, Effect, Event, Failure, Fallback, Rung};

use crate::site_robots::SiteRobots;

/// The options of this crate that allow an address, for errors about refused ones.
pub(crate) const ALLOWING_OPTIONS: &str =
    "`ClientBuilder::trust` can allow it, and `ClientBuilder::addresses` if it is an address";

/// The answer to whether a crawler may fetch a URL, with the rules that decided, their source, their age, and the time
/// when they are next due.
#[derive(Clone, Debug)]
#[must_use]
pub struct Decision {
    outcome: CheckOutcome,
    site: SiteRobots,
}

/// The answer to whether a crawler may fetch a URL, without the reasons of a [`Decision`]. Returned by
/// [`SiteRules`](crate::SiteRules).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct CheckOutcome {
    answer: Answer,
    verdict: Option<Verdict>,
    is_robots_txt: bool,
}

impl CheckOutcome {
    /// Decides by the access in force. `ask` returns the verdict of the last good copy, if there is one.
    pub(crate) fn new(access: Access, governed: Governed, url: &str, ask: impl FnOnce() -> Option<Verdict>) -> Self {
        if access == Access::Rules
            && let Some(verdict) = ask()
        {
            let is_robots_txt = verdict.reason() == Reason::RobotsTxt;
            return Self { answer: verdict.answer(), verdict: Some(verdict), is_robots_txt };
        }
        Self::without_rules(access, governed, url)
    }

    /// Decides about a URL of a site where no rules apply, by the `access` that applies instead.
    ///
    /// [`Access::Rules`] disallows everything here: missing rules are no permission. `url` is a URL or a path; other text
    /// is out of scope.
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
        let verdict = comity::decide(b"", &Crawler::ANY, url);
        let is_robots_txt = is_governed && verdict.reason() == Reason::RobotsTxt;
        let answer = match access {
            _ if verdict.answer() == Answer::OutOfScope => return Self::out_of_scope(),
            _ if !is_governed => Answer::NotGoverned,
            _ if is_robots_txt => Answer::Allowed,
            Access::AllowAll => Answer::Allowed,
            // Missing rules disallow everything.
            _ => Answer::Disallowed,
        };
        Self { answer, verdict: None, is_robots_txt }
    }

    /// Returns the outcome for a URL of another site than that of the file.
    pub fn out_of_scope() -> Self {
        let verdict = Verdict::out_of_scope();
        Self { answer: verdict.answer(), verdict: Some(verdict), is_robots_txt: false }
    }

    /// Returns the same outcome with the answer "disallowed".
    pub(crate) fn disallowed(mut self) -> Self {
        self.answer = Answer::Disallowed;
        self.verdict = None;
        self
    }

    /// Returns true if the crawler may fetch the URL. Returns false if there is no verdict, so that nothing fails open.
    pub fn is_allowed(&self) -> bool {
        self.answer == Answer::Allowed
    }

    /// Returns true if the crawler may not fetch the URL. Returns false if robots.txt does not govern the crawler.
    pub fn is_disallowed(&self) -> bool {
        self.answer == Answer::Disallowed
    }

    /// Returns the answer.
    pub fn answer(&self) -> Answer {
        self.answer
    }

    /// Returns the verdict of the file's rules; `None` if no rules apply, and the [ruling](SiteRobots::ruling) alone
    /// decides.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// Returns true if the URL is the robots.txt itself, which may always be fetched (RFC 9309 §2.2.2). If rules apply,
    /// their dialect must say so too.
    pub fn is_robots_txt(&self) -> bool {
        self.is_robots_txt
    }

    /// Returns true if the URL is allowed without a valid reason: rules, an answer of the site, or a step of the
    /// policy. This is an independent check of the decision.
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

    /// Returns the answer without its reasons.
    pub fn outcome(&self) -> CheckOutcome {
        self.outcome
    }

    /// Returns true if the crawler may fetch the URL. Returns false if there is no verdict, so that nothing fails open.
    pub fn is_allowed(&self) -> bool {
        self.outcome.is_allowed()
    }

    /// Returns true if the crawler may not fetch the URL. Returns false if robots.txt does not govern the crawler.
    pub fn is_disallowed(&self) -> bool {
        self.outcome.is_disallowed()
    }

    /// Returns the answer.
    pub fn answer(&self) -> Answer {
        self.outcome.answer
    }

    /// Returns the verdict of the file's rules; `None` if no rules apply, and the [ruling](SiteRobots::ruling) alone
    /// decides.
    pub fn verdict(&self) -> Option<Verdict> {
        self.outcome.verdict
    }

    /// Returns true if the URL is the robots.txt itself, which may always be fetched (RFC 9309 §2.2.2).
    pub fn is_robots_txt(&self) -> bool {
        self.outcome.is_robots_txt
    }

    /// Returns the robots.txt that decided.
    pub fn site(&self) -> &SiteRobots {
        &self.site
    }
}

impl fmt::Display for Decision {
    /// Formats the decision as a sentence without its period: `disallowed by line 2 of https://a.example/robots.txt`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, ruling) = (self.site.origin(), self.site.ruling());
        match (self.outcome.verdict, self.site.copy()) {
            _ if self.answer() == Answer::OutOfScope => write!(f, "out of scope: the URL is not of {origin}"),
            _ if self.answer() == Answer::NotGoverned => write!(f, "not governed: {}", Reason::NotGoverned.label()),
            _ if self.is_robots_txt() => write!(f, "allowed: {}", Reason::RobotsTxt.label()),
            (Some(verdict), Some(copy)) => match verdict.line() {
                Some(line) if verdict.reason() == Reason::Rule => {
                    let allowed = if self.is_allowed() { "allowed" } else { "disallowed" };
                    let advisory = if verdict.is_advisory() { " (advisory)" } else { "" };
                    write!(f, "{allowed} by line {line} of {}{advisory}", copy.url)
                }
                _ => write!(f, "{verdict} (in {})", copy.url),
            },
            _ => {
                write!(f, "{} for {origin}: {ruling}", if self.is_allowed() { "allowed" } else { "disallowed" })?;
                let detail = self.site.attempt().and_then(|attempt| attempt.detail.as_deref());
                match detail.filter(|_| ruling.event == Event::Failed(Failure::Refused)) {
                    Some(detail) => write!(f, ": {}; {ALLOWING_OPTIONS}", Escaped(detail.as_bytes())),
                    None => Ok(()),
                }
            }
        }
    }
}
