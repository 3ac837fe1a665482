//! Visits to pages of a server: redirects, page rules, header fields and connections.

use std::sync::Arc;
use std::time::Duration;

use comity::Crawler;
use comity_fetch::{Addresses, Client, ClientBuilder, Failure, Fixed, Pacer, Visit, VisitError, VisitedPage, Visitor};
use comity_testserver::{ANY, At, HttpServer, Reply, Tls, ca_pem};
use http::HeaderMap;

const FILE: &str = "User-agent: *\nDisallow: /cart/\nDisallow: /s$\nClean-param: sid /\n";

fn client(server: &HttpServer) -> ClientBuilder {
    Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server.addr()])))
}

/// Returns a visitor that waits for nobody.
fn visitor(client: ClientBuilder) -> Visitor {
    let me = Crawler::token("TestBot").expect("a token");
    Visitor::new(client.build().expect("options that work"), me).pacer(Pacer::new().at_least(Duration::ZERO))
}

/// Returns the requested pages, without robots.txt files.
fn pages(server: &HttpServer) -> Vec<String> {
    let requests = server.requests();
    let pages = requests.iter().filter(|request| request.path != "/robots.txt");
    pages.map(|request| format!("{}{}", request.host, request.path)).collect()
}

async fn page(visitor: &Visitor, url: &str) -> VisitedPage {
    visitor.visit(url).await.expect("a visit").page().expect("a page")
}

async fn error(visitor: &Visitor, url: &str) -> Failure {
    match visitor.visit(url).await {
        Err(VisitError::Page(error)) => error.failure(),
        other => panic!("{url}: {other:?}"),
    }
}

#[tokio::test]
async fn each_hop_is_checked_by_the_file_of_its_site() {
    let server = HttpServer::start().await;
    server.serve("open.test", "/robots.txt", Reply::ok(FILE));
    server.serve("closed.test", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /\n"));
    for host in ["open.test", "closed.test", "other.test"] {
        for path in ["/", "/cart/x", "/s", "/x", "/page?a=1"] {
            server.serve(host, path, Reply::ok("<p>A page"));
        }
    }
    server.serve("open.test", "/to-closed", Reply::redirect(302, "http://closed.test/x"));
    server.serve("open.test", "/to-cart", Reply::redirect(301, "/cart/x"));
    server.serve("open.test", "/to-other", Reply::redirect(308, "http://other.test/x"));
    server.serve("open.test", "/around", Reply::redirect(303, "http://other.test/back"));
    server.serve("other.test", "/back", Reply::redirect(307, "http://open.test/cart/x"));
    let visitor = visitor(client(&server));
    for (start, forbidden, line, requested) in [
        ("/to-closed", "http://closed.test/x", 2, vec!["open.test/to-closed"]),
        ("/to-cart", "http://open.test/cart/x", 2, vec!["open.test/to-cart"]),
        ("/around", "http://open.test/cart/x", 2, vec!["open.test/around", "other.test/back"]),
        ("/cart/x", "http://open.test/cart/x", 2, vec![]),
        // The same page as `/s`, by the site's own words.
        ("/s?sid=1", "http://open.test/s", 3, vec![]),
    ] {
        server.clear_requests();
        let visit = visitor.visit(format!("http://user:secret@open.test{start}")).await.unwrap();
        let Visit::Forbidden { url, decision, .. } = visit else { panic!("{start}: {visit:?}") };
        assert_eq!((url.as_str(), decision.verdict().unwrap().line()), (forbidden, Some(line)), "{start}");
        assert!(!decision.is_allowed());
        assert_eq!(pages(&server), requested, "{start}");
    }
    let found = page(&visitor, "http://open.test/to-other").await;
    assert_eq!((found.response.url.as_str(), found.response.redirects.len()), ("http://other.test/x", 1));
    assert_eq!(found.decision.site().origin().as_str(), "http://other.test");
    let found = page(&visitor, "http://open.test/page?sid=7&a=1").await;
    assert_eq!(found.response.url.as_str(), "http://open.test/page?a=1");
    assert_eq!(page(&visitor, "http://open.test/none").await.response.status, 404);
    // The shortest way asks, too.
    let (client, me) = (client(&server).build().unwrap(), Crawler::token("TestBot").unwrap());
    assert!(client.get(&me, "http://closed.test/x").await.unwrap().page().is_none());
    assert_eq!(client.get(&me, "http://open.test/x").await.unwrap().page().unwrap().response.status, 200);
    assert_eq!(server.count("closed.test", "/x"), 0);
}

#[tokio::test]
async fn redirects_end() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/self", Reply::redirect(302, "/self"));
    server.serve("a.test", "/there", Reply::redirect(302, "http://b.test/back"));
    server.serve("b.test", "/back", Reply::redirect(302, "http://a.test/there"));
    for n in 0..12 {
        server.serve("a.test", &format!("/{n}"), Reply::redirect(302, format!("/{}", n + 1)));
    }
    server.serve("a.test", "/12", Reply::ok("here"));
    let visitor = visitor(client(&server));
    for (path, requests) in [("/self", 1), ("/there", 2), ("/0", 11)] {
        server.clear_requests();
        assert_eq!(error(&visitor, &format!("http://a.test{path}")).await, Failure::BadRedirect, "{path}");
        assert_eq!(pages(&server).len(), requests, "{path}");
    }
    assert_eq!(page(&visitor, "http://a.test/2").await.response.redirects.len(), 10);
    assert_eq!(page(&visitor.clone().max_redirects(12), "http://a.test/0").await.response.status, 200);
    let first = page(&visitor.max_redirects(0), "http://a.test/0").await.response;
    assert_eq!((first.status, first.location.unwrap().path()), (302, "/1"));
}

