//! A line of a batch: an object whose fields pass through to the letter, with the answer behind them.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::{Answer, Crawler, Escaped, Reason, Verdict, without_userinfo};
use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::json;

/// The most tokens of one question: each is looked for in every group.
pub const MOST_AGENTS: usize = 100;

/// What an answer consists of: an earlier one's must not be read as this one's.
const ANSWER: [&str; 4] = ["allowed", "line", "seen", "reason"];
const COMPLAINT: [&str; 2] = ["error", "input_line"];

/// Names and values in their order. Values are not understood before somebody asks, so numbers keep their digits.
///
/// ```
/// use comity::Robots;
/// use comity_report::Object;
///
/// let mut object = Object::parse(br#"{"n": 1.50, "url": "/a", "agent": "mybot"}"#)?;
/// assert_eq!(object.bytes("url", "url_b64")?.as_deref(), Some(&b"/a"[..]));
/// object.answer(&Robots::parse(b"User-agent: *\nDisallow: /a\n").check("mybot", "/a"));
/// assert_eq!(
///     object.to_string(),
///     r#"{"n":1.50,"url":"/a","agent":"mybot","allowed":false,"line":2,"seen":false,"reason":"rule"}"#
/// );
/// # Ok::<(), comity_report::ObjectError>(())
/// ```
#[derive(Debug, Default)]
pub struct Object<'a> {
    fields: Vec<(Cow<'a, str>, Value<'a>)>,
}

#[derive(Debug)]
enum Value<'a> {
    /// As it came.
    Given(&'a RawValue),
    Bool(Option<bool>),
    Number(u64),
    Reason(Reason),
    Word(&'static str),
    /// As JSON.
    Json(Cow<'a, str>),
}

/// Who asks, as a line has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Who<'a> {
    /// A literal token.
    Agent(Cow<'a, [u8]>),
    /// Several tokens whose groups are merged.
    Agents(Vec<String>),
    /// A crawler of the table, by its name.
    Crawler(Cow<'a, str>),
}

impl Who<'_> {
    /// The same, on its own.
    pub fn into_owned(self) -> Who<'static> {
        match self {
            Self::Agent(agent) => Who::Agent(Cow::Owned(agent.into_owned())),
            Self::Agents(agents) => Who::Agents(agents),
            Self::Crawler(name) => Who::Crawler(Cow::Owned(name.into_owned())),
        }
    }

    /// The bytes of memory that it holds.
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Agent(agent) => agent.len(),
                Self::Agents(agents) => agents.iter().map(|agent| agent.len() + size_of::<String>()).sum(),
                Self::Crawler(name) => name.len(),
            }
    }

    /// Does something with it as the engine takes it; a crawler's name is looked up in a table.
    pub fn with<T>(&self, table: &comity::Crawlers, f: impl FnOnce(Crawler<'_>) -> T) -> Result<T, ObjectError> {
        Ok(match self {
            Self::Agent(agent) => f(Crawler::from(&**agent)),
            Self::Agents(agents) => {
                let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
                f(Crawler::merged(&agents))
            }
            Self::Crawler(name) => f(Crawler::from(table.find(name).ok_or_else(|| {
                ObjectError(format!(
                    "expected the name of a known crawler in `crawler`, found `{}`",
                    Escaped(name.as_bytes())
                ))
            })?)),
        })
    }
}

/// What is wrong with a line: what was expected, what was found.
#[derive(Clone, Debug)]
pub struct ObjectError(String);

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ObjectError {}

impl ObjectError {
    /// Another complaint about a line.
    pub fn new(complaint: impl fmt::Display) -> Self {
        Self(complaint.to_string())
    }
}

impl<'a> Object<'a> {
    /// The object that a line holds.
    pub fn parse(line: &'a [u8]) -> Result<Self, ObjectError> {
        serde_json::from_slice(line).map_err(|error| {
            // The place is within the line, which has a number of its own.
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            ObjectError(format!("expected a JSON object: {message} at byte {}", error.column()))
        })
    }

