//! Compares what lints say about the groups of crawlers with a naive model: the verdicts for all short paths.

use std::collections::BTreeSet;

use comity::{Crawler, Robots};
use comity_lint::{Evidence, Linter, Report};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// Returns all paths of up to four bytes after the slash.
fn paths() -> Vec<String> {
    let mut paths = vec!["/".to_owned()];
    let mut last = paths.clone();
    for _ in 0..4 {
        last = last.iter().flat_map(|path| ["a", "b", "c", "/"].map(|octet| format!("{path}{octet}"))).collect();
        paths.extend(last.iter().cloned());
    }
    // Two slashes at the start are a host.
    paths.retain(|path| !path.starts_with("//"));
    paths
}

fn report<'b>(code: &str, body: &'b str) -> Report<'b> {
    let mut linter = Linter::none();
    linter.select(code).unwrap();
    linter.lint(body.as_bytes(), &Evidence::default())
}

/// The rules that a group lacks are exactly those that decide for a path that only the group allows.
#[test]
fn missing_rules_are_those_that_decide_for_opened_paths() {
    let paths = paths();
    let pattern = prop::sample::select(vec!["/a", "/b", "/a/", "/a*b", "/*b$", "/b$", "/aa", "/*/b", "/ab*a", "/ba"]);
    let rules = prop::collection::btree_set(pattern, 1..6);
    let config = Config { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() };
    proptest!(config, |(any in rules.clone(), own in rules)| {
        let lines = |rules: &BTreeSet<&str>| rules.iter().map(|rule| format!("Disallow: {rule}\n")).collect::<String>();
        let body = format!("User-agent: *\n{}\nUser-agent: Googlebot\n{}", lines(&any), lines(&own));
        let robots = Robots::parse(&body);
        let [star, googlebot] = [Crawler::ANY, Crawler::known("Googlebot").unwrap()];
        let mut missing = BTreeSet::new();
        for path in &paths {
            let verdict = robots.check(&star, path);
            if verdict.is_disallowed() && robots.check(&googlebot, path).is_allowed() {
                missing.extend(verdict.line());
            }
        }
        let report = report("L064", &body);
        let said: Vec<&str> = report.diagnostics.iter().map(|found| &*found.message).collect();
        let repeats = any.intersection(&own).next().is_some();
        if missing.is_empty() || !repeats {
            prop_assert!(said.is_empty(), "{body}{said:?}");
        } else {
            let count = format!("{} of {} rules for `*` also apply to `Googlebot`;", any.len() - missing.len(), any.len());
            prop_assert!(said.len() == 1 && said[0].starts_with(&count), "{body}{said:?} {missing:?}");
        }
    });
}

/// A limit of the work names the groups that were not compared.
#[test]
fn limits_name_the_groups_that_were_not_compared() {
    let rules: String = (0..3_000).map(|i| format!("Disallow: /*a{i}*b{i}*c\n")).collect();
    let group = |name| format!("\nUser-agent: {name}\nDisallow: /*a0*b0*c\nAllow: /*{name}*z*\n");
    let body = format!("User-agent: *\n{rules}{}{}{}", group("Googlebot"), group("bingbot"), group("DuckDuckBot"));
    for code in ["L062", "L064"] {
        let report = report(code, &body);
        let (_, bound) = &report.bounded[0];
        assert!(bound.contains("not compared: the groups of") && bound.contains("`DuckDuckBot`"), "{bound}");
    }
    let body = format!("User-agent: *\nDisallow: /a\n#{}\n\nUser-agent: bingbot\nDisallow: /a\n", "x".repeat(450_000));
    let report = report("L066", &body);
    assert!(report.diagnostics.is_empty() && report.bounded[0].1.ends_with("not compared: the groups of `bingbot`"));
}

/// Each group has at most one of the findings that compare it with the group for `*`.
#[test]
fn groups_have_one_finding() {
    let body = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a\nDisallow: /b\n\nUser-agent: Googlebot\nDisallow: /a\n\n\
        User-agent: GPTBot\nAllow: /\n\nUser-agent: bingbot\nDisallow: /c\n\nUser-agent: ClaudeBot\nDisallow: /a\nDisallow: /b\n\n\
        User-agent: DuckDuckBot\nContent-Signal: ai-train=no\nDisallow: /a\nDisallow: /b\n";
    let report = Linter::new().lint(body.as_bytes(), &Evidence::default());
    let found: Vec<_> = report.diagnostics.iter().map(|found| (found.lint.code, found.line)).collect();
    assert_eq!(found, [("L064", 6), ("L062", 10), ("L009", 12), ("L065", 15), ("L066", 19)]);
}
