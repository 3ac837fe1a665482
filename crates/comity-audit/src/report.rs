//! The report of an audit.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde::{Serialize, Serializer};

use crate::claims::Standing;
use crate::judge::UnjudgedReason;
use crate::ranges::rfc3339;
use crate::timeline::ForceVersion;

/// The facts about clients that a report shows. By default, neither addresses nor query strings.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "two switches")]
pub struct Privacy {
    /// Shows addresses.
    pub shows_addresses: bool,
    /// Shows the queries of URLs.
    pub shows_queries: bool,
}

/// The report of an audit. Times are in seconds since 1970; JSON has them in UTC, such as `2026-11-01T09:30:00Z`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AuditReport {
    /// The site; `null` if it was not named.
    pub site: Option<String>,
    /// True if one file is assumed for all times.
    pub file_is_assumed: bool,
    /// The numbers of lines and requests.
    #[serde(flatten)]
    pub totals: Totals,
    /// The versions of robots.txt, the oldest first.
    pub versions: Vec<ForceVersion>,
    /// The crawlers: first those with the most violations.
    pub crawlers: Vec<CrawlerRow>,
    /// The requests that claim to be from a crawler, but come from other addresses.
    pub impostors: Vec<ImpostorRow>,
    /// Remarks that a person should read before relying on the report.
    pub warnings: Vec<String>,
}

/// The numbers of lines and requests.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// The times of the first and last request.
    #[serde(serialize_with = "time")]
    pub first: Option<i64>,
    /// See `first`.
    #[serde(serialize_with = "time")]
    pub last: Option<i64>,
    /// The number of lines.
    pub lines: u64,
    /// The number of lines that could not be read.
    pub unread: u64,
    /// Some of the lines that could not be read.
    pub problems: BTreeSet<LineProblem>,
    /// The number of requests of the site, in the time of the audit.
    pub requests: u64,
    /// The number of requests outside of the time of the audit.
    pub outside: u64,
    /// The number of requests of other sites.
    pub other_sites: u64,
    /// The number of requests with a User-Agent that names no program, mostly of browsers.
    pub unnamed: u64,
    /// The number of requests without a User-Agent.
    pub without_agent: u64,
    /// The number of violations that were found twice, since a log was copied, and that count once.
    pub duplicates: u64,
    /// The hosts of the requests, if the site was not named.
    pub hosts: BTreeSet<String>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct LineProblem {
    /// The name of the log.
    pub log: String,
    /// The number of the line.
    pub line: u64,
    /// The start of the line.
    pub text: String,
}

/// The requests of a crawler, without those of impostors.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CrawlerRow {
    /// The name.
    pub crawler: String,
    /// The operator; `null` for a name that is not in the table.
    pub operator: Option<String>,
    /// The uses of its pages: `training`, `search`, `agent`.
    pub uses: Vec<&'static str>,
    /// The meaning of a disallowed request.
    pub standing: Standing,
    /// True if its operator states that it obeys robots.txt.
    pub promises_to_obey: bool,
    /// The number of requests.
    pub requests: u64,
    /// The share of all requests of the site.
    pub share: f64,
    /// The number of requests that violate the file.
    pub violations: u64,
    /// The number of violations from addresses of the operator.
    pub violations_verified: u64,
    /// The number of disallowed requests, if the file is only advice.
    pub advice: u64,
    /// The number of requests that only some of the files of the day before disallow.
    pub in_grace: u64,
    /// The number of requests that the files allow.
    pub allowed: u64,
    /// The numbers of requests that are not judged, by reason.
    pub not_judged: BTreeMap<UnjudgedReason, u64>,
    /// The number of requests that the server refused: 401, 403, 429 and 5xx.
    pub refused: u64,
    /// The lines that were violated, most first.
    pub rules: Vec<RuleRow>,
    /// The first violation.
    pub first: Option<ExampleRow>,
    /// Further violations, if they were asked for.
    pub examples: Vec<ExampleRow>,
    /// Its requests for robots.txt.
    pub robots_txt: AskedRow,
    /// Its pace; `null` if no Crawl-delay applies.
    pub crawl_delay: Option<DelayRow>,
    /// The numbers of requests by what their addresses show.
    pub identity: IdentityRow,
}

/// A line that was violated.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RuleRow {
    /// The version of the file.
    pub version: u16,
    /// The line; `null` if no line decides.
    pub line: Option<u32>,
    /// The text of the line.
    pub text: String,
    /// The number of violations.
    pub violations: u64,
    /// The number of days with violations.
    pub days: usize,
    /// The time of the first and last violation.
    #[serde(serialize_with = "time")]
    pub first: i64,
    /// See `first`.
    #[serde(serialize_with = "time")]
    pub last: i64,
}

/// A request that violates the file. Its first fields order requests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct ExampleRow {
    /// The time.
    #[serde(serialize_with = "time")]
    pub time: i64,
    /// The URL, or its path if the site was not named.
    pub url: Box<str>,
    /// The address; `null` if it is not shown.
    pub address: Option<IpAddr>,
    /// The status of the response.
    pub status: Option<u16>,
    /// The version of the file.
    pub version: u16,
    /// The line.
    pub line: Option<u32>,
}

/// The requests of a crawler for robots.txt.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct AskedRow {
    /// The number of requests.
    pub requests: u64,
    /// The times of the first and last.
    #[serde(serialize_with = "time")]
    pub first: Option<i64>,
    /// See `first`.
    #[serde(serialize_with = "time")]
    pub last: Option<i64>,
    /// The average time between two of them, in seconds.
    pub every: Option<u64>,
    /// The numbers of requests by status.
    pub statuses: BTreeMap<u16, u64>,
    /// True if another crawler of the operator asked for it.
    pub by_operator: bool,
    /// The days on which it got the file, and those on which an answer allowed everything.
    #[serde(skip)]
    pub(crate) got: BTreeSet<i64>,
    #[serde(skip)]
    pub(crate) refused: BTreeSet<i64>,
}

/// The pace of a crawler, where a Crawl-delay applies.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DelayRow {
    /// The delay of the newest file, in seconds.
    pub delay: f64,
    /// Its line.
    pub line: u32,
    /// True if the operator states that the crawler obeys delays; `null` if it states nothing.
    pub honors: Option<bool>,
    /// The number of pauses between requests in different seconds.
    pub gaps: u64,
    /// The number of pauses that were long enough.
    pub kept: u64,
    /// The shortest pause, in whole seconds.
    pub shortest: u64,
}

/// The numbers of requests by what their addresses show.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct IdentityRow {
    /// From addresses of the operator.
    pub verified: u64,
    /// From networks of the operator, in a log with anonymized addresses.
    pub consistent: u64,
    /// Not verified: no list, no answer, or a list of another time.
    pub unknown: u64,
    /// The lists and look-ups that were used.
    pub by: Vec<String>,
}

/// The requests that claim to be from a crawler, but come from addresses that are not its operator's.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ImpostorRow {
    /// The crawler that they claim to be.
    pub crawler: String,
    /// The number of requests.
    pub requests: u64,
    /// The number of different addresses.
    pub addresses: usize,
    /// The number of requests that the file disallows for that crawler.
    pub disallowed: u64,
    /// The first of these.
    pub first: Option<ExampleRow>,
}

/// Writes a time, or `null`.
pub(crate) fn time<S: Serializer>(at: &(impl Copy + Into<Option<i64>>), to: S) -> Result<S::Ok, S::Error> {
    (*at).into().map(rfc3339).serialize(to)
}
