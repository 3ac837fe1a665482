//! Made-up timelines, logs and clocks, compared with the naive judge.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use comity::{Crawlers, Origin};
use comity_audit::{Audit, AuditReport, Auditor, Privacy, Tally, Timeline, rfc3339};
use comity_fetch::store::{ContentHash, Version, VersionCopy};
use comity_fetch::{Event, Time};
use comity_log::{LogOptions, LogReader};
use proptest::prelude::*;

use crate::naive::{Asked, Content, NaiveCounts, State, judge};

/// Midnight of a day on which clocks change in Europe, and a day after it in America.
const START: i64 = 1_793_491_200;
const DAY: i64 = 86_400;
const SITE: &str = "shop.example";

const FILES: [&str; 7] = [
    "User-agent: *\nDisallow: /cart/\n",
    "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /cart/\n",
    "User-agent: *\nAllow: /cart/help\nDisallow: /cart/\n\nUser-agent: Googlebot\nDisallow: /a\n",
    "User-agent: *\nDisallow:\n",
    // Google allows the folder of an allowed index.
    "User-agent: *\nDisallow: /\nAllow: /index.html\n",
    "User-agent: Yandex\nDisallow: /a\n\nDisallow: /b\n",
    "<!DOCTYPE html>",
];
const CRAWLERS: [&str; 6] = ["GPTBot", "Googlebot", "YandexBot", "AcmeBot", "Bytespider", "bingbot"];
const PATHS: [&str; 8] = ["/", "/a", "/b?x=1", "/cart/", "/cart/help", "/robots.txt", "/index.html", "/A%20"];
const HOSTS: [&str; 3] = [SITE, SITE, "blog.example"];

/// A history in order, with gaps of nobody looking, failures, and changes within seconds.
fn states() -> impl Strategy<Value = Vec<State>> {
    let length = prop_oneof![Just(0), Just(1), 0..5_i64, 0..2 * DAY];
    let pause = prop_oneof![Just(1), 1..5_i64, 1..2 * DAY];
    let content = prop_oneof![
        5 => (0..FILES.len()).prop_map(|file| Content::File(FILES[file])),
        1 => Just(Content::Absent),
        1 => Just(Content::Down),
    ];
    prop::collection::vec((pause, length, content), 1..8).prop_map(|parts| {
        let mut at = START;
        let state = |(pause, length, content): (i64, i64, Content)| {
            let first = at + pause;
            at = first + length;
            State { first, last: at, content }
        };
        parts.into_iter().map(state).collect()
    })
}

/// Requests around the edges of the states, and anywhere.
fn log(states: &[State]) -> impl Strategy<Value = Vec<Asked>> + use<> {
    let edges: Vec<i64> = states.iter().flat_map(|state| [state.first, state.last]).collect();
    let end = edges.iter().max().copied().unwrap_or(START);
    let near = (0..edges.len(), prop_oneof![Just(0), Just(DAY)], -2..=2_i64)
        .prop_map(move |(edge, grace, off)| edges[edge] + grace + off);
    let at = prop_oneof![3 => near, 1 => START - DAY..end + 2 * DAY];
    let zone = prop_oneof![Just(0_i64), Just(3_600), Just(7_200), Just(-18_000), Just(20_700)];
    let part = (at, zone, 0..CRAWLERS.len(), 0..PATHS.len(), 0..HOSTS.len());
    let asked = part.prop_map(|(at, zone, crawler, path, host)| {
        let (crawler, path, host) = (CRAWLERS[crawler], PATHS[path], HOSTS[host]);
        let (sign, minutes) = (if zone < 0 { '-' } else { '+' }, zone.abs() / 60);
        let local = rfc3339(at + zone);
        let time = format!("{}/{}/{}:{}", &local[8..10], month(&local), &local[..4], &local[11..19]);
        let line = format!(
            "{host} 192.0.2.7 - - [{time} {sign}{:02}{:02}] \"GET {path} HTTP/1.1\" 200 5 \"-\" \"Mozilla/5.0 (compatible; \
             {crawler}/1.0; +http://a.example)\"",
            minutes / 60,
            minutes % 60
        );
        Asked { at, crawler, path, host, line }
    });
    prop::collection::vec(asked, 0..60).prop_flat_map(|log| {
        // `copytruncate`: some lines occur in the old file and in the new one.
        let len = log.len();
        (Just(log), 0..=len, 0..=len).prop_map(|(mut log, from, to)| {
            let copied: Vec<Asked> = log.get(from..to).unwrap_or_default().to_vec();
            log.extend(copied);
            log
        })
    })
}

fn month(local: &str) -> &'static str {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    months[local[5..7].parse::<usize>().unwrap() - 1]
}

