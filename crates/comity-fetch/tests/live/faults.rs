//! Everything that a server can do wrong: under no policy does a failure become permission, but where the policy says
//! so; and nothing takes longer or holds more than it may.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use comity_fetch::{Access, Client, Event, Failure, Policy};
use comity_policy::LIMIT;
use comity_testserver::{ANY, Accept, At, BadChunk, Coding, Flood, Reply};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::ROBOTS;
use crate::stage::{Allowed, Place, Site, Stage, allowed, while_unreachable};

/// What comes of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// There is no file, and the policy decides what that means.
    Fails,
    /// The same, when there was time enough.
    Late,
    /// The file is there all the same.
    Found,
}

use Then::{Fails, Found, Late};

/// Where time decides, the next bytes may take so long, and all of it.
const PATIENCE: Duration = Duration::from_millis(150);
const DEADLINE: Duration = Duration::from_millis(600);
/// How long the machine may be busy with others.
const SLACK: Duration = Duration::from_secs(8);

fn file() -> Reply {
    Reply::ok(ROBOTS)
}

/// On the way to the head of an answer.
fn heads() -> Vec<(&'static str, Reply, Then)> {
    let line = |line: &'static [u8]| file().header_line(line);
    let status = |line: &'static [u8]| file().status_line(line);
    vec![
        ("nothing", file().stall(At::Start), Late),
        ("half a head, then nothing", file().stall(At::Headers), Late),
        ("a head in drips", file().drip(At::Start, 1, Duration::from_millis(10)), Late),
        ("cut at once", file().cut(At::Start), Fails),
        ("cut in the head", file().cut(At::Headers), Fails),
        ("reset at once", file().reset(At::Start), Fails),
        ("reset in the head", file().reset(At::Headers), Fails),
        ("a field without end", file().flood(Flood::Line), Fails),
        ("fields without end", file().flood(Flood::Lines), Fails),
        ("interim answers without end", file().flood(Flood::Interim), Late),
        ("a field of 100 KB", file().header("X", vec![b'x'; 100_000]), Fails),
        ("200 fields", (0..200).fold(file(), |reply, n| reply.header(format!("X-{n}"), "x")), Fails),
        ("only a body", Reply::raw(ROBOTS), Fails),
        ("nothing at all, politely", Reply::raw(""), Fails),
        ("a page of HTML only", Reply::raw("<html>Hello</html>"), Fails),
        ("another protocol", Reply::raw("220 mail.example ESMTP\r\n"), Fails),
        ("TLS where none was asked for", Reply::raw(vec![0x15, 3, 3, 0, 2, 2, 40]), Fails),
        ("a version that does not exist", status(b"HTTP/9.9 200 OK"), Fails),
        ("two digits", status(b"HTTP/1.1 20 OK"), Fails),
        ("five digits", status(b"HTTP/1.1 20000 OK"), Fails),
        ("a status of zeros", Reply::status(0).body(ROBOTS), Fails),
        ("no status", status(b"HTTP/1.1"), Fails),
        ("a negative status", status(b"HTTP/1.1 -200 OK"), Fails),
        ("a field without colon", line(b"nonsense"), Fails),
        ("a field without name", line(b": x"), Fails),
        ("a name with a space", line(b"X : x"), Fails),
        ("a folded field", line(b"X: x\r\n folded"), Fails),
        ("a NUL in a name", line(b"X\0: x"), Fails),
        ("a NUL in a value", line(b"X: \0"), Fails),
        ("what is no UTF-8 in a value", line(b"X: \xff\xfe"), Found),
        ("a length that is negative", line(b"Content-Length: -1"), Fails),
        ("a length that is no number", line(b"Content-Length: many"), Fails),
        ("a length larger than all numbers", line(b"Content-Length: 99999999999999999999"), Fails),
        ("two lengths", line(b"Content-Length: 5"), Fails),
        ("a list of lengths", file().until_close().header("Content-Length", "47, 5"), Fails),
    ]
}

