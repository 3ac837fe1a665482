//! Test cases for robots.txt parsers as data: files, questions, and the expected answers.
//!
//! `cases/` contains one TOML file for each theme. This crate embeds and parses them, so that all interfaces of comity
//! run the same suite. The program `conformance` runs it with any other program. The format:
//!
//! ```toml
//! [[file]]
//! name = "prefix-match"                     # unique in the suite
//! clause = "RFC 9309 §2.2.2"                # the source of the answers; optional
//! why = "A rule matches whatever starts with it."   # optional
//! robots = "User-agent: *\nDisallow: /junk\n"       # or `parts`, see below
//! dialects = ["standard", "google"]         # the dialects of the answers; defaults to all but norobots-1996
//! agent = "anybot"                          # the crawler, unless a question names one; defaults to anybot
//! raw = true                                # see `raw` below, for all questions of the file
//! ask = [
//!   { url = "http://example.com/junk-page", is = "disallow 2" },
//!   { url = "http://example.com/j", is = "allow 0", agent = "otherbot" },
//! ]
//! ```
//!
//! An answer is `allow`, `disallow`, `not-governed` or `out-of-scope`; the last two are no verdict. If the deciding line is part of the case, its number follows; 0
//! means that no line decides. A dialect with another answer has a key of its own: `{ url = "…", is = "disallow",
//! google = "allow" }`. `google` also includes `google-parser`, in a question as in `dialects`, unless the question has
//! a key for the latter; `google-parser` does not include `google`.
//!
//! A question names the crawler by `agent` (a literal product token), `agent_b64` (its bytes), `agents` (several tokens
//! whose groups are merged) or `crawler` (a name of the crawler table, with its fallback tokens). It may also contain
//! `names_crawler` (true if the file names the crawler), `crawl_delay` (in seconds; -1: none), `advisory` and `id`.
//!
//! `raw = true` marks a URL that a WHATWG URL parser would change or reject. It is checked byte by byte. A URL that is
//! not UTF-8 is given as `url_b64`.
//!
//! Bodies that are long or not UTF-8 are composed of parts: `parts = [{ text = "User-agent: *\n" }, { text = "#", times
//! = 600000 }, { b64 = "AA==" }]`.

pub mod pages;
pub mod records;
pub mod sites;

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// The themes, each with the name of its file without `.toml`, and its text.
pub const THEMES: &[(&str, &str)] = &include!("themes.rs");

/// The dialects that a file's answers are for, unless it names others.
pub const DEFAULT_DIALECTS: [&str; 5] = ["standard", "google", "google-parser", "bing", "yandex"];

/// A robots.txt file and questions about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct File {
    /// The theme of the file.
    pub theme: &'static str,
    /// The name, unique in the suite.
    pub name: String,
    /// The source of the answers, or empty.
    pub clause: String,
    /// The purpose of the case, or empty.
    pub why: String,
    /// The robots.txt.
    pub body: Vec<u8>,
    /// The questions.
    pub cases: Vec<Case>,
}

/// A question, with its answer in each dialect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// `file#number`, or `file#id`.
    pub name: String,
    /// The URL, as bytes.
    pub url: Vec<u8>,
    /// True if the URL must be checked byte by byte.
    pub raw: bool,
    /// The crawler.
    pub asker: Asker,
    /// The names of dialects, each with its answer.
    pub answers: Vec<(String, ExpectedAnswer)>,
    /// True if the file names the crawler; `None` if that is not part of the case.
    pub names_crawler: Option<bool>,
    /// The crawl-delay in seconds (`Some(None)`: none); `None` if it is not part of the case.
    pub crawl_delay: Option<Option<f64>>,
    /// True if the answer is advisory; `None` if that is not part of the case.
    pub advisory: Option<bool>,
}

impl Case {
    /// Returns the answer in a dialect, if there is one.
    pub fn answer_in(&self, dialect: &str) -> Option<ExpectedAnswer> {
        self.answers.iter().find(|(name, _)| name == dialect).map(|(_, answer)| *answer)
    }

    /// Returns the question as an object for `comity batch`, with its name as `id`. `file` is the file of the case.
    pub fn question<'a>(&'a self, file: &'a File) -> impl Serialize {
        BatchQuestion { file, case: self }
    }

    /// Returns the difference between the answer in a dialect and one that was found, if there is one. With
    /// `has_details`, `advisory` and `crawl_delay` are compared, too.
    pub fn complaint(&self, dialect: &str, found: &FoundAnswer, has_details: bool) -> Option<String> {
        let Some(expected) = self.answer_in(dialect) else {
            return Some(format!("{} has no answer in {dialect}", self.name));
        };
        let mut is_wrong = !expected.accepts(found.allowed, Some(found.line.unwrap_or(0)));
        is_wrong |= self.names_crawler.is_some() && self.names_crawler != found.names_crawler;
        if has_details {
            is_wrong |= self.advisory.is_some() && self.advisory != found.advisory;
            is_wrong |= self.crawl_delay.is_some_and(|delay| delay != found.crawl_delay);
        }
        is_wrong.then(|| format!("{} in {dialect}: expected {expected}, found {found:?}", self.name))
    }
}

/// A question as a JSON object. Bytes that are not UTF-8 are written as base64.
struct BatchQuestion<'a> {
    file: &'a File,
    case: &'a Case,
}

