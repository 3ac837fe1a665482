//! Thousands of random combinations of faults: the result is always a whole file, an answer that the server sent, or
//! the policy's reaction to a failure.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use comity_fetch::{Client, Event, Policy, SiteRobots};
use comity_policy::BODY_LIMIT;
use comity_testserver::{ANY, At, BadChunk, Coding, Flood, Reply};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::ROBOTS;
use crate::stage::{Allowed, Site, Stage, allowed, while_unreachable};

const VARIATIONS: usize = 5_000;

const STALL_TIMEOUT: Duration = Duration::from_millis(100);
const DEADLINE: Duration = Duration::from_millis(400);
/// The time for which the machine may be busy with other processes.
const SCHEDULING_SLACK: Duration = Duration::from_secs(60);

/// A reply, and all its faults.
#[derive(Clone, Debug)]
struct Variation {
    /// Over HTTP/2.
    secure: bool,
    status: u16,
    location: Option<&'static str>,
    endless: bool,
    codings: Vec<Coding>,
    lines: Vec<&'static str>,
    framing: Framing,
    status_line: Option<&'static str>,
    interim: Vec<u16>,
    flood: Option<Flood>,
    trailing: bool,
    faults: Vec<(Fault, At)>,
    drip: Option<(At, usize, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Honest,
    TooLong(u64),
    Chunked(usize),
    Badly(usize, BadChunk),
    UntilClose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Pause,
    Stall,
    Cut,
    Reset,
    GoAway,
}

/// Header lines that describe the body, or are invalid.
const LINES: [&str; 12] = [
    "Content-Length: 5",
    "Content-Length: many",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip",
    "Content-Encoding: gzip",
    "Content-Encoding: identity",
    "Content-Encoding: rot13",
    "Content-Type: text/html",
    "Cache-Control: max-age=99999999999",
    "Retry-After: 99999999999",
    "nonsense",
    ": nameless",
];

fn variations() -> impl Strategy<Value = Variation> {
    let at = || prop_oneof![Just(At::Start), Just(At::Headers), (0..80_u64).prop_map(At::Body), Just(At::End)];
    let status = prop_oneof![
        6 => Just(200),
        1 => select(vec![203, 204, 205, 206, 226, 299]),
        1 => select(vec![300, 301, 302, 304, 307, 399]),
        1 => select(vec![400, 401, 403, 404, 410, 429, 451]),
        1 => select(vec![0, 500, 502, 503, 599, 600, 999]),
    ];
    let framing = prop_oneof![
        3 => Just(Framing::Honest),
        1 => (1..100_u64).prop_map(Framing::TooLong),
        2 => (1..60_usize).prop_map(Framing::Chunked),
        1 => (1..30_usize, select(vec![BadChunk::Size, BadChunk::HugeSize, BadChunk::Garbage, BadChunk::Unterminated]))
            .prop_map(|(size, bad)| Framing::Badly(size, bad)),
        1 => Just(Framing::UntilClose),
    ];
    let fault = select(vec![Fault::Pause, Fault::Pause, Fault::Stall, Fault::Cut, Fault::Reset, Fault::GoAway]);
    let mostly_none = |most| prop_oneof![4 => Just(0), 1 => 0..=most];
    let head = (
        proptest::bool::weighted(0.3),
        status,
        select(vec![None, None, Some("/robots.txt"), Some("/next"), Some("http://["), Some("ftp://a.test/")]),
        mostly_none(3_usize).prop_flat_map(|most| prop::collection::vec(select(LINES.to_vec()), 0..=most)),
        prop_oneof![9 => Just(None), 1 => select(vec![Some("HTTP/1.0 200 OK"), Some("HTTP/2 200"), Some("ICY 200 OK")])],
        prop_oneof![4 => Just(vec![]), 1 => prop::collection::vec(select(vec![100, 102, 103]), 1..4)],
        prop_oneof![30 => Just(None), 1 => select(vec![Some(Flood::Line), Some(Flood::Lines), Some(Flood::Interim)])],
    );
    let body = (
        proptest::bool::weighted(0.03),
        prop_oneof![4 => Just(vec![]), 2 => prop::collection::vec(select(Coding::ALL.to_vec()), 1..2), 1 =>
            prop::collection::vec(select(Coding::ALL.to_vec()), 2..4)],
        framing,
        proptest::bool::weighted(0.1),
        prop_oneof![1 => Just(vec![]), 1 => prop::collection::vec((fault, at()), 1..4)],
        prop_oneof![8 => Just(None), 1 => (at(), 1..50_usize, 1..10_u64).prop_map(Some)],
    );
    (head, body).prop_map(|(head, body)| {
        let (secure, status, location, lines, status_line, interim, flood) = head;
        let (endless, codings, framing, trailing, faults, drip) = body;
        let mut made = Variation {
            secure,
            status,
            location: location.filter(|_| matches!(status, 300..=399)),
            // Encoding without end is a lot of work for a server.
            endless: endless && codings.is_empty(),
            codings,
            lines,
            framing,
            status_line,
            interim,
            flood,
            trailing,
            faults,
            drip,
        };
        made.leave_out_what_nobody_can_tell();
        made
    })
}

impl Variation {
    /// Removes faults that no client can detect. If only the end of the connection ends the body, a truncated body
    /// looks complete, and extra bytes look like a part of it. A length that is too short has the same effect.
    fn leave_out_what_nobody_can_tell(&mut self) {
        if self.endless && matches!(self.framing, Framing::TooLong(_)) {
            self.framing = Framing::Honest;
        }
        if self.framing == Framing::UntilClose {
            self.faults.retain(|(fault, _)| !matches!(fault, Fault::Cut | Fault::GoAway));
            self.lines.retain(|line| *line != "Content-Length: 5");
            self.trailing = false;
        }
    }

