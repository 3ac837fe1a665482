//! Robots.txt cases as data: files, questions about them, and the answers that any parser should give.
//!
//! One TOML file per theme in `cases/`. This crate embeds them and reads them, so that every way to ask comity (and
//! `comity conformance`, which asks any other program) runs the very same suite. The format:
//!
//! ```toml
//! [[file]]
//! name = "prefix-match"                     # unique in the suite
//! clause = "RFC 9309 §2.2.2"                # where the answers come from; optional
//! why = "A rule matches whatever starts with it."   # optional
//! robots = "User-agent: *\nDisallow: /junk\n"       # or `parts`, see below
//! dialects = ["standard", "google"]         # which dialects the answers hold for; default: all but norobots-1996
//! agent = "anybot"                          # who asks, unless a question says so; default: anybot
//! raw = true                                # see `raw` below, for all questions of the file
//! ask = [
//!   { url = "http://example.com/junk-page", is = "disallow 2" },
//!   { url = "http://example.com/j", is = "allow 0", agent = "otherbot" },
//! ]
//! ```
//!
//! An answer is `allow`, `disallow` or `not-governed`, then the number of the deciding line if the case is about that
//! (0: no line decides). A dialect that differs has a key of its own: `{ url = "…", is = "disallow", google = "allow" }`.
//! `google` also speaks for `google-parser`, in a question as in `dialects`, unless the question has a key for the latter;
//! `google-parser` speaks for itself alone.
//!
//! A question names who asks by `agent` (a literal product token), `agent_b64` (its bytes), `agents` (several tokens
//! whose groups are merged) or `crawler` (a name of the crawler table, with its fallback chain). It may also hold
//! `seen` (does the file name the asker?), `crawl_delay` (seconds; -1: none), `advisory` and `id`.
//!
//! `raw = true` marks a URL that a WHATWG URL parser would change, or refuse: ask with the very bytes. A URL that is
//! no text is `url_b64`.
//!
//! Bodies that are long or no text are put together: `parts = [{ text = "User-agent: *\n" }, { text = "#", times =
//! 600000 }, { b64 = "AA==" }]`.

pub mod pages;
pub mod records;

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;

/// The themes: a file's name without `.toml`, and its text.
pub const THEMES: &[(&str, &str)] = &include!("themes.rs");

/// The dialects that a file's answers hold for unless it says otherwise.
pub const MODERN: [&str; 5] = ["standard", "google", "google-parser", "bing", "yandex"];

/// A robots.txt file and the questions about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct File {
    /// The theme that it belongs to.
    pub theme: &'static str,
    /// Its name, unique in the suite.
    pub name: String,
    /// Where the answers come from, or empty.
    pub clause: String,
    /// The point of it, or empty.
    pub why: String,
    /// The robots.txt.
    pub body: Vec<u8>,
    /// The questions.
    pub cases: Vec<Case>,
}

/// One question, with its answer in each dialect that it holds for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// `file#number`, or `file#id`.
    pub name: String,
    /// The URL, as bytes.
    pub url: Vec<u8>,
    /// Whether the URL must be asked for byte by byte.
    pub raw: bool,
    /// Who asks.
    pub asker: Asker,
    /// Dialect names and the answers there.
    pub answers: Vec<(String, Answer)>,
    /// Whether the file names the asker, if the case says so.
    pub seen: Option<bool>,
    /// The crawl-delay in seconds (`Some(None)`: none), if the case says so.
    pub crawl_delay: Option<Option<f64>>,
    /// Whether the answer is advisory, if the case says so.
    pub advisory: Option<bool>,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asker {
    /// A literal product token.
    Agent(Vec<u8>),
    /// Several literal product tokens; their groups are merged.
    Agents(Vec<String>),
    /// A name of the crawler table.
    Crawler(String),
}

/// An expected answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// `None`: not governed, there is no verdict.
    pub allowed: Option<bool>,
    /// The deciding line, if the case says so.
    pub line: Option<u32>,
}

impl Answer {
    /// Whether an actual answer is the expected one.
    pub fn accepts(&self, allowed: Option<bool>, line: Option<u32>) -> bool {
        self.allowed == allowed && (self.line.is_none() || line.is_none() || self.line == line)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.allowed {
            Some(true) => "allow",
            Some(false) => "disallow",
            None => "not-governed",
        })?;
        match self.line {
            Some(line) => write!(f, " {line}"),
            None => Ok(()),
        }
    }
}

