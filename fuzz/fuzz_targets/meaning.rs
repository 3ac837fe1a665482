//! Two files: nothing panics, every change has a real witness, and "same" is confirmed by sampled URLs.
//!
//! The input is a digit that chooses the dialect, the old file, a NUL and the new file. If the first octet is not ASCII,
//! each octet after it is a piece of a small file, for which all short paths are enumerated.

#![no_main]

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Claim, Comparison, Direction, Held, Outcome, Side, dead_rules, minimize};
use libfuzzer_sys::fuzz_target;

/// Enough for small files; larger ones end undecided.
const BUDGET: Budget = Budget::of_steps(300_000);

const DIALECTS: [Dialect; 5] =
    [Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING, Dialect::YANDEX];

fuzz_target!(|input: &[u8]| {
    let Some((choice, input)) = input.split_first() else { return };
    let dialect = &DIALECTS[usize::from(*choice) % DIALECTS.len()];
    if !choice.is_ascii() {
        return enumerate(input, dialect);
    }
    let middle = input.iter().position(|octet| *octet == 0).unwrap_or(input.len());
    let (old_body, new_body) = (&input[..middle], input.get(middle + 1..).unwrap_or_default());
    let table = Crawlers::builtin();
    let [old, new] = [old_body, new_body].map(|body| Robots::parse_with(body, dialect));
    let difference = Comparison::new(&old, &new).crawlers(&table).budget(BUDGET).run();
    assert!(difference.steps() <= BUDGET.steps());

    for change in difference.changes() {
        let name = &change.crawlers()[0];
        // A name that is not UTF-8 is shown with replacement characters.
        if !name.contains('\u{FFFD}') {
            let [was, is] = [&old, &new].map(|file| allows(file, name, change.witness(), &table));
            assert_ne!(was, is, "{} is no witness of {change}", change.witness().escape_ascii());
            assert_eq!(is, change.direction() == Direction::Allowed);
        }
    }
    if difference.outcome() == Outcome::Same {
        assert_same(&old, &new, &table);
    }
    assert_eq!(Comparison::new(&old, &old).budget(BUDGET).run().changes().len(), 0);

    let dead = dead_rules(&old, &table, BUDGET);
    assert!(dead.rules().iter().all(|rule| rule.line <= old.line_count()));
    let smaller = minimize(old_body, std::slice::from_ref(dialect), &table, BUDGET);
    assert_same(&old, &Robots::parse_with(smaller.text(), dialect), &table);

    let pattern = old.groups().flat_map(|group| group.rules()).map(|rule| rule.value()).next().unwrap_or(b"/");
    for allowed in [true, false] {
        let claim = if allowed { Claim::all_allowed(pattern) } else { Claim::none_allowed(pattern) };
        if let Ok(Held::No(found)) = claim.only(&[Crawler::ANY]).budget(BUDGET).check(&new) {
            assert_ne!(allows(&new, &found.crawler, &found.path, &table), allowed);
        }
    }
});

/// The pieces of small files, chosen by the octets of the input modulo their number.
const PIECES: [&str; 12] =
    ["/", "a", "b", "*", "a", "*", "$", "ab", "\nDisallow: /", "\nAllow: /", "\nDisallow: *", "\nAllow: *"];

/// The pieces of a small file. Longer inputs are cut.
const MAX_PIECES: usize = 24;

/// The length of the longest path that is enumerated.
const MAX_PATH: u32 = 5;

/// Compares two small files, and asks the engine about all short paths over their alphabet.
fn enumerate(input: &[u8], dialect: &Dialect) {
    let (old, new) = input.split_at(input.len() / 2);
    let files = [old, new].map(|octets| {
        let pieces = octets.iter().take(MAX_PIECES).map(|octet| PIECES[usize::from(*octet) % PIECES.len()]);
        Robots::parse_with(format!("User-agent: *{}", pieces.collect::<String>()), dialect)
    });
    let difference = Comparison::new(&files[0], &files[1]).only(&[Crawler::ANY]).budget(BUDGET).run();
    let rules = files.each_ref().map(|file| file.rules_for(&Crawler::ANY));
    for number in 0..4_u32.pow(MAX_PATH) {
        // The digits of the number to the base of four. Leading zeros make shorter paths.
        let octets = (0..MAX_PATH).rev().map(|digit| number >> (2 * digit) & 3);
        let octets = octets.skip_while(|digit| *digit == 0).map(|digit| b"/abz"[digit as usize]);
        let url: Vec<u8> = b"https://site.example/".iter().copied().chain(octets).collect();
        let [was, is] = rules.each_ref().map(|rules| rules.check_bytes(&url));
        if was.is_allowed() == is.is_allowed() || !difference.is_complete() {
            continue;
        }
        let direction = if is.is_allowed() { Direction::Allowed } else { Direction::Blocked };
        let is_named = difference.changes().iter().any(|change| {
            let line = if change.rule().side == Side::Old { was.line() } else { is.line() };
            change.direction() == direction && change.rule().line == line
        });
        assert!(is_named, "{} differs in no change: {:?}", url.escape_ascii(), difference.changes());
    }
}

fn allows(file: &Robots, name: &str, path: &[u8], table: &Crawlers) -> bool {
    let crawler = table.find(name).map_or_else(|| Crawler::literal(name), Crawler::from);
    file.check_bytes(&crawler, &[b"https://site.example", path].concat()).is_allowed()
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