#[tokio::test]
async fn text_that_is_no_url_is_an_error() {
    let server = HttpServer::start().await;
    let visitor = visitor(client(&server));
    for url in ["", "/page", "mailto:a@b.test", "ftp://", "http://"] {
        assert!(matches!(visitor.visit(url).await, Err(VisitError::Check(_))), "{url}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[cfg(feature = "pages")]
#[tokio::test]
async fn all_statements_about_a_page_add_up() {
    use comity_page::Stance::{Hidden, No, NotStated, Yes};

    let server = HttpServer::start().await;
    let text = Reply::ok("<p>Text");
    for (host, file) in [
        ("open.test", "User-agent: *\nDisallow: /private\n"),
        ("signals.test", "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
        ("granted.test", "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n"),
    ] {
        server.serve(host, "/robots.txt", Reply::ok(file));
        server.serve(host, "/", text.clone());
    }
    let forbidding = "<meta name=robots content='noai, noindex'><p>Text";
    let large = "<p>Text ".repeat((4 << 20) / 8);
    let many = "<meta name=robots content=''>".repeat(20_000);
    server.serve("open.test", "/header", text.clone().header("X-Robots-Tag", "noai, noindex"));
    server.serve("open.test", "/past", text.clone().header("X-Robots-Tag", "unavailable_after: 2010-06-25"));
    server.serve("open.test", "/meta", Reply::ok(forbidding));
    server.serve("open.test", "/mine", Reply::ok("<meta name=TestBot content=noindex>"));
    server.serve("open.test", "/large", Reply::ok(large.clone() + forbidding));
    // Less than the page's limit, but more meta tags than are taken from one page.
    server.serve("open.test", "/many", Reply::ok(many + forbidding));
    server.serve("open.test", "/part", Reply::status(206).body("<p>Te").header("X-Robots-Tag", "noindex"));
    server.serve("open.test", "/moved", Reply::redirect(301, "http://signals.test/"));
    server.serve("granted.test", "/large", Reply::ok(large + "."));
    let visitor = visitor(client(&server));
    for (url, index, training) in [
        ("http://open.test/", NotStated, NotStated),
        ("http://open.test/header", No, No),
        ("http://open.test/past", No, NotStated),
        ("http://open.test/meta", No, No),
        ("http://open.test/mine", No, NotStated),
        ("http://open.test/large", Hidden, Hidden),
        ("http://open.test/many", Hidden, Hidden),
        ("http://open.test/part", No, Hidden),
        ("http://open.test/moved", NotStated, No),
        ("http://signals.test/", NotStated, No),
        ("http://granted.test/", NotStated, Yes),
        ("http://granted.test/large", Hidden, Hidden),
    ] {
        let permissions = page(&visitor, url).await.permissions();
        assert_eq!((permissions.index.stance, permissions.training.stance), (index, training), "{url}");
        assert_eq!(permissions.training.because.is_empty(), matches!(training, Hidden | NotStated), "{url}");
    }
    assert!(visitor.visit("http://open.test/private").await.unwrap().page().is_none());
    assert!(page(&visitor.max_bytes(10), "http://open.test/meta").await.permissions().index.stance.forbids());
}

#[tokio::test]
async fn fields_of_the_caller_reach_one_site() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/1", Reply::redirect(302, "/2"));
    server.serve("a.test", "/2", Reply::redirect(302, "http://b.test/3"));
    server.serve("b.test", "/3", Reply::redirect(302, "http://a.test/4"));
    server.serve("a.test", "/port", Reply::redirect(302, "http://a.test:8080/4"));
    server.serve("a.test", "/4", Reply::ok("here"));
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("cookie", "key=secret"),
        ("accept", "text/html"),
        ("user-agent", "Mozilla/5.0"),
        ("accept-encoding", "br"),
        ("host", "c.test"),
        ("connection", "close"),
        ("transfer-encoding", "chunked"),
    ] {
        headers.insert(name, value.parse().unwrap());
    }
    let visitor = visitor(client(&server)).headers(headers);
    assert_eq!(page(&visitor, "http://a.test/1").await.response.redirects.len(), 3);
    assert_eq!(page(&visitor, "http://a.test/port").await.response.status, 200);
    let requests = server.requests();
    let with_cookie = requests.iter().filter(|request| request.header("cookie") == Some("key=secret"));
    let with_cookie: Vec<_> = with_cookie.map(|request| (&*request.host, &*request.path)).collect();
    assert_eq!(with_cookie, [("a.test", "/1"), ("a.test", "/2"), ("a.test", "/port")]);
    assert_eq!((requests.len(), requests.iter().filter(|request| request.path == "/robots.txt").count()), (9, 3));
    for request in &requests {
        assert_eq!(request.header("user-agent"), Some("TestBot/1.0 (+https://bot.test/)"));
        assert_eq!(request.header("accept-encoding"), Some("gzip, deflate"));
        assert_eq!(request.header("transfer-encoding"), None);
        assert_eq!(request.header("connection"), (request.path == "/robots.txt").then_some("close"));
        let accept = if request.header("cookie").is_some() { "text/html" } else { "text/plain,*/*;q=0.8" };
        assert_eq!(request.header("accept"), Some(accept), "{request:?}");
    }
}

/// Returns the number of the connection of each request for a page.
fn connections(server: &HttpServer) -> Vec<usize> {
    let requests = server.requests();
    requests.iter().filter(|request| request.path != "/robots.txt").map(|request| request.connection).collect()
}

#[tokio::test]
async fn connections_are_used_again() {
    for tls in [None, Some(Tls::named(["a.test"]).http1()), Some(Tls::named(["a.test"]).http2())] {
        let is_secure = tls.is_some();
        let server = match tls {
            None => HttpServer::start().await,
            Some(tls) => HttpServer::start_tls(tls).await,
        };
        server.serve(ANY, "/robots.txt", Reply::status(404));
        server.serve(ANY, "/moved", Reply::redirect(302, "/there").body("moved"));
        server.serve(ANY, "/chunked", Reply::ok("0123456789").chunked(3));
        server.serve(ANY, "/large", Reply::ok(vec![b'.'; 1_000_000]));
        let visitor = visitor(client(&server).extra_roots(ca_pem()));
        let url = |path: &str| format!("{}://a.test{path}", if is_secure { "https" } else { "http" });
        for path in ["/", "/moved", "/chunked", "/large", "/"] {
            let _page = page(&visitor, &url(path)).await;
        }
        // One for the robots.txt, and one for all pages.
        assert_eq!(connections(&server), [2; 6], "{is_secure}");
        // The rest of this page is not read, so its connection cannot be used again.
        assert!(page(&visitor.clone().max_bytes(10), &url("/large")).await.response.is_cut);
        let _page = page(&visitor, &url("/")).await;
        assert_eq!(connections(&server)[6..], [2, 3], "{is_secure}");
        assert_eq!(server.connections(), 3);
    }
}

#[tokio::test]
async fn closed_connections_are_replaced() {
    let server = HttpServer::start().await;
    server.serve(ANY, "/robots.txt", Reply::status(404));
    server.serve(ANY, "/says", Reply::ok("x").header("Connection", "close"));
    server.serve(ANY, "/closes", Reply::ok("x").cut(At::End));
    server.serve(ANY, "/resets", Reply::ok("x").reset(At::End));
    // The octets after the end are no part of a response, and must not become part of the next one.
    server.serve(ANY, "/more", Reply::ok("x").trailing("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"));
    server.serve(ANY, "/", Reply::ok("good"));
    let visitor = visitor(client(&server));
    for path in ["/says", "/closes", "/resets", "/more", "/says", "/more", "/closes"] {
        assert_eq!(page(&visitor, &format!("http://a.test{path}")).await.response.body, b"x", "{path}");
        assert_eq!(page(&visitor, "http://a.test/").await.response.body, b"good", "after {path}");
    }
    // A request on a new connection is not repeated.
    server.clear_requests();
    server.serve(ANY, "/fails", Reply::ok("x").cut(At::Start));
    assert_eq!(error(&visitor, "http://b.test/fails").await, Failure::Reset);
    assert_eq!(pages(&server), ["b.test/fails"]);
}

/// Checks that the address rules of a request apply to a connection that another one opened.
#[tokio::test]
async fn a_kept_connection_is_no_way_around_the_address_rules() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/", Reply::redirect(302, "http://own.test/secret"));
    server.serve("own.test", ANY, Reply::ok("for the user"));
    let trusted = ["http://own.test/", "http://a.test:8080/"].map(|url| url.parse().unwrap());
    let client = trusted.iter().fold(client(&server).addresses(Addresses::Public), ClientBuilder::trust);
    let visitor = visitor(client);
    assert_eq!(page(&visitor, "http://own.test/").await.response.status, 200, "typed");
    server.clear_requests();
    assert_eq!(error(&visitor, "http://a.test:8080/").await, Failure::Refused);
    assert_eq!(pages(&server), ["a.test/"]);
}
