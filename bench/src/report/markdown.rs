//! The tables.

use std::fmt::Write as _;

use crate::agreement::Agreement;
use crate::definition::{Model, Section};
use crate::results::{Measured, OURS, Ratio, Results, Row, Workload, least, median};
use crate::start::{Process, Start};

/// The second participant that times are compared with. It represents Google's parser, which is not published as a
/// package.
const STAND_IN: &str = "robotxt";

pub(super) fn render(results: &Results) -> String {
    let mut text = String::from("# Results\n\n");
    let _ = writeln!(text, "<!-- `cargo xtask bench` writes this file. -->\n");
    conditions(&mut text, results);
    agreement(&mut text, results);
    for workload in results.workloads.iter().filter(|workload| workload.definition.section == Section::Work) {
        heading(&mut text, workload);
        if let Some(point) = workload.last() {
            table(&mut text, workload, point);
        }
    }
    memory(&mut text, results);
    if let Some(start) = &results.start {
        process_start(&mut text, start);
    }
    for workload in results.workloads.iter().filter(|workload| workload.definition.section != Section::Work) {
        heading(&mut text, workload);
        grid(&mut text, workload);
    }
    text
}

fn conditions(text: &mut String, results: &Results) {
    let machine = &results.machine;
    let _ = writeln!(
        text,
        "{}, {} cores, {}. Work: {}. Right answers: {}.{}\n",
        machine.cpu,
        machine.cores,
        machine.compiler,
        machine.work,
        machine.reference,
        if machine.quick { " **A quick run: too short for figures to quote.**" } else { "" },
    );
    let _ = writeln!(
        text,
        "Times are medians over the rounds of one run, in which all participants took turns; the minimum is in brackets. \
         Ratios are medians of the ratios within each round. `> x`: stopped after that time.\n"
    );
    let versions: Vec<String> =
        results.participants.iter().map(|one| format!("{} ({})", one.name, one.version)).collect();
    let _ = writeln!(text, "Participants: {}.", versions.join(", "));
    for skipped in &results.skipped {
        let _ = writeln!(text, "Skipped: {}: {}.", skipped.name, skipped.why);
    }
    text.push('\n');
}

fn agreement(text: &mut String, results: &Results) {
    text.push_str(
        "## Agreement with the reference\n\nSpeed is worth nothing without correct answers. \"Clean\" counts only well-formed \
         absolute web URLs. A crawler that allows too much is impolite; one that blocks too much misses pages. \
         comity's dialect STANDARD follows RFC 9309, from which the reference departs: see the table of dialects.\n\n\
         | participant | questions | agrees | clean | allows too much | blocks too much | refuses | panics |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for examined in &results.examined {
        let Agreement { asked, over_allowed, over_blocked, refused, panicked, .. } = examined.agreement;
        let _ = writeln!(
            text,
            "| {} | {asked}{} | {} | {} | {over_allowed} | {over_blocked} | {refused} | {panicked} |",
            examined.participant,
            if examined.finished { "" } else { ", then stopped" },
            percent(examined.agreement.percent()),
            percent(examined.agreement.clean_percent()),
        );
    }
    text.push('\n');
}

fn heading(text: &mut String, workload: &Workload) {
    let definition = &workload.definition;
    let _ = writeln!(text, "## {}\n\n{} {}\n", definition.title, definition.measures, definition.why);
    if definition.section == Section::Growth {
        let _ = writeln!(text, "![{}]({}.svg)\n", definition.title, definition.name);
    }
}

/// Writes a workload with one point, with a line for each participant.
fn table(text: &mut String, workload: &Workload, point: &Measured) {
    let apart = workload.definition.model == Model::Decide;
    let asked = workload.definition.model != Model::Parse;
    let unit = if asked { "question" } else { "file" };
    let _ = writeln!(text, "{} {unit}s, {} bytes of files.\n", point.units, point.bytes);
    let steady = if apart { " after preparation | x comity | preparation per file |" } else { "" };
    let agrees = if asked { " agrees | clean | panics |" } else { " panics |" };
    let _ = writeln!(text, "| participant | time per {unit} | x comity | x {STAND_IN} |{steady}{agrees}");
    let columns = 4 + if apart { 3 } else { 0 } + if asked { 3 } else { 1 };
    let _ = writeln!(text, "|---|{}", "--:|".repeat(columns - 1));
    for row in &point.rows {
        let _ = write!(
            text,
            "| {} | {} | {} | {} |",
            row.participant,
            figure(row, &row.nanoseconds),
            ratio(point.ratio(row, OURS, Row::whole)),
            ratio(point.ratio(row, STAND_IN, Row::whole)),
        );
        if apart {
            let _ = write!(
                text,
                " {} | {} | {} |",
                figure(row, &row.steady),
                if row.over.is_some() { "–".into() } else { ratio(point.ratio(row, OURS, Row::steady)) },
                median(&row.build).map_or_else(|| "–".into(), time),
            );
        }
        if asked {
            let _ =
                write!(text, " {} | {} |", percent(row.agreement.percent()), percent(row.agreement.clean_percent()));
        }
        let _ = writeln!(text, " {} |", row.agreement.panicked);
    }
    let of = if apart { Row::steady } else { Row::whole };
    for limit in &point.limits {
        let times = point.row(OURS).and_then(|ours| point.ratio(ours, &limit.participant, of));
        let name = &limit.participant;
        let _ =
            writeln!(text, "\nLimit: {name}, {}: comity takes {} times that.", figure(limit, of(limit)), ratio(times));
    }
    text.push('\n');
}

