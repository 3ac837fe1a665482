//! Properties of every record and every file with records.

use std::time::Duration;

use comity::{Crawler, Dialect, Meaning, Pace, Preferences, Reach, Robots};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::pieces::{LINES, URLS, config, pieces};

proptest! {
    #![proptest_config(config(3_000))]

    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..200)) {
        let _ = Preferences::parse(&bytes).map(|found| found.of("train-ai"));
        for field in ["Request-rate", "Visit-time", "Clean-param", "Host", "Content-Signal", "Content-Usage", "License"] {
            let body = [field.as_bytes(), b": ", &bytes].concat();
            let robots = Robots::parse(&body);
            for record in robots.records() {
                let text = record.meaning().to_string();
                prop_assert!(text.chars().all(|c| !c.is_control()), "{text:?}");
            }
        }
    }

    #[test]
    fn records_change_no_verdict(
        lines in vec(select(LINES), 0..20),
        agent in select(&["a", "b", "c"][..]),
        url in select(URLS),
    ) {
        let (file, crawler) = (lines.concat(), Crawler::token(agent).unwrap());
        let is_record = |line: &str| Robots::parse(line).records().len() > 0;
        // A comment in its place, so that lines keep their numbers.
        let without: String = lines.iter().map(|line| if is_record(line) { "#\n" } else { line }).collect();
        for dialect in Dialect::ALL {
            let (all, bare) = (Robots::parse_with(&file, dialect), Robots::parse_with(&without, dialect));
            prop_assert_eq!(all.check(&crawler, url), bare.check(&crawler, url));
            prop_assert_eq!(all.extent(&crawler), bare.extent(&crawler));
        }
    }

    #[test]
    fn extents_are_proofs(file in pieces(LINES, 12), agent in select(&["a", "b", "c"][..]), path in "/[xyz/$*.]{0,6}") {
        let crawler = Crawler::token(agent).unwrap();
        for dialect in Dialect::ALL {
            let robots = Robots::parse_with(&file, dialect);
            let verdict = robots.check(&crawler, format!("http://h{path}"));
            match robots.extent(&crawler).reach {
                Reach::All => prop_assert!(verdict.is_allowed(), "{dialect} {path}"),
                Reach::Nothing => prop_assert!(verdict.is_disallowed(), "{dialect} {path}"),
                _ => {}
            }
        }
    }

    #[test]
    fn canonical_urls_lose_parameters_and_nothing_else(file in pieces(LINES, 12), url in select(URLS)) {
        let robots = Robots::parse(&file);
        let canonical = robots.canonical(url).into_owned();
        prop_assert!(canonical.len() <= url.len());
        prop_assert_eq!(robots.canonical(&canonical).into_owned(), canonical.clone());
        let before = |url: &str| url.split(['?', '#']).next().unwrap().to_owned();
        prop_assert_eq!(before(&canonical), before(url));
        let has_clean = robots.records().any(|record| matches!(record.meaning(), Meaning::CleanParam(_)));
        prop_assert!(has_clean || canonical == url);
    }

    #[test]
    fn the_next_start_is_the_first_that_is_allowed(
        file in pieces(LINES, 16),
        last in proptest::option::of(0_u64..200_000),
        now in 0_u64..400_000,
        most in proptest::option::of(0_u64..200_000),
    ) {
        let mut pace = Robots::parse(&file).pace(&Crawler::token("a").unwrap());
        if let Some(most) = most {
            pace = pace.at_most(Duration::from_secs(most));
        }
        let (last, now) = (last.map(Duration::from_secs), Duration::from_secs(now));
        let start = pace.next_start(last, now);
        prop_assert!(start >= now);
        if start < Duration::MAX {
            prop_assert!(may_start(&pace, last, start));
        }
        // No minute before would do, as far as one can look.
        let mut earlier = now;
        while earlier < start && earlier < now + Duration::from_secs(200_000) {
            prop_assert!(!may_start(&pace, last, earlier), "{earlier:?} before {start:?}");
            earlier += Duration::from_secs(60);
        }
    }
}

/// The definition, put plainly: in a window, and as long after the last request as is asked for then.
fn may_start(pace: &Pace, last: Option<Duration>, time: Duration) -> bool {
    let is_open = pace.visits().is_empty() || pace.visits().iter().any(|window| window.contains(time));
    is_open && last.is_none_or(|last| time >= last.saturating_add(pace.interval(time)))
}
