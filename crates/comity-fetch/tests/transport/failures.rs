//! Every kind of failure is distinguished.

use std::time::Duration;

use comity_fetch::transport::{Options, TransportError};
use comity_fetch::{Fixed, Resolve, ResolveError, Resolving};
use comity_policy::Failure;
use comity_testserver::{ANY, Accept, At, BadChunk, Coding, Flood, Gate, HttpServer, Reply, Tls, ca_pem, closed_port};

use crate::{ROBOTS, SILENCE, any, hurried, is, options, options_with, problem, read, send};

/// Returns the error for this reply.
async fn of(reply: Reply) -> TransportError {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, reply);
    problem(options(server.addr()), "http://a.test/").await
}

/// Returns the error for this reply over HTTP/2.
async fn of_http2(reply: Reply) -> TransportError {
    let (_server, options) = http2(reply).await;
    problem(options, "https://a.test/").await
}

/// Returns the error for this reply over HTTP/2 after its head has arrived: an early end of the stream would discard
/// the head as well.
async fn after_the_head(reply: impl FnOnce(&Gate) -> Reply) -> TransportError {
    let gate = Gate::new();
    let (_server, options) = http2(reply(&gate)).await;
    let mut answer = send(options, "https://a.test/").await.expect("a head");
    gate.open();
    read(&mut answer).await.expect_err("half a body")
}

async fn http2(reply: Reply) -> (HttpServer, Options) {
    let server = HttpServer::start_tls(Tls::named(["a.test"]).http2()).await;
    server.serve(ANY, ANY, reply);
    let mut options = options(server.addr());
    options.builtin.extra_roots = ca_pem().into_bytes();
    (server, options)
}

#[derive(Debug)]
struct Silent;

impl Resolve for Silent {
    fn resolve<'a>(&'a self, _: &'a str, _: u16) -> Resolving<'a> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn names() {
    let no_address = Fixed::in_turn([Err(ResolveError::no_address())]);
    is(&problem(options_with(no_address), "http://a.test/").await, Failure::Dns, "does not exist, or has no address");
    is(&problem(options_with(Fixed::new([])), "http://a.test/").await, Failure::Dns, "has no address");
    let broken = Fixed::in_turn([Err(ResolveError::failed("nobody knows"))]);
    is(&problem(options_with(broken), "http://a.test/").await, Failure::Dns, "could not be looked up: nobody knows");
    let silent = hurried(options_with(Silent), SILENCE);
    is(&problem(silent, "http://a.test/").await, Failure::Dns, "did not answer within 300ms");
}

#[tokio::test]
async fn connections() {
    let closed = closed_port();
    let nobody = format!("nobody listens at {}", closed.addr());
    is(&problem(options(closed.addr()), "http://a.test/").await, Failure::Connect, &nobody);
    is(&problem(options(closed.addr()), "https://a.test/").await, Failure::Connect, &nobody);
    let (first, second) = (closed_port(), closed_port());
    let several = options_with(Fixed::new([first.addr(), second.addr(), closed.addr()]));
    let detail = format!("nobody listens at {}; 2 more of its addresses did not answer either", first.addr());
    is(&problem(several, "http://a.test/").await, Failure::Connect, &detail);
}

#[tokio::test]
async fn a_dead_address_does_not_hide_a_live_one() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let closed = closed_port();
    let answer = send(options_with(Fixed::new([closed.addr(), server.addr()])), "http://a.test/").await;
    assert_eq!(answer.expect("an answer").peer, Some(server.addr()));
    // An address that does not even refuse gets a head start only.
    let full = Full::new().await;
    let answer = send(options_with(Fixed::new([full.addr(), server.addr()])), "http://a.test/").await;
    assert_eq!(answer.expect("an answer, long before the time is up").peer, Some(server.addr()));
}

/// A listener without room for another connection, so that connecting never ends.
struct Full {
    listener: std::net::TcpListener,
    _waiting: Vec<tokio::net::TcpStream>,
}

impl Full {
    async fn new() -> Self {
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
        let listener = socket.listen(1).expect("a listener").into_std().expect("the same");
        let addr = listener.local_addr().expect("an address");
        let mut waiting = Vec::new();
        // On loopback, connections for which there is room succeed at once.
        let connect = || tokio::time::timeout(Duration::from_millis(200), tokio::net::TcpStream::connect(addr));
        while let Ok(connected) = connect().await {
            waiting.push(connected.expect("a connection"));
        }
        Self { listener, _waiting: waiting }
    }

