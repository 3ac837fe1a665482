//! Lifetimes of answers, retry intervals, and other changes over time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use comity_fetch::{Client, Clock, Event, Policy};
use comity_testserver::{ANY, Reply};
use serde::Deserialize;

use crate::ROBOTS;
use crate::case::{Wait, duration};
use crate::stage::{Allowed, START, Site, Stage, allowed};

const URL: &str = "http://a.test/";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    fresh: Vec<Fresh>,
    again: Vec<Again>,
    answers: Vec<Answers>,
}

/// The lifetime of an answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fresh {
    name: String,
    #[serde(default = "ok")]
    status: u16,
    fields: Vec<String>,
    is: String,
    /// The policies that differ.
    #[serde(default)]
    but: BTreeMap<String, String>,
}

/// The intervals between fetches if the answer is always the same.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Again {
    name: String,
    status: u16,
    fields: Vec<String>,
    /// All policies by default.
    policies: Option<Vec<String>>,
    after: Vec<String>,
}

/// The effect of a caller's report about the site's pages on a file that has been unreachable from the start.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Answers {
    name: String,
    said: Option<bool>,
    /// Just before the next fetch by default.
    said_after: Option<String>,
    asked_after: String,
    /// By policy.
    is: BTreeMap<String, String>,
}

fn ok() -> u16 {
    200
}

