//! JSON lines: Caddy, Traefik, nginx with `escape=json`, Logpush, and others by the names of their fields.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::combined::status_code;
use crate::entry::{LogEntry, LogProblem, request_line, stated};

/// The parts of a request, and the places in which servers write them, best first. Caddy's `client_ip` is the client, where
/// `remote_ip` may be a proxy.
const FIELDS: [(&str, &str); 9] = [
    (
        "address",
        "request.client_ip request.remote_ip ClientHost ClientAddr ClientIP remote_addr client_ip remote_ip clientip",
    ),
    ("time", "ts StartUTC EdgeStartTimestamp time_iso8601 time_local msec @timestamp timestamp time"),
    ("host", "request.host RequestHost ClientRequestHost http_host host server_name"),
    ("scheme", "request.scheme RequestScheme ClientRequestScheme scheme"),
    ("method", "request.method RequestMethod ClientRequestMethod request_method method"),
    ("uri", "request.uri RequestPath ClientRequestURI request_uri uri"),
    ("request", "request"),
    ("status", "status DownstreamStatus EdgeResponseStatus"),
    ("agent", "request.headers.User-Agent request_User-Agent ClientRequestUserAgent http_user_agent user_agent agent"),
];
const URI: usize = 5;
const REQUEST: usize = 6;

/// The place of a part of a request in the JSON objects of a log, such as `uri=request.path`. The parts are `address`, `time`,
/// `host`, `scheme`, `method`, `uri` (the path and query, as sent), `request` (a line such as `GET /a HTTP/1.1`), `status` and
/// `agent` (the `User-Agent` header).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPlace {
    field: usize,
    place: String,
}

impl FromStr for FieldPlace {
    type Err = LogProblem;

    fn from_str(text: &str) -> Result<Self, LogProblem> {
        const EXPECTED: LogProblem = LogProblem(
            "expected NAME=PLACE, such as uri=request.path, with one of these names: address, time, host, scheme, method, uri, \
             request, status, agent",
        );
        let (name, place) = text.split_once('=').filter(|(_, place)| !place.is_empty()).ok_or(EXPECTED)?;
        let field = FIELDS.iter().position(|(known, _)| known.eq_ignore_ascii_case(name)).ok_or(EXPECTED)?;
        Ok(Self { field, place: place.to_owned() })
    }
}

/// The places of the fields in the objects of a log, such as `request.uri`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonFields {
    places: [Option<Box<str>>; FIELDS.len()],
    pub(crate) is_rewritten: bool,
}

impl JsonFields {
    /// Finds the places by the first lines. `named` are those that the user named. Returns `None` if no line is an object
    /// with a request.
    pub(crate) fn find(lines: &[&[u8]], named: &[FieldPlace]) -> Option<Self> {
        let mut fields = Self::default();
        for (field, (_, places)) in FIELDS.iter().enumerate() {
            let given = named.iter().find(|one| one.field == field).map(|one| one.place.as_str());
            let has = |place: &&str| {
                let mut probe = Self::default();
                probe.places[field] = Some((*place).into());
                lines.iter().any(|line| probe.found(line).is_ok_and(|found| found[field].is_some()))
            };
            fields.places[field] = given.or_else(|| places.split(' ').find(has)).map(Into::into);
        }
        if fields.places[URI].as_deref() == Some("uri") && named.iter().all(|one| one.field != URI) {
            // nginx's variable of this name.
            fields.is_rewritten = fields.places[REQUEST].is_none();
            fields.places[URI].take_if(|_| !fields.is_rewritten);
        }
        (fields.places[URI].is_some() || fields.places[REQUEST].is_some()).then_some(fields)
    }

    fn found<'l>(&self, line: &'l [u8]) -> Result<Found<'l>, serde_json::Error> {
        let mut found = Found::default();
        let mut json = serde_json::Deserializer::from_slice(line);
        let places = self.places.each_ref().map(Option::as_deref);
        Object { places, found: &mut found }.deserialize(&mut json)?;
        json.end()?;
        Ok(found)
    }

    pub(crate) fn parse<'l>(&self, line: &'l [u8]) -> Result<LogEntry<'l>, LogProblem> {
        let found = self.found(line).map_err(|_| LogProblem("expected a JSON object in one line"))?;
        let [address, time, host, scheme, method, uri, request, status, agent] = found;
        let request = request.unwrap_or_default();
        let request = request_line(&request)?;
        Ok(LogEntry {
            address: address.and_then(stated),
            time,
            host: host.and_then(stated),
            scheme: scheme.and_then(stated),
            method: method.and_then(stated).or(request.map(|[method, _]| method.to_vec().into())),
            target: uri.and_then(stated).or(request.and_then(|[_, target]| stated(target.to_vec()))),
            is_rewritten: self.is_rewritten,
            status: status.and_then(|status| status_code(&status)),
            agent: agent.and_then(stated),
        })
    }
}