/// Whether a robots.txt governs a URL.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Scope {
    /// The URL of the robots.txt, or any URL of its site.
    pub robots: String,
    /// The URL of a page.
    pub url: String,
    /// Whether the former governs the latter.
    pub governs: bool,
    /// Where this comes from, or empty.
    #[serde(default)]
    pub clause: String,
}

/// The robots.txt URL of a page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Location {
    /// The URL of a page.
    pub page: String,
    /// The URL of the robots.txt that governs it; absent if none can.
    pub robots: Option<String>,
    /// Where this comes from, or empty.
    #[serde(default)]
    pub clause: String,
}

/// A full User-Agent header, and the product tokens that it may mean, the likeliest first.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Header {
    /// The header's value.
    pub header: String,
    /// The token that it most probably means; absent if none is to be found.
    pub token: Option<String>,
    /// Other tokens that must be among the candidates.
    #[serde(default)]
    pub also: Vec<String>,
}

/// Everything in the suite.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Suite {
    /// Verdicts.
    pub files: Vec<File>,
    /// Which file governs which URL.
    pub scopes: Vec<Scope>,
    /// Where a page's robots.txt is.
    pub locations: Vec<Location>,
    /// User-Agent headers.
    pub headers: Vec<Header>,
}

/// What is wrong with a theme file.
#[derive(Clone, Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The embedded suite.
///
/// # Panics
///
/// If an embedded theme can't be read, which the tests of this crate rule out.
pub fn suite() -> Suite {
    let mut suite = Suite::default();
    for (theme, text) in THEMES {
        suite.read(theme, text).unwrap_or_else(|e| panic!("{e}"));
    }
    suite
}