impl Serialize for BatchQuestion<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("id", &self.case.name)?;
        write_bytes(&mut object, ["robots", "robots_b64"], &self.file.body)?;
        match &self.case.asker {
            Asker::Agent(agent) => write_bytes(&mut object, ["agent", "agent_b64"], agent)?,
            Asker::Agents(agents) => object.serialize_entry("agents", agents)?,
            Asker::Crawler(name) => object.serialize_entry("crawler", name)?,
        }
        write_bytes(&mut object, ["url", "url_b64"], &self.case.url)?;
        object.end()
    }
}

fn write_bytes<M: SerializeMap>(object: &mut M, [name, name_b64]: [&str; 2], bytes: &[u8]) -> Result<(), M::Error> {
    match str::from_utf8(bytes) {
        Ok(text) => object.serialize_entry(name, text),
        Err(_) => object.serialize_entry(name_b64, &BASE64.encode(bytes)),
    }
}

/// An answer in the JSON form of comity's documents. A field is `None` if it is missing or null.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct FoundAnswer {
    /// `None`: no verdict.
    pub allowed: Option<bool>,
    /// The deciding line. `None` if no line decides; 0 is accepted, too.
    pub line: Option<u32>,
    /// True if the file names the crawler.
    pub names_crawler: Option<bool>,
    /// True if the answer is advisory.
    pub advisory: Option<bool>,
    /// The crawl-delay in seconds.
    pub crawl_delay: Option<f64>,
}

/// The crawler of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asker {
    /// A literal product token.
    Agent(Vec<u8>),
    /// Several literal product tokens, with their groups merged.
    Agents(Vec<String>),
    /// A name of the crawler table.
    Crawler(String),
}

impl Asker {
    /// Returns true for an empty token, which the engine takes, but the command and the service refuse.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Agent(agent) if agent.trim_ascii().is_empty())
    }
}

/// An expected answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpectedAnswer {
    /// `None`: the crawler is not governed, or the URL is out of scope, so there is no verdict.
    pub allowed: Option<bool>,
    /// The deciding line, if it is part of the case.
    pub line: Option<u32>,
}

impl ExpectedAnswer {
    /// Returns true if an actual answer is the expected one.
    pub fn accepts(&self, allowed: Option<bool>, line: Option<u32>) -> bool {
        self.allowed == allowed && (self.line.is_none() || line.is_none() || self.line == line)
    }
}

impl fmt::Display for ExpectedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.allowed {
            Some(true) => "allow",
            Some(false) => "disallow",
            None => "no verdict",
        })?;
        match self.line {
            Some(line) => write!(f, " {line}"),
            None => Ok(()),
        }
    }
}

/// A case about the scope of a robots.txt: the URLs that it governs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScopeCase {
    /// The URL of the robots.txt, or any URL of its site.
    pub robots: String,
    /// The URL of a page.
    pub url: String,
    /// True if the robots.txt governs the page.
    pub governs: bool,
    /// The source of the answer, or empty.
    #[serde(default)]
    pub clause: String,
}

/// A case about the location of a page's robots.txt.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LocationCase {
    /// The URL of a page.
    pub page: String,
    /// The URL of the robots.txt that governs the page; absent if there is none.
    pub robots: Option<String>,
    /// The source of the answer, or empty.
    #[serde(default)]
    pub clause: String,
}

/// A User-Agent header, and the product tokens that it may mean, most likely first.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Header {
    /// The value of the header.
    pub header: String,
    /// The token that it most likely means; absent if there is none.
    pub token: Option<String>,
    /// Other tokens that must be among the candidates.
    #[serde(default)]
    pub also: Vec<String>,
}

/// All cases of the suite.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Suite {
    /// Verdicts.
    pub files: Vec<File>,
    /// Cases about the scope of files.
    pub scopes: Vec<ScopeCase>,
    /// Cases about the location of a page's robots.txt.
    pub locations: Vec<LocationCase>,
    /// User-Agent headers.
    pub headers: Vec<Header>,
}

/// An error in a theme file.
#[derive(Clone, Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Returns the embedded suite.
///
/// # Panics
///
/// If an embedded theme can't be parsed, which the tests of this crate rule out.
pub fn suite() -> Suite {
    let mut suite = Suite::default();
    for (theme, text) in THEMES {
        suite.read(theme, text).unwrap_or_else(|e| panic!("{e}"));
    }
    suite
}

impl Suite {
    /// Returns the cases with an answer in a dialect, each with its file.
    pub fn cases_in<'a>(&'a self, dialect: &'a str) -> impl Iterator<Item = (&'a File, &'a Case)> {
        let cases = self.files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)));
        cases.filter(move |(_, case)| case.answer_in(dialect).is_some())
    }

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
    scope: Vec<ScopeCase>,
    #[serde(default)]
    location: Vec<LocationCase>,
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
    names_crawler: Option<bool>,
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
        let dialects = self.dialects.unwrap_or_else(|| DEFAULT_DIALECTS.map(String::from).to_vec());
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
            names_crawler: self.names_crawler,
            crawl_delay: self.crawl_delay.map(|seconds| (seconds >= 0.0).then_some(seconds)),
            advisory: self.advisory,
        })
    }
}

fn decode(b64: &str) -> Result<Vec<u8>, Cow<'static, str>> {
    BASE64.decode(b64).map_err(|e| format!("base64: {e}").into())
}

fn parse_answer(text: &str) -> Result<ExpectedAnswer, Cow<'static, str>> {
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
        "not-governed" | "out-of-scope" => None,
        _ => {
            let words = "`allow`, `disallow`, `not-governed` or `out-of-scope`";
            return Err(format!("expected {words}, found `{word}`").into());
        }
    };
    Ok(ExpectedAnswer { allowed, line })
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
