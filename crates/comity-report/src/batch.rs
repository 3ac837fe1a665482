//! A line of a batch: a JSON object whose fields are kept unchanged, followed by the fields of the answer.

mod question;

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::url::{is_plain_path, names_host, parse_url, unambiguous_path, without_userinfo};
use comity::{Answer, Dialect, Origin, Rules, Verdict};
use comity_fetch::CheckOutcome;
use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::answer::AnswerReason;
use crate::question::{accepts_raw_urls, is_like_host};

pub use question::{BatchQuestion, BatchRules, BatchUrls, LineCrawler};

/// The maximum number of tokens in `agents` of a line. There is a limit because each is compared with every group.
pub const MAX_AGENTS: usize = 100;

/// The names of the fields of an answer. They are removed from a line before an error is added, because the line may
/// contain the fields of an earlier answer.
const ANSWER: [&str; 6] = ["allowed", "line", "lines", "names_crawler", "reason", "copy"];
const ERROR: [&str; 2] = ["error", "input_line"];

/// Limits of the answers to one line, for lines of strangers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineLimits {
    max_time: Duration,
    max_url_bytes: usize,
}

impl LineLimits {
    /// Creates limits: the maximum time to compute the answers, which is checked between URLs, and the maximum size of a
    /// URL in bytes.
    #[must_use]
    pub const fn new(max_time: Duration, max_url_bytes: usize) -> Self {
        Self { max_time, max_url_bytes }
    }

    /// Checks the size of a URL, whose field is `name`.
    ///
    /// # Errors
    ///
    /// If the URL is too long.
    pub fn check_url(&self, name: &str, bytes: usize) -> Result<(), LineError> {
        let max = self.max_url_bytes;
        if bytes <= max {
            return Ok(());
        }
        Err(LineError::new(format_args!("expected at most {max} bytes for a URL in `{name}`, found {bytes}")))
    }
}