impl Suite {
    /// Adds the cases of a theme.
    pub fn read(&mut self, theme: &'static str, text: &str) -> Result<(), Error> {
        let theme_file: Theme = toml::from_str(text).map_err(|e| Error(format!("{theme}.toml: {e}")))?;
        for file in theme_file.file {
            let name = file.name.clone();
            if self.files.iter().any(|f| f.name == name) {
                return Err(Error(format!("{theme}.toml: `{name}` is there twice; names must be unique in the suite")));
            }
            let file = file.resolve(theme).map_err(|e| Error(format!("{theme}.toml: `{name}`: {e}")))?;
            self.files.push(file);
        }
        self.scopes.extend(theme_file.scope);
        self.locations.extend(theme_file.location);
        self.headers.extend(theme_file.header);
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Theme {
    #[serde(default)]
    file: Vec<RawFile>,
    #[serde(default)]
    scope: Vec<Scope>,
    #[serde(default)]
    location: Vec<Location>,
    #[serde(default)]
    header: Vec<Header>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    name: String,
    #[serde(default)]
    clause: String,
    #[serde(default)]
    why: String,
    robots: Option<String>,
    parts: Option<Vec<Part>>,
    dialects: Option<Vec<String>>,
    agent: Option<String>,
    #[serde(default)]
    raw: bool,
    ask: Vec<Ask>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    text: Option<String>,
    b64: Option<String>,
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
struct Ask {
    id: Option<String>,
    url: Option<String>,
    url_b64: Option<String>,
    raw: Option<bool>,
    agent: Option<String>,
    agent_b64: Option<String>,
    agents: Option<Vec<String>>,
    crawler: Option<String>,
    is: Option<String>,
    standard: Option<String>,
    google: Option<String>,
    #[serde(rename = "google-parser")]
    google_parser: Option<String>,
    bing: Option<String>,
    yandex: Option<String>,
    #[serde(rename = "norobots-1996")]
    norobots_1996: Option<String>,
    seen: Option<bool>,
    crawl_delay: Option<f64>,
    advisory: Option<bool>,
}

impl RawFile {
    fn resolve(self, theme: &'static str) -> Result<File, Cow<'static, str>> {
        let body = match (self.robots, self.parts) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(parts)) => {
                let mut body = Vec::new();
                for part in parts {
                    let bytes = match (part.text, part.b64) {
                        (Some(text), None) => text.into_bytes(),
                        (None, Some(b64)) => decode(&b64)?,
                        _ => return Err("a part has either `text` or `b64`".into()),
                    };
                    body.extend(bytes.repeat(part.times));
                }
                body
            }
            _ => return Err("a file has either `robots` or `parts`".into()),
        };
        let dialects = self.dialects.unwrap_or_else(|| MODERN.map(String::from).to_vec());
        let mut cases = Vec::new();
        for (number, ask) in self.ask.into_iter().enumerate() {
            let id = ask.id.clone().unwrap_or_else(|| (number + 1).to_string());
            let name = format!("{}#{id}", self.name);
            let case = ask
                .resolve(name.clone(), &dialects, self.agent.as_deref(), self.raw)
                .map_err(|e| format!("question {name}: {e}"))?;
            cases.push(case);
        }
        Ok(File { theme, name: self.name, clause: self.clause, why: self.why, body, cases })
    }
}

impl Ask {
    fn resolve(
        self,
        name: String,
        dialects: &[String],
        agent: Option<&str>,
        raw: bool,
    ) -> Result<Case, Cow<'static, str>> {
        let url = match (self.url, self.url_b64) {
            (Some(url), None) => url.into_bytes(),
            (None, Some(b64)) => decode(&b64)?,
            _ => return Err("a question has either `url` or `url_b64`".into()),
        };
        let asker = match (self.agent, self.agent_b64, self.agents, self.crawler) {
            (Some(agent), None, None, None) => Asker::Agent(agent.into_bytes()),
            (None, Some(b64), None, None) => Asker::Agent(decode(&b64)?),
            (None, None, Some(agents), None) => Asker::Agents(agents),
            (None, None, None, Some(crawler)) => Asker::Crawler(crawler),
            (None, None, None, None) => Asker::Agent(agent.unwrap_or("anybot").into()),
            _ => return Err("a question has one of `agent`, `agent_b64`, `agents`, `crawler`".into()),
        };
        let own = [
            ("standard", self.standard),
            ("google", self.google.clone()),
            ("google-parser", self.google_parser.or(self.google)),
            ("bing", self.bing),
            ("yandex", self.yandex),
            ("norobots-1996", self.norobots_1996),
        ];
        let mut answers = Vec::new();
        for (dialect, answer) in own {
            let listed = dialects.iter().any(|d| d == dialect || (d == "google" && dialect == "google-parser"));
            if let Some(text) = answer.or_else(|| self.is.clone().filter(|_| listed)) {
                answers.push((dialect.to_owned(), parse_answer(&text)?));
            }
        }
        if answers.is_empty() {
            return Err("no dialect has an answer; give `is` or one per dialect".into());
        }
        Ok(Case {
            name,
            url,
            raw: self.raw.unwrap_or(raw),
            asker,
            answers,
            seen: self.seen,
            crawl_delay: self.crawl_delay.map(|seconds| (seconds >= 0.0).then_some(seconds)),
            advisory: self.advisory,
        })
    }
}

fn decode(b64: &str) -> Result<Vec<u8>, Cow<'static, str>> {
    BASE64.decode(b64).map_err(|e| format!("base64: {e}").into())
}

fn parse_answer(text: &str) -> Result<Answer, Cow<'static, str>> {
    let (word, line) = match text.split_once(' ') {
        Some((word, line)) => {
            let line = line.parse().map_err(|_| format!("expected a line number behind `{word}`, found `{line}`"))?;
            (word, Some(line))
        }
        None => (text, None),
    };
    let allowed = match word {
        "allow" => Some(true),
        "disallow" => Some(false),
        "not-governed" => None,
        _ => return Err(format!("expected `allow`, `disallow` or `not-governed`, found `{word}`").into()),
    };
    Ok(Answer { allowed, line })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_theme_can_be_read() {
        let suite = super::suite();
        assert!(suite.files.iter().all(|file| !file.cases.is_empty()));
        assert!(!suite.scopes.is_empty() && !suite.locations.is_empty() && !suite.headers.is_empty());
    }

    #[test]
    fn every_file_in_cases_is_a_theme() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".toml").map(String::from))
            .collect();
        files.sort();
        let themes: Vec<&str> = super::THEMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(files, themes, "src/themes.rs lists the files of cases/ in order");
    }
}
