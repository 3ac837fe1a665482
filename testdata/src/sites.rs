//! Sites of a crawl with several fetches, and the answers of all that answers columns: the file `sites/outcomes.toml`.
//!
//! ```toml
//! [bodies]
//! private = "User-agent: *\nDisallow: /private/\n"     # a body by its name
//!
//! [[site]]
//! name = "rules-then-503"                              # unique; the origin is https://rules-then-503.example
//! why = "…"                                            # optional
//! rows = [                                             # its rows in the table of sites
//!   { fetched = 100, outcome = "rules", body = "private" },   # seconds, optional; the name of the body, optional
//!   { fetched = 200, outcome = "disallow-all" },
//! ]
//! ask = [                                              # questions of the crawler anybot
//!   { path = "/page", is = "disallowed", reason = "disallow-all" },   # allowed, disallowed or no verdict
//!   { path = "/private/x", is = "disallowed", reason = "disallow-all", line = 2 },   # line: optional
//! ]
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Error;

/// Sites of a crawl.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Crawl {
    /// The bodies by name.
    pub bodies: BTreeMap<String, String>,
    /// The sites.
    #[serde(rename = "site")]
    pub sites: Vec<CrawledSite>,
}

/// A site, its fetches, and questions about it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CrawledSite {
    /// The name, unique among the sites.
    pub name: String,
    /// The purpose of the case, or empty.
    #[serde(default)]
    pub why: String,
    /// The rows of the site.
    pub rows: Vec<CrawledRow>,
    /// The questions.
    pub ask: Vec<CrawledQuestion>,
}

impl CrawledSite {
    /// Returns the origin.
    pub fn origin(&self) -> String {
        format!("https://{}.example", self.name)
    }
}

/// A fetch of a site's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CrawledRow {
    /// The time in seconds.
    pub fetched: Option<i64>,
    /// The outcome, as `comity warc` names it.
    pub outcome: String,
    /// The name of the body.
    pub body: Option<String>,
}

/// A question of the crawler `anybot`, and its answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CrawledQuestion {
    /// The path of the URL.
    pub path: String,
    /// `allowed`, `disallowed` or `no verdict`.
    pub is: String,
    /// The reason.
    pub reason: String,
    /// The line of the rule that decides.
    pub line: Option<u32>,
}

impl CrawledQuestion {
    /// Returns the answer as in the column `allowed`.
    ///
    /// # Errors
    ///
    /// If it is another word.
    pub fn allowed(&self) -> Result<Option<bool>, Error> {
        match &*self.is {
            "allowed" => Ok(Some(true)),
            "disallowed" => Ok(Some(false)),
            "no verdict" => Ok(None),
            other => Err(Error(format!("expected `allowed`, `disallowed` or `no verdict`, found `{other}`"))),
        }
    }
}

/// Reads the sites.
///
/// # Errors
///
/// If the file does not have the format above.
pub fn crawl() -> Result<Crawl, Error> {
    toml::from_str(include_str!("../sites/outcomes.toml"))
        .map_err(|error| Error(format!("sites/outcomes.toml: {error}")))
}