fn timeline(states: &[State], grace: i64) -> Timeline {
    let time = |seconds: i64| Time::from_unix_seconds(seconds.cast_unsigned());
    let version = |state: &State| {
        let (event, copy) = match state.content {
            Content::File(file) => {
                (Event::Found, Some(VersionCopy::new(String::new(), file.len(), ContentHash::of(file.as_bytes()))))
            }
            Content::Absent => (Event::Status(404), None),
            Content::Down => (Event::Status(503), None),
        };
        Version::new(time(state.first), time(state.last), event, copy)
    };
    let history: Vec<Version> = states.iter().rev().map(version).collect();
    let body = |hash| FILES.iter().find(|file| ContentHash::of(file.as_bytes()) == hash);
    Timeline::of_history(&history, |hash| body(hash).map(|file| Arc::from(file.as_bytes())))
        .grace(Duration::from_secs(grace.cast_unsigned()))
}

fn audit(states: &[State], grace: i64) -> Audit {
    let mut audit = Audit::new(timeline(states, grace), Crawlers::builtin());
    audit.site = Origin::of("https://shop.example").ok();
    audit.shown = Some("gptbot".to_owned());
    audit
}

/// Counts the lines by as many auditors as there are parts.
fn count(audit: &Audit, parts: &[Vec<&str>]) -> Tally {
    let mut tally = Tally::default();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let mut auditor = Auditor::new(audit);
        let text = part.join("\n");
        let mut reader = LogReader::open(text.as_bytes(), &LogOptions::default()).unwrap();
        while let Some(block) = reader.next_block() {
            block.unwrap().lines().for_each(|line| auditor.read(&line));
        }
        tally.merge(auditor.into_tally());
    }
    tally
}

fn found(report: &AuditReport) -> BTreeMap<String, NaiveCounts> {
    let row = |row: &comity_audit::CrawlerRow| {
        let counts = NaiveCounts {
            requests: row.requests,
            violations: row.violations,
            in_grace: row.in_grace,
            allowed: row.allowed,
            unjudged: row.not_judged.values().sum(),
        };
        (row.crawler.clone(), counts)
    };
    report.crawlers.iter().map(row).collect()
}

fn cases() -> ProptestConfig {
    let long = std::env::var_os("COMITY_LONG_TESTS").is_some();
    ProptestConfig::with_cases(if long { 50_000 } else { 300 })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_naive_judge_agrees(
        (states, log) in states().prop_flat_map(|states| { let log = log(&states); (Just(states), log) }),
        grace in prop_oneof![Just(DAY), Just(0), Just(3_600)],
    ) {
        let audit = audit(&states, grace);
        let lines: Vec<&str> = log.iter().map(|asked| asked.line.as_str()).collect();
        let report = AuditReport::new(&audit, &count(&audit, &[lines]), Privacy::default());
        prop_assert_eq!(found(&report), judge(&states, &log, SITE, grace));
        let others = log.iter().filter(|asked| asked.host != SITE).count() as u64;
        prop_assert_eq!(report.totals.other_sites, others);
    }

    #[test]
    fn the_report_does_not_depend_on_order_and_parts(
        (states, log) in states().prop_flat_map(|states| { let log = log(&states); (Just(states), log) }),
        order in any::<u64>(),
        parts in 1..5_usize,
    ) {
        let lines: Vec<&str> = log.iter().map(|asked| asked.line.as_str()).collect();
        let mut shuffled = lines.clone();
        shuffled.sort_by_key(|line| ContentHash::of([line.as_bytes(), &order.to_le_bytes()].concat().as_slice()));
        let parts: Vec<Vec<&str>> = shuffled.chunks(shuffled.len().div_ceil(parts).max(1)).map(<[&str]>::to_vec).collect();
        let reports = [vec![lines], parts].map(|parts| {
            let audit = audit(&states, DAY);
            let report = AuditReport::new(&audit, &count(&audit, &parts), Privacy::default());
            serde_json::to_string(&report).unwrap()
        });
        prop_assert_eq!(&reports[0], &reports[1]);
    }

    #[test]
    fn no_request_before_a_rule_existed_or_in_its_grace_is_a_violation(
        (states, log) in states().prop_flat_map(|states| { let log = log(&states); (Just(states), log) }),
    ) {
        // An argument of its own: a rule can be violated only a day after a file with a rule was first seen.
        let has_rule = |state: &&State| matches!(state.content, Content::File(file) if file.contains("Disallow: /"));
        let first_rule = states.iter().filter(has_rule).map(|state| state.first).min().unwrap_or(i64::MAX);
        let audit = audit(&states, DAY);
        let lines: Vec<&str> = log.iter().map(|asked| asked.line.as_str()).collect();
        let report = AuditReport::new(&audit, &count(&audit, &[lines]), Privacy::default());
        let from = first_rule.min(START * 2) + DAY;
        for row in &report.crawlers {
            prop_assert!(row.first.iter().chain(&row.examples).all(|first| first.time >= from), "{row:?} {from}");
        }
    }
}
