//! Input that is not HTTP, and HTTP that two parsers could interpret differently (request smuggling).

use std::io::Write;

use crate::hostile::besiege;

/// The request that an attacker would smuggle.
const SMUGGLED: &str = "GET /v1/crawlers/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Invalid heads. Text after one of them must never be parsed as a request.
const WRONG: &[&str] = &[
    // Two lengths, or an invalid one.
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2, 3\r\n\r\n{}",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: +2\r\n\r\n{}",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n{}",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 0x2\r\n\r\n{}",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length : 2\r\n\r\n{}",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length\r\n : 2\r\n\r\n{}",
    // A length and chunks: parsers disagree on the end of the body (RFC 9112 §6.3).
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    // Transfer codings that are unknown, or with `chunked` not last.
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    // Invalid chunks.
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZ\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}xx0\r\n\r\n",
    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n\r\n",
    // Invalid header fields.
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n folded\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n X: folded at once\r\nHost: localhost\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX\0: a\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rGET / HTTP/1.1\r\n\r\n",
    "GET /healthz HTTP/1.1\rHost: localhost\r\r",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n: no name\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nna me: a\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nn\u{E4}me: a\r\n\r\n",
    // Invalid request lines.
    "GET /healthz\r\n\r\n",
    "GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /healthz HTTP/1.1 \r\nHost: localhost\r\n\r\n",
    "GET /healthz HTTP/3.7\r\nHost: localhost\r\n\r\n",
    "GET /healthz http/1.1\r\nHost: localhost\r\n\r\n",
    "GET /health\0z HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /health z HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "G\0T /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "\0\0\0\0\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{FC}\u{3}\u{3}\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
    // Requests with a missing or ambiguous host.
    "GET /v1/service HTTP/1.1\r\n\r\n",
    "GET /v1/service HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    "GET /v1/service HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n\r\n",
    "GET /v1/service HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n",
    "GET http://evil.example/v1/service HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /v1/service HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n",
];

/// Returns true if the head is a complete request for another host. Text after it is another request.
fn is_whole(wrong: &str) -> bool {
    wrong.contains(" /v1/service ") || wrong.contains("evil.example/v1/service")
}

#[test]
fn invalid_request_is_refused_and_smuggles_nothing() {
    besiege(&["--head-timeout", "1s", "--body-timeout", "1s"], |service| {
        let mut wrong_ones = Vec::new();
        for wrong in WRONG {
            let mut client = service.client();
            client.stream.write_all(wrong.as_bytes()).unwrap();
            if !is_whole(wrong) {
                // The connection may already be closed.
                let _ = client.stream.write_all(SMUGGLED.as_bytes());
            }
            let _ = client.stream.shutdown(std::net::Shutdown::Write);
            let heard = String::from_utf8_lossy(&client.rest()).into_owned();
            let answers: Vec<&str> = heard.lines().filter(|line| line.starts_with("HTTP/1.")).collect();
            let is_refused = match answers[..] {
                [] => true,
                // With a length and chunks, chunks may be used if the connection is closed afterward (RFC 9112 §6.1).
                [only] if wrong.starts_with("GET /healthz") && wrong.contains("chunked") => only.contains(" 200 "),
                [only] => only.split(' ').nth(1).is_some_and(|status| status.starts_with('4')),
                _ => false,
            };
            if !is_refused || heard.contains("smuggled") {
                wrong_ones.push(format!("{wrong:?}: {answers:?}"));
            }
        }
        assert!(wrong_ones.is_empty(), "{}", wrong_ones.join("\n"));
    });
}

#[test]
fn heads_that_are_too_long() {
    besiege(&[], |service| {
        for request in [
            format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(1 << 20)),
            format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(1 << 20)),
            format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(1 << 17)),
            format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}: x\r\n\r\n", "x".repeat(1 << 20)),
            format!("{} / HTTP/1.1\r\nHost: localhost\r\n\r\n", "G".repeat(1 << 20)),
            "\r\n".repeat(1 << 19),
            "x".repeat(1 << 20),
        ] {
            let mut client = service.client();
            // The service stops reading eventually, so errors are ignored.
            let _ = client.stream.write_all(request.as_bytes());
            let _ = client.stream.shutdown(std::net::Shutdown::Write);
            let heard = client.rest();
            let start = String::from_utf8_lossy(&heard[..heard.len().min(20)]).into_owned();
            assert!(heard.is_empty() || heard.starts_with(b"HTTP/1.1 4"), "{start}");
        }
    });
}
