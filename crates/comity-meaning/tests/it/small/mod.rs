#![allow(dead_code, reason = "each test uses a part of it")]

//! Small files over a small alphabet, and all short paths over the same alphabet.

use comity::{Crawler, Robots, Verdict};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// Returns all paths of at most `octets` bytes over the alphabet of the patterns and one byte that no pattern contains,
/// and some that dialects treat specially.
pub(crate) fn paths(octets: usize) -> Vec<String> {
    let mut all = vec!["/".to_owned()];
    let mut from = 0;
    for _ in 1..octets {
        let until = all.len();
        for index in from..until {
            for octet in ["/", "a", "b", "z"] {
                all.push(format!("{}{octet}", all[index]));
            }
        }
        from = until;
    }
    all.extend(
        ["/robots.txt", "/robots.txta", "/index.htm", "/a/index.html", "/index.htmb", "/b/index.html"]
            .map(str::to_owned),
    );
    all
}

/// Generates a pattern over `/`, `a`, `b`, `*` and `$`.
pub(crate) fn pattern() -> impl Strategy<Value = String> {
    let octets = prop::collection::vec(prop::sample::select(vec!["/", "a", "b", "*", "a*", "*b", "/*"]), 0..5);
    let end = prop::sample::select(vec!["", "", "$", "$", "*", "*$", "index.htm", "/index.html"]);
    let start = prop::sample::select(vec!["/", "/", "/", "*", "", "/robots.txt"]);
    (start, octets, end).prop_map(|(start, octets, end)| format!("{start}{}{end}", octets.concat()))
}

/// Generates at most four rules. True means `Allow`.
pub(crate) fn rules() -> impl Strategy<Value = Vec<(bool, String)>> {
    prop::collection::vec((any::<bool>(), pattern()), 0..5)
}

/// Returns the lines of rules.
pub(crate) fn lines(rules: &[(bool, String)]) -> String {
    let line =
        |(allow, pattern): &(bool, String)| format!("{}: {pattern}\n", if *allow { "Allow" } else { "Disallow" });
    rules.iter().map(line).collect()
}

/// Returns a file of one group for all crawlers.
pub(crate) fn file(rules: &[(bool, String)]) -> String {
    format!("User-agent: *\n{}", lines(rules))
}

/// Asks the engine about a path, for a crawler that no file names.
pub(crate) fn ask(robots: &Robots, path: &[u8]) -> Verdict {
    ask_as(robots, &Crawler::ANY, path)
}

/// Asks the engine about a path.
pub(crate) fn ask_as(robots: &Robots, crawler: &Crawler<'_>, path: &[u8]) -> Verdict {
    robots.check_bytes(crawler, &[b"https://site.example", path].concat())
}

/// Returns the number of cases that the variable names, or a default.
pub(crate) fn cases(variable: &str, default: u32) -> u32 {
    std::env::var(variable).ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}

/// Returns a configuration with a fixed seed.
pub(crate) fn config(cases: u32) -> Config {
    let max_global_rejects = cases.saturating_mul(10);
    Config { cases, max_global_rejects, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() }
}
