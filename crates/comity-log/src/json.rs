//! JSON lines: Caddy, Traefik, nginx with `escape=json`, Logpush, and others by the names of their fields.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::entry::{LogEntry, LogProblem, LogText, Notation, TargetForm, request_line};
use crate::time::LogTime;

/// A part of a request, of which the place in the objects of a log can be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogField {
    /// The address of the client.
    Address,
    /// The time.
    Time,
    /// The host.
    Host,
    /// The scheme.
    Scheme,
    /// The method.
    Method,
    /// The path and query, as sent.
    Uri,
    /// The request line, such as `GET /a HTTP/1.1`.
    Request,
    /// The status.
    Status,
    /// The `User-Agent` header.
    Agent,
}

comity::__names! {
    LogField is "a part of a request" {
        Address = "address",
        Time = "time",
        Host = "host",
        Scheme = "scheme",
        Method = "method",
        Uri = "uri",
        Request = "request",
        Status = "status",
        Agent = "agent",
    }
}

impl LogField {
    /// Returns the places in which servers write the field, best first. Caddy's `client_ip` is the client, where
    /// `remote_ip` may be a proxy.
    fn places(self) -> impl Iterator<Item = &'static str> {
        let places = match self {
            Self::Address => {
                "request.client_ip request.remote_ip ClientHost ClientAddr ClientIP \
                 remote_addr client_ip remote_ip clientip"
            }
            Self::Time => "ts StartUTC EdgeStartTimestamp time_iso8601 time_local msec @timestamp timestamp time",
            Self::Host => "request.host RequestHost ClientRequestHost http_host host server_name",
            Self::Scheme => "request.scheme RequestScheme ClientRequestScheme scheme",
            Self::Method => "request.method RequestMethod ClientRequestMethod request_method method",
            Self::Uri => "request.uri RequestPath ClientRequestURI request_uri uri",
            Self::Request => "request",
            Self::Status => "status DownstreamStatus EdgeResponseStatus",
            Self::Agent => {
                "request.headers.User-Agent request_User-Agent ClientRequestUserAgent http_user_agent user_agent agent"
            }
        };
        places.split(' ')
    }
}

const FIELDS: usize = LogField::ALL.len();

/// The places of the fields in the objects of a log, such as `request.uri`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonFields {
    places: [Option<Box<str>>; FIELDS],
    pub(crate) form: TargetForm,
}

impl JsonFields {
    /// Finds the places by the first lines. `named` are those that the user named. Returns `None` if no line is an object
    /// with a request.
    pub(crate) fn find(lines: &[&[u8]], named: &[(LogField, String)]) -> Option<Self> {
        let mut fields = Self { places: Default::default(), form: TargetForm::Sent };
        for &field in LogField::ALL {
            let given = named.iter().find(|(name, _)| *name == field).map(|(_, place)| place.as_str());
            let has = |place: &&str| {
                let mut probe = Self { places: Default::default(), form: TargetForm::Sent };
                probe.places[field as usize] = Some((*place).into());
                lines.iter().any(|line| probe.found(line).is_ok_and(|found| found[field as usize].is_some()))
            };
            fields.places[field as usize] = given.or_else(|| field.places().find(has)).map(Into::into);
        }
        let place = |field: LogField| fields.places[field as usize].as_deref();
        if place(LogField::Uri) == Some("uri") && named.iter().all(|(field, _)| *field != LogField::Uri) {
            // nginx's variable of this name.
            if place(LogField::Request).is_some() {
                fields.places[LogField::Uri as usize] = None;
            } else {
                fields.form = TargetForm::Rewritten;
            }
        }
        let place = |field: LogField| fields.places[field as usize].as_deref();
        (place(LogField::Uri).is_some() || place(LogField::Request).is_some()).then_some(fields)
    }

