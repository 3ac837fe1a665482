//! The meaning of records other than rules: the files of `records/`.
//!
//! ```toml
//! [[file]]
//! name = "rate-with-window"                 # unique
//! clause = "draft …"                        # the source of the answers; optional
//! why = "…"                                 # optional
//! robots = "User-agent: *\nRequest-rate: 1/10s 1800-1900\n"
//! first_line = 1000                         # pads the first line, a comment, to this number of bytes; optional
//! means = [ { line = 2, group = 1, is = "…" } ]       # the meaning of a record; group 0: in no group
//! usage = [ { url = "/a", of = "train-ai", is = "disallowed 3" } ]   # Content-Usage: a preference and its line
//! signal = [ { url = "/a", of = "ai-train", is = "no 3" } ]          # Content-Signal
//! pace = [ { last = "03:00:00", now = "03:00:01", is = "03:00:10" } ] # when the next request may start
//! canonical = [ { url = "/a?b=c", is = "/a" } ]        # Clean-param
//! extent = [ { is = "partly 2" } ]          # how much may be fetched, and the line of the rule that matches all
//! ```
//!
//! A question may name the crawler by `agent` (a literal token; defaults to `anybot`) or `crawler` (a name of the
//! table), and a `dialect` (defaults to `standard`). All times are on the same day; `+1` before a time adds one day.

use serde::Deserialize;

use crate::Error;

/// The themes, each with the name of its file without `.toml`, and its text.
const THEMES: &[(&str, &str)] = &[
    ("clean-param", include_str!("../records/clean-param.toml")),
    ("content-signal", include_str!("../records/content-signal.toml")),
    ("content-usage", include_str!("../records/content-usage.toml")),
    ("extent", include_str!("../records/extent.toml")),
    ("pace", include_str!("../records/pace.toml")),
    ("values", include_str!("../records/values.toml")),
];

/// A robots.txt and the meaning of its records.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RecordFile {
    /// The name, unique among the files.
    pub name: String,
    /// The source of the answers, or empty.
    #[serde(default)]
    pub clause: String,
    /// The purpose of the case, or empty.
    #[serde(default)]
    pub why: String,
    /// The robots.txt as written. [`body`](Self::body) returns it with a padded first line.
    pub robots: String,
    /// The length of the first line, a comment, in bytes with its line end.
    pub first_line: Option<usize>,
    /// The meanings of records.
    #[serde(default)]
    pub means: Vec<Means>,
    /// Preferences by `Content-Usage`.
    #[serde(default)]
    pub usage: Vec<Ask>,
    /// Signals by `Content-Signal`.
    #[serde(default)]
    pub signal: Vec<Ask>,
    /// Questions about the start of requests.
    #[serde(default)]
    pub pace: Vec<PaceAsk>,
    /// Canonical URLs.
    #[serde(default)]
    pub canonical: Vec<Ask>,
    /// Questions about the part of the site that may be fetched.
    #[serde(default)]
    pub extent: Vec<Ask>,
}

impl RecordFile {
    /// Returns the bytes of the robots.txt.
    pub fn body(&self) -> Vec<u8> {
        match (self.first_line, self.robots.split_once('\n')) {
            (Some(length), Some((first, rest))) => {
                let fill = ".".repeat(length.saturating_sub(first.len() + 1));
                format!("{first}{fill}\n{rest}").into()
            }
            _ => self.robots.clone().into(),
        }
    }
}

/// The meaning of one record.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Means {
    /// The line of the record.
    pub line: u32,
    /// The group of the record, from 1; 0 if it is in no group.
    pub group: Option<usize>,
    /// The meaning, in words.
    pub is: String,
}

/// A question about a URL.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Ask {
    /// The URL, or a path.
    #[serde(default)]
    pub url: String,
    /// The use of content.
    #[serde(default)]
    pub of: String,
    /// The product token of the crawler, as a literal.
    pub agent: Option<String>,
    /// The name of the crawler in the table.
    pub crawler: Option<String>,
    /// The dialect.
    pub dialect: Option<String>,
    /// The answer.
    pub is: String,
}

/// A question about time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PaceAsk {
    /// The time at which the last request started.
    pub last: Option<String>,
    /// The current time.
    pub now: String,
    /// The earliest time at which the next request may start.
    pub is: String,
    /// The minimum delay of the client, in seconds.
    pub at_least: Option<u64>,
    /// The maximum delay that a site may request, in seconds.
    pub at_most: Option<u64>,
    /// The product token of the crawler, as a literal.
    pub agent: Option<String>,
    /// The name of the crawler in the table.
    pub crawler: Option<String>,
    /// The dialect.
    pub dialect: Option<String>,
}

/// Returns all files, each with its theme.
///
/// # Panics
///
/// If an embedded theme can't be parsed, which the tests of this crate rule out.
pub fn files() -> Vec<(&'static str, RecordFile)> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Theme {
        file: Vec<RecordFile>,
    }
    let read = |theme: &str, text: &str| -> Result<Theme, Error> {
        toml::from_str(text).map_err(|e| Error(format!("records/{theme}.toml: {e}")))
    };
    let themes = THEMES.iter().map(|(theme, text)| (*theme, read(theme, text).unwrap_or_else(|e| panic!("{e}"))));
    themes.flat_map(|(theme, files)| files.file.into_iter().map(move |file| (theme, file))).collect()
}
