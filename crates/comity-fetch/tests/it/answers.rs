//! Answers of a client that do not depend on rules: other sites' URLs, lost copies, and each answer as a sentence.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use comity::{Answer, Crawler, Crawlers, Governed, Origin};
use comity_fetch::store::{Archive, MemoryStore, Saved, Store, StoreFuture, Stored, Ticket};
use comity_fetch::{Access, Addresses, Client, ClientBuilder, Clock, Fixed, PageRequest, Policy, StoredRecord, Time};
use comity_testserver::{ANY, HttpServer, Reply};

const ROBOTS_TXT: &str = "allowed: it is the robots.txt itself, which may always be fetched";
const RULES: &str = "User-agent: *\nDisallow: /private/\n";

fn test_bot() -> Crawler<'static> {
    Crawler::token("TestBot").unwrap()
}

fn client(server: &HttpServer) -> (ClientBuilder, Clock) {
    let clock = Clock::set_to(Time::from_unix_seconds(1_800_000_000));
    let builder = Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server.addr()])))
        .clock(clock.clone());
    (builder, clock)
}

#[tokio::test]
async fn every_way_to_ask_knows_other_sites() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let client = client(&server).0.build().unwrap();
    let site = client.robots("http://a.test/").await.unwrap();
    let rules = site.rules_for(&test_bot());
    for (url, is) in [
        ("http://a.test/a", Answer::Allowed),
        ("http://a.test/private/a", Answer::Disallowed),
        ("/private/a", Answer::Disallowed),
        ("/a", Answer::Allowed),
        ("http://other.test/a", Answer::OutOfScope),
        ("http://other.test/private/a", Answer::OutOfScope),
        ("https://a.test/a", Answer::OutOfScope),
        ("http://a.test:8080/a", Answer::OutOfScope),
        ("http://a.test@other.test/a", Answer::OutOfScope),
        ("//other.test/a", Answer::OutOfScope),
        ("/a/../private/a", Answer::Disallowed),
        ("http://a.test/a/../private/a", Answer::Disallowed),
        ("private/a", Answer::OutOfScope),
        ("mailto:a@a.test", Answer::OutOfScope),
    ] {
        let decision = site.check_as_is(&test_bot(), url);
        assert_eq!(decision.answer(), is, "{url}");
        assert_eq!(rules.check_as_is(url).answer(), is, "{url}");
        assert_eq!(rules.check(url).answer(), is, "{url}");
        assert_eq!(site.check(&test_bot(), url).answer(), is, "{url}");
        let is_none = is == Answer::OutOfScope;
        assert_eq!((decision.is_allowed() || decision.is_disallowed()), !is_none, "{url}");
        if url.starts_with("http") {
            let asked = client.check(&test_bot(), url).await.unwrap();
            assert!(is == Answer::OutOfScope || asked.answer() == is, "{url}");
        }
    }
}

#[tokio::test]
async fn every_answer_is_a_sentence() {
    let server = HttpServer::start().await;
    let file =
        "User-agent: *\nDisallow: /private/\nAllow: /private/map\n\nUser-agent: Free\nDisallow:\n\nUser-agent: None\n";
    server.serve("a.test", ANY, Reply::ok(file));
    server.serve("named.test", ANY, Reply::ok("User-agent: Other\nDisallow: /\n"));
    server.serve("missing.test", ANY, Reply::status(404));
    server.serve("down.test", ANY, Reply::status(503));
    let client = client(&server).0.policy(Policy::STRICT).build().unwrap();
    let file = "http://a.test/robots.txt";
    for (url, crawler, said) in [
        ("http://a.test/private/", "TestBot", format!("disallowed by line 2 of {file}")),
        ("http://a.test/private/map", "TestBot", format!("allowed by line 3 of {file}")),
        ("http://a.test/", "TestBot", format!("allowed: no rule matches (in {file})")),
        ("http://a.test/", "Free", format!("allowed: line 6 forbids nothing (in {file})")),
        ("http://a.test/robots.txt", "TestBot", ROBOTS_TXT.to_owned()),
        ("http://down.test/robots.txt", "TestBot", ROBOTS_TXT.to_owned()),
        (
            "http://named.test/",
            "TestBot",
            "allowed: no group is for this crawler (in http://named.test/robots.txt)".to_owned(),
        ),
        (
            "http://missing.test/",
            "TestBot",
            "allowed for http://missing.test: everything is allowed: the site answered 404 (policy strict)".to_owned(),
        ),
        (
            "http://down.test/",
            "TestBot",
            "disallowed for http://down.test: everything is disallowed: the site answered 503, and it has been \
             unreachable for less than 12 hours (policy strict)"
                .to_owned(),
        ),
    ] {
        assert_eq!(client.check(&Crawler::token(crawler).unwrap(), url).await.unwrap().to_string(), said);
    }
    for origin in ["http://a.test", "http://down.test"] {
        let site = client.robots(origin).await.unwrap();
        let other = site.check(&test_bot(), "http://other.test/");
        assert_eq!(other.to_string(), format!("out of scope: the URL is not of {origin}"));
    }
    let crawlers = Crawlers::builtin();
    let by_user = Crawler::from(crawlers.iter().find(|profile| profile.governed == Governed::No).unwrap());
    let decision = client.check(&by_user, "http://down.test/").await.unwrap();
    assert_eq!(decision.to_string(), "not governed: this crawler does not obey robots.txt");
}