/// A line of a batch: names and values in the order of the input. Values are parsed on demand, so numbers keep their
/// digits.
///
/// ```
/// use comity::{Dialect, Robots};
/// use comity_report::BatchLine;
///
/// let mut line = BatchLine::parse(br#"{"n": 1.50, "url": "/a", "agent": "mybot"}"#)?;
/// let question = line.question()?;
/// let rules = Robots::parse(b"User-agent: *\nDisallow: /a\n").rules_for(&comity::Crawler::ANY);
/// line.answer_by_rules(&question.urls, &rules, &Dialect::STANDARD, None)?;
/// assert_eq!(
///     serde_json::to_string(&line).unwrap(),
///     r#"{"n":1.50,"url":"/a","agent":"mybot","allowed":false,"line":2,"names_crawler":false,"reason":"rule"}"#
/// );
/// # Ok::<(), comity_report::LineError>(())
/// ```
#[derive(Debug, Default)]
pub struct BatchLine<'a> {
    fields: Vec<(Cow<'a, str>, Value<'a>)>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Value<'a> {
    /// A value of the input, unchanged.
    Given(&'a RawValue),
    Bool(Option<bool>),
    Number(u64),
    Line(Option<u32>),
    Reason(AnswerReason),
    Text(Option<Cow<'a, str>>),
    Answers(Vec<Option<bool>>),
    Lines(Vec<Option<u32>>),
}

/// An error in a line. Its text states what was expected and what was found.
#[derive(Clone, Debug)]
pub struct LineError(String);

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LineError {}

impl LineError {
    /// Creates an error about a line with this text.
    pub fn new(complaint: impl fmt::Display) -> Self {
        Self(complaint.to_string())
    }
}

impl<'a> BatchLine<'a> {
    /// Parses a line, which must be a JSON object.
    pub fn parse(line: &'a [u8]) -> Result<Self, LineError> {
        serde_json::from_slice(line).map_err(|error| {
            // The line number of the parser is always 1. The caller knows the number of the line in the input.
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            LineError(format!("expected a JSON object: {message} at byte {}", error.column()))
        })
    }

    /// Returns true if the line has a field of this name.
    fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(other, _)| other == name)
    }

    /// Returns the JSON of a field, if the line has it.
    fn given(&self, name: &str) -> Result<Option<&'a str>, LineError> {
        let mut values = self.fields.iter().filter(|(other, _)| other == name);
        let value = values.next();
        if values.next().is_some() {
            return Err(LineError(format!("expected `{name}` once, found it several times")));
        }
        Ok(value.and_then(|(_, value)| match value {
            Value::Given(value) => Some(value.get()),
            _ => None,
        }))
    }

    /// Parses the value of a field, if the line has it. `what` describes the expected value in errors.
    fn get<T: DeserializeOwned>(&self, name: &str, what: &str) -> Result<Option<T>, LineError> {
        let Some(json) = self.given(name).map_err(|error| expected(what, name, &error))? else { return Ok(None) };
        serde_json::from_str(json).map(Some).map_err(|_| expected(what, name, &"found another value"))
    }

    /// Returns the text of a field, if the line has it.
    fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>, LineError> {
        let Some(json) = self.given(name).map_err(|error| expected("text", name, &error))? else { return Ok(None) };
        // Nearly all texts contain no escapes.
        match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
            Some(text) if !text.contains('\\') => Ok(Some(Cow::Borrowed(text))),
            _ => {
                let text = serde_json::from_str::<String>(json);
                Ok(Some(Cow::Owned(text.map_err(|_| expected("text", name, &"found another value"))?)))
            }
        }
    }

    /// Returns a field's text as bytes, or the bytes of its base64 form.
    fn bytes(&self, name: &str, encoded: &str) -> Result<Option<Cow<'a, [u8]>>, LineError> {
        match (self.text(name)?, self.text(encoded)?) {
            (Some(_), Some(_)) => Err(LineError(format!("expected `{name}` or `{encoded}`, found both"))),
            (Some(Cow::Borrowed(text)), None) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
            (Some(Cow::Owned(text)), None) => Ok(Some(Cow::Owned(text.into_bytes()))),
            (None, Some(b64)) => {
                let bytes = BASE64.decode(&*b64);
                Ok(Some(Cow::Owned(bytes.map_err(|error| expected("base64", encoded, &error))?)))
            }
            (None, None) => Ok(None),
        }
    }

    /// Returns the crawler: `agent`, `agent_b64`, `agents` or `crawler`.
    fn crawler(&self) -> Result<LineCrawler<'a>, LineError> {
        let agents: Option<Vec<String>> = self.get("agents", "a list of texts")?;
        if let Some(agents) = &agents
            && !(1..=MAX_AGENTS).contains(&agents.len())
        {
            let found = agents.len();
            return Err(LineError(format!("expected 1 to {MAX_AGENTS} tokens in `agents`, found {found}")));
        }
        let crawler = self.text("crawler")?;
        let agent = self.bytes("agent", "agent_b64")?;
        // No crawler has an empty name, and its answer would be that of `*`.
        for (field, is_empty) in [
            ("agent", agent.as_ref().is_some_and(|agent| agent.trim_ascii().is_empty())),
            ("agents", agents.as_ref().is_some_and(|agents| agents.iter().any(|agent| agent.trim().is_empty()))),
        ] {
            if is_empty {
                let text =
                    format!("expected a product token in `{field}`, found an empty text; for any crawler, write `*`");
                return Err(LineError(text));
            }
        }
        match (agent, agents, crawler) {
            (Some(agent), None, None) => Ok(LineCrawler::Agent(agent)),
            (None, Some(agents), None) => Ok(LineCrawler::Agents(agents)),
            (None, None, Some(crawler)) => Ok(LineCrawler::Crawler(crawler)),
            (None, None, None) => {
                Err(LineError("expected `agent`, `agent_b64`, `agents` or `crawler`, found none of them".to_owned()))
            }
            _ => {
                Err(LineError("expected one of `agent`, `agent_b64`, `agents` and `crawler`, found several".to_owned()))
            }
        }
    }

    /// Enters a verdict. Removes an earlier error.
    fn answer(&mut self, verdict: &Verdict) {
        self.enter(verdict.answer(), verdict.line(), verdict.names_crawler(), verdict.reason().into());
    }

    /// Enters an answer about a site, by rules or by the policy. Removes an earlier error.
    pub fn answer_by(&mut self, outcome: &CheckOutcome) {
        match outcome.verdict() {
            Some(verdict) => self.answer(&verdict),
            None => self.enter(outcome.answer(), None, false, AnswerReason::of(outcome)),
        }
    }

    fn enter(&mut self, answer: Answer, line: Option<u32>, names_crawler: bool, reason: AnswerReason) {
        self.put("allowed", Value::Bool(answer.is_allowed()));
        self.put("line", Value::Line(line));
        self.put("names_crawler", Value::Bool(Some(names_crawler)));
        self.put("reason", Value::Reason(reason));
        self.remove(&ERROR);
        self.remove(&["lines", "copy"]);
    }

    /// Enters a list of answers and the lines that decide. Removes an earlier error.
    fn answer_many(&mut self, allowed: Vec<Option<bool>>, lines: Vec<Option<u32>>) {
        self.remove(&ERROR);
        self.remove(&["line", "names_crawler", "reason", "copy"]);
        self.put("allowed", Value::Answers(allowed));
        self.put("lines", Value::Lines(lines));
    }

    /// Enters an error and the number of the line in the input. Removes an earlier answer.
    pub fn fail(&mut self, error: &str, input_line: u64) {
        self.remove(&ANSWER);
        self.set_text("error", Some(error.to_owned()));
        self.set_number("input_line", input_line);
    }

    /// Sets a field to a number. Replaces the value if the line has the field, and else appends the field.
    pub fn set_number(&mut self, name: &'static str, number: u64) {
        self.put(name, Value::Number(number));
    }

    /// Sets a field to text or null. Replaces the value if the line has the field, and else appends the field.
    pub fn set_text(&mut self, name: &'static str, text: Option<impl Into<Cow<'a, str>>>) {
        self.put(name, Value::Text(text.map(Into::into)));
    }

    /// Calls a function with each text of a list, in order. Returns true if the line has the list. The texts are not
    /// stored, because they may be most of the line.
    fn each_text(&self, name: &str, each: impl FnMut(&str)) -> Result<bool, LineError> {
        let what = "a list of texts";
        let Some(json) = self.given(name).map_err(|error| expected(what, name, &error))? else { return Ok(false) };
        let mut json = serde_json::Deserializer::from_str(json);
        json.deserialize_seq(EachVisitor(each)).map_err(|_| expected(what, name, &"found another value"))?;
        Ok(true)
    }

    /// Parses the question of the line.
    ///
    /// # Errors
    ///
    /// If a field is missing, is combined with one that excludes it, or has the wrong type.
    pub fn question(&self) -> Result<BatchQuestion<'a>, LineError> {
        let crawler = self.crawler()?;
        let urls = match (self.bytes("url", "url_b64")?, self.has("urls")) {
            (Some(_), true) => return Err(LineError::new("expected `url` or `urls`, found both")),
            // The file of that site would answer for the URL, whatever its own site is.
            (Some(_), false) if self.has("origin") => {
                return Err(LineError::new("expected `origin` with `urls` only, found it with `url`"));
            }
            (Some(url), false) => BatchUrls::One(url),
            (None, true) => BatchUrls::Many { origin: self.origin()? },
            (None, false) => return Err(LineError::new("expected `url`, `url_b64` or `urls`, found none of them")),
        };
        let file: Option<PathBuf> = self.get("robots_file", "a path")?;
        let rules = match (self.bytes("robots", "robots_b64")?, file) {
            (Some(body), None) => BatchRules::Given(body),
            (None, Some(path)) => BatchRules::File(path),
            (None, None) => BatchRules::Site,
            (Some(_), Some(_)) => {
                return Err(LineError::new("expected one of `robots`, `robots_b64` and `robots_file`, found several"));
            }
        };
        Ok(BatchQuestion { crawler, urls, rules })
    }

    fn origin(&self) -> Result<Option<Origin>, LineError> {
        let Some(text) = self.text("origin")? else { return Ok(None) };
        Origin::of(&text).map(Some).map_err(|error| LineError::new(format_args!("`origin`: {error}")))
    }

    /// Enters the answer of a file's rules to the line's question.
    ///
    /// # Errors
    ///
    /// If `urls` is not a list of texts, or if the line exceeds the limits.
    pub fn answer_by_rules(
        &mut self,
        urls: &BatchUrls<'_>,
        rules: &Rules,
        dialect: &Dialect,
        limits: Option<LineLimits>,
    ) -> Result<(), LineError> {
        match urls {
            BatchUrls::One(url) => {
                limits.map_or(Ok(()), |limits| limits.check_url("url", url.len()))?;
                self.answer(&rules.check_bytes(url));
                Ok(())
            }
            BatchUrls::Many { origin } => self.answer_each(origin.as_ref(), dialect, limits, |url| {
                let verdict = rules.check(url);
                (verdict.answer(), verdict.line())
            }),
        }
    }

    /// Enters a list of answers to `urls`, and a list of the lines that decide. `judge` returns the answer and the
    /// deciding line for one URL of the site `origin`. Paths belong to that site, and URLs of other sites are out of
    /// scope.
    ///
    /// # Errors
    ///
    /// If `urls` is not a list of texts, or if the line exceeds the limits.
    pub fn answer_each(
        &mut self,
        origin: Option<&Origin>,
        dialect: &Dialect,
        limits: Option<LineLimits>,
        judge: impl Fn(&str) -> (Answer, Option<u32>),
    ) -> Result<(), LineError> {
        /// The number of URLs that are answered before the clock is read again.
        const CLOCK_INTERVAL: usize = 16;
        let prefix = origin.map(Origin::to_string);
        let is_raw = accepts_raw_urls(dialect);
        let began = Instant::now();
        let (mut allowed, mut lines, mut error) = (Vec::new(), Vec::new(), None);
        let is_there = self.each_text("urls", |url| {
            if error.is_some() {
                return;
            }
            let looks = (allowed.len() + 1).is_multiple_of(CLOCK_INTERVAL);
            if let Some(limits) = limits.filter(|limits| looks && began.elapsed() > limits.max_time) {
                let seconds = limits.max_time.as_secs();
                error = Some(LineError::new(format_args!(
                    "its answers take more than {seconds} seconds to compute: use fewer URLs in a line"
                )));
                return;
            }
            let asked = asked(url, prefix.as_deref(), origin, is_raw);
            // The size of one that is out of scope, such as of a `data:` URL, does not matter.
            if let (Some(limits), Some(_)) = (limits, &asked)
                && let Err(too_long) = limits.check_url("urls", url.len())
            {
                error = Some(too_long);
                return;
            }
            let (answer, line) = asked.map_or((Answer::OutOfScope, None), |url| judge(&url));
            allowed.push(answer.is_allowed());
            lines.push(line);
        })?;
        if !is_there {
            return Err(LineError::new("expected a list of texts in `urls`"));
        }
        if let Some(error) = error {
            return Err(error);
        }
        self.answer_many(allowed, lines);
        Ok(())
    }

    fn put(&mut self, name: &'static str, value: Value<'a>) {
        match self.fields.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((Cow::Borrowed(name), value)),
        }
    }

    /// Removes the fields with these names.
    fn remove(&mut self, names: &[&str]) {
        self.fields.retain(|(other, _)| !names.contains(&&**other));
    }

    /// Appends the object as a line of JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        // This can't fail: all names are texts, and writing to a vector always succeeds.
        let written = serde_json::to_writer(&mut *out, self);
        debug_assert!(written.is_ok(), "{written:?}");
        out.push(b'\n');
    }
}

