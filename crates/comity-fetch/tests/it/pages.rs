//! Pages and their redirects.

use std::sync::Arc;

use comity::Origin;
use comity_fetch::{Addresses, Client, ClientBuilder, Failure, Fixed};
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

#[tokio::test]
async fn redirect_is_followed_only_on_request() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/1", Reply::redirect(307, "../2?x#y").body("moved"));
    server.serve("a.test", "/2?x", Reply::redirect(302, "//b.test/3"));
    server.serve("b.test", "/3", Reply::ok("here"));
    let client = client(&server).build().unwrap();

    let one = client.get_once(&url("http://a.test/1"), 100).await.unwrap();
    assert_eq!((one.url.as_str(), one.status, one.body.len()), ("http://a.test/1", 307, 0));
    assert_eq!(one.location.as_ref().map(Url::as_str), Some("http://a.test/2?x#y"));
    assert_eq!((server.requests().len(), one.redirects.len()), (1, 0));

    let two = client.follow(&one, 100).await.unwrap();
    assert_eq!(two.location.as_ref().map(Url::as_str), Some("http://b.test/3"));
    let three = client.follow(&two, 100).await.unwrap();
    assert_eq!((three.url.as_str(), three.status, &*three.body), ("http://b.test/3", 200, b"here".as_slice()));
    assert_eq!(three.location, None);
    let been = [(url("http://a.test/1"), 307), (url("http://a.test/2?x#y"), 302)];
    assert_eq!(three.redirects, been);
    assert_eq!(server.requests().len(), 3);

    let all = client.get(&url("http://a.test/1"), 100).await.unwrap();
    assert_eq!((all.url, all.body, all.redirects), (three.url, three.body, three.redirects));
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn redirects_that_lead_nowhere_are_pages() {
    let server = HttpServer::start().await;
    let client = client(&server).build().unwrap();
    for reply in [Reply::status(302), Reply::redirect(301, "ftp://a.test/"), Reply::redirect(308, "mailto:a@b.test")] {
        server.serve(ANY, ANY, reply.body("text"));
        let page = client.get_once(&url("http://a.test/"), 100).await.unwrap();
        assert_eq!((page.location, &*page.body), (None, b"text".as_slice()));
    }
    server.serve(ANY, ANY, Reply::status(300).header("Location", "/x"));
    assert_eq!(client.get_once(&url("http://a.test/"), 100).await.unwrap().location, None);
}

#[tokio::test]
async fn redirects_come_to_an_end() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::redirect(302, "//u:secret@a.test/"));
    let client = client(&server).build().unwrap();
    let error = client.get(&url("http://user:secret@a.test/"), 100).await.unwrap_err();
    assert_eq!(error.failure(), Failure::BadRedirect);
    assert_eq!(server.requests().len(), 21);
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    let mut page = client.get_once(&url("http://a.test/"), 100).await.unwrap();
    for _ in 0..20 {
        page = client.follow(&page, 100).await.unwrap();
    }
    assert_eq!(client.follow(&page, 100).await.unwrap_err().failure(), Failure::BadRedirect);
    let urls = format!("{} {:?} {:?}", page.url, page.location, page.redirects);
    assert!(!urls.contains("secret"), "{urls}");
    assert_eq!(server.requests().len(), 42);
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
    let page = open.get_once(&url("http://a.test/"), 100).await.unwrap();
    assert_eq!(open.follow(&page, 100).await.unwrap().status, 200, "its address is open to all");

    let closed =
        client(&server).addresses(Addresses::Public).trust(&url("http://own.test/")).trust(&url("http://a.test:8080/"));
    let closed = closed.build().unwrap();
    assert_eq!(closed.get_once(&url("http://own.test/"), 100).await.unwrap().status, 200, "typed");
    let page = closed.get_once(&url("http://a.test:8080/"), 100).await.unwrap();
    server.clear_requests();
    let error = closed.follow(&page, 100).await.unwrap_err();
    assert_eq!(error.failure(), Failure::Refused, "{error}");
    assert_eq!(server.requests().len(), 0);
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
    let origin = |text: &str| Origin::of(text).unwrap();
    for site in ["http://own.test/", "http://own.test:8080/"] {
        for target in ["http://own.test/sitemap.xml", "http://own.test:8080/sitemap.xml", "http://own.test/moved"] {
            let page = client.get_chosen_by(&origin(site), &url(target), 100).await;
            assert_eq!(page.unwrap().status, 200, "{site} {target}");
        }
    }
    server.clear_requests();
    for site in ["http://a.test/", "http://b.test/", "http://b.test:8080/", "https://own.test.b.test/"] {
        for target in ["http://own.test/secret", "http://own.test:8080/secret", "http://own.test/moved"] {
            let error = client.get_chosen_by(&origin(site), &url(target), 100).await.unwrap_err();
            assert_eq!(error.failure(), Failure::Refused, "{site} {target}: {error}");
        }
    }
    assert_eq!(server.requests().len(), 0);
}
