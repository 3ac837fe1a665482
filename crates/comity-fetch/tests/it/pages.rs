//! Pages and their redirects.

use std::sync::Arc;

use comity::Origin;
use comity_fetch::{Addresses, Client, ClientBuilder, Failure, FetchedPage, Fixed, PageError, PageRequest};
use comity_testserver::{ANY, HttpServer, Reply};
use url::Url;

fn client(server: &HttpServer) -> ClientBuilder {
    Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server.addr()])))
}

fn url(text: &str) -> Url {
    text.parse().expect("a URL")
}

async fn get(client: &Client, target: &str) -> Result<FetchedPage, PageError> {
    client.get_without_robots(&PageRequest::new(url(target))).await
}

async fn get_once(client: &Client, target: &str) -> FetchedPage {
    client.get_without_robots(&PageRequest::new(url(target)).max_redirects(0)).await.expect("a page")
}

#[tokio::test]
async fn redirects_are_followed_or_not() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/1", Reply::redirect(307, "../2?x#y").body("moved"));
    server.serve("a.test", "/2?x", Reply::redirect(302, "//b.test/3"));
    server.serve("b.test", "/3", Reply::ok("here"));
    let client = client(&server).build().unwrap();

    let one = get_once(&client, "http://a.test/1").await;
    assert_eq!((one.url.as_str(), one.status, one.body.len()), ("http://a.test/1", 307, 0));
    assert_eq!(one.location.as_ref().map(Url::as_str), Some("http://a.test/2?x#y"));
    assert_eq!((server.requests().len(), one.redirects.len()), (1, 0));

    let all = get(&client, "http://a.test/1").await.unwrap();
    assert_eq!((all.url.as_str(), all.status, &*all.body), ("http://b.test/3", 200, b"here".as_slice()));
    assert_eq!(all.location, None);
    assert_eq!(all.redirects, [(url("http://a.test/1"), 307), (url("http://a.test/2?x#y"), 302)]);
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn redirects_that_lead_nowhere_are_pages() {
    let server = HttpServer::start().await;
    let client = client(&server).build().unwrap();
    for reply in [Reply::status(302), Reply::redirect(301, "ftp://a.test/"), Reply::redirect(308, "mailto:a@b.test")] {
        server.serve(ANY, ANY, reply.body("text"));
        let page = get_once(&client, "http://a.test/").await;
        assert_eq!((page.location, &*page.body), (None, b"text".as_slice()));
    }
    server.serve(ANY, ANY, Reply::status(300).header("Location", "/x"));
    assert_eq!(get_once(&client, "http://a.test/").await.location, None);
}

#[tokio::test]
async fn redirects_come_to_an_end() {
    let server = HttpServer::start().await;
    server.serve_with(ANY, ANY, |request| Reply::redirect(302, format!("//u:secret@a.test{}x", request.path)));
    server.serve("b.test", ANY, Reply::redirect(302, "//u:secret@b.test/"));
    let client = client(&server).build().unwrap();
    for (target, requests) in [("http://user:secret@a.test/", 21), ("http://user:secret@b.test/", 1)] {
        server.clear_requests();
        let error = get(&client, target).await.unwrap_err();
        assert_eq!(error.failure(), Failure::BadRedirect);
        assert_eq!(server.requests().len(), requests);
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
    let page = get_once(&client, "http://user:secret@a.test/").await;
    let urls = format!("{} {:?} {:?}", page.url, page.location, page.redirects);
    assert!(!urls.contains("secret"), "{urls}");
}

/// Checks that a host that the user typed is open to the user, and not to the redirects of others.
#[tokio::test]
async fn a_redirect_gets_no_further_than_it_may() {
    let server = HttpServer::start().await;
    server.serve("a.test", ANY, Reply::redirect(302, "http://own.test/secret"));
    server.serve("own.test", ANY, Reply::ok("for the user"));
    let addr = server.addr();
    let addresses: Addresses = "127.0.0.1".parse().unwrap();
    let open = Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(addresses)
        .resolver(Arc::new(Fixed::new([addr])))
        .trust(&url("http://own.test/"))
        .build()
        .unwrap();
    assert_eq!(get(&open, "http://a.test/").await.unwrap().status, 200, "its address is open to all");

    let closed =
        client(&server).addresses(Addresses::Public).trust(&url("http://own.test/")).trust(&url("http://a.test:8080/"));
    let closed = closed.build().unwrap();
    assert_eq!(get(&closed, "http://own.test/").await.unwrap().status, 200, "typed");
    server.clear_requests();
    let error = get(&closed, "http://a.test:8080/").await.unwrap_err();
    assert_eq!(error.failure(), Failure::Refused, "{error}");
    assert_eq!((server.requests().len(), server.count("own.test", ANY)), (1, 0));
}

/// Checks that a URL that a site chose, such as a sitemap, leads to a typed host only if that host is the site's own.
#[tokio::test]
async fn a_url_of_a_site_gets_no_further_than_it_may() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok("for the user"));
    server.serve("own.test", "/moved", Reply::redirect(302, "/secret"));
    let trusted = ["http://own.test/", "http://own.test:8080/", "http://a.test/"];
    let client =
        trusted.iter().fold(client(&server).addresses(Addresses::Public), |client, typed| client.trust(&url(typed)));
    let client = client.build().unwrap();
    let get = async |site: &str, target: &str| {
        client.get_without_robots(&PageRequest::new(url(target)).chosen_by(Origin::of(site).unwrap())).await
    };
    for site in ["http://own.test/", "http://own.test:8080/"] {
        for target in ["http://own.test/sitemap.xml", "http://own.test:8080/sitemap.xml", "http://own.test/moved"] {
            assert_eq!(get(site, target).await.unwrap().status, 200, "{site} {target}");
        }
    }
    server.clear_requests();
    for site in ["http://a.test/", "http://b.test/", "http://b.test:8080/", "https://own.test.b.test/"] {
        for target in ["http://own.test/secret", "http://own.test:8080/secret", "http://own.test/moved"] {
            let error = get(site, target).await.unwrap_err();
            assert_eq!(error.failure(), Failure::Refused, "{site} {target}: {error}");
        }
    }
    assert_eq!(server.requests().len(), 0);
}
