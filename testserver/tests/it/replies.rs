//! Replies on the wire, without faults during transmission.

use std::io::Read;

use crate::client::{Client, End, Seen, ask, asked};
use comity_testserver::{ANY, BadChunk, Coding, Flood, HttpServer, Reply};

/// Returns the response, which has a correct length.
async fn seen(reply: Reply) -> Seen {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, reply);
    ask(&server).await
}

/// Expects all bytes of the response.
async fn expect(reply: Reply, end: End, response: &str) {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, reply);
    asked(&server).await.expect(response, end).await;
}

#[tokio::test]
async fn an_honest_reply() {
    let reply = Reply::ok("Disallow:\n").header("Cache-Control", "max-age=60");
    expect(
        reply,
        End::Silent,
        "HTTP/1.1 200 \r\nContent-Type: text/plain\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nDisallow:\n",
    )
    .await;
}

#[tokio::test]
async fn statuses() {
    expect(Reply::status(404), End::Silent, "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n").await;
    expect(Reply::status(0), End::Silent, "HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n").await;
    expect(Reply::status(999), End::Silent, "HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n").await;
    expect(Reply::status(204), End::Silent, "HTTP/1.1 204 \r\n\r\n").await;
    expect(Reply::status(304), End::Silent, "HTTP/1.1 304 \r\n\r\n").await;
    expect(Reply::status(204).body("x"), End::Silent, "HTTP/1.1 204 \r\nContent-Length: 1\r\n\r\nx").await;
    expect(Reply::status(100), End::Closed, "HTTP/1.1 100 \r\n\r\n").await;
    expect(Reply::status(103), End::Closed, "HTTP/1.1 103 \r\n\r\n").await;
    let early = Reply::status(404).interim(103).interim(100);
    expect(early, End::Silent, "HTTP/1.1 103 \r\n\r\nHTTP/1.1 100 \r\n\r\nHTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n")
        .await;
}

#[tokio::test]
async fn status_lines_that_are_none() {
    expect(Reply::raw("User-agent: *\n"), End::Closed, "User-agent: *\n").await;
    let old = Reply::status(200).status_line("HTTP/0.9 200 OK");
    expect(old, End::Silent, "HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n").await;
}

#[tokio::test]
async fn redirects() {
    let reply = Reply::redirect(301, "http://b.test/");
    expect(reply, End::Silent, "HTTP/1.1 301 \r\nLocation: http://b.test/\r\nContent-Length: 0\r\n\r\n").await;
    let seen = seen(Reply::redirect(302, b"/\xff\x00")).await;
    assert!(seen.bytes.windows(14).any(|w| w == b"Location: /\xff\x00\r"));
}

#[tokio::test]
async fn headers_of_all_kinds() {
    let mut reply = Reply::status(200).header("A", "1").header("A", "2").header_line("no colon").header_line(" folded");
    for n in 0..1000 {
        reply = reply.header(format!("N{n}"), n.to_string());
    }
    let seen = seen(reply).await;
    assert!(seen.text().starts_with("HTTP/1.1 200 \r\nA: 1\r\nA: 2\r\nno colon\r\n folded\r\nN0: 0\r\n"));
    assert_eq!(seen.header("N999").unwrap(), "999");
}

#[tokio::test]
async fn lies_about_the_length() {
    let long = Reply::status(200).body("abc").content_length(9);
    expect(long, End::Closed, "HTTP/1.1 200 \r\nContent-Length: 9\r\n\r\nabc").await;
    let short = Reply::status(200).body("abc").content_length(1);
    expect(short, End::Closed, "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nabc").await;
    let two = Reply::status(200).body("abc").header("Content-Length", "2");
    expect(two, End::Silent, "HTTP/1.1 200 \r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc").await;
    let none = Reply::status(200).body("abc").until_close();
    expect(none, End::Closed, "HTTP/1.1 200 \r\n\r\nabc").await;
    let garbage = Reply::status(200).body("abc").trailing("HTTP/1.1 200 \r\n");
    expect(garbage, End::Silent, "HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 \r\n").await;
}

#[tokio::test]
async fn chunks() {
    let chunked = "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n";
    let reply = Reply::status(200).body("abcdefghijklmnop");
    let well = "a\r\nabcdefghij\r\n6\r\nklmnop\r\n0\r\n\r\n";
    expect(reply.clone().chunked(10), End::Silent, &format!("{chunked}{well}")).await;
    for (bad, body) in [
        (BadChunk::Size, "a\r\nabcdefghij\r\nzz\r\nklmnop\r\n0\r\n\r\n"),
        (BadChunk::HugeSize, "a\r\nabcdefghij\r\nFFFFFFFFFFFFFFFFF\r\nklmnop\r\n0\r\n\r\n"),
        (BadChunk::Garbage, "a\r\nabcdefghij\r\n6\r\nklmnop??0\r\n\r\n"),
        (BadChunk::Unterminated, "a\r\nabcdefghij\r\n6\r\nklmnop\r\n"),
    ] {
        expect(reply.clone().chunked_badly(10, bad), End::Closed, &format!("{chunked}{body}")).await;
    }
    let short = reply.clone().chunked_badly(16, BadChunk::Size);
    expect(short, End::Closed, &format!("{chunked}10\r\nabcdefghijklmnop\r\nzz\r\nbad\r\n")).await;
}

