//! The effect of a rule: the answers that change when it is removed, for all URLs.

use comity::{Crawlers, Robots};
use comity_meaning::{Budget, dead_rules};
use comity_report::{Diff, DiffOutcome, ProofScope};

use crate::render::diff::Shown;

/// The maximum number of steps in each dialect. A hover has to be answered at once.
const MAX_STEPS: u64 = 500_000;

/// The maximum number of changes that are shown.
const MAX_CHANGES: usize = 3;

/// Describes the effect of the rule at `span`, in Markdown. `line` is its line, from 1.
pub(super) fn describe(text: &str, span: std::ops::Range<usize>, line: u32, table: &Crawlers) -> String {
    // A comment in its place keeps the numbers of all lines. No dialect ends a group at a comment.
    let without = [&text[..span.start], "#", &text[span.end..]].concat();
    let budget = Budget::of_steps(MAX_STEPS);
    let diff = Diff::new(text.as_bytes(), without.as_bytes(), &ProofScope::new(table).budget(budget));
    let undecided = "Not everything could be decided: removing it may change answers";
    match diff.outcome {
        DiffOutcome::Same => {
            let why = reason(text, line, table, budget);
            return format!(
                "**This line does nothing:** removing it changes no answer, for any URL and any crawler.{why}"
            );
        }
        DiffOutcome::Differs => {}
        _ => return format!("{undecided}."),
    }
    let shown = Shown { diff: &diff, chosen: false, all: false, full: false, same_lines: true };
    let mut bullets = shown.bullets();
    let more = bullets.len().saturating_sub(MAX_CHANGES);
    bullets.truncate(MAX_CHANGES);
    let mut words = format!("Removing it changes answers:\n\n{}", bullets.join("\n"));
    if more > 0 {
        words += &format!("\n- and {more} more changes");
    }
    if !diff.undecided.is_empty() {
        words += &format!("\n\n{undecided} of further URLs.");
    }
    words
}

/// Returns a sentence about the lines that make a line superfluous, or nothing if they are not known.
fn reason(text: &str, line: u32, table: &Crawlers, budget: Budget) -> String {
    let dead = dead_rules(&Robots::parse(text), table, budget);
    let Some(dead) = dead.rules.iter().find(|rule| rule.line == line) else { return String::new() };
    let lines: Vec<String> = dead.because.iter().map(u32::to_string).collect();
    match lines.split_last() {
        None => " It matches no URL, or only URLs that are allowed anyway.".to_owned(),
        Some((only, [])) => format!(" Line {only} decides instead, or gives the same answer."),
        Some((last, first)) => {
            format!(" Lines {} and {last} decide instead, or give the same answer.", first.join(", "))
        }
    }
}
