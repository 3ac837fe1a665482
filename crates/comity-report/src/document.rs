//! The documents around answers.

use comity::{Origin, Size};
use comity_fetch::SiteRobots;
use serde::Serialize;

use crate::check::Check;
use crate::copy::CopyFacts;
use crate::site::{self, SiteFacts};

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
    /// The kind of the given file, such as `JSON`, if it does not look like a robots.txt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks_like: Option<&'static str>,
    /// The answers, by URL, then by crawler.
    pub answers: R,
    /// The facts about each site that the URLs are on.
    pub sites: Vec<SiteFacts>,
}

impl<'a, R> CheckDocument<'a, R> {
    /// Returns the document of answers to a check. `sites` are the files that answer, each once; `None` is one
    /// that was not found. `policy` is that of the client that was asked, if any.
    pub fn new(
        check: &Check,
        policy: Option<&'static str>,
        sites: impl IntoIterator<Item = Option<&'a SiteRobots>>,
        answers: R,
    ) -> Self {
        let sites: Vec<_> = sites.into_iter().collect();
        let only = if let [only] = sites[..] { only } else { None };
        let given = only.filter(|site| site.is_given() && site.copy().is_some());
        let questions = check.questions();
        Self {
            robots: None,
            dialect: check.dialect().name,
            policy,
            size: given.map(|site| site.robots().size()),
            origin: questions.site.as_ref().map(Origin::to_string),
            origin_is_assumed: questions.is_assumed,
            copy: only.and_then(CopyFacts::of),
            looks_like: given.and_then(site::kind),
            answers,
            sites: sites.into_iter().flatten().filter(|site| !site.is_given()).map(SiteFacts::of).collect(),
        }
    }
}

impl<'a> CheckDocument<'a, ()> {
    /// Returns the document with answers that are computed while they are serialized. `robots` is the name of the file.
    pub fn with_answers<R>(self, answers: R, robots: Option<&'a str>) -> CheckDocument<'a, R> {
        let Self { dialect, policy, size, origin, origin_is_assumed, copy, looks_like, sites, .. } = self;
        CheckDocument { robots, dialect, policy, size, origin, origin_is_assumed, copy, looks_like, answers, sites }
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
