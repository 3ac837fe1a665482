//! The choice of replies, and the log of requests.

use crate::client::{Client, End, ask};
use comity_testserver::{ANY, HttpServer, Reply};
use std::net::Ipv6Addr;

async fn body(server: &HttpServer, host: &str, path: &str) -> String {
    let mut client = Client::connect(server).await;
    client.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await;
    let seen = client.read(usize::MAX).await;
    assert_eq!(seen.end, Some(End::Closed));
    String::from_utf8(seen.body().to_vec()).unwrap()
}

#[tokio::test]
async fn sites_are_told_apart() {
    let server = HttpServer::start().await;
    assert!(ask(&server).await.text().starts_with("HTTP/1.1 404 "));
    server.serve("a.test", "/", Reply::ok("a"));
    server.serve("a.test", ANY, Reply::ok("a, any path"));
    server.serve("B.test", "/x?y=1", Reply::ok("b"));
    server.serve(ANY, "/", Reply::ok("any host"));
    server.serve(ANY, ANY, Reply::ok("any"));
    server.serve("[::1]", ANY, Reply::ok("six"));
    for (host, path, expected) in [
        ("a.test", "/", "a"),
        ("A.TEST:8080", "/", "a"),
        ("a.test", "/x", "a, any path"),
        ("b.test", "/x?y=1", "b"),
        ("b.test", "/x", "any"),
        ("b.test", "/", "any host"),
        ("[::1]:80", "/", "six"),
        ("", "/", "any host"),
    ] {
        assert_eq!(body(&server, host, path).await, expected, "{host}{path}");
    }
    server.serve("a.test", "/", Reply::ok("new"));
    assert_eq!(body(&server, "a.test", "/").await, "new");
}

#[tokio::test]
async fn proxies_are_asked_for_whole_urls() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/x", Reply::ok("a"));
    assert_eq!(body(&server, "proxy.test", "http://A.test:80/x").await, "a");
}

#[tokio::test]
async fn replies_in_turn() {
    let server = HttpServer::start().await;
    server.serve_in_turn("a.test", "/", [Reply::ok("1"), Reply::ok("2"), Reply::ok("3")]);
    for expected in ["1", "2", "3", "3", "3"] {
        assert_eq!(body(&server, "a.test", "/").await, expected);
    }
}

#[tokio::test]
async fn replies_made_from_the_request() {
    let server = HttpServer::start().await;
    server.serve_with(ANY, ANY, |request| Reply::ok(format!("{}{}", request.host, request.path)));
    assert_eq!(body(&server, "a.test", "/x?y").await, "a.test/x?y");
}

#[tokio::test]
async fn requests_are_remembered() {
    let server = HttpServer::start().await;
    server.serve("b.test", "/2", Reply::status(200).body("unseen"));
    let mut client = Client::connect(&server).await;
    // Pipelined.
    client
        .send("GET /1 HTTP/1.1\r\nHost: a.test\r\nUser-Agent: x\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: b.test\r\n\r\n")
        .await;
    let heads = "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 \r\nContent-Length: 6\r\n\r\n";
    client.expect(heads, End::Silent).await;
    client.ask("a.test", "/1").await;
    client.response().await;
    let requests = server.requests();
    let short: Vec<_> = requests.iter().map(|r| (r.method.as_str(), r.host.as_str(), r.path.as_str())).collect();
    assert_eq!(short, [("GET", "a.test", "/1"), ("HEAD", "b.test", "/2"), ("GET", "a.test", "/1")]);
    assert_eq!(requests[0].headers, [("Host".into(), b"a.test".to_vec()), ("User-Agent".into(), b"x".to_vec())]);
    assert_eq!(requests[0].header("user-agent"), Some("x"));
    assert_eq!(requests[0].peer, client.0.local_addr().unwrap());
    assert!(requests.iter().all(|r| r.connection == 1 && !r.http2));
    assert!(requests[0].at <= requests[1].at && requests[1].at <= requests[2].at);
    assert_eq!(server.count("a.test", "/1"), 2);
    assert_eq!((server.count("a.test", ANY), server.count(ANY, "/2"), server.count(ANY, ANY)), (2, 1, 3));
    assert_eq!((server.count("b.test", "/1"), server.count("c.test", ANY)), (0, 0));
    assert_eq!((server.connections(), server.open_connections()), (1, 1));
    ask(&server).await;
    assert_eq!((server.requests()[3].connection, server.connections()), (2, 2));
    server.clear_requests();
    assert_eq!((server.requests().len(), server.count(ANY, ANY)), (0, 0));
}

#[tokio::test]
async fn connections_are_kept_as_http_says() {
    let server = HttpServer::start().await;
    server.serve(ANY, "/", Reply::status(204));
    server.serve(ANY, "/close", Reply::status(204).header("Connection", "close"));
    let (open, close) = ("HTTP/1.1 204 \r\n\r\n", "HTTP/1.1 204 \r\nConnection: close\r\n\r\n");
    for (request, reply, end) in [
        ("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", open, End::Silent),
        ("GET /close HTTP/1.1\r\nHost: a.test\r\n\r\n", close, End::Closed),
        ("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n", open, End::Closed),
        ("GET / HTTP/1.0\r\n\r\n", open, End::Closed),
        ("nonsense\r\n\r\n", "", End::Closed),
    ] {
        let mut client = Client::connect(&server).await;
        client.send(request).await;
        client.expect(reply, end).await;
    }
}

#[tokio::test]
async fn other_addresses() {
    let server = HttpServer::start_at(([127, 1, 2, 3], 0)).await.unwrap();
    assert!(server.url("/x").starts_with("http://127.1.2.3:"));
    assert_eq!(server.url_of("a.test", "/x"), format!("http://a.test:{}/x", server.addr().port()));
    assert!(ask(&server).await.text().starts_with("HTTP/1.1 404 "));
    match HttpServer::start_at((Ipv6Addr::LOCALHOST, 0)).await {
        Ok(server) => {
            assert!(server.url("/").starts_with("http://[::1]:"));
            assert!(ask(&server).await.text().starts_with("HTTP/1.1 404 "));
        }
        Err(error) => eprintln!("SKIPPED: ::1 is not there: {error}"),
    }
}
