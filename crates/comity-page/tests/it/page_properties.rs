//! Properties that hold for every header, every meta tag and every page.

#![cfg(all(feature = "robots-tag", feature = "serde"))]

// The same files as those of the engine's tests.

use comity::{Crawler, Preference, Robots};
use comity_page::{Limit, Moment, Page, PageRule, Stance, Statement, TdmRule, TdmRules, permissions};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::pieces::{LINES, URLS, config, pieces};

const HEADER: &[&str] = &[
    "noindex",
    "nofollow",
    "none",
    "all",
    "nosnippet",
    "max-snippet",
    "max-image-preview",
    "unavailable_after",
    ":",
    ": ",
    ",",
    ", ",
    " ",
    ";",
    "googlebot",
    "otherbot",
    "acme",
    "x-rule",
    "-1",
    "0",
    "20",
    "large",
    "none",
    "*",
    "Fri, 25 Jun 2010 15:00:00 GMT",
    "25-Jun-10",
    "2030-01-31",
    "=",
    "(",
    ")",
    "\"",
    "?1",
];
const LINKS: &[&str] = &[
    "<",
    ">",
    ";",
    ",",
    "=",
    "\"",
    "\\",
    " ",
    "\t",
    "/l.xml",
    "rel",
    "license",
    "rel=license",
    "type",
    "anchor",
    "application/rsl+xml",
    "</a>; rel=license",
    "<b>;rel=\"next license\"",
];
const LOCATIONS: &[&str] = &["/", "/x", "/x/", "/x/y", "/x*z", "/*.html$", "/%78", "*", "", "x", "/x/y/z$"];