    fn found<'l>(&self, line: &'l [u8]) -> Result<Found<'l>, serde_json::Error> {
        let mut found = Found::default();
        let mut json = serde_json::Deserializer::from_slice(line);
        Object { fields: self, place: None, found: &mut found }.deserialize(&mut json)?;
        json.end()?;
        Ok(found)
    }

    pub(crate) fn parse<'l>(&self, line: &'l [u8]) -> Result<LogEntry<'l>, LogProblem> {
        let mut found = self.found(line).map_err(|_| LogProblem("expected a JSON object in one line"))?;
        let mut text = |field: LogField| found[field as usize].take();
        let stated = |text: Cow<'l, [u8]>| (!matches!(&*text, b"" | b"-")).then(|| LogText::new(text, Notation::Plain));
        let mut entry = LogEntry { form: self.form, ..LogEntry::default() };
        if let Some(request) = text(LogField::Request) {
            read_request(&request, &mut entry)?;
        }
        entry.method = text(LogField::Method).and_then(stated).or(entry.method);
        entry.target = text(LogField::Uri).and_then(stated).or(entry.target);
        entry.address = text(LogField::Address).and_then(stated);
        entry.host = text(LogField::Host).and_then(stated);
        entry.scheme = text(LogField::Scheme).and_then(stated);
        entry.agent = text(LogField::Agent).and_then(stated);
        entry.status = text(LogField::Status).and_then(|status| crate::combined::status_code(&status));
        entry.time = text(LogField::Time).map_or(LogTime::Unknown, LogTime::Text);
        Ok(entry)
    }
}

/// Reads a request line that is the value of a field.
fn read_request(line: &[u8], entry: &mut LogEntry<'_>) -> Result<(), LogProblem> {
    let own = |text: Option<LogText<'_>>| text.map(|text| LogText::new(text.raw().to_vec(), Notation::Plain));
    let mut read = LogEntry::default();
    request_line(line, &mut read)?;
    (entry.method, entry.target) = (own(read.method), own(read.target));
    Ok(())
}

type Found<'l> = [Option<Cow<'l, [u8]>>; FIELDS];

/// Returns the text of a value: a text, a number, or the first of a list of them, such as Caddy's lists of header lines.
fn text<'l>(value: &'l RawValue) -> Option<Cow<'l, [u8]>> {
    let json = value.get();
    match json.as_bytes() {
        [b'"', text @ .., b'"'] if !text.contains(&b'\\') => Some(Cow::Borrowed(text)),
        [b'"', ..] => Some(Cow::Owned(serde_json::from_str::<String>(json).ok()?.into_bytes())),
        [b'[', ..] => serde_json::from_str::<Vec<&'l RawValue>>(json).ok()?.first().and_then(|first| text(first)),
        number @ [b'0'..=b'9', ..] => Some(Cow::Borrowed(number)),
        _ => None,
    }
}

/// Reads an object: it takes the fields in it, and in the objects in it.
struct Object<'o, 'l> {
    fields: &'o JsonFields,
    /// The place of the object; `None` for the whole line.
    place: Option<&'o str>,
    found: &'o mut Found<'l>,
}

impl<'l> DeserializeSeed<'l> for Object<'_, 'l> {
    type Value = ();

    fn deserialize<D: Deserializer<'l>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'l> Visitor<'l> for Object<'_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'l, str>>()? {
            let mut inside = None;
            let mut at = None;
            for (field, place) in self.fields.places.iter().enumerate() {
                let Some(place) = place.as_deref() else { continue };
                let rest = match self.place {
                    None => place.strip_prefix(&*key),
                    Some(path) => place
                        .strip_prefix(path)
                        .and_then(|rest| rest.strip_prefix('.'))
                        .and_then(|rest| rest.strip_prefix(&*key)),
                };
                match rest {
                    Some("") => at = at.or(Some(field)),
                    Some(rest) if rest.starts_with('.') => inside = Some(&place[..place.len() - rest.len()]),
                    _ => {}
                }
            }
            match (at, inside) {
                (_, Some(path)) => {
                    map.next_value_seed(Object { fields: self.fields, place: Some(path), found: self.found })?;
                }
                // The first of two members with the same name decides.
                (Some(field), None) if self.found[field].is_none() => {
                    self.found[field] = text(map.next_value::<&RawValue>()?);
                }
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, named: &[(LogField, String)]) -> Option<String> {
        let fields = JsonFields::find(&[line.as_bytes()], named)?;
        let entry = fields.parse(line.as_bytes()).unwrap();
        let texts = [&entry.address, &entry.scheme, &entry.host, &entry.method, &entry.target, &entry.agent];
        let texts =
            texts.map(|text| text.as_ref().map_or(Cow::Borrowed("-"), |text| String::from_utf8_lossy(text.raw())));
        let time = crate::LogClock::default().seconds(&entry.time);
        Some(format!("{} {:?} {:?} {:?}", texts.join(" "), entry.status, time, entry.form))
    }

