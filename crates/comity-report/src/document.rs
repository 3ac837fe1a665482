//! The documents around answers.

use comity::{Dialect, Origin, Size};
use serde::Serialize;

use crate::copy::CopyFacts;
use crate::question::Questions;
use crate::site::SiteFacts;

// `R` is a list of `CheckRow`, or serializes as one.
/// The answers to several questions.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
#[must_use]
pub struct CheckDocument<'a, R> {
    /// The name of the file. Present only in the output of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<&'a str>,
    /// The dialect in which files were parsed.
    pub dialect: &'static str,
    /// The policy, if the files of sites answer; `null` for a given file.
    pub policy: Option<&'static str>,
    /// The extent to which the file was read; `null` if the files of sites answer.
    pub size: Option<Size>,
    /// The site of the file.
    pub origin: Option<String>,
    /// True if the site was not given and is assumed from the URLs.
    pub origin_is_assumed: bool,
    /// The copy of the file, if there is one that all answers are based on.
    pub copy: Option<CopyFacts<'a>>,
    /// The answers, by URL, then by crawler.
    pub answers: R,
    /// The facts about each site that the URLs are on.
    pub sites: Vec<SiteFacts>,
}

impl<R> CheckDocument<'_, R> {
    /// Returns the document of answers that no site was asked for.
    pub(crate) fn without_fetch(dialect: &Dialect, questions: &Questions, answers: R) -> Self {
        Self {
            robots: None,
            dialect: dialect.name,
            policy: None,
            size: None,
            origin: questions.site.as_ref().map(Origin::to_string),
            origin_is_assumed: questions.is_assumed,
            copy: None,
            answers,
            sites: Vec::new(),
        }
    }
}

/// A report about one file, with the source of the file.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
#[must_use]
pub struct FileDocument<'a, T> {
    /// The policy under which the file was fetched; `null` for a given file.
    pub policy: Option<&'static str>,
    /// The copy of the file, if there is one.
    pub copy: Option<CopyFacts<'a>>,
    /// The report.
    #[serde(flatten)]
    pub report: T,
}
