//! What records beside groups and rules say: the files of `records/`.
//!
//! ```toml
//! [[file]]
//! name = "rate-with-window"                 # unique
//! clause = "draft …"                        # where the answers come from; optional
//! why = "…"                                 # optional
//! robots = "User-agent: *\nRequest-rate: 1/10s 1800-1900\n"
//! first_line = 1000                         # makes the first line, a comment, so many bytes long; optional
//! means = [ { line = 2, group = 1, is = "…" } ]       # what a record says; group 0: in none
//! usage = [ { url = "/a", of = "train-ai", is = "disallowed 3" } ]   # Content-Usage: a preference and its line
//! signal = [ { url = "/a", of = "ai-train", is = "no 3" } ]          # Content-Signal
//! pace = [ { last = "03:00:00", now = "03:00:01", is = "03:00:10" } ] # when the next request may start
//! canonical = [ { url = "/a?b=c", is = "/a" } ]        # Clean-param
//! extent = [ { is = "partly 2" } ]          # how much may be fetched, and the line of the rule that matches all
//! ```
//!
//! A question may name who asks by `agent` (a literal token, default `anybot`) or `crawler` (a name of the table), and
//! a `dialect` (default `standard`). Times are of some day; a `+` before a time adds days.

use serde::Deserialize;

use crate::Error;

/// The themes: a file's name without `.toml`, and its text.
const THEMES: &[(&str, &str)] = &[
    ("clean-param", include_str!("../records/clean-param.toml")),
    ("content-signal", include_str!("../records/content-signal.toml")),
    ("content-usage", include_str!("../records/content-usage.toml")),
    ("extent", include_str!("../records/extent.toml")),
    ("pace", include_str!("../records/pace.toml")),
    ("values", include_str!("../records/values.toml")),
];

/// A robots.txt and what its records say.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RecordFile {
    /// Its name, unique.
    pub name: String,
    /// Where the answers come from, or empty.
    #[serde(default)]
    pub clause: String,
    /// The point of it, or empty.
    #[serde(default)]
    pub why: String,
    /// The robots.txt; [`body`](Self::body) has it whole.
    pub robots: String,
    /// How many bytes the first line, a comment, has with its end.
    pub first_line: Option<usize>,
    /// What records say.
    #[serde(default)]
    pub means: Vec<Means>,
    /// Preferences by `Content-Usage`.
    #[serde(default)]
    pub usage: Vec<Ask>,
    /// Signals by `Content-Signal`.
    #[serde(default)]
    pub signal: Vec<Ask>,
    /// When requests may start.
    #[serde(default)]
    pub pace: Vec<PaceAsk>,
    /// Canonical URLs.
    #[serde(default)]
    pub canonical: Vec<Ask>,
    /// How much may be fetched.
    #[serde(default)]
    pub extent: Vec<Ask>,
}

impl RecordFile {
    /// The bytes of the robots.txt.
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

/// What one record says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Means {
    /// Its line.
    pub line: u32,
    /// Its group, from 1; 0 if it stands in none.
    pub group: Option<usize>,
    /// What it says, in words.
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
    /// The use of content that it is about.
    #[serde(default)]
    pub of: String,
    /// A literal product token that asks.
    pub agent: Option<String>,
    /// A crawler of the table that asks.
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
    /// When the last request started.
    pub last: Option<String>,
    /// What time it is.
    pub now: String,
    /// When the next one may start.
    pub is: String,
    /// Our own minimum, in seconds.
    pub at_least: Option<u64>,
    /// The most that a site may ask for, in seconds.
    pub at_most: Option<u64>,
    /// A literal product token that asks.
    pub agent: Option<String>,
    /// A crawler of the table that asks.
    pub crawler: Option<String>,
    /// The dialect.
    pub dialect: Option<String>,
}

/// All files, each with its theme.
///
/// # Panics
///
/// If an embedded theme can't be read, which the tests of this crate rule out.
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
