//! The workload *meaning*: comparisons of real files for all URLs, beside the comparison by samples, and fixes with their
//! proofs.
//!
//! Parsing is not counted. Every comparison is of all known crawlers, with the default budget. Times are processor times
//! of the thread.

mod command;
#[path = "../../../crates/comity-meaning/tests/it/edits/mod.rs"]
mod edits;
#[path = "../../../crates/comity-meaning/tests/hostile_pairs/mod.rs"]
pub(crate) mod hostile_pairs;
pub(crate) mod pairs;
mod row;
#[path = "../../../crates/comity-meaning/tests/it/sampled/mod.rs"]
mod sampled;

use std::path::Path;

use anyhow::{Context, Result};
use comity::{Crawlers, Dialect, Robots};
use comity_lint::Linter;
use comity_meaning::{Budget, Comparison, dead_rules};

use self::row::{Limits, Row, Sampled, Times};
use crate::scale::Scale;
use crate::work::{Library, Random};

/// The smallest share of changes of one rule that are one sentence, in percent.
const MIN_ONE_SENTENCE: f64 = 95.0;

/// The greatest times of a search for dead rules: in one file, in milliseconds, and in all files, in seconds.
const MAX_DEAD_RULES: [f64; 2] = [100.0, 1.0];

/// Prints a table: for each kind of comparison the number of pairs, their results and their times. Returns true if no
/// limit is exceeded.
pub(crate) fn run(is_quick: bool, comity: Option<&Path>) -> Result<bool> {
    let scale = if is_quick { Scale::QUICK } else { Scale::FULL };
    let library = Library::real_files(scale)?.context("there are no real files here")?;
    let bodies: Vec<&[u8]> = library.bodies.iter().map(|body| body.bytes.as_slice()).collect();
    println!("{}, one core; processor times in milliseconds, totals in seconds\n", library.origin);
    println!("| comparison | pairs | same | differ | undecided | p50 | p99 | worst | < 10 ms | total |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut wrong = Vec::new();
    for dialect in [Dialect::STANDARD, Dialect::GOOGLE_PARSER] {
        wrong.extend(one_removed(&bodies, &dialect));
    }
    for dialect in [Dialect::STANDARD, Dialect::GOOGLE_PARSER, Dialect::BING] {
        wrong.extend(fixed(&bodies, &dialect));
    }
    wrong.extend(two_dialects(&bodies));
    for dialect in [Dialect::STANDARD, Dialect::GOOGLE_PARSER] {
        wrong.extend(unrelated(&bodies, &dialect));
    }
    wrong.extend(edited(&bodies));
    wrong.extend(hostile());
    wrong.extend(dead(&bodies, is_quick));
    if let Some(comity) = comity {
        wrong.extend(command::judge(comity)?);
    }
    for what in &wrong {
        println!("EXCEEDED {what}");
    }
    Ok(wrong.is_empty())
}

fn one_removed(bodies: &[&[u8]], dialect: &Dialect) -> Vec<String> {
    let (mut row, mut sampled, table) = (Row::default(), Sampled::default(), Crawlers::builtin());
    for pair in bodies.iter().filter_map(|body| pairs::one_removed(body, dialect)) {
        let exact = row.compare(&pair, dialect);
        sampled.compare(&pair, dialect, &exact, &table);
    }
    let what = format!("one rule removed, {}", dialect.name);
    let share = row.one_change();
    let mut wrong = row.judge(&what, Limits::VERSIONS);
    sampled.print(&what);
    if share < MIN_ONE_SENTENCE {
        wrong.push(format!("{what}: {share:.1} % of the differences are one sentence, at least {MIN_ONE_SENTENCE} %"));
    }
    println!("| of them in one sentence: {share:.1} % |");
    wrong
}

fn fixed(bodies: &[&[u8]], dialect: &Dialect) -> Vec<String> {
    let (mut row, mut fixing, linter) = (Row::default(), Times::default(), Linter::new());
    for pair in bodies.iter().filter_map(|body| fixing.of(|| pairs::fixed(body, &linter))) {
        drop(row.compare(&pair, dialect));
    }
    if *dialect == Dialect::STANDARD {
        fixing.print("linting and fixing, verdicts proven");
    }
    row.judge(&format!("file against its safe fixes, {}", dialect.name), Limits::VERSIONS)
}

fn two_dialects(bodies: &[&[u8]]) -> Vec<String> {
    let mut row = Row::default();
    for body in bodies {
        let [old, new] = [Dialect::STANDARD, Dialect::GOOGLE_PARSER].map(|dialect| Robots::parse_with(body, &dialect));
        drop(row.add(|| Comparison::new(&old, &new).run()));
    }
    row.judge("standard against google-parser", Limits::VERSIONS)
}

fn unrelated(bodies: &[&[u8]], dialect: &Dialect) -> Vec<String> {
    let mut row = Row::default();
    for pair in bodies.windows(2) {
        drop(row.compare(&[pair[0].to_vec(), pair[1].to_vec()], dialect));
    }
    row.judge(&format!("two unrelated files, {}", dialect.name), Limits::UNRELATED)
}

/// Random edits of one rule. The exact comparison must find what samples find.
fn edited(bodies: &[&[u8]]) -> Vec<String> {
    let (mut row, mut sampled, table) = (Row::default(), Sampled::default(), Crawlers::builtin());
    let mut random = Random::new(1);
    for pair in bodies.iter().flat_map(|body| pairs::edits(body, &Dialect::STANDARD, &mut random)) {
        let exact = row.compare(&pair, &Dialect::STANDARD);
        sampled.compare(&pair, &Dialect::STANDARD, &exact, &table);
    }
    let mut wrong = row.judge("random edit of one rule, standard", Limits::VERSIONS);
    let (missed, unconfirmed) = (sampled.missed, sampled.unconfirmed);
    sampled.print("random edit of one rule, standard");
    println!("| of these differences samples miss {missed} |");
    if unconfirmed > 0 {
        wrong.push(format!("samples find {unconfirmed} differences that the exact comparison does not find"));
    }
    wrong
}

fn hostile() -> Vec<String> {
    let mut wrong = Vec::new();
    for dialect in [Dialect::STANDARD, Dialect::GOOGLE, Dialect::NOROBOTS_1996] {
        let mut row = Row::default();
        for (name, pair) in hostile_pairs::pairs() {
            let mut alone = Row::default();
            let pair = pair.map(String::into_bytes);
            drop(alone.compare(&pair, &dialect));
            let time = alone.times.percentile(100);
            if time > Limits::HOSTILE.worst / 2.0 {
                println!("| {name} takes {time:.0} ms |");
            }
            row.merge(alone);
        }
        wrong.extend(row.judge(&format!("hostile pairs of 500 kB, {}", dialect.name), Limits::HOSTILE));
    }
    wrong
}

/// Searches for rules without effect in every file.
fn dead(bodies: &[&[u8]], is_quick: bool) -> Vec<String> {
    let table = Crawlers::builtin();
    let mut times = Times::default();
    let mut found = 0;
    for body in bodies {
        let robots = Robots::parse(body);
        found += times.of(|| dead_rules(&robots, &table, Budget::default())).rules.len();
    }
    let [p50, p99, worst] = [50, 99, 100].map(|percent| times.percentile(percent));
    let total = times.total();
    println!(
        "| dead rules, standard: {found} | {} | | | | {p50:.3} | {p99:.2} | {worst:.1} | | {total:.2} |",
        bodies.len()
    );
    let mut wrong = Vec::new();
    if worst > MAX_DEAD_RULES[0] || total > MAX_DEAD_RULES[1] {
        wrong.push(format!("dead rules take {total:.2} s, one file {worst:.1} ms, at most {MAX_DEAD_RULES:?}"));
    }
    if found < 12_900 && !is_quick {
        wrong.push(format!("{found} dead rules are found, at least 12,900"));
    }
    wrong
}