fn decoder<'a>(coding: Coding, bytes: &'a [u8]) -> Box<dyn Read + 'a> {
    match coding {
        Coding::Gzip => Box::new(flate2::read::GzDecoder::new(bytes)),
        Coding::Deflate => Box::new(flate2::read::ZlibDecoder::new(bytes)),
        Coding::BareDeflate => Box::new(flate2::read::DeflateDecoder::new(bytes)),
        _ => unreachable!("a new coding"),
    }
}

fn decode(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    decoder(coding, bytes).read_to_end(&mut decoded).unwrap();
    decoded
}

#[tokio::test]
async fn codings() {
    for coding in Coding::ALL {
        let seen = seen(Reply::ok("User-agent: *\nDisallow: /\n").encoded(coding)).await;
        assert_eq!(seen.header("Content-Encoding").unwrap(), coding.name());
        assert_eq!(seen.header("Content-Length").unwrap(), seen.body().len().to_string());
        assert_eq!(decode(coding, seen.body()), b"User-agent: *\nDisallow: /\n", "{coding:?}");
    }
    let nested = seen(Reply::ok("abc").encoded(Coding::Gzip).encoded(Coding::Deflate)).await;
    assert_eq!(nested.header("Content-Encoding").unwrap(), "gzip, deflate");
    assert_eq!(decode(Coding::Gzip, &decode(Coding::Deflate, nested.body())), b"abc");
}

/// Checks that the full size arrives, at the ratio of a bomb.
#[tokio::test]
async fn bombs() {
    const SIZE: u64 = 32 << 20;
    for coding in Coding::ALL {
        let seen = seen(Reply::status(200).zeros(SIZE).encoded(coding).until_close()).await;
        assert_eq!(seen.end, Some(End::Closed));
        assert!((seen.body().len() as u64) < SIZE / 500, "{coding:?}: {}", seen.body().len());
        let mut decoder = decoder(coding, seen.body());
        assert_eq!(std::io::copy(&mut decoder, &mut std::io::sink()).unwrap(), SIZE, "{coding:?}");
    }
}

/// Sends a PiB, of which the client reads the first bytes: they must not wait for the rest.
#[tokio::test]
async fn bombs_are_made_while_they_are_sent() {
    for coding in Coding::ALL {
        let server = HttpServer::start().await;
        server.serve(ANY, ANY, Reply::status(200).zeros(1 << 50).encoded(coding));
        let seen = asked(&server).await.read(500).await;
        assert_eq!(seen.end, None, "{coding:?}");
    }
}

#[tokio::test]
async fn without_end() {
    for (reply, prefix, repeated) in [
        (Reply::status(200).endless("abc").until_close(), "HTTP/1.1 200 \r\n\r\n", "abcabcabc"),
        (Reply::status(200).flood(Flood::Line), "HTTP/1.1 200 \r\nContent-Length: 0\r\nX-Flood: ", "aaa"),
        (
            Reply::status(200).flood(Flood::Lines),
            "HTTP/1.1 200 \r\nContent-Length: 0\r\nX-Flood-0: a\r\n",
            "X-Flood-9999: a\r\nX-Flood-10000: a\r\n",
        ),
        (Reply::status(200).flood(Flood::Interim), "HTTP/1.1 103 \r\nLink: </a>\r\n\r\n", "HTTP/1.1 103 \r\n"),
    ] {
        let server = HttpServer::start().await;
        server.serve(ANY, ANY, reply);
        let seen = asked(&server).await.read(5_000_000).await;
        assert_eq!(seen.end, None);
        assert!(seen.text().starts_with(prefix), "{prefix}");
        assert!(seen.text().contains(repeated));
    }
}

#[tokio::test]
async fn conditional_requests() {
    let server = HttpServer::start().await;
    let date = "Tue, 01 Sep 2026 10:00:00 GMT";
    let reply = Reply::ok("abc").header("ETag", "\"v1\"").header("Last-Modified", date);
    server.serve("a.test", "/", reply.clone().conditional());
    server.serve("a.test", "/always", reply);
    for (path, field, status) in [
        ("/", "If-None-Match: \"v1\"", 304),
        ("/", "If-None-Match: \"v0\", \"v1\"", 304),
        ("/", "If-None-Match: *", 304),
        ("/", "If-None-Match: \"v0\"", 200),
        ("/", "If-Modified-Since: Tue, 01 Sep 2026 10:00:00 GMT", 304),
        ("/", "If-Modified-Since: Tue, 01 Sep 2026 09:00:00 GMT", 200),
        ("/", "If-None-Match: \"v0\"\r\nIf-Modified-Since: Tue, 01 Sep 2026 10:00:00 GMT", 200),
        ("/always", "If-None-Match: \"v1\"", 200),
    ] {
        let mut client = Client::connect(&server).await;
        client.send(&format!("GET {path} HTTP/1.1\r\nHost: a.test\r\n{field}\r\n\r\n")).await;
        let seen = client.response().await;
        assert!(seen.text().starts_with(&format!("HTTP/1.1 {status} ")), "{path} {field}: {}", seen.text());
        assert_eq!(seen.header("ETag").unwrap(), "\"v1\"");
        assert_eq!(seen.body(), if status == 304 { "" } else { "abc" }.as_bytes());
    }
}
