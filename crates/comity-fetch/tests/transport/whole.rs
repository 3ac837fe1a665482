//! Complete bodies: their framing must show that, and their coding too.

use comity_fetch::transport::{Sender, TransportError};
use comity_policy::Failure;
use comity_testserver::{ANY, At, Coding, Frame, HttpServer, Reply, Tls, ca_pem};

use crate::{ROBOTS, fetch, is, options, read, request, sender};

/// A server with TLS, and a sender that trusts it. They are too expensive to create for each reply.
struct Secure {
    server: HttpServer,
    sender: Sender,
}

impl Secure {
    async fn start(tls: Tls) -> Self {
        let server = HttpServer::start_tls(tls).await;
        let mut options = options(server.addr());
        options.builtin.extra_roots = ca_pem().into_bytes();
        Self { server, sender: sender(options) }
    }

    async fn http1() -> Self {
        Self::start(Tls::named(["a.test"]).http1()).await
    }

    async fn http2() -> Self {
        Self::start(Tls::named(["a.test"]).http2()).await
    }

    /// Returns the status and the body of a reply.
    async fn fetch(&self, reply: Reply) -> Result<(u16, Vec<u8>), TransportError> {
        self.server.serve(ANY, ANY, reply);
        let (request, origin) = request("https://a.test/");
        let mut answer = self.sender.send(&request, &origin).await?;
        let body = read(&mut answer).await?;
        Ok((answer.head.status(), body))
    }

    async fn body(&self, reply: Reply) -> Result<Vec<u8>, TransportError> {
        Ok(self.fetch(reply).await?.1)
    }
}

/// A reply over HTTP/2, and the place where its frames are cut off.
fn shapes() -> Vec<(&'static str, Reply, At)> {
    let length = ROBOTS.len() as u64;
    let whole = At::Body(length);
    vec![
        ("no body", Reply::ok(ROBOTS).until_close(), At::Body(0)),
        ("no body, but a length", Reply::ok(ROBOTS), At::Body(0)),
        ("part of a body", Reply::ok(ROBOTS).until_close(), At::Body(20)),
        ("part of a gzip body", Reply::ok(ROBOTS).encoded(Coding::Gzip).until_close(), At::Body(20)),
        ("all of a gzip body", Reply::ok(ROBOTS).encoded(Coding::Gzip).until_close(), At::Body(1000)),
        ("the length met", Reply::ok(ROBOTS), whole),
        ("the length met, which is 0", Reply::ok("").content_length(0), At::Body(0)),
        ("the length not met", Reply::ok(ROBOTS).content_length(length + 1), whole),
    ]
}

#[tokio::test]
async fn a_stream_without_its_end_is_not_whole_whatever_ends_it() {
    let http2 = Secure::http2().await;
    for (shape, reply, at) in shapes() {
        for code in 0..14 {
            for (name, frame) in [("RST_STREAM", Frame::rst_stream(code)), ("GOAWAY", Frame::go_away(0, code))] {
                let reply = reply.clone().frames(at, [frame]).stall(at);
                let problem = http2.fetch(reply).await.expect_err(&format!("{shape}, then {name} with code {code}"));
                assert_eq!(problem.failure, Failure::Truncated, "{shape}, {name}, {code}: {}", problem.detail);
            }
        }
        // Without an error from the server, the transport must notice what is missing.
        let early = reply.clone().frames(at, [Frame::rst_stream(0)]).stall(at);
        is(&http2.fetch(early).await.expect_err(shape), Failure::Truncated, "ended it early, without an error");
        // The stream could continue after this GOAWAY, but the connection ends.
        for code in [0, 2] {
            let reply = reply.clone().frames(at, [Frame::go_away(1, code)]);
            is(&http2.fetch(reply.clone()).await.expect_err(shape), Failure::Truncated, "");
            is(&http2.fetch(reply.cut(at)).await.expect_err(shape), Failure::Truncated, "");
        }
    }
}

#[tokio::test]
async fn no_head_is_no_answer_whatever_ends_the_stream() {
    let http2 = Secure::http2().await;
    for code in 0..14 {
        for frame in [Frame::rst_stream(code), Frame::go_away(0, code)] {
            let reply = Reply::ok(ROBOTS).frames(At::Start, [frame]).stall(At::Start);
            is(&http2.fetch(reply).await.expect_err("no head"), Failure::Reset, "broke off");
        }
    }
}

