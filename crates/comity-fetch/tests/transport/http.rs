//! Successful fetches.

use std::time::Duration;

use comity_fetch::transport::{Options, Protocol, Sender};
use comity_policy::{Action, Head, Input, Policy, Site};
use comity_testserver::{ANY, At, Coding, HttpServer, Reply, Tls, ca_pem};

use crate::{NOW, ROBOTS, fetch, options, read, request, send, sender};

#[tokio::test]
async fn a_file_comes_as_it_is() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/robots.txt", Reply::ok(ROBOTS).header("ETag", "\"1\"").header("X-Odd", b"caf\xe9"));
    let (answer, body) = fetch(options(server.addr()), "http://a.test/page").await.expect("a file");
    assert_eq!(String::from_utf8_lossy(&body), ROBOTS);
    assert_eq!(answer.head.status(), 200);
    assert_eq!(answer.head, Head::http(200).with("ETag", b"\"1\"").with("Content-Type", b"text/plain"));
    assert_eq!(answer.peer, Some(server.addr()));
    assert_eq!(answer.protocol, Some(Protocol::Http11));
    assert_eq!(answer.protocol.unwrap().to_string(), "HTTP/1.1");
    let field = |name: &str| answer.fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
    assert_eq!(field("content-length"), Some("34"));
    assert_eq!(field("x-odd"), Some("caf\u{FFFD}"));
}

#[tokio::test]
async fn request_has_the_fields_of_a_crawler() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    fetch(options(server.addr()), "http://user:password@a.test/").await.expect("a file");
    let asked = server.requests().remove(0);
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("GET", "/robots.txt"));
    let fields: Vec<_> =
        asked.headers.iter().map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value))).collect();
    assert_eq!(
        fields,
        [
            "host: a.test",
            "user-agent: TestBot/1.0 (+http://bot.test/)",
            "accept: text/plain,*/*;q=0.8",
            "accept-encoding: gzip, deflate",
            "connection: close",
        ]
    );
}

#[tokio::test]
async fn the_port_is_named_if_it_is_not_the_scheme_s() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    for (url, host) in [
        ("http://a.test:80/", "a.test"),
        ("http://a.test:8080/", "a.test:8080"),
        ("http://a.test./", "a.test"),
        ("http://m\u{fc}ller.test/", "xn--mller-kva.test"),
    ] {
        fetch(options(server.addr()), url).await.expect("a file");
        assert_eq!(
            server.requests().last().and_then(|asked| asked.header("Host").map(String::from)).as_deref(),
            Some(host)
        );
    }
    let url = server.url("/");
    fetch(options(server.addr()), &url).await.expect("a file");
    let asked = server.requests().pop().expect("a request");
    assert_eq!(asked.header("Host"), Some(server.addr().to_string().as_str()));
}

#[tokio::test]
async fn http2_says_the_same() {
    let server = HttpServer::start_tls(Tls::named(["a.test"])).await;
    server.serve("a.test", "/robots.txt", Reply::ok(ROBOTS));
    let mut options = options(server.addr());
    options.builtin.extra_roots = ca_pem().into_bytes();
    let (answer, body) = fetch(options, "https://a.test/").await.expect("a file");
    assert_eq!(String::from_utf8_lossy(&body), ROBOTS);
    assert_eq!((answer.protocol, answer.head.status()), (Some(Protocol::Http2), 200));
    let asked = server.requests().remove(0);
    assert!(asked.http2);
    let names: Vec<_> = asked.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["user-agent", "accept", "accept-encoding"]);
}

