//! A client, a real server, and a clock that is set by hand.

use std::sync::Arc;
use std::time::Duration;

use comity::{Answer, Crawler};
use comity_fetch::store::{MemoryStore, Store};
use comity_fetch::{Access, Addresses, Client, ClientBuilder, Clock, Fixed, PageRequest, Policy, Time};
use comity_testserver::{ANY, At, Coding, Gate, HttpServer, Reply};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
const RULES: &str = "User-agent: *\nDisallow: /private/\n";

fn test_bot() -> Crawler<'static> {
    Crawler::token("TestBot").unwrap()
}

/// Returns a client that resolves every name to the server, and its clock.
fn client(server: &HttpServer) -> (ClientBuilder, Clock) {
    let clock = Clock::set_to(Time::from_unix_seconds(1_800_000_000));
    let builder = Client::builder("TestBot/1.0 (+https://bot.test/)")
        .addresses(Addresses::Any)
        .resolver(Arc::new(Fixed::new([server.addr()])))
        .clock(clock.clone())
        .seed(7);
    (builder, clock)
}

#[tokio::test]
async fn a_question_is_answered_with_its_reasons() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/robots.txt", Reply::ok(RULES).header("Cache-Control", "max-age=3600"));
    let (builder, clock) = client(&server);
    let client = builder.build().unwrap();

    let decision = client.check(&test_bot(), "http://a.test/private/x").await.unwrap();
    assert!(decision.is_disallowed());
    assert_eq!(decision.verdict().unwrap().line(), Some(2));
    assert_eq!(decision.to_string(), "disallowed by line 2 of http://a.test/robots.txt");
    assert_eq!(decision.site().due(), clock.now() + HOUR);
    clock.advance(HOUR / 2);
    let decision = client.check(&test_bot(), "http://a.test/public").await.unwrap();
    assert!(decision.is_allowed());
    assert_eq!(decision.site().age(), Some(HOUR / 2));
    assert_eq!(server.count("a.test", "/robots.txt"), 1);

    // Another port is another origin, with a robots.txt of its own.
    assert!(client.check(&test_bot(), "http://a.test:8080/private/x").await.unwrap().is_disallowed());
    assert_eq!(server.requests()[1].header("host"), Some("a.test:8080"));
    assert_eq!(server.requests().len(), 2);
    let request = &server.requests()[0];
    assert_eq!(request.header("user-agent"), Some("TestBot/1.0 (+https://bot.test/)"));
}

#[tokio::test]
async fn an_old_copy_is_fetched_again_and_counts_while_the_site_is_down() {
    let server = HttpServer::start().await;
    server.serve_in_turn("a.test", "/robots.txt", [Reply::ok(RULES), Reply::status(503)]);
    let (builder, clock) = client(&server);
    let client = builder.build().unwrap();
    assert!(client.check(&test_bot(), "http://a.test/").await.unwrap().is_allowed());

    clock.advance(DAY);
    let decision = client.check(&test_bot(), "http://a.test/").await.unwrap();
    assert!(decision.is_allowed(), "by the copy");
    assert_eq!(decision.site().ruling().access, Access::Rules);
    assert!(decision.site().ruling().rung.is_some());
    assert!(client.check(&test_bot(), "http://a.test/private/").await.unwrap().is_disallowed());
    assert_eq!(server.count("a.test", "/robots.txt"), 2, "the failure is remembered, too");

    clock.advance(Duration::from_secs(60));
    let _ = client.check(&test_bot(), "http://a.test/").await.unwrap();
    assert_eq!(server.count("a.test", "/robots.txt"), 3);
    assert_eq!(client.stats().fail_open_total, 0);
    assert_eq!(client.stats().unreachable_total, 2);
}

#[tokio::test]
async fn concurrent_questions_share_a_fetch() {
    let server = HttpServer::start().await;
    let gate = Gate::new();
    server.serve(ANY, "/robots.txt", Reply::ok(RULES).hold(At::Body(3), &gate));
    let (builder, _) = client(&server);
    let client = builder.build().unwrap();

    let ask = |path: String| {
        let client = client.clone();
        tokio::spawn(async move { client.check(&test_bot(), &format!("http://a.test/{path}")).await })
    };
    let first = ask("first".into());
    while server.count("a.test", "/robots.txt") == 0 {
        tokio::task::yield_now().await;
    }
    let others: Vec<_> = (0..100).map(|n| ask(n.to_string())).collect();
    tokio::task::yield_now().await;
    // The caller that began it goes away; those that wait for it must still get the result.
    first.abort();
    gate.open();
    for other in others {
        assert!(other.await.unwrap().unwrap().is_allowed());
    }
    assert_eq!(server.count("a.test", "/robots.txt"), 1);
    assert_eq!(client.stats().fetches_total, 1);
}