    fn addr(&self) -> std::net::SocketAddr {
        self.listener.local_addr().expect("an address")
    }
}

#[tokio::test]
async fn time() {
    let full = Full::new().await;
    let detail = format!("no connection to {} within 300ms", full.addr());
    is(&problem(hurried(options(full.addr()), SILENCE), "http://a.test/").await, Failure::Timeout, &detail);

    let server = HttpServer::start().await;
    let hasty = hurried(options(server.addr()), SILENCE);
    server.accept(Accept::Stall);
    is(&problem(hasty.clone(), "http://a.test/").await, Failure::Timeout, "no answer within 300ms");
    is(&problem(hasty.clone(), "https://a.test/").await, Failure::Timeout, "no secure connection within 300ms");

    server.accept(Accept::Serve);
    let heads = [
        Reply::ok(ROBOTS).stall(At::Start),
        Reply::ok(ROBOTS).stall(At::Headers),
        Reply::ok(ROBOTS).drip(At::Start, 1, Duration::from_millis(40)),
    ];
    for reply in heads {
        server.serve(ANY, ANY, reply);
        is(&problem(hasty.clone(), "http://a.test/").await, Failure::Timeout, "no answer within 300ms");
    }
    let bodies = [
        Reply::ok(ROBOTS).stall(At::Body(0)),
        Reply::ok(ROBOTS).stall(At::Body(9)),
        Reply::ok(ROBOTS).chunked(10).stall(At::Body(25)),
        Reply::ok(ROBOTS).until_close().stall(At::Body(9)),
        Reply::ok(ROBOTS).encoded(Coding::Gzip).stall(At::Body(9)),
    ];
    let mut patient = options(server.addr());
    // The head has to arrive within this time, on any machine that runs tests.
    patient.builtin.stall_timeout = 2 * SILENCE;
    for reply in bodies {
        server.serve(ANY, ANY, reply);
        is(&problem(patient.clone(), "http://a.test/").await, Failure::Timeout, "no more of the body within 600ms");
    }
    let (_server, mut options) = http2(Reply::ok(ROBOTS).stall(At::Start)).await;
    options.builtin.stall_timeout = SILENCE;
    is(&problem(options, "https://a.test/").await, Failure::Timeout, "no answer within 300ms");
    let (_server, mut options) = http2(Reply::ok(ROBOTS).stall(At::Body(9))).await;
    options.builtin.stall_timeout = 2 * SILENCE;
    is(&problem(options, "https://a.test/").await, Failure::Timeout, "no more of the body within 600ms");
}

#[tokio::test]
async fn resets() {
    let server = HttpServer::start().await;
    for accept in [Accept::Close, Accept::Reset, Accept::Say("".into()), Accept::Say("HTTP/1.1 200 O".into())] {
        server.accept(accept);
        is(&problem(options(server.addr()), "http://a.test/").await, Failure::Reset, "hung up before it had answered");
    }
    for at in [At::Start, At::Headers] {
        is(&of(Reply::ok(ROBOTS).cut(at)).await, Failure::Reset, "hung up");
        is(&of(Reply::ok(ROBOTS).reset(at)).await, Failure::Reset, "hung up");
        is(&of_http2(Reply::ok(ROBOTS).cut(at)).await, Failure::Reset, "");
        is(&of_http2(Reply::ok(ROBOTS).reset(at)).await, Failure::Reset, "broke off");
        is(&of_http2(Reply::ok(ROBOTS).go_away(at)).await, Failure::Reset, "");
    }
}

