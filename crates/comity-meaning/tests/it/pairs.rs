//! Many random pairs of small files, each compared with an enumeration of all short paths.
//!
//! `COMITY_MEANING_PAIRS` sets the number of pairs, which defaults to 20,000. `cargo xtask test --long` compares a million.

use crate::small;

use std::collections::BTreeSet;

use comity::{Crawler, Dialect, Robots, Rules};
use comity_meaning::{Comparison, Direction, Outcome, Side};
use proptest::prelude::*;
use small::{file, paths, rules};

/// The length of the longest path that is enumerated.
const MAX_PATH: usize = 5;

const DIALECTS: [Dialect; 5] =
    [Dialect::STANDARD, Dialect::GOOGLE, Dialect::GOOGLE_PARSER, Dialect::BING, Dialect::YANDEX];

/// Returns the directions and the deciding lines of all differences that an enumeration finds.
fn enumerated(files: &[Rules; 2], urls: &[Vec<u8>]) -> BTreeSet<(Direction, Option<u32>, Option<u32>)> {
    let mut found = BTreeSet::new();
    for url in urls {
        let [was, is] = files.each_ref().map(|rules| rules.check_bytes(url));
        if was.is_allowed() != is.is_allowed() {
            let direction = if is.is_allowed() { Direction::Allowed } else { Direction::Blocked };
            found.insert((direction, was.line(), is.line()));
        }
    }
    found
}

#[test]
fn pairs_are_compared_as_enumerated() {
    let urls: Vec<Vec<u8>> = paths(MAX_PATH).iter().map(|path| format!("https://site.example{path}").into()).collect();
    let pairs = small::cases("COMITY_MEANING_PAIRS", 20_000);
    proptest!(small::config(pairs), |(old in rules(), new in rules(), dialect in 0..DIALECTS.len())| {
        let dialect = &DIALECTS[dialect];
        let [old_file, new_file] = [&old, &new].map(|rules| Robots::parse_with(file(rules), dialect));
        let compiled = [&old_file, &new_file].map(|file| file.rules_for(&Crawler::ANY));
        let difference = Comparison::new(&old_file, &new_file).only(&[Crawler::ANY]).run();
        prop_assert!(difference.is_complete());
        for change in &difference.changes {
            let url = [b"https://site.example", &*change.witness].concat();
            let [was, is] = compiled.each_ref().map(|rules| rules.check_bytes(&url).is_allowed());
            prop_assert!(was != is && is == (change.direction == Direction::Allowed), "no witness: {change}");
        }
        let expected = enumerated(&compiled, &urls);
        prop_assert!(difference.outcome() == Outcome::Differs || expected.is_empty(), "{expected:?}");
        for (direction, was, is) in expected {
            let is_found = difference.changes.iter().any(|change| {
                change.direction == direction && change.rule.line == if change.rule.side == Side::Old { was } else { is }
            });
            prop_assert!(is_found, "{direction:?} from {was:?} to {is:?} in {}\n{}{}", dialect.name, file(&old), file(&new));
        }
    });
}
