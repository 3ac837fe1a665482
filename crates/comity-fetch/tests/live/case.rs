//! Cases as data, in `testdata/cells`: the behavior of a site, and the expected result under each policy.
//!
//! ```toml
//! [[case]]
//! name = "to another host, over its limit"
//! origin = "http://a.test"          # of the robots.txt; this is the default
//! serve = [                         # the site's answers; the good robots.txt by default
//!   { location = "http://b.test/r" },        # at ORIGIN/robots.txt, with status 302
//!   { url = "http://b.test/r", status = 429 },
//! ]
//! row = "too-many-requests"         # of the policy table
//! event = { status = 429 }          # the result of the attempt
//! is = "unreachable"                # its meaning under the policy `standard`
//! due = "1m"                        # the time of the next fetch; `~5m` has a jitter of 20 %
//! requests = 2                      # the number of requests
//! but = { rfc9309 = "allow", archive = { is = "allow", due = "24h" } }   # where policies differ
//! ```
//!
//! `is` is `rules` (the file's), `empty` (a file without any), `allow`, `disallow`, or `unreachable` and `refused`, for
//! which `ladder.toml` has the details.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use comity_fetch::{Event, Policy};
use comity_testserver::{ANY, Accept, At, BadChunk, Certificate, Coding, Reply, Tls};
use serde::Deserialize;

use crate::ROBOTS;
use crate::stage::{NAMES, Place, Site};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Case {
    pub(crate) name: String,
    #[serde(default = "origin")]
    pub(crate) origin: String,
    #[serde(default = "good")]
    serve: Vec<Serve>,
    /// One case for each of these, as the answer and as the event.
    #[serde(default)]
    statuses: Vec<u16>,
    /// Names that do not resolve to the site: `no address`, `failed`, `silent`, `closed`, or an address.
    #[serde(default)]
    names: BTreeMap<String, String>,
    /// The treatment of connections: `close`, `reset`, `stall`, or bytes to send.
    door: Option<String>,
    certificate: Option<String>,
    ftp: Option<Ftp>,
    #[serde(default)]
    pub(crate) probes: bool,
    /// True if this origin cannot have sent a copy.
    #[serde(default)]
    pub(crate) without_copy_only: bool,
    #[serde(default, with = "humantime_option")]
    pub(crate) patience: Option<Duration>,
    #[serde(default, with = "humantime_option")]
    pub(crate) deadline: Option<Duration>,
    row: Option<String>,
    event: Option<Event>,
    is: Is,
    due: Option<String>,
    requests: Option<usize>,
    #[serde(default)]
    but: BTreeMap<String, But>,
}

/// The expected result of a case under a policy.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) row: String,
    pub(crate) event: Event,
    pub(crate) is: Is,
    pub(crate) due: Wait,
    pub(crate) requests: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Is {
    Rules,
    Empty,
    Allow,
    Disallow,
    Unreachable,
    Refused,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum But {
    Is(Is),
    More(Differs),
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Differs {
    row: Option<String>,
    event: Option<Event>,
    is: Option<Is>,
    due: Option<String>,
    requests: Option<usize>,
}

/// A reply, and its faults.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Serve {
    /// All paths of the host, if it ends with `*`.
    url: Option<String>,
    status: Option<u16>,
    location: Option<String>,
    #[serde(default)]
    fields: Vec<String>,
    body: Option<String>,
    raw: Option<String>,
    status_line: Option<String>,
    #[serde(default)]
    interim: Vec<u16>,
    coding: Option<String>,
    length: Option<u64>,
    chunks: Option<String>,
    #[serde(default)]
    until_close: bool,
    cut: Option<String>,
    reset: Option<String>,
    stall: Option<String>,
    drip: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Ftp {
    greeting: Option<String>,
    #[serde(default)]
    replies: BTreeMap<String, String>,
    file: Option<String>,
    finish: Option<String>,
    passive_host: Option<std::net::Ipv4Addr>,
    /// The part that never arrives: `greeting`, `file`, or the reply to a command.
    stall: Option<String>,
    #[serde(default)]
    cut: bool,
}

/// The time until the next fetch, with jitter or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) least: Duration,
    pub(crate) most: Duration,
}

mod humantime_option {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<String>::deserialize(from)?.map(|text| super::duration(&text)))
    }
}