#[tokio::test]
async fn a_stream_that_has_ended_is_whole_whatever_follows() {
    let http2 = Secure::http2().await;
    let (at, rest) = (At::Body(20), Frame::data(&ROBOTS.as_bytes()[20..]).ending());
    let after = [Frame::rst_stream(0), Frame::rst_stream(8), Frame::go_away(0, 0), Frame::go_away(0, 2)];
    for frame in after {
        let reply = Reply::ok(ROBOTS).frames(at, [rest.clone(), frame.clone()]);
        for reply in [reply.clone(), reply.clone().stall(at), reply.cut(at)] {
            let (_, body) = http2.fetch(reply).await.unwrap_or_else(|e| panic!("{frame:?}: {e}"));
            assert_eq!(body, ROBOTS.as_bytes());
        }
    }
    // A stream that has begun continues after GOAWAY (RFC 9113 §6.8).
    let reply = Reply::ok(ROBOTS).frames(at, [Frame::go_away(1, 0), rest]).stall(at);
    assert_eq!(http2.fetch(reply).await.expect("a file").1, ROBOTS.as_bytes());
    // No data is an empty file if the head ends the stream.
    assert_eq!(http2.fetch(Reply::ok("")).await, Ok((200, Vec::new())));
    assert_eq!(http2.fetch(Reply::status(204)).await, Ok((204, Vec::new())));
    // 204 has no body, even with a length.
    assert_eq!(http2.fetch(Reply::status(204).content_length(5)).await, Ok((204, Vec::new())));
}

#[tokio::test]
async fn a_length_is_met_or_the_body_is_not_whole() {
    let (http2, tls) = (Secure::http2().await, Secure::http1().await);
    let length = ROBOTS.len() as u64;
    for claimed in [0, 1, length - 1, length + 1, length * 1000] {
        let reply = Reply::ok(ROBOTS).content_length(claimed);
        let problem = http2.fetch(reply.clone()).await.expect_err("another length");
        assert!(matches!(problem.failure, Failure::Truncated | Failure::Reset), "{claimed}: {problem:?}");
        if claimed > length {
            is(&tls.body(reply).await.expect_err("another length"), Failure::Truncated, "not complete");
        }
    }
    let twice = Reply::ok(ROBOTS).header("Content-Length", "20");
    http2.fetch(twice.clone()).await.expect_err("two lengths");
    is(&tls.body(twice).await.expect_err("two lengths"), Failure::InvalidResponse, "");
}

#[tokio::test]
async fn the_end_of_a_connection_ends_a_body_only_if_tls_says_so() {
    let (http2, tls) = (Secure::http2().await, Secure::http1().await);
    let length = ROBOTS.len() as u64;
    let until_close = || Reply::ok(ROBOTS).until_close();
    assert_eq!(tls.body(until_close()).await.expect("closed with close_notify"), ROBOTS.as_bytes());
    assert_eq!(tls.body(Reply::ok("").until_close()).await.expect("closed with close_notify"), b"");
    for at in [At::Body(0), At::Body(20), At::Body(length), At::End] {
        is(&tls.body(until_close().cut(at)).await.expect_err("cut"), Failure::Truncated, "not complete");
        is(&tls.body(until_close().reset(at)).await.expect_err("reset"), Failure::Truncated, "not complete");
        let gzip = until_close().encoded(Coding::Gzip).cut(at);
        is(&tls.body(gzip).await.expect_err("cut"), Failure::Truncated, "not complete");
    }
    // A body with an end of its own needs no close_notify.
    for reply in [Reply::ok(ROBOTS), Reply::ok(ROBOTS).chunked(10), Reply::ok(ROBOTS).encoded(Coding::Gzip)] {
        assert_eq!(tls.body(reply.clone().cut(At::End)).await.expect("whole"), ROBOTS.as_bytes());
        assert_eq!(http2.fetch(reply).await.expect("whole").1, ROBOTS.as_bytes());
    }
    // Over plain TCP there is no evidence.
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, until_close().cut(At::End));
    assert_eq!(fetch(options(server.addr()), "http://a.test/").await.expect("a file").1, ROBOTS.as_bytes());
}

/// Returns the result of a coded body, which must not depend on how the network cuts it.
async fn decoded(coding: Coding, body: &[u8]) -> Result<Vec<u8>, TransportError> {
    let server = HttpServer::start().await;
    let reply = Reply::ok(body.to_vec()).header("Content-Encoding", coding.name());
    let mut found = None;
    for reply in [reply.clone(), reply.clone().chunked(1), reply.chunked(7)] {
        server.serve(ANY, ANY, reply);
        let came = fetch(options(server.addr()), "http://a.test/").await.map(|(_, body)| body);
        let kind = |came: &Result<Vec<u8>, TransportError>| came.clone().map_err(|problem| problem.failure);
        let before = found.get_or_insert_with(|| came.clone());
        assert_eq!(kind(before), kind(&came), "{coding:?}, in pieces");
    }
    found.expect("one of three")
}

#[tokio::test]
async fn a_coded_body_is_an_empty_file_only_if_a_whole_member_is_empty() {
    for coding in Coding::ALL {
        let nothing = coding.encode(b"");
        assert_eq!(decoded(coding, &nothing).await, Ok(Vec::new()), "{coding:?}");
        for length in 0..nothing.len() {
            is(&decoded(coding, &nothing[..length]).await.expect_err("part of a member"), Failure::Encoding, "");
        }
    }
    let nothing = Coding::Gzip.encode(b"");
    assert_eq!(decoded(Coding::Gzip, &[&nothing[..], &nothing].concat()).await, Ok(Vec::new()));
    assert!(decoded(Coding::Gzip, &[&nothing[..], &nothing[..9]].concat()).await.is_err());
}