#[tokio::test]
async fn a_store_is_warm_and_offline_is_silent() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/robots.txt", Reply::ok(RULES));
    let (builder, clock) = client(&server);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(1 << 20).with_clock(clock.clone()));
    let first = builder.store(Arc::clone(&store)).build().unwrap();
    assert!(first.check(&test_bot(), "http://a.test/private/").await.unwrap().is_disallowed());

    let again = client(&server).0.store(Arc::clone(&store)).clock(clock.clone()).build().unwrap();
    assert!(again.check(&test_bot(), "http://a.test/private/").await.unwrap().is_disallowed());
    assert_eq!(again.stats().store_hits_total, 1);
    assert_eq!(server.requests().len(), 1);

    clock.advance(2 * DAY);
    let offline = client(&server).0.store(store).clock(clock.clone()).offline(true).build().unwrap();
    let decision = offline.check(&test_bot(), "http://a.test/private/").await.unwrap();
    assert!(decision.is_disallowed() && decision.site().is_overdue());
    let unknown = offline.check(&test_bot(), "http://b.test/").await.unwrap_err();
    assert!(unknown.is_nothing_known(), "{unknown}");
    assert_eq!(server.requests().len(), 1);

    let impatient = client(&server).0.max_age(HOUR).clock(clock.clone()).build().unwrap();
    let _ = impatient.check(&test_bot(), "http://a.test/").await.unwrap();
    clock.advance(2 * HOUR);
    let _ = impatient.check(&test_bot(), "http://a.test/").await.unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn strict_policy_still_allows_robots_txt() {
    let server = HttpServer::start().await;
    server.serve(ANY, ANY, Reply::status(500));
    let (builder, _) = client(&server);
    let client = builder.policy(Policy::STRICT).build().unwrap();
    assert!(client.check(&test_bot(), "http://a.test/").await.unwrap().is_disallowed());
    assert!(client.check(&test_bot(), "http://a.test/robots.txt").await.unwrap().is_allowed(), "RFC 9309 §2.2.2");
    // A crawler that `*` does not bind is bound by a site that cannot be fetched.
    let ads = Crawler::known("AdsBot-Google").unwrap();
    assert!(client.check(&ads, "http://a.test/").await.unwrap().is_disallowed());
    let by_user = comity::Crawlers::builtin();
    let by_user = Crawler::from(by_user.iter().find(|profile| profile.governed == comity::Governed::No).unwrap());
    assert_eq!(client.check(&by_user, "http://a.test/").await.unwrap().answer(), Answer::NotGoverned);
}

#[tokio::test]
async fn fetch_lists_its_exchanges() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/robots.txt", Reply::redirect(301, "http://b.test/r"));
    server.serve("b.test", "/r", Reply::ok(RULES));
    let (builder, _) = client(&server);
    let client = builder.build().unwrap();
    let site = client.fetch("http://a.test/x").await.unwrap();
    let steps: Vec<_> = site.exchanges().iter().map(|step| (step.url.as_str(), step.status, step.bytes)).collect();
    assert_eq!(steps, [("http://a.test/robots.txt", Some(301), 0), ("http://b.test/r", Some(200), RULES.len() as u64)]);
    assert_eq!(site.copy().unwrap().url, "http://b.test/r");
    // The rules belong to the requested origin, and to no other.
    assert!(client.check(&test_bot(), "http://a.test/private/").await.unwrap().is_disallowed());
    assert!(client.check(&test_bot(), "http://b.test/private/").await.unwrap().is_allowed());
    // A forced fetch sends a request even if the file is cached.
    let _ = client.fetch("http://a.test/x").await.unwrap();
    assert_eq!(server.count("a.test", "/robots.txt"), 2);
}