#[tokio::test]
async fn bodies_that_break_off() {
    let long = ROBOTS.repeat(1000);
    for body in [ROBOTS, &long] {
        for at in [At::Body(0), At::Body(13), At::Body(body.len() as u64 - 1)] {
            for reply in [Reply::ok(body.to_owned()), Reply::ok(body.to_owned()).chunked(1000)] {
                is(&of(reply.clone().cut(at)).await, Failure::Truncated, "not complete");
                is(&of(reply.reset(at)).await, Failure::Truncated, "not complete");
            }
            let reply = Reply::ok(body.to_owned());
            is(&after_the_head(|gate| reply.clone().hold(at, gate).cut(at)).await, Failure::Truncated, "");
            is(&after_the_head(|gate| reply.clone().hold(at, gate).reset(at)).await, Failure::Truncated, "broke off");
            is(&after_the_head(|gate| reply.hold(at, gate).go_away(at)).await, Failure::Truncated, "broke off");
        }
        is(&of(Reply::ok(body.to_owned()).content_length(body.len() as u64 + 1)).await, Failure::Truncated, "");
        let lie = Reply::ok(body.to_owned()).content_length(body.len() as u64 + 1);
        is(&after_the_head(|gate| lie.hold(At::Body(0), gate)).await, Failure::Truncated, "");
    }
    for bad in [BadChunk::Size, BadChunk::HugeSize, BadChunk::Garbage, BadChunk::Unterminated] {
        is(&of(Reply::ok(ROBOTS).chunked_badly(10, bad)).await, Failure::Truncated, "not complete");
    }
    // Half of a coded stream, in half a body.
    for coding in Coding::ALL {
        is(&of(Reply::ok(ROBOTS).encoded(coding).cut(At::Body(5))).await, Failure::Truncated, "not complete");
        is(&of(Reply::ok(ROBOTS).encoded(coding).chunked(9).cut(At::Body(5))).await, Failure::Truncated, "");
    }
    // The whole coded stream, and further bytes in the body.
    let gzipped = Coding::Gzip.encode(ROBOTS.as_bytes());
    let lie = Reply::ok(gzipped.clone()).header("Content-Encoding", "gzip").content_length(gzipped.len() as u64 + 1);
    is(&of(lie).await, Failure::Truncated, "not complete");
}

