//! The documents around answers.

use comity::Size;
use serde::Serialize;

#[cfg(feature = "openapi")]
use crate::answer::CheckRow;
use crate::copy::CopyFacts;
use crate::site::SiteFacts;

/// The answers to many questions.
///
/// `R` is a list of [`CheckRow`](crate::CheckRow), or serializes as one.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = CheckAnswer, bound = ""))]
#[allow(clippy::exhaustive_structs, reason = "made by those who answer")]
#[must_use]
pub struct CheckDocument<'a, R> {
    /// The name of the file; only from the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<&'a str>,
    /// The dialect in which files were read.
    pub dialect: &'static str,
    /// The policy in force where sites answer; none for a file that is given.
    pub policy: Option<&'static str>,
    /// How much of the file counts; none where sites answer.
    pub size: Option<Size>,
    /// The site of the file.
    pub origin: Option<String>,
    /// True if the site follows from the URLs, and was not stated.
    pub origin_is_assumed: bool,
    /// The copy, if there is one that all answers rest on.
    pub copy: Option<CopyFacts<'a>>,
    /// The answers, by URL, then by crawler.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<CheckRow>))]
    pub answers: R,
    /// What is known of each site that was asked about.
    pub sites: Vec<SiteFacts>,
}

/// A report about one file, and where the file came from.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[allow(clippy::exhaustive_structs, reason = "made by those who answer")]
#[must_use]
pub struct FileDocument<'a, T> {
    /// The policy that the file was fetched under; none for a file that is given.
    pub policy: Option<&'static str>,
    /// The copy, if there is one.
    pub copy: Option<CopyFacts<'a>>,
    /// The report.
    #[serde(flatten)]
    pub report: T,
}
