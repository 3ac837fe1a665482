//! Checks that minimized files have the same meaning, and that minimizing them again changes nothing.

use comity::{Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Comparison, Minimized, Outcome, minimize};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

const DIALECTS: [Dialect; 5] =
    [Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING, Dialect::YANDEX];

fn minimized(body: &str) -> Minimized {
    minimize(body.as_bytes(), &DIALECTS, &Crawlers::builtin(), Budget::default())
}

fn text(body: &str) -> String {
    let smaller = minimized(body);
    assert!(smaller.is_complete, "{body}");
    String::from_utf8(smaller.text).unwrap()
}

#[test]
fn rules_without_effect_are_removed() {
    let cases = [
        // A narrower rule, an `Allow` that overrides nothing, and a second copy.
        ("User-agent: *\nDisallow: /a\nDisallow: /a/b\nAllow: /c\nDisallow: /a\n", "User-agent: *\nDisallow: /a\n"),
        // A rule that made another one necessary: without `Disallow: /a`, there is nothing left to override.
        ("User-agent: *\nAllow: /a*\nDisallow: /a\nDisallow: /b\n", "User-agent: *\nDisallow: /b\n"),
        // A group keeps one rule. Without it, the group's name would belong to the next group as well.
        (
            "User-agent: a\nAllow: /x\nAllow: /y\nUser-agent: *\nDisallow: /\n",
            "User-agent: a\nAllow: /x\nUser-agent: *\nDisallow: /\n",
        ),
        // Comments, other records and line ends are kept.
        (
            "# mine\r\nUser-agent: *\r\nDisallow: /a\r\nDisallow: /a\r\nSitemap: https://a.example/s.xml",
            "# mine\r\nUser-agent: *\r\nDisallow: /a\r\nSitemap: https://a.example/s.xml",
        ),
        ("User-agent: *\nDisallow:\nDisallow: /a\n", "User-agent: *\nDisallow: /a\n"),
    ];
    for (body, expected) in cases {
        assert_eq!(text(body), expected);
    }
}