    fn reply(&self) -> Reply {
        let mut reply = Reply::status(self.status);
        reply = if self.endless { reply.endless(ROBOTS) } else { reply.body(ROBOTS) };
        for coding in &self.codings {
            reply = reply.encoded(*coding);
        }
        if let Some(location) = self.location {
            reply = reply.header("Location", location);
        }
        for line in &self.lines {
            reply = match line.split_once(": ") {
                Some((name, value)) if !name.is_empty() => reply.header(name, value),
                _ => reply.header_line(*line),
            };
        }
        reply = match self.framing {
            Framing::Honest => reply,
            Framing::TooLong(by) => reply.content_length(by + ROBOTS.len() as u64 + 100),
            Framing::Chunked(size) => reply.chunked(size),
            Framing::Badly(size, bad) => reply.chunked_badly(size, bad),
            Framing::UntilClose => reply.until_close(),
        };
        if let Some(line) = self.status_line {
            reply = reply.status_line(line);
        }
        for status in &self.interim {
            reply = reply.interim(*status);
        }
        if let Some(flood) = self.flood {
            reply = reply.flood(flood);
        }
        if self.trailing {
            reply = reply.trailing("HTTP/1.1 404 \r\n\r\n");
        }
        for (fault, at) in &self.faults {
            reply = match fault {
                Fault::Pause => reply.pause(*at, Duration::from_millis(10)),
                Fault::Stall => reply.stall(*at),
                Fault::Cut => reply.cut(*at),
                Fault::Reset => reply.reset(*at),
                Fault::GoAway => reply.go_away(*at),
            };
        }
        match self.drip {
            Some((at, bytes, every)) => reply.drip(at, bytes, Duration::from_millis(every)),
            None => reply,
        }
    }

    /// Returns the status that the client received.
    fn told(&self) -> u16 {
        if self.status_line.is_some() { 200 } else { self.status }
    }

