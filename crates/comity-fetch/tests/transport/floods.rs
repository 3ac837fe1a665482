//! Endless responses are ended by count, long before the timeouts.

use comity_fetch::transport::Options;
use comity_policy::Failure;
use comity_testserver::{ANY, At, Coding, Flood, Frame, HttpServer, Reply, Tls, ca_pem};

use crate::{ROBOTS, fetch, is, options, problem};

/// Returns a server and options with a long deadline: reaching it would be another failure, after 20 seconds.
async fn http1(reply: Reply) -> (HttpServer, Options) {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, reply);
    let options = options(server.addr());
    (server, options)
}

async fn http2(reply: Reply) -> (HttpServer, Options) {
    let server = HttpServer::start_tls(Tls::named(["a.test"]).http2()).await;
    server.serve(ANY, ANY, reply);
    let mut options = options(server.addr());
    options.builtin.extra_roots = ca_pem().into_bytes();
    (server, options)
}

fn interim(count: usize) -> Reply {
    (0..count).fold(Reply::ok(ROBOTS), |reply, nth| reply.interim(if nth % 2 == 0 { 103 } else { 100 }))
}

#[tokio::test]
async fn interim_responses() {
    let (server, options) = http1(Reply::status(200).flood(Flood::Interim)).await;
    is(&problem(options.clone(), "http://a.test/").await, Failure::InvalidResponse, "more than 100 heads");
    // A few are fine.
    for count in [1, 5, 50] {
        server.serve(ANY, ANY, interim(count));
        assert_eq!(fetch(options.clone(), "http://a.test/").await.expect("a file").1, ROBOTS.as_bytes());
    }

    let (_server, options) = http2(Reply::ok(ROBOTS).endless_frames(At::Start, Frame::status(103))).await;
    is(&problem(options, "https://a.test/").await, Failure::InvalidResponse, "more than 100 heads");
    for count in [1, 5, 50] {
        let (_server, options) = http2(interim(count)).await;
        assert_eq!(fetch(options, "https://a.test/").await.expect("a file").1, ROBOTS.as_bytes());
    }
}

#[tokio::test]
async fn interim_responses_of_a_proxy() {
    let (server, mut options) = http1(Reply::status(200).flood(Flood::Interim)).await;
    options.builtin.proxy = Some(format!("http://{}", server.addr()).parse().expect("a proxy"));
    for url in ["http://a.test/", "https://a.test/"] {
        is(&problem(options.clone(), url).await, Failure::Connect, "more than 100 heads");
    }
}

/// Returns frames that do not change the response.
fn idle_frames() -> Vec<(&'static str, Frame)> {
    vec![
        ("PRIORITY", Frame::priority()),
        ("SETTINGS", Frame::settings()),
        ("PING", Frame::ping()),
        ("PING that answers none", Frame::on_connection(6, 1, vec![0; 8])),
        ("WINDOW_UPDATE", Frame::window_update()),
        ("WINDOW_UPDATE of the stream", Frame::on_stream(8, 0, vec![0, 0, 0, 1])),
        ("GOAWAY that goes nowhere", Frame::go_away(1, 0)),
        ("unknown", Frame::unknown()),
        ("large unknown", Frame::on_stream(0xcc, 0xff, vec![0; 16_384])),
    ]
}

#[tokio::test]
async fn frames_without_progress() {
    let idle = "more than 1000 frames";
    for (name, frame) in idle_frames() {
        for at in [At::Start, At::Body(0), At::Body(20)] {
            let (_server, options) = http2(Reply::ok(ROBOTS).endless_frames(at, frame.clone())).await;
            let problem = problem(options, "https://a.test/").await;
            assert_eq!(problem.failure, Failure::InvalidResponse, "{name} at {at:?}: {}", problem.detail);
            assert!(problem.detail.contains(idle), "{name} at {at:?}: {}", problem.detail);
        }
    }
}

/// Checks frames for which the HTTP/2 library has limits.
#[tokio::test]
async fn frames_that_the_library_counts() {
    let open = Frame::status(200).continued();
    for frame in [Frame::data(""), Frame::padding(0), Frame::padding(255)] {
        let (_server, options) = http2(Reply::ok(ROBOTS).endless_frames(At::Body(20), frame)).await;
        is(&problem(options, "https://a.test/").await, Failure::Truncated, "excessive load");
    }
    let reply = Reply::ok(ROBOTS).frames(At::Start, [open]).endless_frames(At::Start, Frame::continuation());
    let (_server, options) = http2(reply).await;
    is(&problem(options, "https://a.test/").await, Failure::InvalidResponse, "");
}

/// Checks that progress is not a flood, in any number of small pieces and with any number of frames in between.
#[tokio::test]
async fn many_frames_with_progress() {
    let body = ROBOTS.repeat(25);
    let (head, octets) = (Frame::status(200), body.bytes().map(|octet| Frame::data(vec![octet])));
    let mut frames = vec![head];
    for (nth, octet) in octets.enumerate() {
        frames.push(octet);
        if nth % 4 == 0 {
            frames.push(Frame::ping());
        }
        if nth % 1000 == 0 {
            frames.push(Frame::on_stream(0, 8, [&[9, b'#'][..], &[0; 9]].concat()));
        }
    }
    frames.push(Frame::on_stream(0, 9, [&[9, b'\n'][..], &[0; 9]].concat()));
    let (_server, options) = http2(Reply::ok("").frames(At::Start, frames).stall(At::Start)).await;
    let (_, found) = fetch(options, "https://a.test/").await.expect("a file");
    assert_eq!(found.iter().filter(|octet| **octet != b'#').count(), body.len() + 1);
}

#[tokio::test]
async fn heads_and_chunks_without_end() {
    for reply in [
        Reply::ok(ROBOTS).flood(Flood::Line),
        Reply::ok(ROBOTS).flood(Flood::Lines),
        Reply::raw("").endless("\r\n"),
        Reply::raw("HTTP/1.1 200 OK\r\n").endless("X: y\r\n"),
    ] {
        let (_server, options) = http1(reply).await;
        is(&problem(options, "http://a.test/").await, Failure::InvalidResponse, "");
    }
    for flood in [Flood::ChunkExtension, Flood::Trailers] {
        let (_server, options) = http1(Reply::ok(ROBOTS).chunked(10).flood(flood)).await;
        is(&problem(options, "http://a.test/").await, Failure::Truncated, "not complete");
    }
}

#[tokio::test]
async fn codings_that_come_to_nothing() {
    // Empty members of gzip, forever: many bytes in, none out.
    let nothing = Coding::Gzip.encode(b"");
    let (_server, options) = http1(Reply::ok("").endless(nothing).header("Content-Encoding", "gzip")).await;
    is(&problem(options, "http://a.test/").await, Failure::Encoding, "more than 1048576 bytes");
}
