//! Any file, any crawler, any URL: records are parsed without a panic, and the results are consistent.
//!
//! The input is a byte that selects the dialect, a line with the agent, a line with the URL, and the file.

#![no_main]

use std::time::Duration;

use comity::{Crawler, Dialect, Meaning, Reach, Robots};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((how, rest)) = input.split_first() else { return };
    let mut parts = rest.splitn(3, |byte| *byte == b'\n');
    let (Some(agent), Some(url), Some(body)) = (parts.next(), parts.next(), parts.next()) else { return };
    let (crawler, url) = (Crawler::literal(agent), &*String::from_utf8_lossy(url));
    let robots = Robots::parse_with(body, &Dialect::ALL[usize::from(*how) % Dialect::ALL.len()]);

    for record in robots.records() {
        let text = record.meaning().to_string();
        assert!(!text.chars().any(char::is_control), "{text:?}");
        if let Meaning::RequestRate(rate) = record.meaning() {
            assert!(rate.interval() <= rate.time);
        }
    }
    let verdict = robots.check(&crawler, url);
    match robots.extent(&crawler).reach {
        Reach::All => assert!(verdict.is_allowed()),
        Reach::Nothing => assert!(verdict.is_disallowed() || verdict.reason() == comity::Reason::RobotsTxt),
        _ => {}
    }
    let usage = robots.content_usage(&crawler, url);
    assert!(!verdict.is_disallowed() || usage.stated().len() == 0);
    let _ = (usage.preference("train-ai"), robots.content_signals(&crawler, url).of("ai-train"));

    let canonical = robots.canonical(url).into_owned();
    assert!(canonical.len() <= url.len());
    assert_eq!(robots.canonical(&canonical), canonical);

    let pace = robots.pace(&crawler);
    for (last, now) in [(None, 0), (Some(0), 1), (Some(50_000), 50_000), (Some(u64::MAX), u64::MAX)] {
        let (last, now) = (last.map(Duration::from_secs), Duration::from_secs(now));
        let start = pace.next_start(last, now);
        assert!(start >= now && pace.next_start(last, start) == start);
    }
});