/// In the body.
fn bodies() -> Vec<(&'static str, Reply, Then)> {
    let length = ROBOTS.len() as u64;
    let (second, ms) = (Duration::from_secs(1), Duration::from_millis(1));
    let transfer = |coding: &'static str| file().until_close().header("Transfer-Encoding", coding);
    vec![
        ("a pause that is short enough", file().pause(At::Body(20), 20 * ms), Found),
        ("a pause that is too long", file().pause(At::Body(20), second), Late),
        ("no body", file().stall(At::Body(0)), Late),
        ("half a body, then nothing", file().stall(At::Body(20)), Late),
        ("all but one byte, then nothing", file().stall(At::Body(length - 1)), Late),
        ("all of it, then silence", file().stall(At::End), Found),
        ("all of it, then silence, without a length", file().until_close().stall(At::End), Late),
        ("a body in drips", file().drip(At::Body(0), 1, 20 * ms), Late),
        ("a body in quick drips", file().drip(At::Body(0), 10, ms), Found),
        ("cut before the body", file().cut(At::Body(0)), Fails),
        ("cut in the body", file().cut(At::Body(20)), Fails),
        ("cut before the last byte", file().cut(At::Body(length - 1)), Fails),
        ("cut after it", file().cut(At::End), Found),
        ("reset in the body", file().reset(At::Body(20)), Fails),
        ("reset in a body without a length", file().until_close().reset(At::Body(20)), Fails),
        ("a length too long by one", file().content_length(length + 1), Fails),
        ("a length of gigabytes", file().content_length(10 << 30), Fails),
        // HTTP has no way to tell that this is not all: what comes behind it belongs to nobody.
        ("a length too short", file().content_length(length - 1), Found),
        ("more behind the end", file().trailing("User-agent: *\nAllow: /\n"), Found),
        ("another answer behind the end", file().trailing("HTTP/1.1 404 \r\n\r\n"), Found),
        ("no chunk", file().chunked(10).cut(At::Body(0)), Fails),
        ("half a chunk", file().chunked(20).cut(At::Body(10)), Fails),
        ("chunks up to their middle", file().chunked(10).stall(At::Body(25)), Late),
        ("chunks of one byte", file().chunked(1), Found),
        ("a chunk's size", file().chunked_badly(10, BadChunk::Size), Fails),
        ("a chunk's huge size", file().chunked_badly(10, BadChunk::HugeSize), Fails),
        ("garbage among chunks", file().chunked_badly(10, BadChunk::Garbage), Fails),
        ("chunks without end", file().chunked_badly(10, BadChunk::Unterminated), Fails),
        ("chunks, and a length as well", file().chunked(10).header("Content-Length", "5"), Found),
        ("a transfer coding that is not known", transfer("squash"), Fails),
        ("gzip as the transfer coding, which it is not", transfer("gzip"), Fails),
        ("chunks that are not the last coding", transfer("chunked, gzip"), Fails),
        ("chunks that are none", transfer("chunked"), Fails),
        ("no end", file().endless(ROBOTS), Found),
        ("no end, and no chunks", file().endless(ROBOTS).until_close(), Found),
        ("no end, and a length", file().endless(ROBOTS).content_length(u64::MAX / 2), Found),
        ("no end, slowly", file().endless(ROBOTS).drip(At::Body(0), 1000, 20 * ms), Late),
    ]
}