#[tokio::test]
async fn url_without_robots_txt_is_an_error() {
    let server = HttpServer::start().await;
    let (builder, _) = client(&server);
    let client = builder.build().unwrap();
    for (url, says) in [
        ("mailto:a@b.test", "has no host"),
        ("/path", "expected an absolute URL"),
        ("gopher://a.test/", "are fetched by http:"),
        ("not a url", "expected an absolute URL"),
    ] {
        let error = client.check(&test_bot(), url).await.unwrap_err();
        assert!(error.to_string().contains(says), "{url}: {error}");
    }
    // One origin in several spellings.
    for url in ["http://müller.test/", "http://xn--mller-kva.test:80/a", "http://user:word@MÜLLER.test./b"] {
        assert!(client.check(&test_bot(), url).await.unwrap().is_allowed(), "{url}");
    }
    assert_eq!(server.requests().len(), 1);
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_page_is_got_where_it_is_and_no_more_of_it() {
    let server = HttpServer::start().await;
    server.serve("a.test", "/page", Reply::redirect(302, "http://b.test/there?x#part"));
    server.serve("b.test", "/there?x", Reply::ok("0123456789").header("X-Robots-Tag", "noindex"));
    server.serve("c.test", ANY, Reply::redirect(302, "/again"));
    server.serve("d.test", ANY, Reply::ok("0123456789").cut(At::Body(5)));
    let client = client(&server).0.build().unwrap();
    let get = async |url: &str, most| {
        client.get_without_robots(&PageRequest::new(url.parse().unwrap()).max_bytes(most)).await
    };
    let page = get("http://a.test/page", 100).await.unwrap();
    assert_eq!((page.status, &*page.body, page.is_cut), (200, &b"0123456789"[..], false));
    assert_eq!((page.url.host_str(), page.redirects.len()), (Some("b.test"), 1));
    assert!(page.fields.contains(&("x-robots-tag".into(), "noindex".into())));
    assert!(!get("http://b.test/there?x", 10).await.unwrap().is_cut);
    let cut = get("http://b.test/there?x", 9).await.unwrap();
    assert_eq!((&*cut.body, cut.is_cut), (&b"012345678"[..], true));
    assert_eq!(get("http://b.test/none", 9).await.unwrap().status, 404);
    assert_eq!(get("http://c.test/", 9).await.unwrap_err().failure(), comity_fetch::Failure::BadRedirect);
    assert_eq!(get("http://d.test/", 9).await.unwrap_err().failure(), comity_fetch::Failure::Truncated);
    // Pages are not fetched from forbidden addresses either.
    let strict = Client::builder("TestBot/1.0").resolver(Arc::new(Fixed::new([server.addr()]))).build().unwrap();
    let refused =
        strict.get_without_robots(&PageRequest::new("http://a.test/page".parse().unwrap())).await.unwrap_err();
    assert_eq!(refused.failure(), comity_fetch::Failure::Refused);
}

/// Returns bytes that no coding makes shorter.
fn noise(len: usize) -> Vec<u8> {
    let step = |state: &mut u64| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        Some(state.to_le_bytes()[3])
    };
    std::iter::repeat_n((), len).scan(0x9E37_79B9_7F4A_7C15, |state, ()| step(state)).collect()
}

#[tokio::test]
async fn a_page_may_be_longer_when_coded_than_a_robots_txt() {
    let server = HttpServer::start().await;
    let client = client(&server).0.build().unwrap();
    let body = noise(1_500_000);
    for (number, coding) in Coding::ALL.into_iter().enumerate() {
        let coded = coding.encode(&body);
        assert!(coded.len() > 1_400_000, "{coding:?} made it {} bytes", coded.len());
        server.serve(ANY, &format!("/{number}"), Reply::ok(coded).header("Content-Encoding", coding.name()));
        let request = PageRequest::new(format!("http://a.test/{number}").parse().unwrap());
        let page = client.get_without_robots(&request.clone().max_bytes(2_000_000)).await.unwrap();
        assert!(page.body == body && !page.is_cut, "{coding:?}");
        let cut = client.get_without_robots(&request.max_bytes(1_200_000)).await.unwrap();
        assert!(cut.body == body[..1_200_000] && cut.is_cut, "{coding:?}");
    }
    // A body that decodes to nothing still ends.
    let nothing = Coding::Gzip.encode(b"");
    server.serve("b.test", ANY, Reply::ok("").endless(nothing).header("Content-Encoding", "gzip"));
    let request = PageRequest::new("http://b.test/".parse().unwrap()).max_bytes(2_000_000);
    let error = client.get_without_robots(&request).await.unwrap_err();
    assert!(error.to_string().contains("more than 4000000 bytes"), "{error}");
}

#[tokio::test]
async fn a_time_without_end_is_a_day() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let server = HttpServer::start().await;
    server.serve("a.test", "/robots.txt", Reply::ok(RULES));
    server.serve("a.test", "/page", Reply::ok("0123456789"));
    let endless = client(&server).0.timeout(Duration::MAX).build().unwrap();
    assert_eq!(endless.policy().deadline, DAY);
    assert!(endless.check(&test_bot(), "http://a.test/private/x").await.unwrap().is_disallowed());
    assert_eq!(
        endless.get_without_robots(&PageRequest::new("http://a.test/page".parse().unwrap())).await.unwrap().status,
        200
    );

    let mut policy = Policy::STANDARD;
    policy.deadline = Duration::MAX;
    assert_eq!(client(&server).0.policy(policy).build().unwrap().policy().deadline, DAY);
}
