//! An answer, as a row of what was asked.

use std::borrow::Cow;

use comity::{Answer, Basis, Explanation, RuleKind, Verdict};
use comity_fetch::Outcome;
use serde::Serialize;

use crate::operator::OperatorAnswer;

/// What was asked, and the answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Row<'a> {
    /// The URL as it was given.
    pub url: &'a str,
    /// What was asked: what a browser would send, where the dialect takes URLs.
    pub asked: &'a str,
    /// The crawler's token.
    pub agent: &'a str,
    /// Whether it is in the table of crawlers.
    pub known: bool,
    /// The site whose file answers; only where the sites' own files are asked.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = SiteRef))]
    pub whose: Option<SiteRef>,
    /// The answer.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schema::Verdict))]
    pub verdict: VerdictOrPolicy,
    /// The deciding line as it stands.
    pub text: Option<Cow<'a, str>>,
    /// Seconds that the crawler is asked to wait between requests.
    pub crawl_delay: Option<f64>,
    /// Another answer, by the dialect of the crawler's own operator; absent where it gives the same. See
    /// [`OperatorAnswer`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_answer: Option<OperatorAnswer>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The reasons, if they were wanted and there is a verdict of rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explained>,
}

/// The site of a URL.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SiteRef {
    /// None if the URL has none.
    pub origin: Option<String>,
}

/// A verdict of rules, or what counts without any, in the same fields.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum VerdictOrPolicy {
    /// Of rules.
    Verdict(Verdict),
    /// Without any.
    #[non_exhaustive]
    Bare {
        /// The answer; none where nothing could even be asked.
        answer: Option<Answer>,
        /// The same as yes, no or neither.
        allowed: Option<bool>,
        /// Why: `allow-all`, `disallow-all`, `robots-txt`, `not-governed` or `no-answer`.
        reason: &'static str,
        /// 0: no line decides.
        line: u32,
        /// None.
        rule: Option<RuleKind>,
        /// None.
        priority: Option<u16>,
        /// Nothing.
        basis: Basis,
        /// No group names the crawler.
        seen: bool,
        /// It is no advice.
        advisory: bool,
    },
}

impl VerdictOrPolicy {
    /// Of a live site; none where there is no answer.
    pub fn of(outcome: Option<&Outcome>) -> Self {
        if let Some(verdict) = outcome.and_then(Outcome::verdict) {
            return Self::Verdict(verdict);
        }
        let answer = outcome.map(Outcome::answer);
        let allowed = match answer {
            Some(Answer::Allowed) => Some(true),
            Some(Answer::Disallowed) => Some(false),
            _ => None,
        };
        Self::Bare {
            answer,
            allowed,
            reason: outcome.map_or("no-answer", why_without_rules),
            line: 0,
            rule: None,
            priority: None,
            basis: Basis::Nothing,
            seen: false,
            advisory: false,
        }
    }
}

/// Why the answer is what it is where no rules decide.
pub fn why_without_rules(outcome: &Outcome) -> &'static str {
    match outcome {
        outcome if outcome.is_robots_txt() => "robots-txt",
        outcome if outcome.answer() == Answer::NotGoverned => "not-governed",
        outcome if outcome.is_allowed() => "allow-all",
        _ => "disallow-all",
    }
}

/// The reasons of a verdict, as data and, where they are wanted, as sentences.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Explained {
    /// As data.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schema::Explanation))]
    pub explanation: Explanation,
    /// As sentences.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schema::Sentences))]
    pub sentences: Option<Sentences>,
}

/// The reasons of a verdict as sentences without their full stops.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Sentences {
    /// Which groups count, and why.
    pub basis_text: String,
    /// Why the deciding rule decides.
    pub arithmetic: String,
}

impl Explained {
    /// The reasons as data alone.
    pub fn plain(explanation: Explanation) -> Self {
        Self { explanation, sentences: None }
    }

    /// The reasons as data and as sentences.
    pub fn in_words(explanation: Explanation) -> Self {
        let sentences = Sentences { basis_text: explanation.basis(), arithmetic: explanation.arithmetic() };
        Self { explanation, sentences: Some(sentences) }
    }
}

/// How much of the reasons to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Explain {
    /// Nothing.
    #[default]
    Not,
    /// As data.
    Plain,
    /// As data and as sentences.
    InWords,
}

impl Explain {
    /// The reasons, if they are wanted.
    pub(crate) fn of(self, explanation: impl FnOnce() -> Option<Explanation>) -> Option<Explained> {
        match self {
            Self::Not => None,
            Self::Plain => explanation().map(Explained::plain),
            Self::InWords => explanation().map(Explained::in_words),
        }
    }
}
