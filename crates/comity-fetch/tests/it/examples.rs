//! The examples `crawl` and `training`, as they are, on a web of their own.

#[path = "../../examples/crawl.rs"]
#[expect(dead_code, reason = "the example's own `main` is not run here")]
mod crawl;
#[path = "../../examples/training.rs"]
#[expect(dead_code, reason = "the example's own `main` is not run here")]
mod training;

use std::sync::Arc;

use comity::Crawler;
use comity_fetch::{Addresses, Client, Fixed};
use comity_testserver::{HttpServer, Reply};
use training::Outcome;

async fn web() -> (HttpServer, Client) {
    let server = HttpServer::start().await;
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server.addr()])))
        .build()
        .expect("options that work");
    (server, client)
}

#[tokio::test]
async fn many_sites_are_crawled_and_each_file_counts() {
    let (server, client) = web().await;
    for n in 0..20 {
        let host = format!("s{n}.test");
        server.serve(&host, "/robots.txt", Reply::ok("User-agent: *\nDisallow: /private\n"));
        server.serve(&host, "/", Reply::ok("<p>A page"));
        server.serve(&host, "/private", Reply::ok("<p>Not for robots"));
        server.serve(&host, "/away", Reply::redirect(302, "http://closed.test/"));
    }
    server.serve("closed.test", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    let one = (0..20).flat_map(|n| ["/", "/private"].map(|path| format!("http://s{n}.test{path}")));
    let urls: Vec<String> =
        one.filter(|url| !url.ends_with("9.test/")).chain(["http://s9.test/away".to_owned()]).collect();
    let visited = crawl::crawl(&client, urls.clone()).await.unwrap();
    assert_eq!(visited.len(), urls.len());
    for (url, result) in &visited {
        let is_open = url.ends_with(".test/");
        assert_eq!(result.as_ref().unwrap().is_some(), is_open, "{url}");
    }
    let requests = server.requests();
    let count = |path: &str| requests.iter().filter(|request| request.path == path).count();
    assert_eq!((count("/robots.txt"), count("/"), count("/private"), count("/away")), (21, 18, 0, 1));
}

#[tokio::test]
async fn pages_that_are_reserved_are_not_trained_on() {
    let (server, client) = web().await;
    let page = || Reply::ok("<p>Text");
    for (host, file) in [
        ("open.test", "User-agent: *\nDisallow: /private\n"),
        ("signals.test", "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
        ("usage.test", "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n"),
    ] {
        server.serve(host, "/robots.txt", Reply::ok(file));
        server.serve(host, "/", page());
    }
    server.serve("open.test", "/private", page());
    server.serve("open.test", "/header", page().header("X-Robots-Tag", "noai"));
    server.serve("open.test", "/meta", Reply::ok("<meta name=robots content=noai><p>Text"));
    let large = "<p>Text ".repeat(training::MAX_BYTES / 8) + "<meta name=robots content=noai>";
    server.serve("open.test", "/large", Reply::ok(large));
    // Less than the page's limit, but more meta tags than are taken from one page.
    let many = "<meta name=robots content=''>".repeat(20_000) + "<meta name=robots content=noai><p>Text";
    assert!(many.len() < training::MAX_BYTES);
    server.serve("open.test", "/many", Reply::ok(many));
    server.serve("open.test", "/moved", Reply::redirect(301, "http://signals.test/"));

    let me = Crawler::token("ExampleBot").unwrap();
    for (url, expected) in [
        ("http://open.test/", "kept"),
        ("http://open.test/private", "forbidden"),
        ("http://open.test/header", "reserved"),
        ("http://open.test/meta", "reserved"),
        ("http://open.test/large", "too large"),
        ("http://open.test/many", "too large"),
        ("http://open.test/moved", "no page"),
        ("http://signals.test/", "reserved"),
        ("http://usage.test/", "reserved"),
    ] {
        let outcome = training::collect(&client, &me, &url.parse().unwrap()).await.unwrap();
        let found = match &outcome {
            Outcome::Kept(_) => "kept",
            Outcome::Forbidden => "forbidden",
            Outcome::Reserved(_) => "reserved",
            Outcome::TooLarge => "too large",
            Outcome::NoPage(_) => "no page",
        };
        assert_eq!(found, expected, "{url}: {outcome:?}");
    }
}
