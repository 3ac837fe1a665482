//! Headlines: the sentences, and that what they claim about a whole site holds for each crawler and URL that is tried.

use comity::{Crawler, Crawlers, Governed, Reason, Robots};
use comity_report::{CrawlerQuery, Diff, ProofScope, Tone, open_to};

const OPEN: &str = "User-agent: *\nDisallow:\n";
const SHUT: &str = "User-agent: *\nDisallow: /\n";

#[test]
fn the_result_comes_first() {
    let table = Crawlers::builtin();
    for (file, tone, text) in [
        ("", Tone::Good, "Open to Google, Bing, Yandex, DuckDuckGo and every other crawler."),
        (OPEN, Tone::Good, "Open to Google, Bing, Yandex, DuckDuckGo and every other crawler."),
        (
            "User-agent: *\nDisallow: /cart/\n",
            Tone::Good,
            "Open to Google, Bing, Yandex, DuckDuckGo and every other crawler, except for what single rules block.",
        ),
        (
            SHUT,
            Tone::Bad,
            "The whole site is blocked for every crawler, except those that ignore the rules for everyone, such as APIs-Google.",
        ),
        (
            "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nUser-agent: Applebot\nDisallow:\n",
            Tone::Caution,
            "Only Google and Apple may fetch the site, except those that ignore the rules for everyone, such as APIs-Google.",
        ),
        (
            "User-agent: bingbot\nDisallow: /\n",
            Tone::Bad,
            "The whole site is blocked for Bing. Open to Google, Yandex, DuckDuckGo, Apple and every crawler without a group.",
        ),
        (
            "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n",
            Tone::Good,
            "Open to Google, Bing, Yandex, DuckDuckGo and every crawler without a group. The whole site is blocked for \
             GPTBot and CCBot.",
        ),
        (
            "User-agent: GPTBot\nDisalow: /\n",
            Tone::Caution,
            "Open to Google, Bing, Yandex, DuckDuckGo and every crawler without a group. Perhaps blocked for GPTBot: line \
             2 has a mistake, and crawlers may ignore it.",
        ),
        (
            "User-agent: *\nDisalow: /\n",
            Tone::Bad,
            "The whole site is blocked for Google and 11 other crawlers. Perhaps blocked for Bing, Yandex, DuckDuckGo, Apple, \
             Baidu and every crawler without a group: line 2 has a mistake, and crawlers may ignore it.",
        ),
    ] {
        let found = open_to(file.as_bytes(), &table);
        assert_eq!((found.text.as_str(), found.tone), (text, tone), "{file}");
    }
    let html = open_to(b"<html>not found</html>", &table);
    assert!(html.text.starts_with("The file looks like an HTML page, not like a robots.txt. Open to"), "{}", html.text);
}

#[test]
fn those_who_are_affected_come_first() {
    let table = Crawlers::builtin();
    let own = "\nUser-agent: Googlebot\nDisallow: /internal/\n";
    for (old, new, text) in [
        (OPEN.to_owned(), OPEN.to_owned(), "Nothing changes for any URL and any crawler."),
        (
            format!("User-agent: *\nDisallow: /cart/\n{own}"),
            format!("{SHUT}{own}"),
            "The whole site is now blocked for Bing, Yandex, DuckDuckGo, Baidu and every crawler without a group.",
        ),
        (
            format!("{SHUT}{own}"),
            format!("User-agent: *\nDisallow: /cart/\n{own}"),
            "Most of the site is now open to Bing, Yandex, DuckDuckGo, Baidu and every crawler without a group.",
        ),
        (
            OPEN.to_owned(),
            "User-agent: *\nDisallow: /cart/\n".to_owned(),
            "Now blocked for Google, Bing, Yandex, DuckDuckGo, Apple, Baidu and every crawler without a group: URLs such as /cart/.",
        ),
    ] {
        let diff = Diff::new(old.as_bytes(), new.as_bytes(), &ProofScope::new(&table));
        assert!(diff.headline.text.starts_with(text), "{}", diff.headline.text);
    }
    let diff = Diff::new(OPEN.as_bytes(), format!("{SHUT}{own}").as_bytes(), &ProofScope::new(&table));
    assert!(diff.headline.text.contains(" A part of it changes for Google"), "{}", diff.headline.text);
    let diff =
        Diff::new(format!("{OPEN}{own}").as_bytes(), format!("{SHUT}{own}").as_bytes(), &ProofScope::new(&table));
    assert!(diff.headline.text.contains(" Google, Apple"), "{}", diff.headline.text);
    assert!(diff.headline.text.ends_with(" are not affected."), "{}", diff.headline.text);
}

/// A sentence about chosen crawlers is not one about every crawler.
#[test]
fn chosen_crawlers_are_named() {
    let table = Crawlers::builtin();
    let agents = [CrawlerQuery::new("GPTBot", Some(&table))];
    let scope = ProofScope::new(&table).agents(&agents);
    for (new, text) in [
        (SHUT, "The whole site is now blocked for GPTBot."),
        ("User-agent: *\nDisallow: /a\n", "Now blocked for GPTBot: URLs such as /a."),
        (OPEN, "Nothing changes for any URL and these crawlers."),
    ] {
        assert_eq!(Diff::new(OPEN.as_bytes(), new.as_bytes(), &scope).headline.text, text);
    }
}

#[test]
fn listed_urls_are_in_the_headline() {
    let table = Crawlers::builtin();
    let scope = ProofScope::new(&table);
    let mut diff = Diff::new(OPEN.as_bytes(), SHUT.as_bytes(), &scope);
    diff.count(OPEN.as_bytes(), SHUT.as_bytes(), &["/".to_owned(), "/robots.txt".to_owned()], &scope);
    assert!(diff.headline.text.ends_with(" 1 of 2 listed URLs is affected."), "{}", diff.headline.text);
}

/// A sentence about the whole site is a claim about every crawler that it names. The matcher is asked for each crawler of
/// the table, in the dialect of its operator, and for URLs of the cases.
#[test]
fn no_sentence_says_more_than_the_matcher() {
    let table = Crawlers::builtin();
    let (mut shut, mut open) = (0, 0);
    for file in &comity_testdata::suite().files {
        let body = &file.body;
        let text = open_to(body.as_ref(), &table).text;
        let is_shut = text.contains("The whole site is blocked for every crawler");
        let is_open = text.contains("and every other crawler.");
        if !is_shut && !is_open {
            continue;
        }
        *(if is_shut { &mut shut } else { &mut open }) += 1;
        for profile in
            table.iter().filter(|row| !row.retired && !matches!(row.governed, Governed::No | Governed::ControlToken))
        {
            let robots = Robots::parse_with(body, &profile.dialect);
            for case in &file.cases {
                let url = String::from_utf8_lossy(&case.url);
                let verdict = robots.check(&Crawler::from(profile), &url);
                if verdict.reason() == Reason::RobotsTxt || (is_shut && !profile.obeys_star) {
                    continue;
                }
                assert!(
                    if is_shut { !verdict.is_allowed() } else { !verdict.is_disallowed() },
                    "{}: {text} {} {}",
                    file.name,
                    profile.token,
                    url
                );
            }
        }
    }
    assert!(shut > 0 && open > 0, "{shut} {open}");
}
