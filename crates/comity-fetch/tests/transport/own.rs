//! A custom transport, and the checks that the client makes for any transport.

use std::sync::Arc;
use std::time::Duration;

use comity_fetch::transport::{
    Chunk, End, NextChunk, Options, Protocol, ResponseBody, Sending, Transport, TransportError, TransportRequest,
    TransportResponse,
};
use comity_fetch::{Client, Failure};
use http::HeaderMap;

use crate::{ROBOTS, fetch, is, problem, sender};

/// Returns the same response to all requests.
#[derive(Clone, Debug)]
struct Canned {
    headers: &'static str,
    chunks: Vec<Result<Chunk, TransportError>>,
    protocol: Option<Protocol>,
}

struct Chunks(std::vec::IntoIter<Result<Chunk, TransportError>>);

impl ResponseBody for Chunks {
    fn next_chunk(&mut self) -> NextChunk<'_> {
        let next = self.0.next().expect("nobody asks again after the end");
        Box::pin(async { next })
    }
}

impl Transport for Canned {
    fn send<'a>(&'a self, request: &'a TransportRequest<'a>) -> Sending<'a> {
        assert_eq!(request.headers["user-agent"], "TestBot/1.0");
        let mut headers = HeaderMap::new();
        for (name, value) in self.headers.lines().map(|line| line.split_once(": ").expect("Name: value")) {
            headers.append(name, value.parse().expect("a value"));
        }
        let mut response = TransportResponse::new(200, headers, Chunks(self.chunks.clone().into_iter()));
        response.protocol = self.protocol;
        Box::pin(async { Ok(response) })
    }
}

fn options(headers: &'static str, bodies: &[&str], end: End) -> Options {
    let bytes = bodies.iter().map(|bytes| Ok(Chunk::Bytes(bytes.as_bytes().to_vec())));
    let chunks = bytes.chain([Ok(Chunk::End(end))]).collect();
    let mut options = Options::new("TestBot/1.0");
    options.transport = Some(Arc::new(Canned { headers, chunks, protocol: None }));
    options
}

const URL: &str = "https://a.test/";

#[tokio::test]
async fn an_end_needs_evidence() {
    let length = "Content-Length: 34";
    assert_eq!(ROBOTS.len(), 34);
    for (headers, end) in [
        ("", End::Verified),
        ("", End::Closed),
        (length, End::Verified),
        (length, End::Closed),
        (length, End::Unverified),
        ("Content-Length: 34\nContent-Length: 34", End::Unverified),
        ("Transfer-Encoding: chunked\nContent-Length: 5", End::Verified),
    ] {
        let (answer, body) = fetch(options(headers, &["", ROBOTS], end), URL).await.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((answer.head.status(), body.as_slice()), (200, ROBOTS.as_bytes()), "{headers}: {end:?}");
    }
    for (headers, bodies, end) in [
        ("", &[ROBOTS][..], End::Unverified),
        ("", &[], End::Unverified),
        (length, &[], End::Unverified),
        (length, &[&ROBOTS[..20]], End::Unverified),
        (length, &[ROBOTS, "\n"], End::Unverified),
        (length, &[&ROBOTS[..20]], End::Verified),
        (length, &[&ROBOTS[..20]], End::Closed),
        ("Transfer-Encoding: chunked", &[ROBOTS], End::Unverified),
    ] {
        is(&problem(options(headers, bodies, end), URL).await, Failure::Truncated, "not complete");
    }
}

#[tokio::test]
async fn heads_and_codings_are_the_clients() {
    for (headers, failure) in [
        ("Content-Length: many", Failure::InvalidResponse),
        ("Content-Length: +34", Failure::InvalidResponse),
        ("Content-Length: 34\nContent-Length: 5", Failure::InvalidResponse),
        ("Transfer-Encoding: gzip, chunked", Failure::InvalidResponse),
        ("Content-Encoding: gzip", Failure::Encoding),
        ("Content-Encoding: gzip, gzip", Failure::Encoding),
    ] {
        is(&problem(options(headers, &[ROBOTS], End::Verified), URL).await, failure, "");
    }
    let many = "X: y\n".repeat(1001);
    let many = options(many.leak(), &[ROBOTS], End::Verified);
    is(&problem(many, URL).await, Failure::InvalidResponse, "too large");
    // The address rules for URLs, which are checked before the transport is called.
    for url in ["http://127.0.0.1/", "http://[::1]/", "http://a.test:25/"] {
        is(&problem(options("", &[ROBOTS], End::Verified), url).await, Failure::Refused, "");
    }
}

#[tokio::test]
async fn a_body_stays_broken() {
    let mut options = options("", &[], End::Verified);
    let broken = Err(TransportError::new(Failure::Reset, "it broke"));
    options.transport =
        Some(Arc::new(Canned { headers: "", chunks: vec![Ok(Chunk::Bytes(b"x".to_vec())), broken], protocol: None }));
    is(&problem(options, URL).await, Failure::Reset, "it broke");
}

#[tokio::test]
async fn ftp_is_no_business_of_a_transport_of_http() {
    let (request, origin) = crate::request("ftp://a.test/");
    let sent = sender(options("", &[ROBOTS], End::Verified)).send(&request, &origin).await;
    is(&sent.expect_err("no such scheme"), Failure::Refused, "by ftp:");
}

#[test]
fn options_without_effect_are_refused() {
    let canned = || Arc::new(Canned { headers: "", chunks: Vec::new(), protocol: None });
    let client = || Client::builder("TestBot/1.0").transport(canned());
    assert!(client().build().is_ok());
    let proxied = client().proxy("http://127.0.0.1:1".parse().expect("a proxy")).build();
    assert!(proxied.expect_err("it would not be used").to_string().starts_with("`proxy` is an option of the built-in"));
    assert!(client().stall_timeout(Duration::from_secs(1)).build().is_err());
    assert!(client().connect_timeout(Duration::from_secs(1)).build().is_err());
    assert!(client().extra_roots(*b"-").build().is_err());
}
