//! The page of the book that explains the figures to users. The results are between two marks in it.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use super::markdown::{ratio, time};
use crate::definition::Section;
use crate::results::{Measured, OURS, Results, Row, median};

const START: &str = "<!-- results: `cargo xtask bench` writes what follows -->\n";
const END: &str = "<!-- end of results -->";

/// Replaces the text between the marks.
pub(super) fn refresh(path: &Path, results: &Results) -> Result<()> {
    let page = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let parts = page.split_once(START).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.with_context(|| format!("{} has no marks for the results", path.display()))?;
    std::fs::write(path, format!("{before}{START}{}{END}{after}", block(results)))?;
    Ok(())
}

fn block(results: &Results) -> String {
    let machine = &results.machine;
    let mut text = format!("On {}, {}, over {}:\n\n", machine.cpu, machine.compiler, machine.work);
    if machine.quick {
        text += "**A quick run: too short for figures to quote.**\n\n";
    }
    meaning(&mut text, results);
    summary(&mut text, results);
    for workload in results.workloads.iter().filter(|workload| workload.definition.section != Section::Hostile) {
        let _ = writeln!(text, "![{}](performance/{}.svg)\n", workload.definition.title, workload.definition.name);
    }
    text
}

fn meaning(text: &mut String, results: &Results) {
    let point = |name: &str| results.workloads.iter().find(|work| work.definition.name == name)?.last();
    let ours = |name: &str, of: fn(&Row) -> &[f64]| median(of(point(name)?.row(OURS)?));
    let a_second = |nanoseconds: f64| thousands(1e9 / nanoseconds);
    let mut say = |what: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "- {what}: **{value}**");
        }
    };
    say("files per second that a core reads to answer one question", ours("one-shot", Row::whole).map(a_second));
    say("files per second that a core parses and keeps", ours("parse", Row::whole).map(a_second));
    say("questions per second that a core answers from a large file", ours("decide-many", Row::steady).map(a_second));
    let memory = results.memory.iter().find(|weighed| weighed.participant == OURS).map(|weighed| &weighed.footprint);
    let gigabytes = |bytes: f64| format!("{:.1} GB", bytes / 1e3);
    say("memory for a million parsed files", memory.map(|all| gigabytes(all.mean(all.parsed_bytes))));
    say(
        "memory for a million files, prepared for one crawler",
        memory.map(|all| gigabytes(all.mean(all.prepared_bytes))),
    );
    text.push('\n');
}

/// Writes all workloads as one table: agreement, and times as multiples of comity's.
fn summary(text: &mut String, results: &Results) {
    let workloads: Vec<_> =
        results.workloads.iter().filter(|workload| workload.definition.section == Section::Work).collect();
    text.push_str("Times as multiples of comity's, including the preparation of files; [all figures](performance/results.md).\n\n| participant | agrees | clean |");
    for workload in &workloads {
        let number = workload.definition.title.split(':').next().unwrap_or_default();
        let _ = write!(text, " {number} {} |", workload.definition.name);
    }
    let _ = writeln!(text, "\n|---|{}", "--:|".repeat(workloads.len() + 2));
    for examined in &results.examined {
        let name = &*examined.participant;
        let percent = |percent: Option<f64>| percent.map_or_else(|| "–".into(), |percent| format!("{percent:.2} %"));
        let _ = write!(
            text,
            "| {name} | {} | {} |",
            percent(examined.agreement.percent()),
            percent(examined.agreement.clean_percent()),
        );
        for workload in &workloads {
            let _ = write!(text, " {} |", workload.last().map_or_else(|| "–".into(), |point| cell(point, name)));
        }
        text.push('\n');
    }
    text.push('\n');
}

/// Returns comity's time, or another participant's ratio to it.
fn cell(point: &Measured, participant: &str) -> String {
    let Some(row) = point.row(participant) else { return "–".into() };
    if participant == OURS {
        return median(&row.nanoseconds).map_or_else(|| "–".into(), time);
    }
    ratio(point.ratio(row, OURS, Row::whole))
}

fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