/// Serializes the fields in order. A user name and a password in `url` are left out.
impl Serialize for BatchLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (name, value) in &self.fields {
            match value {
                Value::Given(given) if name == "url" && given.get().contains('@') => {
                    map.serialize_entry(name, &shown_url(given))?;
                }
                value => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// Returns a URL without its user name and password. This is only for display: the answer is about the URL as given.
fn shown_url(given: &RawValue) -> Value<'_> {
    match serde_json::from_str::<String>(given.get()) {
        Ok(url) => match without_userinfo(&url) {
            Cow::Owned(shown) => Value::Text(Some(Cow::Owned(shown))),
            Cow::Borrowed(_) => Value::Given(given),
        },
        Err(_) => Value::Given(given),
    }
}

/// Returns a URL of a list in the form in which it is checked: a whole URL, or a path on the site of the list. Returns
/// `None` if the URL is on another site.
fn asked<'u>(url: &'u str, prefix: Option<&str>, origin: Option<&Origin>, is_raw: bool) -> Option<Cow<'u, str>> {
    /// A placeholder site, with which paths are parsed as URLs.
    const PLACEHOLDER_SITE: &str = "http://site.invalid";
    if url.starts_with('/') && !names_host(url) {
        let parsed =
            if is_raw || is_plain_path(url) { None } else { parse_url(&format!("{PLACEHOLDER_SITE}{url}")).ok() };
        let sent = parsed.as_ref().and_then(|sent| sent.as_str().strip_prefix(PLACEHOLDER_SITE));
        return Some(match (sent.unwrap_or(url), prefix) {
            (path, Some(site)) if is_like_host(path) => Cow::Owned(format!("{site}{path}")),
            _ if sent.is_none() => Cow::Borrowed(url),
            (path, _) => Cow::Owned(unambiguous_path(path).into_owned()),
        });
    }
    if let Some(prefix) = prefix
        && url.strip_prefix(prefix).is_some_and(is_plain_path)
    {
        return Some(Cow::Borrowed(url));
    }
    let parsed = parse_url(url).ok()?;
    let its_origin = Origin::of_url(&parsed);
    match origin {
        Some(origin) if its_origin.as_ref() != Some(origin) => None,
        // No robots.txt is about it, as for `mailto:`.
        None if its_origin.is_none() && !is_raw => None,
        // A user name is not sent, and a dialect may read a path in it.
        _ if is_raw => Some(without_userinfo(url)),
        _ => Some(Cow::Owned(parsed.into())),
    }
}