#[tokio::test]
async fn answer_that_is_not_http_fails() {
    let server = HttpServer::start().await;
    let said: [&[u8]; 9] = [
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"220 mail.test ESMTP\r\n",
        b"\x15\x03\x01\x00\x02\x02\x0a",
        b"<!doctype html>\n<title>Hello</title>\n",
        b"User-agent: *\nDisallow:\n\n",
        b"HTTP/0.9 200 OK\r\n\r\n",
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
    ];
    for said in said {
        server.accept(Accept::Say(said.into()));
        is(&problem(options(server.addr()), "http://a.test/").await, Failure::InvalidResponse, "not an HTTP head");
    }
    let lines: [&[u8]; 9] = [
        b"Content-Length: -1",
        b"Content-Length: x",
        b"Content-Length: 5, 6",
        b"Content-Length:",
        b"Content-Length: 99999999999999999999999999",
        b"no colon",
        b"X-Nul: a\0b",
        b"Bad Name: x",
        b": no name",
    ];
    for line in lines {
        let reply = Reply::ok(ROBOTS).until_close().header_line(line);
        is(&of(reply).await, Failure::InvalidResponse, "not an HTTP head");
    }
    let twice = Reply::ok(ROBOTS).header("Content-Length", "3");
    is(&of(twice).await, Failure::InvalidResponse, "not an HTTP head");
    let old = Reply::raw(format!("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{ROBOTS}"));
    is(&of(old).await, Failure::InvalidResponse, "not an HTTP head");
    for coding in ["gzip", "gzip, chunked", "chunked, chunked", "identity", "chunked, identity", "x\u{1b}[2J"] {
        let reply = Reply::raw(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n"));
        is(&of(reply).await, Failure::InvalidResponse, "");
    }
    is(&of_http2(Reply::raw("no frames")).await, Failure::Reset, "");
    let server = HttpServer::start_tls(Tls::named(["a.test"]).http2()).await;
    server.accept(Accept::Say("HTTP/1.1 400 Bad Request\r\n\r\n".into()));
    is(&problem(options(server.addr()), "https://a.test/").await, Failure::Tls, "plain HTTP");
}

#[tokio::test]
async fn heads_that_are_too_large() {
    let many = |count| (0..count).fold(Reply::ok(ROBOTS), |reply, nth| reply.header(format!("X-{nth}"), "1"));
    // Fields that the server adds count as well.
    is(&of(many(1001)).await, Failure::InvalidResponse, "more than 1000 header fields");
    is(&of_http2(many(1001)).await, Failure::InvalidResponse, "");
    let long = |length| Reply::ok(ROBOTS).header("X-Long", "x".repeat(length));
    is(&of(long(33_000)).await, Failure::InvalidResponse, "too large");
    is(&of_http2(long(33_000)).await, Failure::InvalidResponse, "");
    is(&of(Reply::status(200).flood(Flood::Line)).await, Failure::InvalidResponse, "too large");
    is(&of(Reply::status(200).flood(Flood::Lines)).await, Failure::InvalidResponse, "too large");

    let server = HttpServer::start().await;
    for reply in [many(101), many(990), long(31_000)] {
        server.serve(ANY, ANY, reply);
        crate::fetch(options(server.addr()), "http://a.test/").await.expect("not too large");
    }
}

#[tokio::test]
async fn codings() {
    for name in ["snappy", "br", "ZSTD", "gzip, br", "gzip, gzip", "identity, x", "br;q=1", "*", "utf-8"] {
        let reply = Reply::ok("data").header("Content-Encoding", name);
        is(&of(reply).await, Failure::Encoding, "Content-Encoding");
    }
    for name in [
        "br",
        "ZSTD",
        "compress",
        "snappy",
        "x-snappy-framed",
        "LZ4",
        "sdch",
        "gzip, br",
        "gzip, gzip",
        "br;q=1",
        "utf-8, br",
        "br, utf-8",
    ] {
        let reply = Reply::ok(ROBOTS).header("Content-Encoding", name);
        is(&of(reply).await, Failure::Encoding, "Content-Encoding");
    }
    let twice = Reply::ok(ROBOTS).encoded(Coding::Gzip).encoded(Coding::Deflate);
    is(&of(twice).await, Failure::Encoding, "more than one Content-Encoding");
    let apart = Reply::ok(ROBOTS).header("Content-Encoding", "gzip").header("Content-Encoding", "deflate");
    is(&of(apart).await, Failure::Encoding, "more than one Content-Encoding");
    for coding in Coding::ALL {
        let claimed = |body: &[u8]| Reply::ok(body.to_vec()).header("Content-Encoding", coding.name());
        // A coded empty file has bytes.
        is(&of(claimed(b"")).await, Failure::Encoding, "empty");
        is(&of(claimed(b"").chunked(5)).await, Failure::Encoding, "empty");
        is(&of(claimed(b"").until_close()).await, Failure::Encoding, "empty");
        is(&of(claimed(b"User-agent: *\nDisallow: /\n")).await, Failure::Encoding, "");
        let coded = coding.encode(ROBOTS.as_bytes());
        for cut in 1..coded.len() {
            let problem = of(claimed(&coded[..cut])).await;
            assert_eq!(problem.failure, Failure::Encoding, "{coding:?} {cut}: {}", problem.detail);
        }
        let more = [&coded[..], b"Disallow: /more\n"].concat();
        is(&of(claimed(&more)).await, Failure::Encoding, "");
        is(&of(claimed(&[&coded[..], b"\0"].concat())).await, Failure::Encoding, "");
    }
}

/// A coding that is none, such as `utf-8`, does not hide a robots.txt. All of the body must be one.
#[tokio::test]
async fn unknown_codings_of_plain_text() {
    let server = HttpServer::start().await;
    for name in ["utf-8", "UTF-8", "none", "aws-chunked", "rot13", "text/plain", "identity, none"] {
        for reply in [Reply::ok(ROBOTS), Reply::ok(ROBOTS).chunked(7), Reply::ok(ROBOTS).until_close()] {
            server.serve(ANY, ANY, reply.header("Content-Encoding", name));
            let (_, body) = crate::fetch(options(server.addr()), "http://a.test/").await.expect(name);
            assert_eq!(body, ROBOTS.as_bytes(), "{name}");
        }
        let gzip = Coding::Gzip.encode(ROBOTS.as_bytes());
        let latin = [ROBOTS.as_bytes(), b"# caf\xE9\n"].concat();
        for body in [
            b"".as_slice(),
            b"Not Found",
            b"<p>user-agent</p>",
            b"dXNlci1hZ2VudDogKg==",
            b"!User-agent: *\nDisallow: /\n\x03",
            // Chunks with their sizes, which part a rule.
            b"12;chunk-signature=0f\r\nUser-agent: *\nDis\r\nb;chunk-signature=1a\r\nallow: /a/\n\r\n0\r\n\r\n",
            b"\r\n1B\r\nUser-agent: *\nDisallow: /\n\r\n0\r\n\r\n",
            &gzip,
            &latin,
        ] {
            let reply = Reply::ok(body.to_vec()).header("Content-Encoding", name);
            is(&of(reply).await, Failure::Encoding, "Content-Encoding");
        }
        let cut = Reply::ok(ROBOTS).content_length(500).header("Content-Encoding", name).cut(At::Body(20));
        is(&of(cut).await, Failure::Truncated, "not complete");
        let long = Reply::ok(ROBOTS.repeat(40_000)).header("Content-Encoding", name);
        is(&of(long).await, Failure::Encoding, "more than");
    }
}

/// RFC 9112 §5.1 and §5.2: a user agent replaces the folding by spaces and ignores white space before the colon, whatever
/// the status.
#[tokio::test]
async fn unusual_fields_are_read() {
    let server = HttpServer::start().await;
    for (status, fields) in [
        ("200 OK", "Content-Security-Policy: default-src self;\r\n\tscript-src self\r\nContent-Length: 3\r\n"),
        ("404 Not Found", "X-A: a\r\n b\r\n  c\r\nContent-Length:\r\n 3\r\n"),
        ("200 OK", "Transfer-Encoding:\r\n chunked\r\n"),
        ("200 OK", "Content-Length \t: 3\r\n"),
    ] {
        let body = if fields.contains("chunked") { "3\r\nabc\r\n0\r\n\r\n" } else { "abc" };
        server.accept(Accept::Say(format!("HTTP/1.1 {status}\r\n{fields}\r\n{body}").into()));
        let (answer, body) = crate::fetch(options(server.addr()), "http://a.test/").await.expect(fields);
        assert_eq!((answer.head.status(), body.as_slice()), (status[..3].parse().unwrap(), &b"abc"[..]));
        assert!(answer.fields.iter().all(|(_, value)| !value.contains(['\r', '\n'])), "{:?}", answer.fields);
    }
    // White space before the first field is no folding, and could hide one.
    for (fields, named) in [
        (" X-A: a", "in the field `X-A`"),
        ("Set-Cookie: a\x01b", "in the field `Set-Cookie`"),
        ("X A: a", "in the field `X A`"),
        ("X-A: a\r\nno colon", "in the line `no colon`"),
    ] {
        server.accept(Accept::Say(format!("HTTP/1.1 200 OK\r\n{fields}\r\nContent-Length: 3\r\n\r\nabc").into()));
        let problem = problem(options(server.addr()), "http://a.test/").await;
        is(&problem, Failure::InvalidResponse, "not an HTTP head");
        assert!(problem.detail.ends_with(named), "{}", problem.detail);
    }
}

/// RFC 9112 §8: a body is complete with its last chunk. Many servers close the connection before the empty line.
#[tokio::test]
async fn the_last_chunk_completes_a_body() {
    let server = HttpServer::start().await;
    let chunked =
        |body: &str| Accept::Say(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}").into());
    for end in ["0\r\n", "000;a=b\r\n"] {
        server.accept(chunked(&format!("3\r\nabc\r\n{end}")));
        let (_, body) = crate::fetch(options(server.addr()), "http://a.test/").await.expect(end);
        assert_eq!(body, b"abc");
    }
    for cut in ["", "0", "0\r", "1\r\n", "8\r\nabc\r\n0\r\n", "9\r\nabc\r\n0\r\n"] {
        server.accept(chunked(&format!("3\r\nabc\r\n{cut}")));
        is(&problem(options(server.addr()), "http://a.test/").await, Failure::Truncated, "");
    }
}

#[tokio::test]
async fn a_coding_does_not_spoil_a_head() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::redirect(301, "/elsewhere").header("Content-Encoding", "gzip, br"));
    let answer = send(options(server.addr()), "http://a.test/").await.expect("an answer");
    assert_eq!(answer.head.status(), 301);
}

#[tokio::test]
async fn schemes() {
    for url in ["gopher://a.test/", "ws://a.test/", "foo://a.test:80/"] {
        let mut options = options_with(Fixed::new([]));
        options.addresses = any();
        is(&problem(options, url).await, Failure::Refused, "");
    }
}