    #[test]
    fn logs_of_servers_are_read() {
        for (line, expected) in [
            (
                r#"{"level":"info","ts":1790856000.25,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.0.1","client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"shop.example","uri":"/a?b=%20","headers":{"User-Agent":["Bot/1","x"],"Accept":["*/*"]}},"status":200}"#,
                "192.0.2.1 - shop.example GET /a?b=%20 Bot/1 Some(200) Some(1790856000) Sent",
            ),
            (
                r#"{"ClientAddr":"192.0.2.1:99","ClientHost":"192.0.2.1","DownstreamStatus":404,"RequestHost":"shop.example","RequestMethod":"GET","RequestPath":"/a","RequestScheme":"https","StartUTC":"2026-10-01T12:00:00.1Z","request_User-Agent":"Bot/1","time":"2026-10-01T12:00:01Z"}"#,
                "192.0.2.1 https shop.example GET /a Bot/1 Some(404) Some(1790856000) Sent",
            ),
            (
                r#"{"ClientIP":"2001:db8::1","ClientRequestHost":"shop.example","ClientRequestMethod":"GET","ClientRequestURI":"/a","ClientRequestScheme":"https","ClientRequestUserAgent":"Bot \"1\"","EdgeResponseStatus":200,"EdgeStartTimestamp":1790856000000000000}"#,
                "2001:db8::1 https shop.example GET /a Bot \"1\" Some(200) Some(1790856000) Sent",
            ),
            (
                r#"{"time_local":"01/Oct/2026:12:00:00 +0000","remote_addr":"192.0.2.1","request":"GET /a%20b HTTP/1.1","uri":"/a b","status":"200","http_user_agent":"Bot/1"}"#,
                "192.0.2.1 - - GET /a%20b Bot/1 Some(200) Some(1790856000) Sent",
            ),
            (
                r#"{"msec":"1790856000.123","remote_addr":"192.0.2.1","request_method":"GET","uri":"/x","status":"200","http_user_agent":"-"}"#,
                "192.0.2.1 - - GET /x - Some(200) Some(1790856000) Rewritten",
            ),
        ] {
            assert_eq!(shown(line, &[]).as_deref(), Some(expected), "{line}");
        }
        let own = r#"{"t":"2026-10-01T12:00:00Z","req":{"url":"/a","ua":"Bot/1"},"x":[{"req":1}]}"#;
        let named = [(LogField::Uri, "req.url"), (LogField::Agent, "req.ua"), (LogField::Time, "t")];
        let named = named.map(|(field, place)| (field, place.to_owned()));
        assert_eq!(shown(own, &named).as_deref(), Some("- - - - /a Bot/1 None Some(1790856000) Sent"));
        assert_eq!(shown(own, &[]), None);
    }

    #[test]
    fn odd_values_are_none_and_odd_lines_are_problems() {
        let fields = JsonFields::find(&[br#"{"request_uri":"/a","status":200,"host":"h"}"#], &[]).unwrap();
        let entry = fields.parse(br#"{"request_uri":{"a":1},"status":-1,"host":null}"#).unwrap();
        assert_eq!(entry, LogEntry::default());
        let entry = fields.parse(br#"{"request_uri":"/a\u0001","request_uri":"/b"}"#).unwrap();
        assert_eq!(*entry.target.unwrap().sent(), *b"/a\x01");
        for line in [&b"{\"request_uri\":\"/a\""[..], b"[]", b"{} x", b"{\"request_uri\":\"\xFF\"}", b""] {
            assert!(fields.parse(line).is_err(), "{line:?}");
        }
    }
}
