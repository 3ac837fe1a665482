//! A second decision procedure: the product of one automaton for each pattern, explored state by state.
//!
//! It shares no code with the crate, and does not use its overlays and critical URLs. Its number of states is
//! exponential in the number of patterns, so it is an oracle for small files only.

mod automaton {
    use std::collections::{HashMap, VecDeque};

    /// A pattern as an automaton. Its state is a set of positions in the pattern, as bits.
    struct Automaton {
        body: Vec<u8>,
        anchored: bool,
    }

    impl Automaton {
        fn new(pattern: &str) -> Self {
            let (body, anchored) = match pattern.strip_suffix('$') {
                Some(body) => (body, true),
                None => (pattern, false),
            };
            assert!(body.len() < 64);
            Self { body: body.as_bytes().to_vec(), anchored }
        }

        /// Adds the positions after stars, which may match nothing.
        fn closed(&self, mut positions: u64) -> u64 {
            for (index, octet) in self.body.iter().enumerate() {
                if *octet == b'*' && positions & 1 << index != 0 {
                    positions |= 1 << (index + 1);
                }
            }
            positions
        }

        fn start(&self) -> u64 {
            self.closed(1)
        }

        fn step(&self, positions: u64, octet: u8) -> u64 {
            let mut next = 0;
            for (index, expected) in self.body.iter().enumerate().filter(|(index, _)| positions & 1 << index != 0) {
                if *expected == b'*' {
                    next |= 1 << index;
                } else if *expected == octet {
                    next |= 1 << (index + 1);
                }
            }
            // If the pattern has no end anchor, any text may follow.
            if !self.anchored && positions & 1 << self.body.len() != 0 {
                next |= 1 << self.body.len();
            }
            self.closed(next)
        }

        fn accepts(&self, positions: u64) -> bool {
            positions & 1 << self.body.len() != 0
        }
    }

    /// The rules of a file. The longest matching pattern decides; if lengths are equal, `Allow` wins.
    struct Rules(Vec<(Automaton, bool, usize)>);

    impl Rules {
        fn new(rules: &[(bool, String)]) -> Self {
            let rule = |(allow, pattern): &(bool, String)| (Automaton::new(pattern), *allow, pattern.len());
            let exempt = (Automaton::new("/robots.txt$"), true, usize::MAX);
            Self(rules.iter().filter(|(_, pattern)| !pattern.is_empty()).map(rule).chain([exempt]).collect())
        }

        fn allows(&self, state: &[u64]) -> bool {
            let accepting =
                self.0.iter().zip(state).filter(|((automaton, ..), positions)| automaton.accepts(**positions));
            accepting.map(|((_, allow, length), _)| (*length, *allow)).max().is_none_or(|(_, allow)| allow)
        }
    }

    /// Explores the product of two files. Returns a shortest path for each direction in which the verdicts differ:
    /// newly blocked and newly allowed. Returns `None` if there are more states than `most`.
    pub(super) fn differences(
        old: &[(bool, String)],
        new: &[(bool, String)],
        most: usize,
    ) -> Option<[Option<Vec<u8>>; 2]> {
        let files = [Rules::new(old), Rules::new(new)];
        let mut octets: Vec<u8> = old.iter().chain(new).flat_map(|(_, pattern)| pattern.bytes()).collect();
        // One octet represents all octets that no pattern contains.
        octets.extend_from_slice(b"/robots.txt\x01");
        octets.sort_unstable();
        octets.dedup();
        octets.retain(|octet| *octet != b'*');
        let step = |state: &[Vec<u64>; 2], octet: u8| {
            [0, 1].map(|file| {
                let rules = files[file].0.iter().zip(&state[file]);
                rules.map(|((automaton, ..), positions)| automaton.step(*positions, octet)).collect::<Vec<_>>()
            })
        };
        let start =
            files.each_ref().map(|file| file.0.iter().map(|(automaton, ..)| automaton.start()).collect::<Vec<_>>());
        let first = step(&start, b'/');
        let mut found = [None, None];
        let mut reached: HashMap<[Vec<u64>; 2], Vec<u8>> = HashMap::from([(first.clone(), b"/".to_vec())]);
        let mut waiting = VecDeque::from([first]);
        while let Some(state) = waiting.pop_front() {
            let path = reached[&state].clone();
            let [was, is] = [0, 1].map(|file| files[file].allows(&state[file]));
            if was != is && found[usize::from(is)].is_none() {
                found[usize::from(is)] = Some(path.clone());
            }
            for octet in &octets {
                let next = step(&state, *octet);
                if !reached.contains_key(&next) {
                    if reached.len() == most {
                        return None;
                    }
                    reached.insert(next.clone(), [&path[..], &[*octet]].concat());
                    waiting.push_back(next);
                }
            }
        }
        Some(found)
    }
}

