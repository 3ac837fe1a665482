//! Laws of comparisons: a file is the same as itself, differences swap with the files, "same" is transitive, and what does
//! not matter to the engine changes nothing.

use crate::small;

use std::cell::Cell;
use std::collections::BTreeSet;

use comity::{Crawler, Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Change, Claim, Comparison, Difference, Direction, Held, Outcome, minimize};
use proptest::prelude::*;
use proptest::test_runner::Config;
use small::{ask_as, lines, rules};

/// A group: the names that it is for, by index, and its rules.
type Group = (Vec<usize>, Vec<(bool, String)>);

const NAMES: [&str; 5] = ["*", "foo", "bar", "Googlebot", "AdsBot-Google"];

/// The dialects in which a name selects groups wherever they are, and the longest match decides.
const ORDERLESS: [Dialect; 4] = [Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING];

fn groups() -> impl Strategy<Value = Vec<Group>> {
    let names = prop::collection::btree_set(0..NAMES.len(), 1..3).prop_map(|names| names.into_iter().collect());
    // A group without rules would give its names to the next one.
    let rules = rules().prop_filter("a rule", |rules| !rules.is_empty());
    prop::collection::vec((names, rules), 1..4)
}

fn agents(names: &[usize]) -> String {
    names.iter().map(|name| format!("User-agent: {}\n", NAMES[*name])).collect()
}

fn file(groups: &[Group]) -> String {
    groups.iter().map(|(names, rules)| format!("{}{}\n", agents(names), lines(rules))).collect()
}

fn compared(old: &str, new: &str, dialect: &Dialect) -> Difference {
    let [old, new] = [old, new].map(|text| Robots::parse_with(text, dialect));
    let difference = Comparison::new(&old, &new).run();
    assert!(difference.is_complete());
    difference
}

/// Returns the crawlers with changes, and the directions. A name that contains one of each file has a slash; the file from
/// which the first part is depends on the order of the files.
fn directions(difference: &Difference) -> BTreeSet<(String, Direction)> {
    let of =
        |change: &Change| change.crawlers.iter().map(|crawler| (crawler.clone(), change.direction)).collect::<Vec<_>>();
    difference.changes.iter().flat_map(of).filter(|(crawler, _)| !crawler.contains('/')).collect()
}

fn config() -> Config {
    small::config(small::cases("COMITY_MEANING_CASES", 300))
}

#[test]
fn a_file_is_the_same_as_itself() {
    proptest!(config(), |(groups in groups())| {
        for dialect in Dialect::ALL {
            let difference = compared(&file(&groups), &file(&groups), dialect);
            prop_assert_eq!(difference.outcome(), Outcome::Same);
        }
    });
}

#[test]
fn differences_swap_with_the_files() {
    proptest!(config(), |(old in groups(), new in groups())| {
        let [old, new] = [old, new].map(|groups| file(&groups));
        for dialect in Dialect::ALL {
            let [there, back] = [compared(&old, &new, dialect), compared(&new, &old, dialect)];
            let swapped = directions(&back).into_iter().map(|(crawler, direction)| match direction {
                Direction::Blocked => (crawler, Direction::Allowed),
                _ => (crawler, Direction::Blocked),
            });
            prop_assert_eq!(directions(&there), swapped.collect(), "{}", dialect.name);
            prop_assert_eq!(there.critical_urls, back.critical_urls);
        }
    });
}

/// An edit that changes no answer, in dialects in which the longest match decides.
fn rewritten(groups: &[Group], way: usize) -> String {
    let mut groups = groups.to_vec();
    match way {
        // The order of groups, and of the rules in each.
        0 => groups.reverse(),
        1 => groups.iter_mut().for_each(|(_, rules)| rules.reverse()),
        // Copies of all groups, and of all rules.
        2 => groups.extend(groups.clone()),
        3 => groups.iter_mut().for_each(|(_, rules)| rules.extend(rules.clone())),
        // Each rule in a group of its own, and each name.
        4 => {
            let alone = |(names, rules): Group| rules.into_iter().map(move |rule| (names.clone(), vec![rule]));
            groups = groups.into_iter().flat_map(alone).collect();
        }
        5 => {
            let alone = |(names, rules): Group| names.into_iter().map(move |name| (vec![name], rules.clone()));
            groups = groups.into_iter().flat_map(alone).collect();
        }
        // Stars that take nothing: doubled, or at the end.
        6 => {
            let doubled = |pattern: &mut String| *pattern = pattern.replace('*', "***");
            groups.iter_mut().flat_map(|(_, rules)| rules).for_each(|(_, pattern)| doubled(pattern));
            // Longer patterns have a higher rank, unless all of them grow.
            if groups.iter().flat_map(|(_, rules)| rules).any(|(_, pattern)| pattern.contains('*')) {
                return rewritten(&groups, 7).replace("***", "*");
            }
        }
        // Comments, blank lines, line ends, letter case, spaces and other records.
        7 => {
            let text = file(&groups).replace("User-agent: ", "USER-AGENT:").replace("Disallow: ", "disallow :\t");
            return format!(
                "# A comment\r\nSitemap: https://site.example/map.xml\r\n{}",
                text.replace('\n', " # more\r\n")
            );
        }
        _ => unreachable!("there are eight ways"),
    }
    file(&groups)
}

