//! The question of a line: the crawler, the URLs, and the rules.

use std::borrow::Cow;
use std::path::PathBuf;

use comity::{Crawler, Escaped, Origin};

use super::LineError;

/// The question of a line: the crawler, the URLs, and the rules that answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchQuestion<'a> {
    /// The crawler.
    pub crawler: LineCrawler<'a>,
    /// The URLs.
    pub urls: BatchUrls<'a>,
    /// The rules.
    pub rules: BatchRules<'a>,
}

/// The URLs of a line.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums, reason = "callers match every variant")]
pub enum BatchUrls<'a> {
    /// `url` or `url_b64`: bytes, which are matched unchanged against the rules of a file.
    One(Cow<'a, [u8]>),
    /// `urls`: URLs or paths of one site.
    Many {
        /// `origin`: the site.
        origin: Option<Origin>,
    },
}

/// The rules that answer a line.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums, reason = "callers match every variant")]
pub enum BatchRules<'a> {
    /// `robots` or `robots_b64`: a file in the line.
    Given(Cow<'a, [u8]>),
    /// `robots_file`: the path of a file.
    File(PathBuf),
    /// The file of the URLs' own site.
    Site,
}

/// The crawler of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineCrawler<'a> {
    /// A literal token.
    Agent(Cow<'a, [u8]>),
    /// Several tokens. The groups of all of them are merged.
    Agents(Vec<String>),
    /// A crawler of the table, by its name.
    Crawler(Cow<'a, str>),
}

impl LineCrawler<'_> {
    /// Returns the crawler with owned data.
    pub fn into_owned(self) -> LineCrawler<'static> {
        match self {
            Self::Agent(agent) => LineCrawler::Agent(Cow::Owned(agent.into_owned())),
            Self::Agents(agents) => LineCrawler::Agents(agents),
            Self::Crawler(name) => LineCrawler::Crawler(Cow::Owned(name.into_owned())),
        }
    }

    /// Returns the number of bytes of memory that the crawler occupies.
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Agent(agent) => agent.len(),
                Self::Agents(agents) => agents.iter().map(|agent| agent.len() + size_of::<String>()).sum(),
                Self::Crawler(name) => name.len(),
            }
    }

    /// Calls a function with the crawler as a [`Crawler`] of the engine. Names are looked up in the table.
    ///
    /// # Errors
    ///
    /// If the table has no crawler of that name.
    pub fn with<T>(&self, table: &comity::Crawlers, f: impl FnOnce(&Crawler<'_>) -> T) -> Result<T, LineError> {
        Ok(match self {
            Self::Agent(agent) => f(&Crawler::literal(&**agent)),
            Self::Agents(agents) => {
                let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
                f(&Crawler::merged_literal(&agents))
            }
            Self::Crawler(name) => f(&Crawler::from(table.find(name).ok_or_else(|| {
                LineError(format!(
                    "expected the name of a known crawler in `crawler`, found `{}`",
                    Escaped(name.as_bytes())
                ))
            })?)),
        })
    }
}
