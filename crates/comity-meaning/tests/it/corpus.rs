//! Checks on real files that every comparison is decided, and that removing a dead rule changes nothing.
//!
//! `COMITY_MEANING_FIGURES=1 cargo test --release -p comity-meaning --test it corpus -- --nocapture` also prints times.

use crate::shared;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use comity::{Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Comparison, Outcome, dead_rules};

fn bodies() -> Option<Vec<(PathBuf, Vec<u8>)>> {
    let folder = std::fs::read_dir(shared::path("corpus")?).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 2_973);
    Some(paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect())
}

/// Replaces a line with a comment, so that the other lines keep their numbers.
fn without(body: &[u8], line: u32) -> Vec<u8> {
    let mut number = 1;
    let mut out = Vec::with_capacity(body.len());
    let mut start = true;
    for (index, octet) in body.iter().enumerate() {
        if start && number == line {
            out.push(b'#');
        }
        start = *octet == b'\n' || (*octet == b'\r' && body.get(index + 1) != Some(&b'\n'));
        number += u32::from(start);
        out.push(*octet);
    }
    out
}

/// Returns percentiles of times, in microseconds.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn of<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.push(start.elapsed());
        result
    }

    fn print(mut self, what: &str) {
        if std::env::var_os("COMITY_MEANING_FIGURES").is_none() || self.0.is_empty() {
            return;
        }
        self.0.sort();
        let at = |percent: usize| self.0[(self.0.len() - 1) * percent / 100].as_micros();
        let all: Duration = self.0.iter().sum();
        println!("{what}: {} in {all:.1?}; p50 {} µs, p99 {} µs, worst {} µs", self.0.len(), at(50), at(99), at(100));
    }
}

#[test]
fn one_removed_rule_is_decided() {
    let Some(bodies) = bodies() else { return };
    for dialect in [Dialect::STANDARD, Dialect::GOOGLE] {
        let (mut same, mut differ, mut exact, mut changes) = (0, 0, 0, 0);
        let mut times = Times::default();
        for (path, body) in &bodies {
            let old = Robots::parse_with(body, &dialect);
            let rules: Vec<_> = old.groups().flat_map(|group| group.rules()).collect();
            let Some(rule) = rules.get(rules.len() / 2) else { continue };
            let new = Robots::parse_with(without(body, rule.line()), &dialect);
            if new.groups().count() != old.groups().count() {
                continue;
            }
            let difference = times.of(|| Comparison::new(&old, &new).run());
            assert!(difference.is_complete(), "{} is undecided after {} steps", path.display(), difference.steps);
            match difference.outcome() {
                Outcome::Same => same += 1,
                _ => differ += 1,
            }
            changes += difference.changes.len();
            exact += difference.changes.iter().filter(|change| change.is_exact).count();
        }
        println!("{}: {same} same, {differ} differ, {changes} changes, {exact} of them exact", dialect.name);
        assert!(same > 0 && differ > same);
        times.print(dialect.name);
    }
}

#[test]
fn unrelated_files_are_decided() {
    let Some(bodies) = bodies() else { return };
    let mut times = Times::default();
    // In a debug build, all pairs would take a minute.
    let step = if std::env::var_os("COMITY_MEANING_FIGURES").is_some() { 1 } else { 8 };
    for pair in bodies.windows(2).step_by(step) {
        let [old, new] = [&pair[0].1, &pair[1].1].map(Robots::parse);
        let difference = times.of(|| Comparison::new(&old, &new).run());
        assert!(difference.is_complete(), "{} is undecided after {} steps", pair[0].0.display(), difference.steps);
        let (was, is) = (old.groups().count(), new.groups().count());
        assert!(difference.outcome() != Outcome::Same || was == 0 || is == 0 || difference.changes.is_empty());
    }
    times.print("two unrelated files");
}

#[test]
fn dead_rules_are_found() {
    let Some(bodies) = bodies() else { return };
    let (mut dead, mut lines) = (0, 0);
    let mut times = Times::default();
    for (path, body) in &bodies {
        let robots = Robots::parse(body);
        lines += robots.groups().flat_map(|group| group.rules()).filter(|rule| !rule.pattern().is_empty()).count();
        let found = times.of(|| dead_rules(&robots, &Crawlers::builtin(), Budget::default()));
        assert!(found.is_complete, "{}", path.display());
        dead += found.rules.len();
        // Each dead rule can be removed on its own.
        for rule in found.rules.iter().step_by(1 + found.rules.len() / 2) {
            let new = Robots::parse(without(body, rule.line));
            if new.groups().count() == robots.groups().count() {
                let difference = Comparison::new(&robots, &new).run();
                assert_eq!(difference.outcome(), Outcome::Same, "{} line {}", path.display(), rule.line);
            }
        }
    }
    println!("{dead} of {lines} rules do nothing");
    assert!(dead >= 12_900, "{dead}");
    times.print("dead rules");
}