/// In what is encoded.
fn codings() -> Vec<(&'static str, Reply, Then)> {
    let claim = |coding: &'static str| file().header("Content-Encoding", coding);
    let gzip = Coding::Gzip.encode(ROBOTS.as_bytes());
    let damaged = |at: usize| {
        let mut bytes = gzip.to_vec();
        let at = if at > bytes.len() { bytes.len() - 6 } else { at };
        bytes[at] ^= 0xff;
        Reply::ok(bytes).header("Content-Encoding", "gzip")
    };
    let mut all = vec![
        ("none, said aloud", claim("identity"), Found),
        ("nothing is said", claim(""), Found),
        ("gzip that is none", claim("gzip"), Fails),
        ("brotli that is none", claim("br"), Fails),
        ("deflate that is none", claim("deflate"), Fails),
        ("zstd that is none", claim("zstd"), Fails),
        ("an old one", claim("compress"), Fails),
        ("an unknown one", claim("rot13"), Fails),
        ("a list of nothing", claim(", ,"), Found),
        ("an empty body", Reply::ok("").header("Content-Encoding", "gzip"), Fails),
        ("a damaged beginning", damaged(0), Fails),
        ("a damaged middle", damaged(20), Fails),
        ("a damaged checksum", damaged(usize::MAX), Fails),
        ("twice", file().encoded(Coding::Gzip).encoded(Coding::Gzip), Fails),
        ("two of them", file().encoded(Coding::Deflate).encoded(Coding::Brotli), Fails),
        ("said twice, done once", file().encoded(Coding::Gzip).header("Content-Encoding", "gzip"), Fails),
        ("twenty of them", (0..20).fold(file(), |reply, _| reply.encoded(Coding::Gzip)), Fails),
        ("in capitals", Reply::ok(gzip.clone()).header("Content-Encoding", "GZip"), Found),
        ("by its old name", Reply::ok(gzip.clone()).header("Content-Encoding", "x-gzip"), Found),
        ("cut in the middle", file().encoded(Coding::Gzip).cut(At::Body(20)), Fails),
    ];
    let large = [ROBOTS.as_bytes(), &vec![b'\n'; 8 << 20]].concat();
    for coding in Coding::ALL {
        let bytes = coding.encode(ROBOTS.as_bytes());
        let half = bytes.slice(..bytes.len() / 2);
        let behind = [&bytes[..], b"User-agent: *\nAllow: /\n"].concat();
        let claim = |bytes: Vec<u8>| Reply::ok(bytes).header("Content-Encoding", coding.name());
        all.extend([
            ("a good one", file().encoded(coding), Found),
            ("half of one", claim(half.to_vec()), Fails),
            ("all but its last byte", claim(bytes.slice(..bytes.len() - 1).to_vec()), Fails),
            ("more behind its end", claim(behind), Fails),
            ("a bomb", claim(coding.encode(&large).to_vec()), Found),
        ]);
    }
    all
}

/// Of HTTP/2.
fn streams() -> Vec<(&'static str, Reply, Then)> {
    let places = [At::Start, At::Headers, At::Body(0), At::Body(20)];
    let mut all = vec![
        ("a file", file(), Found),
        ("reset after the end", file().reset(At::End), Fails),
        ("cut after the end", file().cut(At::End), Fails),
        ("a length that is a lie", file().content_length(1000), Fails),
        ("a length that is too short", file().content_length(5), Fails),
        ("a head of 100 KB", file().header("x", vec![b'x'; 100_000]), Fails),
        ("200 fields", (0..200).fold(file(), |reply, n| reply.header(format!("x-{n}"), "x")), Fails),
        ("no end", file().endless(ROBOTS), Found),
        ("in drips", file().drip(At::Body(0), 1, Duration::from_millis(20)), Late),
        ("encoded twice", file().encoded(Coding::Gzip).encoded(Coding::Gzip), Fails),
    ];
    for at in places {
        all.extend([
            ("reset", file().reset(at), Fails),
            ("cut", file().cut(at), Fails),
            ("gone away", file().go_away(at), Fails),
            ("stalled", file().stall(at), Late),
        ]);
    }
    all
}

/// At the door, secure or not.
fn doors() -> Vec<(&'static str, Accept)> {
    vec![
        ("closed", Accept::Close),
        ("reset", Accept::Reset),
        ("silent", Accept::Stall),
        ("garbage", Accept::Say(vec![0xff; 100].into())),
        ("plain text", Accept::Say("HTTP/1.1 400 Bad Request\r\n\r\nUser-agent: *\nAllow: /\n".into())),
        ("an alert", Accept::Say(vec![0x15, 3, 3, 0, 2, 2, 40].into())),
        ("half a handshake", Accept::Say(vec![0x16, 3, 3, 1, 0, 2].into())),
    ]
}

/// What a site does: its answer, or at its door.
#[derive(Clone)]
enum Does {
    Reply(Box<Reply>),
    Door(Accept),
}

struct Fault {
    name: &'static str,
    does: Does,
    then: Then,
}

/// The sites that one policy meets, each of them an origin of its own.
struct Meeting {
    stage: Stage,
    patient: Client,
    hasty: Client,
}

