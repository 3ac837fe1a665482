//! Two files: nothing panics, every change has a real witness, and "same" is confirmed by sampled URLs.
//!
//! The input is a digit that chooses the dialect, the old file, a NUL and the new file. If the first byte is not ASCII,
//! the others choose two dialects and the pieces of two small files. All that is proven about these is compared with the
//! naive implementation of the engine, for all short paths over the pieces and for what the patterns match.

#![no_main]

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Claim, Comparison, Direction, Held, Outcome, dead_rules, minimize};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/comity-meaning/tests/it/model/mod.rs"]
mod model;

/// Enough for small files; larger ones end undecided.
const BUDGET: Budget = Budget::of_steps(300_000);

const DIALECTS: [Dialect; 5] =
    [Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING, Dialect::YANDEX];

// Comparisons check their own deciders in debug builds.
const _: () = assert!(cfg!(debug_assertions), "the profile enables debug assertions");

fuzz_target!(|input: &[u8]| {
    let Some((choice, input)) = input.split_first() else { return };
    if !choice.is_ascii() {
        return model::check(input);
    }
    let dialect = &DIALECTS[usize::from(*choice) % DIALECTS.len()];
    let middle = input.iter().position(|octet| *octet == 0).unwrap_or(input.len());
    let (old_body, new_body) = (&input[..middle], input.get(middle + 1..).unwrap_or_default());
    let table = Crawlers::builtin();
    let [old, new] = [old_body, new_body].map(|body| Robots::parse_with(body, dialect));
    let difference = Comparison::new(&old, &new).crawlers(&table).budget(BUDGET).run();
    assert!(difference.steps <= BUDGET.steps());

    for change in &difference.changes {
        let name = &change.crawlers[0];
        // A name that is not UTF-8 is shown with replacement characters.
        if !name.contains('\u{FFFD}') {
            let [was, is] = [&old, &new].map(|file| allows(file, name, &change.witness, &table));
            assert_ne!(was, is, "{} is no witness of {change}", change.witness.escape_ascii());
            assert_eq!(is, change.direction == Direction::Allowed);
        }
    }
    if difference.outcome() == Outcome::Same {
        assert_same(&old, &new, &table);
    }
    assert_eq!(Comparison::new(&old, &old).budget(BUDGET).run().changes.len(), 0);

    let dead = dead_rules(&old, &table, BUDGET);
    assert!(dead.rules.iter().all(|rule| rule.line <= old.line_count()));
    let smaller = minimize(old_body, std::slice::from_ref(dialect), &table, BUDGET);
    assert_same(&old, &Robots::parse_with(&smaller.text, dialect), &table);

    let pattern = old.groups().flat_map(|group| group.rules()).map(|rule| rule.value()).next().unwrap_or(b"/");
    for allowed in [true, false] {
        let claim = if allowed { Claim::all_allowed(pattern) } else { Claim::none_allowed(pattern) };
        if let Ok(Held::No(found)) = claim.only(&[Crawler::ANY]).budget(BUDGET).check(&new) {
            assert_ne!(allows(&new, &found.crawler, &found.path, &table), allowed);
        }
    }
});

/// Asks for the path as it is: a URL parser would remove a space at its end.
fn allows(file: &Robots, name: &str, path: &[u8], table: &Crawlers) -> bool {
    let crawler = table.find(name).map_or_else(|| Crawler::literal(name), Crawler::from);
    file.rules_for(&crawler).check_sent_path(path).is_allowed()
}

/// Checks both files for paths that are made of their patterns.
fn assert_same(old: &Robots, new: &Robots, table: &Crawlers) {
    let rules = [old, new].into_iter().flat_map(|file| file.groups()).flat_map(|group| group.rules());
    let mut paths = vec![b"/".to_vec(), b"/x".to_vec(), b"/robots.txt".to_vec()];
    for rule in rules.take(50) {
        for star in [&b""[..], b"x", b"/"] {
            let body = rule.value().strip_suffix(b"$").unwrap_or(rule.value());
            let mut path = body.split(|octet| *octet == b'*').collect::<Vec<_>>().join(star);
            if !path.starts_with(b"/") {
                path.insert(0, b'/');
            }
            paths.push([&path[..], b"x"].concat());
            paths.push(path);
        }
    }
    let agents = [old, new].into_iter().flat_map(|file| file.groups()).flat_map(|group| group.agents());
    let named = agents.take(10).filter_map(|agent| std::str::from_utf8(agent.token()).ok());
    for name in named.chain(["*", "Googlebot", "AdsBot-Google", "bingbot", "YandexBot", "x"]) {
        for path in &paths {
            let [was, is] = [old, new].map(|file| allows(file, name, path, table));
            assert_eq!(was, is, "{name} {}", path.escape_ascii());
        }
    }
}
