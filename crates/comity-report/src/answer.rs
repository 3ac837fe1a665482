//! One answer: the question, the verdict or the policy's answer, and the reasons.

use std::borrow::Cow;

use comity::{Answer, Dialect, Explanation, Origin, Reason, VerdictFields};
use comity_fetch::{Access, CheckOutcome, Event, Row, Rung, SiteRobots};
use serde::Serialize;

use crate::copy::CopyFacts;
use crate::lines;
use crate::operator::OperatorAnswer;
use crate::refusal::is_unanswered;
use crate::site::kind;

/// An answer, with the question.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct CheckRow<'a> {
    /// The URL as it was given.
    pub url: &'a str,
    /// The URL that was checked: as a browser would send it, or as given if the dialect accepts any string as a URL.
    pub asked: &'a str,
    /// The crawler's token.
    pub agent: &'a str,
    /// True if the crawler is in the table of crawlers.
    pub known: bool,
    /// The site whose file answers. Absent for a file that was given.
    #[serde(flatten)]
    pub site: Option<SiteRef<'a>>,
    /// The answer.
    #[serde(flatten)]
    pub verdict: VerdictFields<AnswerReason>,
    /// The text of the deciding line.
    pub text: Option<Cow<'a, str>>,
    /// The seconds that the file asks the crawler to wait between requests.
    pub crawl_delay: Option<f64>,
    /// The answer in the dialect of the crawler's own operator, if it is another one; absent otherwise. See
    /// [`OperatorAnswer`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_answer: Option<OperatorAnswer>,
    /// The reason why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The reasons, if they were requested and there is a verdict of rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explained>,
}

impl<'a> CheckRow<'a> {
    /// Returns a row without the optional fields, about a crawler that is not in the table.
    pub fn new(url: &'a str, asked: &'a str, agent: &'a str, verdict: VerdictOrPolicy) -> Self {
        Self {
            url,
            asked,
            agent,
            known: false,
            site: None,
            verdict,
            text: None,
            crawl_delay: None,
            operator_answer: None,
            error: None,
            explanation: None,
        }
    }

    /// Returns the row of an answer about a live site. `known` is false, and the other optional fields are empty: set them
    /// afterwards. `refusal` is the error if the client's address rules refuse the site.
    pub fn of_site(
        url: &'a str,
        asked: &'a str,
        agent: &'a str,
        site: &'a SiteRobots,
        outcome: &CheckOutcome,
        refusal: &str,
    ) -> Self {
        // A refusal of our own is not an answer of the site.
        let is_unanswered = is_unanswered(site, outcome);
        Self {
            site: (!site.is_given()).then(|| SiteRef::of(site.origin())),
            text: deciding_line(site, outcome),
            error: is_unanswered.then(|| refusal.to_owned()),
            ..Self::new(url, asked, agent, verdict_or_policy(Some(outcome).filter(|_| !is_unanswered)))
        }
    }
}

/// Returns the line of the site's copy that decides, in printable form.
#[must_use]
pub fn deciding_line<'k>(site: &'k SiteRobots, outcome: &CheckOutcome) -> Option<Cow<'k, str>> {
    Some(lines::show(site.line(outcome.verdict()?.line()?)?))
}

/// The site of a URL.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SiteRef<'a> {
    /// The origin; `null` if the URL has none.
    pub origin: Option<Cow<'a, str>>,
}

impl<'a> SiteRef<'a> {
    /// Creates the reference of an origin.
    pub fn of(origin: &'a Origin) -> Self {
        Self { origin: Some(Cow::Borrowed(origin.as_str())) }
    }
}

/// An answer about a URL of a live site, with the facts that it is based on, in one flat object.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct SingleAnswer<'a> {
    /// The answer.
    #[serde(flatten)]
    pub row: CheckRow<'a>,
    /// The dialect in which the file was read.
    pub dialect: &'static str,
    /// The policy that determines the access.
    pub policy: &'static str,
    /// The access: by rules, everything allowed, or everything disallowed.
    pub access: Access,
    /// The result of the last fetch.
    #[serde(serialize_with = "display")]
    pub event: Event,
    /// The row of the policy that decided.
    #[serde(rename = "row")]
    pub policy_row: Row,
    /// The step of the policy for how long the file has been unreachable; `null` if it is not unreachable.
    pub rung: Option<Rung>,
    /// The copy of the file that the answer is based on, if there is one.
    pub copy: Option<CopyFacts<'a>>,
    /// The kind of the file in force, such as `gzip data`, if it does not look like a robots.txt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks_like: Option<&'static str>,
}