#[tokio::test]
async fn a_copy_is_asked_about() {
    let server = HttpServer::start().await;
    let date = "Fri, 15 Jan 2027 08:00:00 GMT";
    let reply = Reply::ok(ROBOTS).header("ETag", "\"v1\"").header("Last-Modified", date).conditional();
    server.serve(ANY, ANY, reply);
    let (first, origin) = request("http://a.test/");
    let sender = sender(options(server.addr()));
    let mut site = Site::new(&origin, Policy::STANDARD).with_revalidation();
    let mut now = NOW;
    let _ = site.poll(now);
    let mut answer = sender.send(&first, &origin).await.expect("an answer");
    site.handle(Input::Head(answer.head.clone()), now);
    site.handle(Input::Bytes(&read(&mut answer).await.expect("a body")), now);
    site.handle(Input::End, now);
    assert_eq!(site.poll(now), Action::Finish);
    let Action::Wait(due) = site.poll(now) else { panic!("expected to wait") };
    now = due;
    let Action::Send(again) = site.poll(now) else { panic!("expected a request") };
    let answer = sender.send(&again, &origin).await.expect("an answer");
    assert_eq!(answer.head.status(), 304);
    let asked = server.requests().pop().expect("a request");
    assert_eq!(asked.header("If-None-Match"), Some("\"v1\""));
    assert_eq!(asked.header("If-Modified-Since"), Some(date));
}

#[tokio::test]
async fn redirects_are_not_followed_and_statuses_are_told() {
    let server = HttpServer::start().await;
    for status in [101, 200, 204, 206, 301, 302, 304, 307, 308, 400, 401, 403, 404, 410, 429, 500, 503, 599, 999] {
        server.serve(ANY, ANY, Reply::redirect(status, "http://b.test/robots.txt"));
        let answer = send(options(server.addr()), "http://a.test/").await.expect("an answer");
        assert_eq!(answer.head.status(), status);
    }
    assert_eq!(server.count("b.test", ANY), 0);
}

#[tokio::test]
async fn every_request_has_a_connection_of_its_own() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(ROBOTS));
    let sender = sender(options(server.addr()));
    for _ in 0..3 {
        let (request, origin) = request("http://a.test/");
        let mut answer = sender.send(&request, &origin).await.expect("an answer");
        read(&mut answer).await.expect("a body");
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn dropped_answer_closes_its_connection() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok("").endless("User-agent: *\n"));
    let mut answer = send(options(server.addr()), "http://a.test/").await.expect("an answer");
    answer.body.chunk().await.expect("bytes").expect("more than none");
    assert_eq!(server.open_connections(), 1);
    drop(answer);
    for _ in 0..6_000 {
        if server.open_connections() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the connection is still open");
}

#[tokio::test]
async fn bodies_end_in_every_way_that_is_right() {
    let server = HttpServer::start().await;
    let cases = [
        Reply::ok(ROBOTS),
        Reply::ok(ROBOTS).chunked(7),
        Reply::ok(ROBOTS).until_close(),
        Reply::ok(ROBOTS).interim(103).interim(100),
        Reply::ok(ROBOTS)
            .header("Transfer-Encoding", "Chunked")
            .until_close()
            .body("22\r\n".to_owned() + ROBOTS + "\r\n0\r\n\r\n"),
        Reply::ok(ROBOTS).drip(At::Start, 50, Duration::from_millis(5)),
        Reply::ok(ROBOTS).header("Content-Encoding", "identity"),
        Reply::ok(ROBOTS).trailing("HTTP/1.1 200 OK\r\n\r\n"),
        Reply::ok(format!("{ROBOTS}more")).content_length(ROBOTS.len() as u64),
    ];
    for reply in cases {
        server.serve(ANY, ANY, reply.clone());
        let (_, body) =
            fetch(options(server.addr()), "http://a.test/").await.unwrap_or_else(|e| panic!("{reply:?}: {e}"));
        assert_eq!(String::from_utf8_lossy(&body), ROBOTS, "{reply:?}");
    }
    server.serve(ANY, ANY, Reply::raw(format!("HTTP/1.0 200 OK\r\n\r\n{ROBOTS}")));
    let (answer, body) = fetch(options(server.addr()), "http://a.test/").await.expect("a file");
    assert_eq!((answer.protocol, String::from_utf8_lossy(&body).as_ref()), (Some(Protocol::Http10), ROBOTS));
}