impl Meeting {
    fn of(policy: Policy, site: &Site) -> Self {
        let stage = Stage::new(policy, site);
        let patient = stage.client().build().unwrap();
        let hasty = stage.client().connect_timeout(PATIENCE).stall_timeout(PATIENCE).timeout(DEADLINE);
        Self { patient, hasty: hasty.build().unwrap(), stage }
    }

    async fn meet(&self, origin: &str, then: Then, with_copy: bool) {
        let client = if then == Late { &self.hasty } else { &self.patient };
        let began = Instant::now();
        let known = client.known(origin).await.unwrap();
        let took = began.elapsed();
        let (ruling, event) = (known.ruling(), known.ruling().event);
        match then {
            Fails | Late => {
                assert!(ruling.rung.is_some(), "{ruling}");
                assert_eq!(event == Event::Failed(Failure::Timeout), then == Late, "{event}");
                assert_eq!(allowed(client, &known), while_unreachable(&self.stage.policy, with_copy), "{ruling}");
                let copy = known.copy().map(|copy| &*copy.body);
                assert_eq!(copy, with_copy.then_some(ROBOTS.as_bytes()), "the last good copy is none the worse");
                assert!(known.attempt().unwrap().detail.is_some(), "{event}: nobody says what was wrong");
            }
            Found => {
                assert_eq!(ruling.access, Access::Rules, "{ruling}: {:?}", known.attempt());
                assert_eq!(allowed(client, &known), Allowed::ByRules, "{ruling}");
                let body = &known.copy().unwrap().body;
                assert!(body.len() <= LIMIT, "{} bytes are kept", body.len());
            }
        }
        assert!(took < SLACK + if then == Late { DEADLINE } else { Duration::ZERO }, "{event}: {took:?}");
        assert_eq!(known.steps().len(), 1, "nobody asks twice");
        assert!(known.steps()[0].bytes <= LIMIT as u64, "{} bytes were read", known.steps()[0].bytes);
    }
}