use std::cell::Cell;

use comity::{Crawler, Dialect, Robots};
use comity_meaning::{Comparison, Direction, Outcome};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// The maximum number of states of a product. Larger ones are skipped.
const MAX_STATES: usize = 20_000;

fn pattern() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec!["a", "b", "ab", "ba", "/", "/a", "*", "*", "a*b", ".js", "?q="]);
    let end = prop::sample::select(vec!["", "", "", "$", "*", "*$"]);
    let start = prop::sample::select(vec!["/", "/", "/", "*", "/*", "a", "/robots"]);
    (start, prop::collection::vec(part, 0..5), end)
        .prop_map(|(start, parts, end)| format!("{start}{}{end}", parts.concat()))
}

fn rules(most: usize) -> impl Strategy<Value = Vec<(bool, String)>> {
    prop::collection::vec((any::<bool>(), pattern()), 0..most)
}

fn file(rules: &[(bool, String)]) -> String {
    let line =
        |(allow, pattern): &(bool, String)| format!("{}: {pattern}\n", if *allow { "Allow" } else { "Disallow" });
    format!("User-agent: *\n{}", rules.iter().map(line).collect::<String>())
}

/// Compares the results of the crate and of the automaton. Returns true if the automaton had an answer.
fn agree(old: &[(bool, String)], new: &[(bool, String)], dialect: &Dialect) -> Result<bool, TestCaseError> {
    let Some(expected) = automaton::differences(old, new, MAX_STATES) else { return Ok(false) };
    let files = [old, new].map(|rules| Robots::parse_with(file(rules), dialect));
    let difference = Comparison::new(&files[0], &files[1]).only(&[Crawler::ANY]).run();
    prop_assert!(difference.is_complete());
    for (direction, path) in [Direction::Blocked, Direction::Allowed].into_iter().zip(&expected) {
        let found = difference.changes.iter().any(|change| change.direction == direction);
        prop_assert_eq!(
            found,
            path.is_some(),
            "{:?} in {}: the automaton has {:?}\n{}\n{}",
            direction,
            dialect.name,
            path.as_ref().map(|path| path.escape_ascii().to_string()),
            file(old),
            file(new)
        );
    }
    prop_assert_eq!(difference.outcome() == Outcome::Same, expected.iter().all(Option::is_none));
    Ok(true)
}

fn config() -> Config {
    let cases = std::env::var("COMITY_MEANING_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..Config::default() }
}

#[test]
fn unrelated_files() {
    let answered = Cell::new(0);
    proptest!(config(), |(old in rules(4), new in rules(4))| {
        for dialect in [Dialect::STANDARD, Dialect::GOOGLE] {
            answered.set(answered.get() + u32::from(agree(&old, &new, &dialect)?));
        }
    });
    assert!(answered.get() > 400, "the automaton answered {} times", answered.get());
}

#[test]
fn one_rule_more() {
    let answered = Cell::new(0);
    proptest!(config(), |(common in rules(4), rule in (any::<bool>(), pattern()))| {
        let mut longer = common.clone();
        longer.push(rule);
        for [old, new] in [[&common, &longer], [&longer, &common]] {
            answered.set(answered.get() + u32::from(agree(old, new, &Dialect::STANDARD)?));
        }
    });
    assert!(answered.get() > 400, "the automaton answered {} times", answered.get());
}