#[test]
fn rewritten_files_are_the_same() {
    proptest!(config(), |(groups in groups(), ways in prop::collection::vec(0_usize..8, 2))| {
        let old = file(&groups);
        for dialect in &ORDERLESS {
            let texts = [&old, &rewritten(&groups, ways[0]), &rewritten(&groups, ways[1])];
            for pair in [[0, 1], [1, 2], [0, 2]] {
                let difference = compared(texts[pair[0]], texts[pair[1]], dialect);
                let [old, new] = pair.map(|index| texts[index]);
                prop_assert!(difference.outcome() == Outcome::Same, "{}: {:?}\n{old}\n{new}", dialect.name, difference.changes);
            }
        }
    });
}

/// If two comparisons find nothing, the third one finds nothing, and a difference to one file is a difference to all that
/// are the same.
#[test]
fn same_is_transitive() {
    let counts = [const { Cell::new(0) }; 4];
    let pattern = prop::sample::select(vec!["/a", "/a*", "/a/", "/a/*", "/*a", "*a", "/a$", "/", "/*"]);
    let rules = prop::collection::vec((any::<bool>(), pattern.prop_map(str::to_owned)), 1..4);
    let files = prop::collection::vec(rules, 3);
    proptest!(small::config(10 * config().cases), |(files in files)| {
        let [a, b, c] = [0, 1, 2].map(|index: usize| small::file(&files[index]));
        for dialect in [Dialect::STANDARD, Dialect::YANDEX] {
            let is_same = |[old, new]: &[&String; 2]| compared(old, new, &dialect).outcome() == Outcome::Same;
            let same = [[&a, &b], [&b, &c], [&a, &c]].iter().filter(|pair| is_same(pair)).count();
            prop_assert!(same != 2, "{a}\n{b}\n{c}");
            counts[same].set(counts[same].get() + 1);
        }
    });
    assert!(counts[1].get() > 50 && counts[3].get() > 5, "{counts:?}");
}

#[test]
fn spellings_of_escapes_change_nothing() {
    for (one, other) in
        [("/caf%C3%A9", "/caf%c3%a9"), ("/%7Ejoe/", "/~joe/"), ("/café", "/caf%C3%A9"), ("/a%2fb", "/a%2Fb")]
    {
        let [old, new] = [one, other].map(|pattern| format!("User-agent: *\nDisallow: {pattern}\n"));
        let difference = compared(&old, &new, &Dialect::STANDARD);
        assert_eq!(difference.outcome(), Outcome::Same, "{one} {other}: {:?}", difference.changes);
    }
    let [old, new] = ["/a%2Fb", "/a/b"].map(|pattern| format!("User-agent: *\nDisallow: {pattern}\n"));
    assert_eq!(compared(&old, &new, &Dialect::STANDARD).outcome(), Outcome::Differs);
}

/// Claims that a path may be fetched, or that it may not, and returns true if the answers of the claims are those of the
/// engine.
fn claims_agree(file: &Robots, crawler: &Crawler<'_>, path: &[u8]) -> bool {
    let pattern = [path, b"$"].concat();
    let claims = [Claim::none_allowed(&pattern), Claim::all_allowed(&pattern)];
    let [none, all] = claims.map(|claim| claim.only(std::slice::from_ref(crawler)).check(file).unwrap());
    let (confirmed, refuted) = if ask_as(file, crawler, path).is_allowed() { (all, none) } else { (none, all) };
    matches!((confirmed, refuted), (Held::Yes, Held::No(_)))
}

#[test]
fn claims_agree_with_witnesses() {
    let (checked, table) = (Cell::new(0), Crawlers::builtin());
    proptest!(config(), |(old in groups(), new in groups())| {
        for dialect in &ORDERLESS {
            let files = [&old, &new].map(|groups| Robots::parse_with(file(groups), dialect));
            for change in &Comparison::new(&files[0], &files[1]).run().changes {
                for name in change.crawlers.iter().take(2) {
                    let crawler = table.find(name).map_or_else(|| Crawler::literal(name), Crawler::from);
                    let [was, is] = files.each_ref().map(|file| ask_as(file, &crawler, &change.witness).is_allowed());
                    prop_assert!(was != is && is == (change.direction == Direction::Allowed), "{name}: {change}");
                    prop_assert!(files.iter().all(|file| claims_agree(file, &crawler, &change.witness)), "{name}: {change}");
                    checked.set(checked.get() + 1);
                }
            }
        }
    });
    assert!(checked.get() > 1_000, "{checked:?}");
}

#[test]
fn minimized_groups_are_the_same() {
    proptest!(config(), |(groups in groups())| {
        let body = file(&groups);
        let minimized = |body: &[u8]| minimize(body, &ORDERLESS, &Crawlers::builtin(), Budget::default());
        let smaller = minimized(body.as_bytes());
        prop_assert!(smaller.is_complete);
        let text = std::str::from_utf8(&smaller.text).unwrap();
        for dialect in &ORDERLESS {
            prop_assert_eq!(compared(&body, text, dialect).outcome(), Outcome::Same, "{}", &body);
        }
        let again = minimized(&smaller.text);
        prop_assert!(again.removed.is_empty(), "{body}");
    });
}