fn data() -> File {
    toml::from_str(include_str!("../../testdata/cells/times.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn reply(status: u16, fields: &[String]) -> Reply {
    let reply = Reply::status(status).body(if status == 304 { "" } else { ROBOTS });
    fields.iter().fold(reply, |reply, field| {
        let (name, value) = field.split_once(": ").expect("Name: value");
        reply.header(name, value)
    })
}

fn policies<'n>(names: impl IntoIterator<Item = &'n String>) -> Vec<Policy> {
    names.into_iter().map(|name| Policy::named(name).unwrap_or_else(|| panic!("no policy `{name}`"))).collect()
}

async fn wait(client: &Client, clock: &Clock) -> Duration {
    client.robots(URL).await.unwrap().due().since(clock.now())
}

#[tokio::test]
async fn an_answer_is_good_for_as_long_as_it_says_within_bounds() {
    let site = Site::good().await;
    for case in data().fresh {
        policies(case.but.keys());
        site.http.serve(ANY, ANY, reply(case.status, &case.fields));
        for policy in Policy::ALL {
            let title = format!("{} ({})", case.name, policy.name);
            let expected = duration(case.but.get(policy.name).unwrap_or(&case.is));
            let stage = Stage::new(*policy, &site);
            let client = stage.client().build().unwrap();
            site.http.clear_requests();
            assert_eq!(wait(&client, &stage.clock).await, expected, "{title}");
            assert_eq!(site.requests(), 1);
            let due = stage.clock.now() + expected;
            if !expected.is_zero() {
                stage.pass_until_before(due);
                let _ = client.robots(URL).await.unwrap();
                assert_eq!(site.requests(), 1, "{title}: nobody asks before time");
            }
            stage.pass_until(due);
            let _ = client.robots(URL).await.unwrap();
            assert_eq!(site.requests(), 2, "{title}: nobody trusts it for longer");
        }
    }
}

#[tokio::test]
async fn failing_site_waits_longer_each_time() {
    let site = Site::good().await;
    for case in data().again {
        for policy in case.policies.as_ref().map_or(Policy::ALL.to_vec(), policies) {
            let title = format!("{} ({})", case.name, policy.name);
            site.http.serve(ANY, ANY, reply(case.status, &case.fields));
            let stage = Stage::new(policy, &site);
            let client = stage.client().build().unwrap();
            site.http.clear_requests();
            for (nth, after) in case.after.iter().enumerate() {
                let wait = wait(&client, &stage.clock).await;
                assert!(Wait::parse(after).has(wait), "{title}: {wait:?}, not {after}");
                assert_eq!(site.requests(), nth + 1, "{title}");
                let due = stage.clock.now() + wait;
                stage.pass_until_before(due);
                let _ = client.robots(URL).await.unwrap();
                assert_eq!(site.requests(), nth + 1, "{title}: nobody asks before time");
                stage.pass_until(due);
            }
            // The site answers, and earlier failures no longer matter.
            site.http.serve(ANY, ANY, Reply::ok(ROBOTS));
            let robots = client.robots(URL).await.unwrap();
            assert_eq!((robots.ruling().event, allowed(&robots)), (Event::Found, Allowed::ByRules));
            stage.pass_until(robots.due());
            site.http.serve(ANY, ANY, reply(case.status, &case.fields));
            let first = wait(&client, &stage.clock).await;
            // A date has another meaning by now.
            let is_date = case.fields.iter().any(|field| field.contains("GMT"));
            assert!(is_date || Wait::parse(&case.after[0]).has(first), "{title}: {first:?} after an answer");
        }
    }
}

#[tokio::test]
async fn sites_that_fail_together_are_not_asked_together() {
    let site = Site::good().await;
    site.http.serve(ANY, ANY, Reply::status(500));
    let stage = Stage::new(Policy::STANDARD, &site);
    let client = stage.client().build().unwrap();
    let mut waits = BTreeSet::new();
    for n in 0..100 {
        let robots = client.robots(&format!("http://{n}.test/")).await.unwrap();
        waits.insert(robots.due().since(stage.clock.now()));
    }
    assert!(waits.len() > 60, "{waits:?}");
    let (least, most) = (waits.first().unwrap(), waits.last().unwrap());
    assert!(*most > *least + Duration::from_secs(100), "{least:?} to {most:?}");
}

#[tokio::test]
async fn the_callers_word_that_the_site_answers_counts_for_a_day() {
    let site = Site::good().await;
    site.http.serve(ANY, ANY, Reply::status(500));
    for case in data().answers {
        for policy in policies(case.is.keys()) {
            let title = format!("{} ({})", case.name, policy.name);
            let stage = Stage::new(policy, &site);
            let client = stage.client().build().unwrap();
            let _ = client.robots(URL).await.unwrap();
            stage.pass_until(START + duration(case.said_after.as_ref().unwrap_or(&case.asked_after)));
            if let Some(said) = case.said {
                client.site_answers(URL, said).await.unwrap();
            }
            stage.pass_until(START + duration(&case.asked_after));
            let robots = client.robots(URL).await.unwrap();
            let expected = match case.is[policy.name].as_str() {
                "allow" => Allowed::All,
                "disallow" => Allowed::Nothing,
                other => panic!("{title}: what is `{other}`?"),
            };
            assert_eq!(allowed(&robots), expected, "{title}");
            assert_eq!(robots.ruling().is_allowed_by_failure(), expected == Allowed::All, "{title}");
            assert_eq!(client.stats().fail_open_total, 0);
        }
    }
}

#[tokio::test]
async fn a_copy_that_is_still_good_is_not_sent_again() {
    let site = Site::good().await;
    let file = Reply::ok(ROBOTS).header("ETag", "\"1\"").header("Cache-Control", "max-age=3600");
    site.http.serve(ANY, ANY, file.conditional());
    for policy in Policy::ALL {
        let stage = Stage::new(*policy, &site);
        let client = stage.client().revalidates(true).build().unwrap();
        let first = client.robots(URL).await.unwrap();
        stage.clock.advance(Duration::from_secs(3600));
        let again = client.robots(URL).await.unwrap();
        assert_eq!(again.ruling().event, Event::NotModified);
        assert_eq!(allowed(&again), Allowed::ByRules);
        assert_eq!(again.due(), first.due() + Duration::from_secs(3600));
        assert_eq!((again.age(), again.copy().unwrap().fetched), (Some(Duration::ZERO), first.at()));
        // A client that does not revalidate gets no 304.
        let plain = stage.client().build().unwrap();
        assert_eq!(plain.fetch(URL).await.unwrap().ruling().event, Event::Found);
    }
}
