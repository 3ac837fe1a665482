//! Many concurrent callers for one origin: they share one fetch, and each gets an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use comity_fetch::{Addresses, Client, Clock, Policy, Resolve, Resolving};
use comity_testserver::{ANY, At, Gate, Reply};

use crate::stage::{Allowed, START, Site, Stage, allowed};
use crate::{BOT, ROBOTS};

const URL: &str = "http://a.test/";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn until_asked(site: &Site, times: usize) {
    while site.requests() < times {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn second_fetch_joins_the_one_under_way() {
    let site = Site::good().await;
    let gate = Gate::new();
    site.http.serve(ANY, ANY, Reply::ok(ROBOTS).hold(At::Body(3), &gate));
    // A real clock, so that later callers have a later time.
    let client = Stage::new(Policy::STANDARD, &site).client().clock(Clock::system()).build().unwrap();
    let fetch = || {
        let client = client.clone();
        tokio::spawn(async move { client.fetch(URL).await.unwrap().ruling().event })
    };
    let mut fetches = vec![fetch()];
    until_asked(&site, 1).await;
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(2)).await;
        fetches.push(fetch());
    }
    tokio::task::yield_now().await;
    gate.open();
    for fetch in fetches {
        assert!(fetch.await.unwrap().is_found());
    }
    assert_eq!(site.requests(), 1);
    // After it has ended, another one begins.
    let _ = client.fetch(URL).await.unwrap();
    assert_eq!(site.requests(), 2);
}

#[tokio::test]
async fn fetch_does_not_take_a_stored_file() {
    let site = Site::good().await;
    let stage = Stage::new(Policy::STANDARD, &site);
    let _ = stage.client().build().unwrap().robots(URL).await.unwrap();
    // The first caller finds it in the store, and the second one must not take that for a fetch.
    let client = stage.client().build().unwrap();
    let (robots, fetched) = tokio::join!(client.robots(URL), client.fetch(URL));
    assert_eq!(robots.unwrap().at(), START);
    assert_eq!(fetched.unwrap().exchanges().len(), 1);
    assert_eq!(site.requests(), 2);
}

#[tokio::test]
async fn the_callers_word_outlives_a_fetch_under_way() {
    let site = Site::good().await;
    site.http.serve(ANY, ANY, Reply::status(500));
    let stage = Stage::new(Policy::GOOGLE, &site);
    let client = stage.client().build().unwrap();
    let _ = client.robots(URL).await.unwrap();
    stage.clock.advance(31 * DAY);
    let gate = Gate::new();
    site.http.serve(ANY, ANY, Reply::status(500).hold(At::Start, &gate));
    let asking = {
        let client = client.clone();
        tokio::spawn(async move { client.robots(URL).await.unwrap() })
    };
    until_asked(&site, 2).await;
    let (told, ()) = tokio::join!(client.site_answers(URL, true), async {
        tokio::task::yield_now().await;
        gate.open();
    });
    told.unwrap();
    let _ = asking.await.unwrap();
    assert_eq!(allowed(&client.robots(URL).await.unwrap()), Allowed::All);
    assert_eq!(site.requests(), 2);
}

#[tokio::test]
async fn the_callers_word_does_not_bring_back_what_was_before_a_fetch() {
    let site = Site::good().await;
    let stage = Stage::new(Policy::STANDARD, &site);
    let client = stage.client().build().unwrap();
    let _ = client.robots(URL).await.unwrap();
    let newer = "User-agent: *\nDisallow: /\n";
    for round in 1..50_u64 {
        // Either may come first; in both cases the newer file is in force at the end.
        site.http.serve(ANY, ANY, Reply::ok(format!("{newer}# {round}\n")));
        let (fetched, told) = tokio::join!(client.fetch(URL), async {
            tokio::time::sleep(Duration::from_micros(round * 40)).await;
            client.site_answers(URL, true).await
        });
        let _ = fetched.unwrap();
        told.unwrap();
        let robots = client.robots(URL).await.unwrap();
        assert_eq!(allowed(&robots), Allowed::Nothing);
        assert!(robots.copy().unwrap().body.ends_with(format!("# {round}\n").as_bytes()));
        assert!(robots.record().answers.is_some());
    }
}

/// A resolver that panics on its first call.
#[derive(Debug)]
struct Fragile(Arc<dyn Resolve>, AtomicBool);

impl Resolve for Fragile {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a> {
        assert!(self.1.swap(true, Ordering::Relaxed), "this resolver breaks down, as the test has it");
        self.0.resolve(host, port)
    }
}

#[tokio::test]
async fn a_fetch_that_breaks_down_allows_nothing_and_is_not_waited_for() {
    let site = Site::good().await;
    let stage = Stage::new(Policy::ARCHIVE, &site);
    let fragile = Fragile(stage.names.clone(), AtomicBool::new(false));
    let client = stage.client().resolver(Arc::new(fragile)).build().unwrap();
    let (first, second) = tokio::join!(client.check(BOT, URL), client.check(BOT, URL));
    for lost in [first, second] {
        assert!(lost.unwrap_err().to_string().contains("broke off: ask again"));
    }
    assert!(client.check(BOT, URL).await.unwrap().is_allowed());
}

#[tokio::test]
async fn a_timeout_holds_under_whatever_policy() {
    let site = Site::good().await;
    site.http.serve(ANY, ANY, Reply::ok(ROBOTS).stall(At::Start));
    let names = Stage::new(Policy::STANDARD, &site).names;
    let builder = Client::builder("TestBot/1.0").addresses(Addresses::Any).resolver(names);
    // An explicit timeout holds even if the policy is set later.
    let client = builder.timeout(Duration::from_millis(50)).policy(Policy::STRICT).build().unwrap();
    let robots = tokio::time::timeout(Duration::from_secs(60), client.robots(URL)).await.expect("in time").unwrap();
    assert_eq!(robots.ruling().policy, "strict");
}