    /// Returns the expected extent, given the end of the attempt. Panics if the attempt cannot have ended so.
    fn judge(&self, site: &SiteRobots, policy: &Policy, with_copy: bool) -> Allowed {
        let ruling = site.ruling();
        match ruling.event {
            _ if ruling.rung.is_some() => {
                if let Event::Status(status) = ruling.event {
                    assert_eq!(status, self.told());
                }
                assert_eq!(site.copy().is_some(), with_copy);
                while_unreachable(policy, with_copy)
            }
            Event::Status(status @ (401 | 403)) if policy.name == "strict" => {
                assert_eq!(status, self.told());
                Allowed::Nothing
            }
            Event::Status(status @ 400..=499) => {
                assert_eq!(status, self.told());
                Allowed::All
            }
            Event::RedirectLoop | Event::RedirectLimit => {
                assert!(matches!(self.told(), 301 | 302 | 307) && self.location.is_some());
                Allowed::All
            }
            Event::Found => {
                let body = &site.copy().expect("what was found").body;
                assert!(matches!(self.told(), 200..=205 | 207..=299));
                if self.told() == 204 {
                    assert!(body.is_empty());
                    return Allowed::All;
                }
                let is_whole = if self.endless {
                    body.len() == BODY_LIMIT && body.iter().eq(ROBOTS.as_bytes().iter().cycle().take(BODY_LIMIT))
                } else {
                    **body == *ROBOTS.as_bytes()
                };
                assert!(is_whole, "{} bytes: {}", body.len(), String::from_utf8_lossy(&body[..body.len().min(200)]));
                Allowed::ByRules
            }
            event => panic!("it can't have ended so: {event}"),
        }
    }
}

async fn meet(client: &Client, origin: &str, variation: &Variation, policy: &Policy, with_copy: bool) -> Event {
    let began = Instant::now();
    let site = client.robots(origin).await.unwrap();
    let took = began.elapsed();
    assert!(took < DEADLINE + SCHEDULING_SLACK, "{took:?}");
    assert_eq!(allowed(&site), variation.judge(&site, policy, with_copy), "{}", site.ruling());
    assert!(site.exchanges().len() <= usize::from(policy.redirects) + 1);
    assert!(site.exchanges().iter().all(|step| step.bytes <= BODY_LIMIT as u64));
    site.ruling().event
}

#[tokio::test]
async fn five_thousand_ways_to_misbehave() {
    let site = Site::good().await;
    let (copy, secure_copy) = (site.record("http://a.test").await, site.record("https://a.test").await);
    let stages: Vec<_> = Policy::ALL.iter().map(|policy| Stage::new(*policy, &site)).collect();
    let clients: Vec<_> = stages
        .iter()
        .map(|stage| {
            stage.clock.advance(Duration::from_secs(24 * 60 * 60));
            let client =
                stage.client().connect_timeout(STALL_TIMEOUT * 10).stall_timeout(STALL_TIMEOUT).timeout(DEADLINE);
            client.build().unwrap()
        })
        .collect();
    // The same combinations in each run.
    let mut chance = TestRunner::deterministic();
    let strategy = variations();
    let at_once = Arc::new(Semaphore::new(32));
    let mut runs = JoinSet::new();
    let mut titles = HashMap::new();
    for n in 0..VARIATIONS {
        let variation = strategy.new_tree(&mut chance).unwrap().current();
        let (stage, client) = (&stages[n % stages.len()], clients[n % stages.len()].clone());
        let with_copy = n / stages.len() % 2 == 1;
        let host = format!("v{n}.a.test");
        let server = if variation.secure { &site.https } else { &site.http };
        server.serve(&host, ANY, variation.reply());
        let origin = format!("{}://{host}", if variation.secure { "https" } else { "http" });
        if with_copy {
            stage.remember(&origin, if variation.secure { &secure_copy } else { &copy }).await;
        }
        let (policy, at_once) = (stage.policy, at_once.clone());
        let title = format!("{n} ({}{}): {variation:?}", policy.name, if with_copy { ", with a copy" } else { "" });
        let run = runs.spawn(async move {
            let _permit = at_once.acquire().await.unwrap();
            meet(&client, &origin, &variation, &policy, with_copy).await
        });
        titles.insert(run.id(), title);
    }
    let (mut failed, mut ends) = (Vec::new(), HashMap::new());
    while let Some(ended) = runs.join_next_with_id().await {
        match ended {
            Ok((_, event)) => *ends.entry(event.to_string()).or_insert(0) += 1,
            Err(e) => failed.push(format!("{e}\n    {}", titles[&e.id()])),
        }
    }
    assert!(failed.is_empty(), "{} of {VARIATIONS} failed:\n{}", failed.len(), failed.join("\n"));
    for client in clients {
        assert_eq!(client.stats().fail_open_total, 0);
    }
    // The random combinations must cover enough of each kind. On a busy machine, more of them end by a timeout.
    let late = ends["gave no answer in time"];
    let in_time = VARIATIONS - late;
    assert!(late >= 100 && in_time >= VARIATIONS / 10, "{ends:#?}");
    for (end, least) in [
        ("sent a robots.txt", 500),
        ("broke off the connection", 100),
        ("broke off in the middle of the file", 100),
        ("gave an answer that is not valid", 100),
        ("sent a body that can't be decoded", 100),
        ("redirected in a loop", 20),
        ("answered 404", 20),
    ] {
        let least = least * in_time / VARIATIONS;
        assert!(ends.get(end).is_some_and(|count| *count >= least), "`{end}` too seldom: {ends:#?}");
    }
}
