//! The workload *meaning*: comparisons of real files for all URLs, and fixes with their proofs.
//!
//! Parsing is not counted. Every comparison is of all known crawlers, with the default budget.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use comity::{Crawlers, Dialect, Robots};
use comity_lint::{Evidence, Linter, Safety};
use comity_meaning::{Comparison, Difference, Outcome, dead_rules};

use crate::scale::Scale;
use crate::work::Library;

/// The patterns of a hostile file.
const HOSTILE_RULES: u32 = 5_000;

/// Prints a table: the number of pairs, their results and their times for each kind of comparison.
pub(crate) fn run(is_quick: bool) -> Result<bool> {
    let scale = if is_quick { Scale::QUICK } else { Scale::FULL };
    let library = Library::real_files(scale)?.context("there are no real files here")?;
    let bodies: Vec<&[u8]> = library.bodies.iter().map(|body| body.bytes.as_slice()).collect();
    println!("{}, one core; times in milliseconds\n", library.origin);
    println!("| comparison | pairs | same | differ | undecided | p50 | p99 | worst |");
    println!("|---|---|---|---|---|---|---|---|");
    for dialect in [Dialect::STANDARD, Dialect::GOOGLE] {
        let mut row = Row::default();
        for (old, new) in bodies.iter().filter_map(|body| one_removed(body, &dialect)) {
            row.compare(&old, &new, &dialect);
        }
        row.print(&format!("one rule removed, {}", dialect.name));
    }
    let mut row = Row::default();
    for body in &bodies {
        let [old, new] = [Dialect::STANDARD, Dialect::GOOGLE].map(|dialect| Robots::parse_with(body, &dialect));
        row.add(|| Comparison::new(&old, &new).run());
    }
    row.print("standard against google");
    let mut row = Row::default();
    for pair in bodies.windows(2) {
        row.compare(pair[0], pair[1], &Dialect::STANDARD);
    }
    row.print("two unrelated files");
    fixed(&bodies);
    let mut row = Row::default();
    for (one, other) in [(1, 2), (3, 4), (5, 6)] {
        row.compare(hostile(one).as_bytes(), hostile(other).as_bytes(), &Dialect::STANDARD);
    }
    row.print("hostile pairs");
    dead(&bodies);
    Ok(true)
}

/// Compares files with their safe fixes for all URLs. Measures linting and fixing, which includes a proof of each fix.
fn fixed(bodies: &[&[u8]]) {
    let (linter, evidence) = (Linter::new(), Evidence::default());
    let mut exact = Row::default();
    let mut fixing = Times::default();
    for body in bodies {
        let fixed = fixing.of(|| linter.fix(body, &evidence, Safety::Safe));
        if fixed.applied > 0 {
            exact.compare(body, &fixed.body, &Dialect::STANDARD);
        }
    }
    exact.print("file against its safe fixes");
    fixing.print("linting and fixing, verdicts proven");
}

/// Searches for rules without effect in every file.
fn dead(bodies: &[&[u8]]) {
    let table = Crawlers::builtin();
    let mut times = Times::default();
    let mut found = 0;
    for body in bodies {
        let robots = Robots::parse(body);
        found += times.of(|| dead_rules(&robots, &table, comity_meaning::Budget::default())).rules().len();
    }
    times.print(&format!("dead rules ({found} found)"));
}

/// Returns a file, and the same file without its middle rule. Returns `None` if that would change the groups.
fn one_removed(body: &[u8], dialect: &Dialect) -> Option<(Vec<u8>, Vec<u8>)> {
    let robots = Robots::parse_with(body, dialect);
    let rules: Vec<u32> = robots.groups().flat_map(|group| group.rules()).map(|rule| rule.line()).collect();
    let line = rules.get(rules.len() / 2)?;
    // A comment replaces the rule, so that the line numbers stay the same.
    let lines = body.split_inclusive(|octet| *octet == b'\n').enumerate();
    let lines = lines.map(|(index, text)| if index as u32 + 1 == *line { b"#\n".as_slice() } else { text });
    let without = lines.collect::<Vec<_>>().concat();
    let is_kept = Robots::parse_with(&without, dialect).groups().count() == robots.groups().count();
    is_kept.then(|| (body.to_vec(), without))
}

/// Returns a file of patterns with eight stars each, which overlay in exponentially many ways.
fn hostile(seed: u32) -> String {
    let mut state = seed;
    let mut text = String::from("User-agent: *\n");
    for index in 0..HOSTILE_RULES {
        text += if index % 2 == 0 { "Disallow: /" } else { "Allow: /" };
        for _ in 0..8 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text += ["*a", "*b", "*ab", "*ba"][(state >> 30) as usize];
        }
        text.push('\n');
    }
    text
}

/// The times of several pieces of work.
#[derive(Debug, Default)]
struct Times(Vec<Duration>);

impl Times {
    fn of<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.push(start.elapsed());
        result
    }

    /// Returns the 50th percentile, the 99th percentile and the maximum, in milliseconds.
    fn percentiles(&mut self) -> String {
        self.0.sort();
        let at = |percent: usize| {
            let index = self.0.len().saturating_sub(1) * percent / 100;
            self.0.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        format!("{:.3} | {:.2} | {:.1}", at(50), at(99), at(100))
    }

    fn print(mut self, what: &str) {
        println!("| {what} | {} | | | | {} |", self.0.len(), self.percentiles());
    }
}

/// The results of one kind of comparison.
#[derive(Debug, Default)]
struct Row {
    times: Times,
    same: usize,
    differ: usize,
    undecided: usize,
}

impl Row {
    fn compare(&mut self, old: &[u8], new: &[u8], dialect: &Dialect) {
        let [old, new] = [old, new].map(|body| Robots::parse_with(body, dialect));
        self.add(|| Comparison::new(&old, &new).run());
    }

    fn add(&mut self, work: impl FnOnce() -> Difference) {
        let found = self.times.of(work);
        match found.outcome() {
            _ if !found.is_complete() => self.undecided += 1,
            Outcome::Same => self.same += 1,
            _ => self.differ += 1,
        }
    }

    fn print(mut self, what: &str) {
        let (pairs, times) = (self.times.0.len(), self.times.percentiles());
        println!("| {what} | {pairs} | {} | {} | {} | {times} |", self.same, self.differ, self.undecided);
    }
}
