//! The example `polite`, unchanged, with sites that redirect to forbidden URLs.

#[path = "../examples/polite.rs"]
#[expect(dead_code, reason = "the example's own `main` is not run here")]
mod polite;

use std::sync::{Arc, Mutex};

use comity::Crawler;
use comity_fetch::{Addresses, Client, Fixed};
use comity_page::Stance;
use comity_testserver::{HttpServer, Reply};
use polite::VisitedPage;

const FILE: &str = "User-agent: *\nDisallow: /cart/\nDisallow: /s$\nClean-param: sid /\n";

/// Returns two sites, one of them closed, and a client that resolves all names to them.
async fn web() -> (HttpServer, Client) {
    let server = HttpServer::start().await;
    server.serve("open.test", "/robots.txt", Reply::ok(FILE));
    server.serve("closed.test", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    server.serve("other.test", "/robots.txt", Reply::ok("User-agent: *\nContent-Signal: ai-train=no\n"));
    for host in ["open.test", "closed.test", "other.test"] {
        for path in ["/", "/cart/x", "/s", "/s?sid=1", "/x", "/page?a=1"] {
            server.serve(host, path, Reply::ok("<p>A page"));
        }
    }
    for (path, target) in [
        ("/to-closed", "http://closed.test/x"),
        ("/to-cart", "/cart/x"),
        ("/to-other", "http://other.test/x"),
        ("/to-cart-by-other", "http://other.test/back"),
    ] {
        server.serve("open.test", path, Reply::redirect(302, target));
    }
    server.serve("open.test", "/past", Reply::ok("<p>A page").header("X-Robots-Tag", "unavailable_after: 2010-06-25"));
    server.serve("open.test", "/noindex", Reply::ok("<meta name=robots content=noindex><p>A page"));
    let noindex = "<meta name=robots content=noindex><p>A page";
    server.serve("open.test", "/large", Reply::ok("<p>Text ".repeat((4 << 20) / 8) + noindex));
    server.serve("open.test", "/many", Reply::ok("<meta name=robots content=''>".repeat(20_000) + noindex));
    server.serve("other.test", "/back", Reply::redirect(307, "http://open.test/cart/x"));
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server.addr()])))
        .build()
        .expect("options that work");
    (server, client)
}

/// Returns the requested paths without robots.txt files.
fn pages(server: &HttpServer) -> Vec<String> {
    let requests = server.requests();
    let pages = requests.iter().filter(|request| request.path != "/robots.txt");
    pages.map(|request| format!("{}{}", request.host, request.path)).collect()
}

async fn visit(start: &str) -> (Option<VisitedPage>, Vec<String>, Vec<String>) {
    let (server, client) = web().await;
    let page = polite::visit(&client, &Crawler::ANY, &format!("http://open.test{start}"), &Mutex::default())
        .await
        .expect("a visit");
    let asked = server.requests();
    let files = asked.iter().filter(|request| request.path == "/robots.txt").map(|request| request.host.clone());
    (page, pages(&server), files.collect())
}

#[tokio::test]
async fn a_redirect_to_another_site_is_checked_against_its_file() {
    let (page, pages, files) = visit("/to-closed").await;
    assert!(page.is_none());
    assert_eq!(pages, ["open.test/to-closed"]);
    assert_eq!(files, ["open.test", "closed.test"]);
}

#[tokio::test]
async fn a_redirect_on_the_site_is_checked() {
    let (page, pages, _) = visit("/to-cart").await;
    assert!(page.is_none());
    assert_eq!(pages, ["open.test/to-cart"]);
}

#[tokio::test]
async fn the_canonical_url_is_what_is_checked() {
    let (page, pages, _) = visit("/s?sid=1").await;
    assert!(page.is_none());
    assert_eq!(pages, [""; 0], "`/s` is forbidden, and `/s?sid=1` is the same page");
    // If it may be fetched, it is fetched by that URL.
    let (page, pages, _) = visit("/page?sid=7&a=1").await;
    assert_eq!(page.expect("a page").page.url.as_str(), "http://open.test/page?a=1");
    assert_eq!(pages, ["open.test/page?a=1"]);
}

#[tokio::test]
async fn a_redirect_to_what_is_allowed_is_followed() {
    let (page, pages, files) = visit("/to-other").await;
    let VisitedPage { page, permissions, .. } = page.expect("a page");
    assert_eq!((page.url.as_str(), page.status, &*page.body), ("http://other.test/x", 200, b"<p>A page".as_slice()));
    assert_eq!(page.redirects.len(), 1);
    assert_eq!(pages, ["open.test/to-other", "other.test/x"]);
    assert_eq!(files, ["open.test", "other.test"]);
    // The file of the final URL's site forbids training; that of the first URL states nothing about it.
    assert_eq!(permissions.training.stance, Stance::No);
    assert_eq!(permissions.training.because[0].text, "Content-Signal: ai-train=no");
    let (page, ..) = visit("/x").await;
    assert_eq!(page.expect("a page").permissions.training.stance, Stance::NotStated);
}

#[tokio::test]
async fn only_pages_that_may_be_indexed_are() {
    for (path, stance, is_complete, may_index) in [
        ("/x", Stance::NotStated, true, true),
        ("/noindex", Stance::No, true, false),
        ("/past", Stance::No, true, false),
        // The part of a page that is not read may contain a rule; here it does.
        ("/large", Stance::NotStated, false, false),
        ("/many", Stance::NotStated, false, false),
    ] {
        let (page, ..) = visit(path).await;
        let page = page.expect("a page");
        assert_eq!(page.permissions.index.stance, stance, "{path}");
        assert_eq!((page.is_complete, page.may_index()), (is_complete, may_index), "{path}");
    }
}

#[tokio::test]
async fn no_way_round_leads_there_either() {
    let (page, pages, _) = visit("/to-cart-by-other").await;
    assert!(page.is_none());
    assert_eq!(pages, ["open.test/to-cart-by-other", "other.test/back"]);
}