/// Meets each fault under each policy, with a last good copy and without.
async fn meet_all(faults: Vec<Fault>, scheme: &str) {
    let site = Site::good().await;
    let copy = site.record(&format!("{scheme}://a.test")).await;
    let mut sites = Vec::new();
    let mut doors = HashMap::new();
    let host = |n: usize, with_copy| format!("{}{n}.a.test", if with_copy { "copy" } else { "none" });
    for (n, fault) in faults.iter().enumerate() {
        for host in [host(n, false), host(n, true)] {
            match &fault.does {
                Does::Reply(reply) => {
                    site.http.serve(&host, ANY, Reply::clone(reply));
                    site.https.serve(&host, ANY, Reply::clone(reply));
                }
                Does::Door(accept) => {
                    let closed = Site::good().await;
                    let server = if scheme == "https" { &closed.https } else { &closed.http };
                    server.accept(accept.clone());
                    doors.insert(host, Place::At(server.addr()));
                    sites.push(closed);
                }
            }
        }
    }
    let meetings: Vec<_> = Policy::ALL.iter().map(|policy| Arc::new(Meeting::of(*policy, &site))).collect();
    let at_once = Arc::new(Semaphore::new(24));
    let mut runs = JoinSet::new();
    let mut titles = HashMap::new();
    for meeting in &meetings {
        meeting.stage.names.lead_to(&site, doors.clone());
        meeting.stage.clock.advance(Duration::from_secs(24 * 60 * 60));
        for (n, fault) in faults.iter().enumerate() {
            for with_copy in [false, true] {
                let origin = format!("{scheme}://{}", host(n, with_copy));
                if with_copy {
                    meeting.stage.remember(&origin, &copy).await;
                }
                let (meeting, then, at_once) = (meeting.clone(), fault.then, at_once.clone());
                let title = format!(
                    "{} ({}{})",
                    fault.name,
                    meeting.stage.policy.name,
                    if with_copy { ", with a copy" } else { "" }
                );
                let run = runs.spawn(async move {
                    let _permit = at_once.acquire().await.unwrap();
                    meeting.meet(&origin, then, with_copy).await;
                });
                titles.insert(run.id(), title);
            }
        }
    }
    let mut failed = Vec::new();
    while let Some(ended) = runs.join_next_with_id().await {
        failed.extend(ended.err().map(|e| format!("{}: {e}", titles[&e.id()])));
    }
    assert!(failed.is_empty(), "{} of {} runs failed:\n{}", failed.len(), titles.len(), failed.join("\n"));
    for client in meetings.iter().flat_map(|meeting| [&meeting.patient, &meeting.hasty]) {
        assert_eq!(client.stats().fail_open_total, 0);
    }
    // Whatever the servers still wanted to say, nobody listens.
    sites.push(site);
    let until = Instant::now() + SLACK;
    while sites.iter().any(|site| site.http.open_connections() + site.https.open_connections() > 0) {
        assert!(Instant::now() < until, "a connection is still there");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn meet_replies(faults: Vec<(&'static str, Reply, Then)>, scheme: &str) {
    let faults = faults.into_iter().map(|(name, reply, then)| Fault { name, does: Does::Reply(reply.into()), then });
    meet_all(faults.collect(), scheme).await;
}

#[tokio::test]
async fn heads_that_are_none() {
    meet_replies(heads(), "http").await;
}

#[tokio::test]
async fn bodies_that_are_not_whole() {
    meet_replies(bodies(), "http").await;
}

#[tokio::test]
async fn codings_that_are_not_what_they_say() {
    meet_replies(codings(), "http").await;
}

#[tokio::test]
async fn streams_that_break() {
    meet_replies(streams(), "https").await;
}

#[tokio::test]
async fn doors_that_do_not_open() {
    let doors = |scheme: &str| {
        let is_door = |(name, _): &(&str, Accept)| *name != "plain text" || scheme == "https";
        let fault = |(name, accept)| {
            let then = if accept == Accept::Stall { Late } else { Fails };
            Fault { name, does: Does::Door(accept), then }
        };
        doors().into_iter().filter(is_door).map(fault).collect()
    };
    meet_all(doors("http"), "http").await;
    meet_all(doors("https"), "https").await;
}

#[tokio::test]
async fn ten_gibibytes_of_nothing() {
    let site = Site::good().await;
    for coding in Coding::ALL {
        for bomb in [Reply::ok("").zeros(10 << 30), Reply::ok("").endless("User-agent: *\nDisallow: /private/\n")] {
            site.http.serve(ANY, ANY, bomb.encoded(coding));
            let client = Stage::new(Policy::STANDARD, &site).client().build().unwrap();
            let known = client.known("http://a.test").await.unwrap();
            assert_eq!(known.copy().map(|copy| copy.body.len()), Some(LIMIT), "{coding:?}: {}", known.ruling());
            assert!(known.copy().unwrap().is_cut());
        }
    }
}

/// Wherever the network cuts what is encoded, it is decoded to the same, or to nothing.
#[tokio::test]
async fn pieces_of_every_size() {
    let site = Site::good().await;
    let client = Stage::new(Policy::STANDARD, &site).client().at_once(32).build().unwrap();
    let mut asking = JoinSet::new();
    for (n, coding) in Coding::ALL.into_iter().enumerate() {
        let bytes = coding.encode(ROBOTS.as_bytes());
        let behind = [&bytes[..], b"more"].concat();
        for size in 1..=bytes.len() {
            for (kind, body, then) in [
                ("whole", bytes.to_vec(), Found),
                ("half", bytes[..bytes.len() / 2].to_vec(), Fails),
                ("more", behind.clone(), Fails),
            ] {
                let host = format!("{kind}-{n}-{size}.test");
                let reply = Reply::ok(body).header("Content-Encoding", coding.name()).chunked(size);
                site.http.serve(&host, ANY, reply);
                let client = client.clone();
                asking.spawn(async move {
                    let known = client.known(&format!("http://{host}/")).await.unwrap();
                    let expected = if then == Found { Allowed::ByRules } else { Allowed::Nothing };
                    assert_eq!(allowed(&client, &known), expected, "{host}: {:?}", known.attempt());
                });
            }
        }
    }
    asking.join_all().await;
    assert_eq!(client.stats().fail_open_total, 0);
}