/// Whoever meets the address rules learns which address they refuse, and which options allow it.
#[tokio::test]
async fn a_refused_address_is_named_with_the_options_that_allow_it() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let client = client(&server).0.addresses(Addresses::Public).build().unwrap();
    let url = server.url_of("a.test", "/a");
    let decision = client.check(&test_bot(), &url).await.unwrap();
    assert!(!decision.is_allowed());
    let error = client.get_without_robots(&PageRequest::new(url.parse().unwrap())).await.unwrap_err();
    for said in [decision.to_string(), error.to_string()] {
        for part in ["127.0.0.1 is not a public address", "`ClientBuilder::addresses`", "`ClientBuilder::trust`"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}

/// A store that loses the bodies of its records, like one written for an older version.
#[derive(Debug)]
struct WithoutBodies(MemoryStore, AtomicU64);

impl Store for WithoutBodies {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let stored = self.0.load(origin).await?;
            self.1.fetch_add(u64::from(stored.is_some()), Ordering::Relaxed);
            Ok(stored.map(|stored| Stored::new(stored.record.without_body(), stored.revision)))
        })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        // The default of `begin` grants tickets that the other store does not know.
        assert!(ticket.is_some());
        self.0.complete(record, None)
    }
}

#[tokio::test]
async fn a_store_that_loses_bodies_is_told_and_invents_nothing() {
    let server = HttpServer::start().await;
    server.serve("a.test", ANY, Reply::ok(RULES));
    let store = Arc::new(WithoutBodies(MemoryStore::new(1 << 20), AtomicU64::new(0)));
    let (builder, clock) = client(&server);
    let first = builder.store(store.clone()).build().unwrap();
    assert!(first.check(&test_bot(), "http://a.test/a").await.unwrap().is_allowed());

    // The file is fetched again, and its own rules apply.
    clock.advance(Duration::from_secs(60));
    let again = || client(&server).0.clock(clock.clone()).store(store.clone());
    let second = again().build().unwrap();
    let decision = second.check(&test_bot(), "http://a.test/a").await.unwrap();
    assert!(decision.is_allowed(), "{decision}");
    assert_eq!(decision.to_string(), "allowed: no rule matches (in http://a.test/robots.txt)");
    let stats = second.stats();
    assert_eq!((stats.fetches_total, stats.store_hits_total, stats.store_errors_total), (1, 0, 1));
    assert_eq!(store.1.load(Ordering::Relaxed), 2, "before and after a lease is granted");

    // If it cannot be fetched, nothing is allowed, and nothing else is presented as the site's file.
    server.serve("a.test", ANY, Reply::status(500));
    let offline = again().offline(true).build().unwrap();
    let down = again().build().unwrap();
    for client in [&offline, &down] {
        let decision = client.check(&test_bot(), "http://a.test/a").await.unwrap();
        assert!(decision.is_disallowed(), "{decision}");
        let site = decision.site();
        assert_eq!(site.ruling().access, Access::DisallowAll);
        assert!(site.copy().is_none() && site.hash().is_none());
        assert!(site.robots().check(&test_bot(), "/a").is_disallowed());
        assert_eq!((site.line(2), decision.verdict()), (None, None));
        assert!(client.stats().store_errors_total >= 1);
    }
    let decision = offline.check(&test_bot(), "http://a.test/a").await.unwrap();
    assert!(decision.to_string().contains("the copy of it was lost"), "{decision}");
    let versions = store.0.versions(&Origin::of("http://a.test").unwrap()).await.unwrap();
    let sizes: Vec<_> = versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.size).collect();
    assert_eq!(sizes, [RULES.len()], "no other file was ever there");
}

#[tokio::test]
async fn passwords_of_urls_are_not_printed() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::ok(RULES));
    let client = client(&server).0.build().unwrap();
    for url in
        ["http://user:secret@a.test/private/", "http://user:secret@a.test/a", "http://user:secret@b.test/robots.txt"]
    {
        let decision = client.check(&test_bot(), url).await.unwrap();
        let record = serde_json::to_string(decision.site().record()).unwrap();
        let text = format!("{decision} {decision:?} {record} {:?}", decision.site().exchanges());
        assert!(!text.contains("secret"), "{text}");
        let site = client.fetch(url).await.unwrap();
        assert!(!format!("{site:?}").contains("secret"));
    }
    for url in [
        "http://user:secret@a.test:99999/",
        "http://user:secret@/",
        "gopher://user:secret@a.test/",
        "http:user:secret@",
        "http://user:secret@a b.test/x@y",
    ] {
        let error = client.check(&test_bot(), url).await.unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(!text.contains("secret"), "{text}");
    }
    assert!(server.requests().iter().all(|request| request.header("Authorization").is_none()));
}