pub(crate) fn duration(text: &str) -> Duration {
    humantime::parse_duration(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn origin() -> String {
    "http://a.test".to_owned()
}

fn good() -> Vec<Serve> {
    vec![Serve::default()]
}

impl Wait {
    pub(crate) fn parse(text: &str) -> Self {
        match text.strip_prefix('~') {
            Some(text) => Self { least: duration(text) * 8 / 10, most: duration(text) * 12 / 10 },
            None => Self { least: duration(text), most: duration(text) },
        }
    }

    pub(crate) fn has(self, wait: Duration) -> bool {
        (self.least..=self.most).contains(&wait)
    }
}

impl Case {
    /// Returns all cases of a file, one for each status.
    pub(crate) fn read(file: &str) -> Vec<Self> {
        let file: File = toml::from_str(file).unwrap_or_else(|e| panic!("{e}"));
        file.case.into_iter().flat_map(Self::one_by_one).collect()
    }

    fn one_by_one(self) -> Vec<Self> {
        if self.statuses.is_empty() {
            return vec![self];
        }
        let of = |status: &u16| Self {
            name: format!("{}: {status}", self.name),
            serve: vec![Serve { status: Some(*status), ..Serve::default() }],
            event: self.event.or(Some(Event::Status(*status))),
            ..self.clone()
        };
        self.statuses.iter().map(of).collect()
    }

    pub(crate) fn is_ftp(&self) -> bool {
        self.origin.starts_with("ftp:")
    }

    pub(crate) fn expected(&self, policy: &Policy) -> Expected {
        for name in self.but.keys() {
            assert!(Policy::named(name).is_some(), "{}: there is no policy `{name}`", self.name);
        }
        let differs = match self.but.get(policy.name) {
            None => Differs::default(),
            Some(But::Is(is)) => Differs { is: Some(*is), ..Differs::default() },
            Some(But::More(differs)) => differs.clone(),
        };
        let is = differs.is.unwrap_or(self.is);
        let usual = if matches!(is, Is::Unreachable | Is::Refused) { "~5m" } else { "24h" };
        let row = differs.row.or_else(|| self.row.clone());
        Expected {
            row: row.unwrap_or_else(|| panic!("{}: no row", self.name)),
            event: differs.event.or(self.event).unwrap_or_else(|| panic!("{}: no event", self.name)),
            is,
            due: Wait::parse(differs.due.as_deref().or(self.due.as_deref()).unwrap_or(usual)),
            requests: differs.requests.or(self.requests),
        }
    }

    /// Returns the site of the case.
    pub(crate) async fn site(&self) -> Site {
        let tls = Tls::named(NAMES).certificate(match self.certificate.as_deref() {
            None => Certificate::Good,
            Some("expired") => Certificate::Expired,
            Some("other-name") => Certificate::OtherName,
            Some("self-signed") => Certificate::SelfSigned,
            Some(other) => panic!("{}: there is no certificate `{other}`", self.name),
        });
        let site = Site::secured_by(tls).await;
        for serve in &self.serve {
            serve.at(&site, &self.origin);
        }
        if let Some(door) = &self.door {
            let accept = match door.as_str() {
                "close" => Accept::Close,
                "reset" => Accept::Reset,
                "stall" => Accept::Stall,
                bytes => Accept::Say(bytes.to_owned().into()),
            };
            site.http.accept(accept.clone());
            site.https.accept(accept);
        }
        if let Some(ftp) = &self.ftp {
            ftp.at(&site);
        }
        site
    }

    /// Returns the places of the names that do not resolve to the site.
    pub(crate) fn names(&self, site: &Site) -> HashMap<String, Place> {
        let place = |text: &str| match text {
            "no address" => Place::NoAddress,
            "failed" => Place::Failed,
            "silent" => Place::Silent,
            "closed" => Place::At(site.closed.addr()),
            address => Place::At((address.parse::<std::net::IpAddr>().expect("an address"), 80).into()),
        };
        self.names.iter().map(|(name, text)| (name.clone(), place(text))).collect()
    }
}

impl Serve {
    fn at(&self, site: &Site, origin: &str) {
        let url = self.url.clone().unwrap_or_else(|| format!("{origin}/robots.txt"));
        let (url, path) = match url.strip_suffix('*') {
            Some(host) => (host.to_owned(), Some(ANY)),
            None => (url, None),
        };
        let parsed: url::Url = url.parse().unwrap_or_else(|e| panic!("{url}: {e}"));
        let target = &parsed[url::Position::BeforePath..url::Position::AfterQuery];
        let server = if parsed.scheme() == "https" { &site.https } else { &site.http };
        server.serve(parsed.host_str().expect("a host"), path.unwrap_or(target), self.reply());
    }

    fn reply(&self) -> Reply {
        if let Some(raw) = &self.raw {
            return Reply::raw(raw.clone());
        }
        let status = self.status.unwrap_or(if self.location.is_some() { 302 } else { 200 });
        let body = match (&self.body, status) {
            (Some(body), _) => body.as_str(),
            // Rules that do not apply must not be found by accident either.
            (None, 100..=199 | 204 | 205 | 304) => "",
            (None, _) => ROBOTS,
        };
        let mut reply = Reply::status(status).body(body.to_owned());
        for field in &self.fields {
            let (name, value) = field.split_once(": ").expect("Name: value");
            reply = reply.header(name, value);
        }
        if let Some(location) = &self.location {
            reply = reply.header("Location", location);
        }
        if let Some(line) = &self.status_line {
            reply = reply.status_line(line.clone());
        }
        for status in &self.interim {
            reply = reply.interim(*status);
        }
        match self.coding.as_deref() {
            None => {}
            Some("gzip") => reply = reply.encoded(Coding::Gzip),
            Some(other) => panic!("there is no coding `{other}`"),
        }
        if let Some(length) = self.length {
            reply = reply.content_length(length);
        }
        if self.until_close {
            reply = reply.until_close();
        }
        reply = match self.chunks.as_deref() {
            None => reply,
            Some("good") => reply.chunked(10),
            Some("size") => reply.chunked_badly(10, BadChunk::Size),
            Some("huge-size") => reply.chunked_badly(10, BadChunk::HugeSize),
            Some("garbage") => reply.chunked_badly(10, BadChunk::Garbage),
            Some("unterminated") => reply.chunked_badly(10, BadChunk::Unterminated),
            Some(other) => panic!("there are no chunks `{other}`"),
        };
        if let Some(place) = &self.cut {
            reply = reply.cut(at(place));
        }
        if let Some(place) = &self.reset {
            reply = reply.reset(at(place));
        }
        if let Some(place) = &self.stall {
            reply = reply.stall(at(place));
        }
        if let Some(place) = &self.drip {
            reply = reply.drip(at(place), 1, Duration::from_millis(10));
        }
        reply
    }
}

fn at(text: &str) -> At {
    match text {
        "start" => At::Start,
        "headers" => At::Headers,
        "end" => At::End,
        _ => {
            let bytes = text.strip_prefix("body ").and_then(|bytes| bytes.parse().ok());
            At::Body(bytes.unwrap_or_else(|| panic!("there is no place `{text}`")))
        }
    }
}

impl Ftp {
    fn at(&self, site: &Site) {
        let server = &site.ftp;
        let stalls = |what: &str| self.stall.as_deref() == Some(what);
        let file = Reply::raw(self.file.clone().unwrap_or_else(|| ROBOTS.to_owned()));
        server.serve(
            "/robots.txt",
            match (stalls("file"), self.cut) {
                (true, _) => file.stall(At::Body(20)),
                (_, true) => file.cut(At::Body(20)),
                _ => file,
            },
        );
        if let Some(greeting) = &self.greeting {
            server.greet(Reply::line(greeting));
        } else if stalls("greeting") {
            server.greet(Reply::line("220 Hello.").stall(At::Start));
        }
        for (command, reply) in &self.replies {
            server.answer(command, Reply::line(reply));
        }
        if let Some(command) = self.stall.as_deref().filter(|what| !matches!(*what, "file" | "greeting")) {
            server.answer(command, Reply::line("200 Fine.").stall(At::Start));
        }
        if let Some(finish) = &self.finish {
            server.finish(Reply::line(finish));
        }
        if let Some(host) = self.passive_host {
            server.passive_host(host);
        }
    }
}