/// Returns an error about a field that does not contain the expected value.
fn expected(what: &str, name: &str, found: &dyn fmt::Display) -> LineError {
    LineError(format!("expected {what} in `{name}`: {found}"))
}

/// A visitor that calls a function with each text of a list.
struct EachVisitor<F>(F);

impl<'de, F: FnMut(&str)> Visitor<'de> for EachVisitor<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(Name(text)) = list.next_element()? {
            (self.0)(&text);
        }
        Ok(())
    }
}

/// A text, borrowed if it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for BatchLine<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = BatchLine<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BatchLine<'de>, A::Error> {
                // Enough for the fields of a question and of its answer.
                let mut fields = Vec::with_capacity(8);
                while let Some((Name(name), value)) = map.next_entry()? {
                    fields.push((name, Value::Given(value)));
                }
                Ok(BatchLine { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_without_a_site_or_a_crawler_of_their_own_are_refused() {
        for (line, reason) in [
            (
                &br#"{"url":"http://b.test/x","origin":"http://a.test","agent":"x","robots":""}"#[..],
                "`origin` with `urls` only",
            ),
            (br#"{"url":"http://a.test/x","origin":"http://a.test","agent":"x"}"#, "`origin` with `urls` only"),
            (br#"{"url":"/x","agents":[],"robots":""}"#, "expected 1 to 100 tokens in `agents`, found 0"),
            (br#"{"url":"/x","agents":["GPTBot",""],"robots":""}"#, "product token in `agents`, found an empty text"),
            (br#"{"url":"/x","agent":"","robots":""}"#, "product token in `agent`, found an empty text"),
        ] {
            let error = BatchLine::parse(line).unwrap().question().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let many = br#"{"urls":["http://b.test/x"],"origin":"http://a.test","agent":"x","robots":""}"#;
        assert!(BatchLine::parse(many).unwrap().question().is_ok());
    }

    #[test]
    fn urls_that_no_robots_txt_is_about_have_no_answer() {
        let asked = |url| asked(url, None, None, false);
        assert_eq!(asked("https://a.example/b").as_deref(), Some("https://a.example/b"));
        assert_eq!(asked("/b").as_deref(), Some("/b"));
        // A segment is no drive, which `..` would not leave.
        assert_eq!(asked("https://a.example/C:/../b").as_deref(), Some("https://a.example/b"));
        assert_eq!(asked("/C|/../b").as_deref(), Some("/b"));
        for host in ["//b.example/", "/\\b.example/", "/\t\r/b.example/"] {
            assert_eq!(asked(host), None, "{host}");
        }
        for url in ["mailto:me@a.example", "data:text/html,/b", "about:blank"] {
            assert_eq!(asked(url), None, "{url}");
        }
    }
}
