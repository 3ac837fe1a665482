//! The example among servers that answer, redirect, fail and break off.

use comity::{Crawler, Origin, Robots};
use comity_policy::{Access, Event, Failure, Policy, Ruling, Site};
use comity_testserver::{ANY, HttpServer, Reply};
use comity_ureq_sans_io::Fetcher;

const RULES: &str = "User-agent: *\nDisallow: /private/\n";

/// Fetches the server's robots.txt. ureq blocks, and the server runs on another thread.
async fn fetch(server: &HttpServer) -> (Ruling, Site) {
    let origin = Origin::of(&server.url("/")).unwrap();
    let mut site = Site::new(&origin, Policy::STANDARD);
    tokio::task::spawn_blocking(move || (Fetcher::new("ExampleBot/1.0").ruling(&mut site), site)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_fetched_once_and_decides() {
    let server = HttpServer::start().await;
    server.serve(ANY, "/robots.txt", Reply::redirect(302, "/moved"));
    server.serve(ANY, "/moved", Reply::ok(RULES));
    let (ruling, mut site) = fetch(&server).await;
    assert_eq!((ruling.event, ruling.access), (Event::Found, Access::Rules));
    let copy = site.record().copy.clone().expect("a copy");
    let robots = Robots::parse(&copy.body);
    let me = Crawler::token("ExampleBot").unwrap();
    assert!(robots.check(&me, "/private/x").is_disallowed() && robots.check(&me, "/").is_allowed());

    let again = tokio::task::spawn_blocking(move || Fetcher::new("ExampleBot/1.0").ruling(&mut site)).await.unwrap();
    assert_eq!(again, ruling);
    assert_eq!(server.requests().len(), 2, "the file and its redirect, once");
    assert_eq!(server.requests()[0].header("User-Agent"), Some("ExampleBot/1.0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_result_means_what_the_policy_says() {
    for (reply, event, access) in [
        (Reply::status(404), Event::Status(404), Access::AllowAll),
        (Reply::status(503), Event::Status(503), Access::DisallowAll),
        (Reply::redirect(301, "/robots.txt"), Event::RedirectLoop, Access::AllowAll),
    ] {
        let server = HttpServer::start().await;
        server.serve(ANY, "/robots.txt", reply);
        let (ruling, _) = fetch(&server).await;
        assert_eq!((ruling.event, ruling.access), (event, access));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn coded_bodies_are_failures() {
    // Read as text, it would be a file without rules.
    let coded = b"\x1f\x8b\x08\x00\x00\x00\x00\x00".to_vec();
    for coding in ["gzip", "identity, br"] {
        let server = HttpServer::start().await;
        server.serve(ANY, "/robots.txt", Reply::ok(coded.clone()).header("Content-Encoding", coding));
        let (ruling, _) = fetch(&server).await;
        assert_eq!((ruling.event, ruling.access), (Event::Failed(Failure::Encoding), Access::DisallowAll), "{coding}");
    }
    let server = HttpServer::start().await;
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    server.serve(ANY, "/robots.txt", Reply::raw(chunked));
    assert_eq!(fetch(&server).await.0.event, Event::Failed(Failure::Encoding));
    let server = HttpServer::start().await;
    server.serve(ANY, "/robots.txt", Reply::ok(RULES).header("Content-Encoding", "identity"));
    assert_eq!(fetch(&server).await.0.event, Event::Found);
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_file_and_no_server_are_failures() {
    let server = HttpServer::start().await;
    let half = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{RULES}", RULES.len() + 1);
    server.serve(ANY, "/robots.txt", Reply::raw(half));
    let (ruling, site) = fetch(&server).await;
    assert_eq!((ruling.event, ruling.access), (Event::Failed(Failure::Truncated), Access::DisallowAll));
    assert!(site.record().copy.is_none());

    // Without a length and without chunks, a broken connection looks like the end.
    let server = HttpServer::start().await;
    server.serve(ANY, "/robots.txt", Reply::raw(format!("HTTP/1.1 200 OK\r\n\r\n{RULES}")));
    let (ruling, _) = fetch(&server).await;
    assert_eq!((ruling.event, ruling.access), (Event::Failed(Failure::Truncated), Access::DisallowAll));

    // Nobody listens on a port that was just freed.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut site = Site::new(&Origin::of(&format!("http://127.0.0.1:{port}/")).unwrap(), Policy::STANDARD);
    let ruling = tokio::task::spawn_blocking(move || Fetcher::new("ExampleBot/1.0").ruling(&mut site)).await.unwrap();
    assert_eq!((ruling.event, ruling.access), (Event::Failed(Failure::Connect), Access::DisallowAll));
}
