//! The dialect of 1996: names that contain other names, and URLs that are decoded before they are compared.

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Claim, Comparison, Held, Outcome, dead_rules};

fn parse(text: &str) -> Robots {
    Robots::parse_with(text, &Dialect::NOROBOTS_1996)
}

/// Checks that the verdicts of two files differ for a crawler and a URL, and that the comparison finds a difference.
fn differ(old: &str, new: &str, crawler: &str, url: &str) {
    let [old_file, new_file] = [old, new].map(parse);
    let [was, is] = [&old_file, &new_file].map(|file| file.check(&Crawler::literal(crawler), url).is_allowed());
    assert_ne!(was, is, "{crawler} {url}\n{old}\n{new}");
    let difference = Comparison::new(&old_file, &new_file).run();
    assert_eq!(difference.outcome(), Outcome::Differs, "{crawler} {url}\n{old}\n{new}");
}

#[test]
fn escapes_that_are_decoded_once() {
    for (pattern, url) in [("/a%23b", "/a%23b"), ("/a%2541", "/a%2541"), ("/a?b", "/a%3Fb"), ("/a%2Fb", "/a%2Fb")] {
        let old = format!("User-agent: *\nDisallow: {pattern}\n");
        differ(&old, "User-agent: *\nDisallow:\n", "foo", url);
        let dead = dead_rules(&parse(&format!("{old}Disallow: /x\n")), &Crawlers::builtin(), Budget::default());
        assert!(dead.rules.is_empty(), "{pattern}");
    }
    let file = parse("User-agent: *\nAllow: /a%23b/\nDisallow: /a\n");
    let held = Claim::none_allowed(b"/a%23b/").only(&[Crawler::ANY]).check(&file).unwrap();
    assert!(matches!(held, Held::No(_)), "{held:?}");
}

#[test]
fn names_that_contain_two_tokens_and_no_third() {
    let first = "User-agent: qzx wvy\nUser-agent: wvy qzx\nDisallow: /c\n\n";
    let (a, b) = ("User-agent: qzx\nDisallow: /a\n\n", "User-agent: wvy\nDisallow: /b\n\n");
    differ(&format!("{first}{a}{b}"), &format!("{first}{b}{a}"), "qzx-wvy", "/a");
}

#[test]
fn names_that_contain_a_known_one() {
    for token in ["AdsBot-Google", "FeedFetcher-Google"] {
        let any = "User-agent: *\nDisallow: /\n";
        let crawler = format!("My{token}");
        differ(&format!("User-agent: {token}\nDisallow:\n\n{any}"), any, &crawler, "/a");
    }
}

#[test]
fn a_star_that_is_a_token_names_few() {
    let start = "User-agent: */2\nDisallow: /\n\nUser-agent: a\nUser-agent: e\nDisallow:\n\nUser-agent: *\n";
    differ(&format!("{start}Disallow: /a\n"), &format!("{start}Disallow: /b\n"), "xyz", "/a");
    let file = parse("User-agent: */2\nDisallow: /\n");
    let held = Claim::none_allowed(b"/").only(&[Crawler::ANY]).check(&file).unwrap();
    assert!(matches!(held, Held::No(_)), "{held:?}");
}

/// Without its only rule, a group's names would belong to the next group as well.
#[test]
fn rules_that_keep_groups_apart_are_not_dead() {
    let file = Robots::parse("User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /\n");
    assert!(dead_rules(&file, &Crawlers::builtin(), Budget::default()).rules.is_empty());
}