proptest! {
    #![proptest_config(config(3_000))]

    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..200)) {
        let _ = Moment::parse(&bytes);
        let mut page = Page::new();
        page.header("X-Robots-Tag", &bytes);
        page.header("Robots-Tag", &bytes);
        page.header("Link", &bytes);
        page.header("tdm-policy", &bytes);
        page.meta(&bytes, &bytes);
        let _ = page.rules_for(&Crawler::ANY).to_string();
    }

    #[test]
    fn every_statement_applies_or_is_listed(header in pieces(HEADER, 12), name in select(&["robots", "googlebot", "acme"][..])) {
        let mut page = Page::new();
        page.header("X-Robots-Tag", &header);
        page.meta(name.as_bytes(), &header);
        page.header("Content-Usage", &header);
        for crawler in [Crawler::ANY, Crawler::token("acme").unwrap(), Crawler::known("Googlebot").unwrap()] {
            let rules = page.rules_for(&crawler);
            let told = rules.applied.iter().chain(&rules.others).chain(rules.ignored.iter().map(|(said, _)| said));
            let told: Vec<_> = told.map(|said| std::ptr::from_ref(*said)).collect();
            for said in page.statements() {
                prop_assert!(told.contains(&std::ptr::from_ref(said)));
                prop_assert!(said.to_string().chars().all(|c| !c.is_control()));
            }
            // The result contains every restriction that applies.
            let restricts = rules.applied.iter().any(|said| said.rule.is_restriction());
            prop_assert!(!restricts || rules.to_string() != "all");
        }
        // A rule that names no crawler applies to every crawler, whatever else the line contains.
        let unscoped = page.statements().iter().filter(|said| said.agent.is_none() && said.rule == PageRule::NoIndex).count();
        prop_assert!(unscoped == 0 || page.rules_for(&Crawler::ANY).noindex.is_some());
    }

    #[test]
    fn more_is_never_less(first in pieces(HEADER, 8), second in pieces(HEADER, 8)) {
        // Another line never removes a restriction.
        let mut page = Page::new();
        page.header("X-Robots-Tag", &first);
        let alone = page.clone();
        page.header("X-Robots-Tag", &second);
        let (before, after) = (alone.rules_for(&Crawler::token("acme").unwrap()), page.rules_for(&Crawler::token("acme").unwrap()));
        prop_assert!(before.noindex.is_none() || after.noindex.is_some());
        prop_assert!(before.nofollow.is_none() || after.nofollow.is_some());
        prop_assert!(before.nosnippet.is_none() || after.nosnippet.is_some());
        let limit = |found: Option<(Limit, &Statement)>| found.map(|(limit, _)| limit);
        if let Some(before) = limit(before.max_snippet) {
            prop_assert!(limit(after.max_snippet).is_some_and(|after| after <= before));
        }
        if let Some((before, _)) = before.unavailable_after {
            prop_assert!(after.unavailable_after.is_some_and(|(after, _)| after <= before));
        }
    }

    #[test]
    fn licenses_are_links(before in pieces(LINKS, 10), after in pieces(LINKS, 10)) {
        let found = |lines: &[&[u8]]| {
            let mut page = Page::new();
            for line in lines {
                let before = page.licenses().len();
                assert_eq!(page.header("Link", line), page.licenses().len() > before);
            }
            page.licenses().iter().map(|license| license.url.clone()).collect::<Vec<_>>()
        };
        // Everything that is found in a line is part of it, and another line does not change it.
        let (first, second) = (found(&[&before]), found(&[&after]));
        let text = String::from_utf8_lossy(&before).into_owned();
        prop_assert!(first.iter().all(|url| !url.is_empty() && text.contains(url.as_str())));
        prop_assert_eq!(found(&[&before, &after]), [first, second].concat());
        // A link after a comma is found whatever precedes it, unless a quotation is open.
        if !before.contains(&b'"') && !before.contains(&b'<') {
            let line = [&before[..], b", </last>; rel=license"].concat();
            prop_assert_eq!(found(&[&line]).pop(), Some("/last".to_owned()));
        }
    }

    #[test]
    fn closest_tdm_reservation_applies(
        header in proptest::option::of(select(&["0", "1", "2", "", "yes"][..])),
        html in proptest::option::of(select(&["0", "1", "2", "", "yes"][..])),
        file in proptest::option::of(any::<bool>()),
    ) {
        let mut page = Page::new();
        if let Some(is_reserved) = file {
            page.tdm_rule(&tdm_rule("/", is_reserved));
        }
        header.inspect(|value| assert!(page.header("TDM-Reservation", value.as_bytes())));
        html.inspect(|value| page.meta(b"tdm-reservation", value.as_bytes()));
        let understood = |value: Option<&str>| value.and_then(|value| value.parse().ok()).filter(|n| *n < 2).map(|n: u8| n == 1);
        let expected = understood(html).or(understood(header)).or(file);
        prop_assert_eq!(page.tdm().map(|tdm| tdm.reservation.0), expected);
    }

    /// The rule for a path is the one that decides in a robots.txt with the same patterns.
    #[test]
    fn locations_match_as_rules_do(locations in vec((select(LOCATIONS), any::<bool>()), 0..6), url in select(URLS)) {
        let rules: TdmRules = locations.iter().map(|(location, is_reserved)| tdm_rule(location, *is_reserved)).collect();
        // Of two equal patterns, `Allow` wins in a robots.txt, and the one that reserves rights wins here.
        let lines = locations.iter().map(|(location, is_reserved)| {
            format!("{}: {location}\n", if *is_reserved { "Allow" } else { "Disallow" })
        });
        let file = format!("User-agent: *\n{}", lines.collect::<String>());
        let verdict = Robots::parse(file).check(&Crawler::ANY, url);
        let rule = rules.rule_for(url);
        // In a robots.txt, a rule without a path has no effect.
        match (rule, verdict.rule_kind()) {
            (None, kind) => prop_assert!(kind.is_none()),
            (Some(rule), None) => prop_assert!(rule.location.is_empty()),
            (Some(rule), Some(kind)) => prop_assert_eq!(rule.reserves, Some(kind == comity::RuleKind::Allow)),
        }
    }

    #[test]
    fn any_json_is_read_or_refused(json in pieces(&["[", "]", "{", "}", ",", ":", "\"location\"", "\"tdm-reservation\"",
        "\"tdm-policy\"", "1", "0", "true", "null", "\"/\"", "-1", "1e3", "\"\\ud800\""], 20), url in select(URLS)) {
        if let Ok(rules) = serde_json::from_slice::<TdmRules>(&json) {
            let _ = rules.rule_for(url);
        }
    }

    #[test]
    fn moments_are_printed_and_read_back(seconds in 0_i64..4_000_000_000) {
        let text = time(seconds);
        let moment = Moment::parse(text.as_bytes());
        prop_assert_eq!(moment.map(Moment::unix_seconds), Some(seconds), "{}", text);
        prop_assert_eq!(moment.map(|moment| moment.to_string()), Some(text));
    }

    #[test]
    fn permissions_are_no_weaker_than_their_parts(file in pieces(LINES, 16), header in pieces(HEADER, 8), url in select(URLS)) {
        let robots = Robots::parse(&file);
        let mut page = Page::new();
        page.header("X-Robots-Tag", &header);
        for crawler in [Crawler::token("a").unwrap(), Crawler::known("Googlebot").unwrap(), Crawler::known("Amazonbot").unwrap()] {
            let found = permissions(&robots, &crawler, url, &page);
            prop_assert_eq!(found.fetch, robots.check(&crawler, url));
            let usage = robots.content_usage(&crawler, url);
            if usage.preference("train-ai").preference == Preference::Disallow
                || robots.content_signals(&crawler, url).of("ai-train").is_some_and(|signal| !signal.granted)
                || found.fetch.is_disallowed()
            {
                prop_assert_eq!(found.training.stance, Stance::No);
            }
            if found.fetch.is_disallowed() {
                prop_assert_eq!(found.index.stance, Stance::Hidden);
                prop_assert_eq!(usage.stated().len(), 0);
            } else if page.rules_for(&crawler).noindex.is_some() {
                prop_assert_eq!(found.index.stance, Stance::No);
            }
            for permission in [&found.index, &found.follow, &found.training, &found.ai_input, &found.search] {
                prop_assert_eq!(permission.because.is_empty(), permission.stance == Stance::NotStated);
                for because in &permission.because {
                    prop_assert!(because.to_string().chars().all(|c| !c.is_control()));
                }
            }
        }
    }
}

fn tdm_rule(location: &str, is_reserved: bool) -> TdmRule {
    let mut rule = TdmRule::new(location);
    rule.reserves = Some(is_reserved);
    rule
}

/// Returns a moment as text. The calendar is computed day by day, unlike in the code under test.
fn time(seconds: i64) -> String {
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let (mut year, mut month) = (1970, 0);
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    while days >= if is_leap(year) { 366 } else { 365 } {
        days -= if is_leap(year) { 366 } else { 365 };
        year += 1;
    }
    let lengths = [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{:02}-{:02} {hour:02}:{minute:02}:{second:02} UTC", month + 1, days + 1)
}