    /// Whether a field is there.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(other, _)| other == name)
    }

    /// The JSON of a field, if it is there.
    fn given(&self, name: &str) -> Result<Option<&'a str>, ObjectError> {
        let mut values = self.fields.iter().filter(|(other, _)| other == name);
        let value = values.next();
        if values.next().is_some() {
            return Err(ObjectError(format!("expected `{name}` once, found it several times")));
        }
        Ok(value.and_then(|(_, value)| match value {
            Value::Given(value) => Some(value.get()),
            _ => None,
        }))
    }

    /// The value of a field, if it is there; `what` is what is expected in it.
    pub fn get<T: DeserializeOwned>(&self, name: &str, what: &str) -> Result<Option<T>, ObjectError> {
        let Some(json) = self.given(name).map_err(|error| expected(what, name, &error))? else { return Ok(None) };
        serde_json::from_str(json).map(Some).map_err(|_| expected(what, name, &"found another value"))
    }

    /// The text of a field, if it is there.
    pub fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>, ObjectError> {
        let Some(json) = self.given(name).map_err(|error| expected("text", name, &error))? else { return Ok(None) };
        // Nearly all texts stand as they are meant.
        match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
            Some(text) if !text.contains('\\') => Ok(Some(Cow::Borrowed(text))),
            _ => {
                let text = serde_json::from_str::<String>(json);
                Ok(Some(Cow::Owned(text.map_err(|_| expected("text", name, &"found another value"))?)))
            }
        }
    }

    /// A field's text as bytes, or what its other form holds as base64.
    pub fn bytes(&self, name: &str, encoded: &str) -> Result<Option<Cow<'a, [u8]>>, ObjectError> {
        match (self.text(name)?, self.text(encoded)?) {
            (Some(_), Some(_)) => Err(ObjectError(format!("expected `{name}` or `{encoded}`, found both"))),
            (Some(Cow::Borrowed(text)), None) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
            (Some(Cow::Owned(text)), None) => Ok(Some(Cow::Owned(text.into_bytes()))),
            (None, Some(b64)) => {
                let bytes = BASE64.decode(&*b64);
                Ok(Some(Cow::Owned(bytes.map_err(|error| expected("base64", encoded, &error))?)))
            }
            (None, None) => Ok(None),
        }
    }

    /// Who asks: `agent`, `agent_b64`, `agents` or `crawler`.
    pub fn who(&self) -> Result<Who<'a>, ObjectError> {
        let agents: Option<Vec<String>> = self.get("agents", "a list of texts")?;
        if let Some(agents) = &agents
            && agents.len() > MOST_AGENTS
        {
            let found = agents.len();
            return Err(ObjectError(format!("expected at most {MOST_AGENTS} tokens in `agents`, found {found}")));
        }
        let crawler = self.text("crawler")?;
        match (self.bytes("agent", "agent_b64")?, agents, crawler) {
            (Some(agent), None, None) => Ok(Who::Agent(agent)),
            (None, Some(agents), None) => Ok(Who::Agents(agents)),
            (None, None, Some(crawler)) => Ok(Who::Crawler(crawler)),
            (None, None, None) => {
                Err(ObjectError("expected `agent`, `agent_b64`, `agents` or `crawler`, found none of them".to_owned()))
            }
            _ => Err(ObjectError(
                "expected one of `agent`, `agent_b64`, `agents` and `crawler`, found several".to_owned(),
            )),
        }
    }

    /// Enters a verdict; what an earlier error said goes.
    pub fn answer(&mut self, verdict: &Verdict) {
        self.enter(verdict.answer(), verdict.line(), verdict.is_seen(), Value::Reason(verdict.reason()));
    }

    /// Enters an answer that rests on no rules, and why.
    pub fn answer_without_rules(&mut self, answer: Answer, reason: &'static str) {
        self.enter(answer, None, false, Value::Word(reason));
    }

    fn enter(&mut self, answer: Answer, line: Option<u32>, seen: bool, reason: Value<'a>) {
        let allowed = match answer {
            Answer::Allowed => Some(true),
            Answer::Disallowed => Some(false),
            _ => None,
        };
        self.put("allowed", Value::Bool(allowed));
        self.put("line", Value::Number(line.unwrap_or(0).into()));
        self.put("seen", Value::Bool(Some(seen)));
        self.put("reason", reason);
        self.remove(&COMPLAINT);
    }

    /// Enters what is wrong, and in which line of the input; what an earlier answer said goes.
    pub fn complain(&mut self, error: &str, input_line: u64) {
        self.remove(&ANSWER);
        self.set_text("error", error);
        self.set_number("input_line", input_line);
    }

    /// Sets a field to a number, in its place if it is there.
    pub fn set_number(&mut self, name: &'static str, number: u64) {
        self.put(name, Value::Number(number));
    }

    /// Sets a field to text, in its place if it is there.
    pub fn set_text(&mut self, name: &'static str, text: &str) {
        self.put(name, Value::Json(serde_json::Value::from(text).to_string().into()));
    }

    /// Sets a field to what is JSON already, in its place if it is there.
    pub fn set_json(&mut self, name: &'static str, json: impl Into<Cow<'a, str>>) {
        self.put(name, Value::Json(json.into()));
    }

    /// Hands each text of a list to a function, in order; whether the list is there. Nothing is kept of it, for it may
    /// be most of a line.
    pub fn each_text(&self, name: &str, each: impl FnMut(&str)) -> Result<bool, ObjectError> {
        let what = "a list of texts";
        let Some(json) = self.given(name).map_err(|error| expected(what, name, &error))? else { return Ok(false) };
        let mut json = serde_json::Deserializer::from_str(json);
        json.deserialize_seq(Each(each)).map_err(|_| expected(what, name, &"found another value"))?;
        Ok(true)
    }

    fn put(&mut self, name: &'static str, value: Value<'a>) {
        match self.fields.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((Cow::Borrowed(name), value)),
        }
    }

    /// Takes fields away.
    pub fn remove(&mut self, names: &[&str]) {
        self.fields.retain(|(other, _)| !names.contains(&&**other));
    }

    /// Appends the object as JSON, in one line. A user name and a password in `url` are left out.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (index, (name, value)) in self.fields.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            json::text(out, name);
            out.push(b':');
            match value {
                Value::Given(value) if name == "url" && value.get().contains('@') => write_url(value.get(), out),
                Value::Given(value) => out.extend_from_slice(value.get().as_bytes()),
                Value::Bool(Some(true)) => out.extend_from_slice(b"true"),
                Value::Bool(Some(false)) => out.extend_from_slice(b"false"),
                Value::Bool(None) => out.extend_from_slice(b"null"),
                Value::Number(number) => json::value(out, number),
                Value::Reason(reason) => json::value(out, reason),
                Value::Word(word) => json::text(out, word),
                Value::Json(json) => out.extend_from_slice(json.as_bytes()),
            }
        }
        out.push(b'}');
    }
}

/// Appends a URL without what it says before its host; its answer is about it as it came.
fn write_url(given: &str, out: &mut Vec<u8>) {
    match serde_json::from_str::<String>(given) {
        Ok(url) if matches!(without_userinfo(&url), Cow::Owned(_)) => json::text(out, &without_userinfo(&url)),
        _ => out.extend_from_slice(given.as_bytes()),
    }
}

/// What is expected in a field, and what is there.
fn expected(what: &str, name: &str, found: &dyn fmt::Display) -> ObjectError {
    ObjectError(format!("expected {what} in `{name}`: {found}"))
}

impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::new();
        self.write(&mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

/// Takes the texts of a list, one after the other.
struct Each<F>(F);

impl<'de, F: FnMut(&str)> Visitor<'de> for Each<F> {
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

/// Text, borrowed if it has no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                // Room for a question and its answer.
                let mut fields = Vec::with_capacity(8);
                while let Some((Name(name), value)) = map.next_entry()? {
                    fields.push((name, Value::Given(value)));
                }
                Ok(Object { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}