#[test]
fn groups_without_effect_are_removed_and_equal_groups_are_joined() {
    let cases = [
        // Copies of the group for `*`, and groups that repeat the default.
        (
            "# the site\nUser-agent: *\nDisallow: /api/\n\nUser-agent: GPTBot\nDisallow: /api/\nDisallow: /api/v1/\n\n\
             User-agent: Googlebot\nUser-agent: bingbot\nDisallow: /api/\n\nSitemap: https://a.example/s.xml\n",
            "# the site\nUser-agent: *\nDisallow: /api/\n\nSitemap: https://a.example/s.xml\n",
        ),
        ("User-agent: a\nAllow: /\n\nUser-agent: b\nDisallow: /\n", "User-agent: b\nDisallow: /\n"),
        // Equal groups become one, also the last group without a line end.
        (
            "User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n\nUser-agent: b\nDisallow: /x",
            "User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n",
        ),
        // AdsBot-Google passes over `*`, so its group is needed.
        (
            "User-agent: *\nDisallow: /x\n\nUser-agent: AdsBot-Google\nDisallow: /x\n",
            "User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /x\n",
        ),
        // Without its group, Googlebot-Image would obey the group of Googlebot.
        (
            "User-agent: *\nDisallow: /x\n\nUser-agent: Googlebot\nDisallow: /y\n\nUser-agent: Googlebot-Image\nDisallow: /x\n",
            "User-agent: *\nUser-agent: Googlebot-Image\nDisallow: /x\n\nUser-agent: Googlebot\nDisallow: /y\n",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(text(body), expected);
        assert_eq!(text(expected), expected, "again");
    }
}

/// A delay or a signal is a reason to keep a group.
#[test]
fn groups_with_other_records_stay() {
    for record in ["Crawl-delay: 5", "Request-rate: 1/5", "Content-Signal: ai-train=no", "Content-Usage: train-ai=n"] {
        let body = format!("User-agent: *\nDisallow: /x\n\nUser-agent: bingbot\n{record}\nDisallow: /x\n");
        assert_eq!(text(&body), body);
        let both = body.replacen('\n', &format!("\n{record}\n"), 1);
        assert_eq!(text(&both), format!("User-agent: *\n{record}\nDisallow: /x\n"), "{record}");
    }
}

/// Google's parser reads `DisallowAITraining` as a rule, and other parsers as a statement about training.
#[test]
fn lines_that_are_rules_in_some_dialects_only_stay() {
    for rule in ["Allow: /", "Disallow: /"] {
        let body = format!("User-agent: *\n{rule}\nDisallowAITraining: /\n");
        let dialects = [Dialect::STANDARD, Dialect::GOOGLE];
        let smaller = minimize(body.as_bytes(), &dialects, &Crawlers::builtin(), Budget::default());
        assert_eq!(String::from_utf8_lossy(&smaller.text), body);
    }
}

#[test]
fn without_a_budget_or_dialects_all_stays() {
    let body = "User-agent: *\nDisallow: /a\nDisallow: /a\n";
    let none = minimize(body.as_bytes(), &DIALECTS, &Crawlers::builtin(), Budget::of_steps(0));
    assert!(!none.is_complete && none.removed.is_empty() && none.text == body.as_bytes());
    let none = minimize(body.as_bytes(), &[], &Crawlers::builtin(), Budget::default());
    assert_eq!(none.text, body.as_bytes());
}

/// If a rule is removed, a rule that was beyond the dialect's limits takes effect.
#[test]
fn files_that_are_cut_stay() {
    let rules = Dialect::YANDEX.max_rules.unwrap();
    let body = format!("User-agent: *\n{}", "Disallow: /a\n".repeat(rules as usize + 1));
    let smaller = minimized(&body);
    assert!(smaller.removed.is_empty() && !smaller.is_complete);
}

#[test]
fn minimized_files_are_the_same() {
    let pattern = prop::sample::select(vec!["", "/", "/a", "/a*", "/a*b", "*b$", "/a/b", "/a$", "/index.html", "/a/*"]);
    let rule = (any::<bool>(), pattern)
        .prop_map(|(allow, pattern)| format!("{}: {pattern}\n", if allow { "Allow" } else { "Disallow" }));
    let rules = prop::collection::vec(rule, 1..7).prop_map(|rules| rules.concat());
    let config = Config { cases: 150, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() };
    proptest!(config, |(any in rules.clone(), named in rules)| {
        let body = format!("User-agent: *\n{any}\nUser-agent: Googlebot\nUser-agent: foo\n{named}");
        let smaller = minimized(&body);
        prop_assert!(smaller.is_complete);
        for dialect in &DIALECTS {
            let [old, new] = [body.as_bytes(), &smaller.text].map(|body| Robots::parse_with(body, dialect));
            prop_assert_eq!(Comparison::new(&old, &new).run().outcome(), Outcome::Same);
        }
        let again = text(std::str::from_utf8(&smaller.text).unwrap());
        prop_assert_eq!(again.as_bytes(), &smaller.text);
    });
}

/// Not every crawler decodes UTF-16, so the same rules in UTF-8 would mean something else.
#[test]
fn utf_16_is_returned_as_it_is() {
    let text = "User-agent: *\nDisallow: /a/\nDisallow: /a/b\n";
    let body: Vec<u8> = [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    for dialects in [&[Dialect::STANDARD][..], &[Dialect::STANDARD, Dialect::GOOGLE], &[Dialect::GOOGLE]] {
        let smaller = minimize(&body, dialects, &Crawlers::builtin(), Budget::default());
        assert_eq!((smaller.text, smaller.removed), (body.clone(), vec![]));
    }
}

/// A file beyond the size limit of a dialect is not cut.
#[test]
fn large_files_stay_whole() {
    let body = ["User-agent: *\nDisallow: /a/\nDisallow: /a/b\n#", &"x".repeat(600_000), "\n"].concat();
    let smaller = minimize(body.as_bytes(), &[Dialect::STANDARD], &Crawlers::builtin(), Budget::default());
    assert_eq!(&smaller.text, body.as_bytes());
}