#[tokio::test]
async fn empty_bodies_are_empty() {
    let server = HttpServer::start().await;
    for reply in [Reply::ok(""), Reply::ok("").chunked(10), Reply::ok("").until_close(), Reply::status(204)] {
        server.serve(ANY, ANY, reply.clone());
        let (_, body) =
            fetch(options(server.addr()), "http://a.test/").await.unwrap_or_else(|e| panic!("{reply:?}: {e}"));
        assert!(body.is_empty());
    }
}

#[tokio::test]
async fn every_coding_is_undone() {
    let server = HttpServer::start().await;
    let long = ROBOTS.repeat(3_000);
    for coding in Coding::ALL {
        for reply in [
            Reply::ok(long.clone()).encoded(coding),
            Reply::ok(long.clone()).encoded(coding).chunked(100),
            Reply::ok(long.clone()).encoded(coding).until_close(),
        ] {
            server.serve(ANY, ANY, reply);
            let (answer, body) = fetch(options(server.addr()), "http://a.test/").await.expect("a file");
            assert!(body == long.as_bytes(), "{coding:?}");
            let coded =
                answer.fields.iter().find(|(name, _)| name == "content-encoding").map(|(_, value)| value.as_str());
            assert_eq!(coded, Some(coding.name()), "as it came");
        }
        // One byte at a time: decoders must not need more.
        server.serve(ANY, ANY, Reply::ok(ROBOTS).encoded(coding).drip(At::Body(0), 1, Duration::ZERO));
        let (_, body) = fetch(options(server.addr()), "http://a.test/").await.expect("a file");
        assert_eq!(String::from_utf8_lossy(&body), ROBOTS, "{coding:?}");
    }
    for name in ["x-gzip", "GZIP", " gzip , identity", ", gzip"] {
        server.serve(ANY, ANY, Reply::ok(Coding::Gzip.encode(ROBOTS.as_bytes())).header("Content-Encoding", name));
        let (_, body) = fetch(options(server.addr()), "http://a.test/").await.expect("a file");
        assert_eq!(String::from_utf8_lossy(&body), ROBOTS, "{name}");
    }
    // Several members are one file (RFC 1952 §2.2).
    let (half, rest) = ROBOTS.as_bytes().split_at(9);
    let members = [Coding::Gzip.encode(half), Coding::Gzip.encode(rest)].concat();
    server.serve(ANY, ANY, Reply::ok(members).header("Content-Encoding", "gzip"));
    let (_, body) = fetch(options(server.addr()), "http://a.test/").await.expect("a file");
    assert_eq!(String::from_utf8_lossy(&body), ROBOTS);
}

#[tokio::test]
async fn bombs_are_read_bit_by_bit() {
    let server = HttpServer::start().await;
    for coding in Coding::ALL {
        server.serve(ANY, ANY, Reply::ok("").zeros(1 << 21).encoded(coding));
        let mut answer = send(options(server.addr()), "http://a.test/").await.expect("an answer");
        let mut read = 0;
        while read <= 512_000 {
            let bytes = answer.body.chunk().await.expect("good so far").expect("there is more");
            assert!(bytes.len() <= 64 * 1024, "{coding:?}: {} at once", bytes.len());
            read += bytes.len();
        }
    }
}

#[tokio::test]
async fn a_user_agent_is_needed() {
    for agent in ["", " ", "\t", "a\nb", "a\0", "caf\u{e9}"] {
        let error = Sender::new(Options::new(agent)).expect_err("nobody asks");
        assert!(error.is_user_agent() && error.to_string().contains("expected a user agent"), "{error}");
    }
    let mut options = Options::new("TestBot");
    options.builtin.extra_roots = b"no certificate".to_vec();
    let error = Sender::new(options.clone()).expect_err("no certificate");
    assert!(error.is_extra_roots(), "{error}");
    options.builtin.extra_roots = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_vec();
    let error = Sender::new(options).expect_err("no certificate");
    assert!(error.is_extra_roots());
    let source = std::error::Error::source(&error).expect("the error of the TLS library").to_string();
    assert_eq!(error.to_string(), format!("expected certificates in PEM as extra roots: {source}"));
}