/// Writes a workload with many points, with a line for each point and a column for each participant.
fn grid(text: &mut String, workload: &Workload) {
    let Some(first) = workload.points.first() else { return };
    let definition = &workload.definition;
    let names: Vec<&str> = first.rows.iter().map(|row| &*row.participant).collect();
    let _ = writeln!(text, "| {} | {} |", definition.x.as_deref().unwrap_or("file"), names.join(" | "));
    let _ = writeln!(text, "|---|{}", "--:|".repeat(names.len()));
    for point in &workload.points {
        let cell = |name: &&str| {
            let Some(row) = point.row(name) else { return "–".to_owned() };
            let value = figure(row, if definition.model == Model::Decide { &row.steady } else { &row.nanoseconds });
            let panics = row.agreement.panicked;
            if panics > 0 { format!("{value}, {panics} panics") } else { value }
        };
        let cells: Vec<String> = names.iter().map(cell).collect();
        let _ = writeln!(text, "| {} | {} |", point.label, cells.join(" | "));
    }
    text.push('\n');
}

fn memory(text: &mut String, results: &Results) {
    text.push_str(
        "## W5: memory\n\nThe bytes that a file occupies: parsed without its sitemaps and other records, parsed with \
         them, and prepared for many questions about one crawler; and the number of allocations. Means over all files. \
         For a participant that borrows the body, or keeps only one crawler's rules, everything that it needs to answer \
         is included.\n\n\
         | participant | parsed, rules alone, B | parsed, B | prepared, B | allocations per parse | per preparation | per decision |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for weighed in &results.memory {
        let (footprint, alone) = (&weighed.footprint, &weighed.rules_alone);
        let _ = writeln!(
            text,
            "| {} | {:.0} | {:.0} | {:.0} | {:.1} | {:.1} | {:.2} |",
            weighed.participant,
            alone.mean(alone.parsed_bytes),
            footprint.mean(footprint.parsed_bytes),
            footprint.mean(footprint.prepared_bytes),
            footprint.mean(footprint.parse_calls),
            footprint.mean(footprint.prepare_calls),
            footprint.mean(footprint.decide_calls),
        );
    }
    text.push('\n');
}

fn process_start(text: &mut String, start: &Start) {
    text.push_str(
        "## W6: starting the command\n\n`comity check` on a small local file, built with the profile `dist`, beside a Rust \
         program that does nothing.\n\n\
         | program | wall, median | minimum | page faults | instructions |\n|---|--:|--:|--:|--:|\n",
    );
    let mut line = |name: &str, process: &Process| {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            dash(median(&process.milliseconds).map(|time| format!("{time:.2} ms"))),
            dash(least(&process.milliseconds).map(|time| format!("{time:.2} ms"))),
            dash(process.page_faults.map(|count| count.to_string())),
            dash(process.instructions.map(|count| count.to_string())),
        );
    };
    line("comity check", &start.command);
    line("empty", &start.empty);
    if let (Some(ours), Some(empty)) = (median(&start.command.milliseconds), median(&start.empty.milliseconds)) {
        let _ = writeln!(text, "\nThe command takes {:.2} times as long as the empty program.", ours / empty);
    }
    text.push('\n');
}

/// Returns a median with the minimum, or the bound that it exceeds.
fn figure(row: &Row, values: &[f64]) -> String {
    match (row.over, median(values), least(values)) {
        (Some(over), ..) => format!("> {}", time(over)),
        (None, Some(median), Some(least)) => format!("{} ({})", time(median), time(least)),
        _ => "–".into(),
    }
}

/// Returns nanoseconds as text for people.
pub(super) fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 9.95 => format!("{ns:.1} ns"),
        ns if ns < 1_000.0 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{} µs", three_digits(ns / 1e3)),
        ns if ns < 1e9 => format!("{} ms", three_digits(ns / 1e6)),
        ns => format!("{} s", three_digits(ns / 1e9)),
    }
}

pub(super) fn ratio(ratio: Option<Ratio>) -> String {
    match ratio {
        Some(Ratio::Is(ratio)) => three_digits(ratio),
        Some(Ratio::MoreThan(ratio)) => format!("> {}", three_digits(ratio)),
        None => "–".into(),
    }
}

fn three_digits(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

fn percent(percent: Option<f64>) -> String {
    dash(percent.map(|percent| format!("{percent:.2} %")))
}

fn dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".into())
}