impl<'a> SingleAnswer<'a> {
    /// Returns an answer with the facts about the site that it is based on. `dialect` must be the one in which the file
    /// was read.
    pub fn new(row: CheckRow<'a>, dialect: &Dialect, site: &'a SiteRobots) -> Self {
        let ruling = site.ruling();
        Self {
            row,
            dialect: dialect.name,
            policy: ruling.policy,
            access: ruling.access,
            event: ruling.event,
            policy_row: ruling.row,
            rung: ruling.rung,
            copy: CopyFacts::of(site),
            looks_like: kind(site),
        }
    }
}

/// Serializes a value as its text.
pub(crate) fn display<S: serde::Serializer>(value: &impl std::fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// A verdict of rules, or the policy's answer if no rules apply, in the same fields.
pub type VerdictOrPolicy = VerdictFields<AnswerReason>;

/// The reason for an answer, by rules or by the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AnswerReason {
    /// The answer is by rules, or robots.txt does not apply.
    Rules(Reason),
    /// The answer is by the policy.
    Policy(PolicyReason),
}

/// The reason for an answer if no rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PolicyReason {
    /// Everything is allowed.
    AllowAll,
    /// Everything is disallowed.
    DisallowAll,
    /// There is no answer.
    NoAnswer,
}

impl From<Reason> for AnswerReason {
    fn from(reason: Reason) -> Self {
        Self::Rules(reason)
    }
}

impl AnswerReason {
    /// Returns the reason for an answer.
    pub fn of(outcome: &CheckOutcome) -> Self {
        match outcome.verdict() {
            Some(verdict) => Self::Rules(verdict.reason()),
            None if outcome.is_robots_txt() => Self::Rules(Reason::RobotsTxt),
            None if outcome.answer() == Answer::NotGoverned => Self::Rules(Reason::NotGoverned),
            None if outcome.answer() == Answer::OutOfScope => Self::Rules(Reason::OutOfScope),
            None if outcome.is_allowed() => Self::Policy(PolicyReason::AllowAll),
            None => Self::Policy(PolicyReason::DisallowAll),
        }
    }
}

/// Returns the fields of an answer about a live site. `None` means that there is no answer.
#[must_use]
pub fn verdict_or_policy(outcome: Option<&CheckOutcome>) -> VerdictOrPolicy {
    let Some(outcome) = outcome else {
        return VerdictFields::without_rules(None, AnswerReason::Policy(PolicyReason::NoAnswer));
    };
    match outcome.verdict() {
        Some(verdict) => verdict.into(),
        None => VerdictFields::without_rules(Some(outcome.answer()), AnswerReason::of(outcome)),
    }
}

/// The reasons of a verdict, as data and, on request, as sentences.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct Explained {
    /// The reasons as data.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// The groups that apply, and the reason, as a sentence without a period. Present only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis_text: Option<String>,
    /// The reason why the deciding rule decides, as a sentence without a period. Present only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_it_wins: Option<String>,
}

impl Explained {
    /// Returns the reasons as data alone.
    pub fn plain(explanation: Explanation) -> Self {
        Self { explanation, basis_text: None, why_it_wins: None }
    }

    /// Returns the reasons as data and as sentences.
    pub fn in_words(explanation: Explanation) -> Self {
        let (basis_text, why_it_wins) = (Some(explanation.basis()), Some(explanation.why_it_wins()));
        Self { explanation, basis_text, why_it_wins }
    }
}

/// The form in which reasons are included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Explain {
    /// Reasons are left out.
    #[default]
    Not,
    /// Reasons are included as data.
    Plain,
    /// Reasons are included as data and as sentences.
    InWords,
}

impl Explain {
    /// Returns the reasons, if they were requested.
    pub(crate) fn of(self, explanation: impl FnOnce() -> Option<Explanation>) -> Option<Explained> {
        match self {
            Self::Not => None,
            Self::Plain => explanation().map(Explained::plain),
            Self::InWords => explanation().map(Explained::in_words),
        }
    }
}
