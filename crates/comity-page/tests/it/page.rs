//! Runs the cases of `testdata/page/` that need no HTML. The others are in `pages.rs`.

#![cfg(all(feature = "robots-tag", feature = "serde"))]

use crate::cases::{complaints_about, complaints_about_answers, complaints_about_evidence, crawler};
use comity::{Crawler, Crawlers, Governed, Profile, Purpose, Robots};
use comity_page::{Page, PageRule, Stance, Support, TdmRules, is_robots_name, permissions, read_page};
use comity_testdata::pages::{PageCase, pages};

fn page(case: &PageCase) -> Page<'static> {
    let mut page = Page::new();
    for (line, header) in (1..).zip(&case.headers) {
        let (name, value) = header.split_once(':').unwrap();
        page.header_at(name, value.trim().as_bytes(), line);
    }
    for (name, content) in &case.metas {
        page.meta_at(name.as_bytes(), content.as_bytes(), 1);
    }
    if let Some(json) = &case.tdmrep {
        let rules: TdmRules = serde_json::from_str(json).unwrap();
        rules.rule_for("https://example.com/page").into_iter().for_each(|rule| page.tdm_rule(rule));
    }
    page
}

#[test]
fn pages_have_the_expected_rules() {
    let (mut count, mut complaints) = (0, Vec::new());
    for (theme, case) in pages().iter().filter(|(_, case)| case.html.is_none()) {
        let page = page(case);
        let robots = case.robots.as_ref().map(Robots::parse);
        complaints.extend(
            complaints_about_evidence(&page, case)
                .iter()
                .map(|what| format!("{theme}.toml: {}: found {what}", case.name)),
        );
        for ask in &case.asks {
            let mut found = complaints_about(&page.rules_for(&crawler(ask)), ask);
            if let Some(robots) = &robots {
                found.extend(complaints_about_answers(robots, &page, ask));
            }
            complaints.extend(found.iter().map(|what| format!("{theme}.toml: {}: {ask:?}: found {what}", case.name)));
            count += 1;
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    assert!(count > 120, "the cases have shrunk to {count}");
}

#[test]
fn every_statement_is_listed() {
    for (_, case) in pages() {
        let page = page(&case);
        for ask in &case.asks {
            let rules = page.rules_for(&crawler(ask));
            // Rules that have no effect without a noindex are reported, too.
            let told = rules.applied.iter().chain(&rules.others).chain(rules.ignored.iter().map(|(said, _)| said));
            let told: Vec<_> = told.collect();
            assert!(page.statements().iter().all(|said| told.contains(&&said)), "{}", case.name);
        }
    }
}

#[test]
fn long_robots_tag_keeps_whole_members() {
    // draft-illyes-repext-03: at least 8 KiB are read; of a longer value, only complete members apply.
    let field = |members: usize| format!("*;noindex, {}a-bot;nofollow", "b-bot;nosnippet, ".repeat(members));
    for (members, is_read) in [(450, true), (2_000, false)] {
        let mut page = Page::new();
        page.header("Robots-Tag", field(members).as_bytes());
        let rules = page.rules_for(&Crawler::token("a-bot").unwrap());
        assert!(rules.noindex.is_some());
        assert_eq!(rules.nofollow.is_some(), is_read);
        assert!(page.statements().iter().all(|said| ["noindex", "nosnippet", "nofollow"].contains(&&*said.text)));
    }
}

#[test]
fn custom_rows_define_forbidding_rules() {
    let row = r#"{"token": "acmebot", "operator": "Acme", "purpose": "search", "page_rules": {
        "supports": ["noarchive"], "forbid_training": ["noarchive"], "forbid_ai_input": ["nosnippet"],
        "none_means_nosnippet": true, "meta_names": ["acme"], "supports_under": ["acme: noai"]}}"#;
    let profile: Profile = serde_json::from_str(row).unwrap();
    let crawler = Crawler::from(&profile);
    let robots = Robots::parse(b"");
    let stances = |said: &[(&str, &str)]| {
        let mut page = Page::new();
        for (name, content) in said {
            page.meta(name.as_bytes(), content.as_bytes());
        }
        let found = permissions(&robots, &crawler, "/", &page);
        (found.training.stance, found.ai_input.stance)
    };
    assert_eq!(stances(&[("robots", "noarchive")]), (Stance::No, Stance::NotStated));
    assert_eq!(stances(&[("robots", "none")]), (Stance::NotStated, Stance::No));
    assert_eq!(stances(&[("robots", "max-snippet:0")]), (Stance::NotStated, Stance::No));
    assert_eq!(stances(&[("robots", "nocache")]), (Stance::NotStated, Stance::NotStated));
    // Its token is not a name of a meta tag that it obeys.
    assert_eq!(stances(&[("acmebot", "noarchive")]), (Stance::NotStated, Stance::NotStated));
    assert_eq!(stances(&[("acme", "noai")]), (Stance::No, Stance::NotStated));
    assert_eq!(PageRule::NoArchive.support_by(&profile), Support::Supported);
    assert_eq!(PageRule::NoCache.support_by(&profile), Support::Unknown);
}

#[test]
fn crawlers_of_ones_own_are_known() {
    let mut own = Crawlers::builtin();
    own.add(Profile::new("AcmeFetcher", "Acme", Purpose::Search).with_fallback(["AcmeNews"]));
    own.add(Profile::new("AcmeNews", "Another", Purpose::Search));
    let mut training = Profile::new("Acme-Training", "Acme", Purpose::AiTraining);
    training.governed = Governed::ControlToken;
    own.add(training);
    let crawler = Crawler::from(own.find("AcmeFetcher").unwrap());
    let robots = Robots::parse(b"User-agent: Acme-Training\nDisallow: /\n");
    for (mut page, is_known) in [(Page::with_crawlers(&own), true), (Page::new(), false)] {
        // Later in a line, a name before a colon is a crawler only if the crawler is known.
        page.header("X-Robots-Tag", b"nofollow, AcmeFetcher: noindex");
        assert_eq!(page.rules_for(&crawler).noindex.is_some(), is_known);
        // A token of another operator does not apply.
        page.header("X-Robots-Tag", b"AcmeNews: noarchive");
        assert_eq!(page.rules_for(&crawler).noarchive.is_none(), is_known);
        let found = permissions(&robots, &crawler, "/", &page);
        assert_eq!(found.training.stance, if is_known { Stance::No } else { Stance::NotStated });
        assert_eq!(is_robots_name(b"acmefetcher", page.crawlers()), is_known);
        let html = b"<meta name=AcmeFetcher content=nosnippet>";
        assert_eq!(read_page(&html[..], &mut page, &[]).unwrap().metas == 1, is_known);
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<String> = pages().into_iter().map(|(_, page)| page.name).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}