type Found<'l> = [Option<Cow<'l, [u8]>>; FIELDS.len()];

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
    /// The places of the fields within the object.
    places: [Option<&'o str>; FIELDS.len()],
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
            let (mut at, mut inside) = (None, [None; FIELDS.len()]);
            for (field, place) in self.places.iter().enumerate() {
                match place.and_then(|place| place.strip_prefix(&*key)) {
                    Some("") => at = at.or(Some(field)),
                    rest => inside[field] = rest.and_then(|rest| rest.strip_prefix('.')),
                }
            }
            match at {
                _ if inside.iter().any(Option::is_some) => {
                    map.next_value_seed(Object { places: inside, found: self.found })?;
                }
                // The first of two members with the same name decides.
                Some(field) if self.found[field].is_none() => {
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

    fn shown(line: &str, named: &[FieldPlace]) -> Option<String> {
        let fields = JsonFields::find(&[line.as_bytes()], named)?;
        let entry = fields.parse(line.as_bytes()).unwrap();
        let texts = [&entry.address, &entry.scheme, &entry.host, &entry.method, &entry.target, &entry.agent];
        let texts = texts.map(|text| text.as_ref().map_or(Cow::Borrowed("-"), |text| String::from_utf8_lossy(text)));
        let time = entry.time.as_ref().and_then(|time| crate::LogClock::default().seconds(time));
        Some(format!("{} {:?} {:?} {:?}", texts.join(" "), entry.status, time, entry.is_rewritten))
    }

    #[test]
    fn logs_of_servers_are_read() {
        for (line, expected) in [
            (
                r#"{"level":"info","ts":1790856000.25,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.0.1","client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"shop.example","uri":"/a?b=%20","headers":{"User-Agent":["Bot/1","x"],"Accept":["*/*"]}},"status":200}"#,
                "192.0.2.1 - shop.example GET /a?b=%20 Bot/1 Some(200) Some(1790856000) false",
            ),
            (
                r#"{"ClientAddr":"192.0.2.1:99","ClientHost":"192.0.2.1","DownstreamStatus":404,"RequestHost":"shop.example","RequestMethod":"GET","RequestPath":"/a","RequestScheme":"https","StartUTC":"2026-10-01T12:00:00.1Z","request_User-Agent":"Bot/1","time":"2026-10-01T12:00:01Z"}"#,
                "192.0.2.1 https shop.example GET /a Bot/1 Some(404) Some(1790856000) false",
            ),
            (
                r#"{"ClientIP":"2001:db8::1","ClientRequestHost":"shop.example","ClientRequestMethod":"GET","ClientRequestURI":"/a","ClientRequestScheme":"https","ClientRequestUserAgent":"Bot \"1\"","EdgeResponseStatus":200,"EdgeStartTimestamp":1790856000000000000}"#,
                "2001:db8::1 https shop.example GET /a Bot \"1\" Some(200) Some(1790856000) false",
            ),
            (
                r#"{"time_local":"01/Oct/2026:12:00:00 +0000","remote_addr":"192.0.2.1","request":"GET /a%20b HTTP/1.1","uri":"/a b","status":"200","http_user_agent":"Bot/1"}"#,
                "192.0.2.1 - - GET /a%20b Bot/1 Some(200) Some(1790856000) false",
            ),
            (
                r#"{"msec":"1790856000.123","remote_addr":"192.0.2.1","request_method":"GET","uri":"/x","status":"200","http_user_agent":"-"}"#,
                "192.0.2.1 - - GET /x - Some(200) Some(1790856000) true",
            ),
        ] {
            assert_eq!(shown(line, &[]).as_deref(), Some(expected), "{line}");
        }
        let own = r#"{"t":"2026-10-01T12:00:00Z","req":{"url":"/a","ua":"Bot/1"},"x":[{"req":1}]}"#;
        let named = ["uri=req.url", "AGENT=req.ua", "time=t"].map(|text| text.parse().unwrap());
        assert_eq!(shown(own, &named).as_deref(), Some("- - - - /a Bot/1 None Some(1790856000) false"));
        assert_eq!(shown(own, &[]), None);
    }

    #[test]
    fn odd_values_are_none_and_odd_lines_are_problems() {
        let fields = JsonFields::find(&[br#"{"request_uri":"/a","status":200,"host":"h"}"#], &[]).unwrap();
        let entry = fields.parse(br#"{"request_uri":{"a":1},"status":-1,"host":null}"#).unwrap();
        assert_eq!(entry, LogEntry::default());
        let entry = fields.parse(br#"{"request_uri":"/a\u0001","request_uri":"/b"}"#).unwrap();
        assert_eq!(*entry.target.unwrap(), *b"/a\x01");
        for line in [&b"{\"request_uri\":\"/a\""[..], b"[]", b"{} x", b"{\"request_uri\":\"\xFF\"}", b""] {
            assert!(fields.parse(line).is_err(), "{line:?}");
        }
    }
}
