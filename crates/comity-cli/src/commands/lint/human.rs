//! Findings for people, in the layout of rustc.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anyhow::Result;
use comity::Escaped;
use comity_lint::{Diagnostic, Linter, Safety, Severity};
use comity_report::{line_start, shorten};

use super::{Linted, fix};
use crate::render::style::{self, paint};
use crate::render::words::count;

/// The maximum number of findings of one lint in one file that are shown, unless all are requested.
const MAX_SHOWN: usize = 10;
/// The maximum number of characters that are shown on each side of a finding in its line.
const MAX_CONTEXT_CHARS: usize = 60;

/// The maximum number of lines that are named for a repeated finding.
const MAX_LINES: usize = 5;

pub(super) fn print(out: &mut impl Write, linted: &[Linted<'_>], all: bool) -> Result<()> {
    let renderer = Renderer::styled();
    for file in linted {
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        let mut hidden: BTreeMap<&str, usize> = BTreeMap::new();
        for repeated in repeated(file, all) {
            let (found, others) = (repeated[0], &repeated[1..]);
            let of_lint = shown.entry(found.lint.code).or_default();
            *of_lint += 1;
            if all || *of_lint <= MAX_SHOWN {
                writeln!(out, "{}\n", render(&renderer, file, found, others))?;
            } else {
                *hidden.entry(found.lint.code).or_default() += repeated.len();
            }
        }
        for (code, hidden) in hidden {
            writeln!(out, "{code}: {hidden} more like these; --all shows them")?;
        }
        for (lint, bound) in &file.report.bounded {
            let note = paint(style::NO_VERDICT, "not everything was checked:");
            writeln!(out, "{note} {} stopped at its limit of {bound}", lint.code)?;
        }
        summary(out, file)?;
    }
    Ok(())
}

/// Returns the findings in the order of the file, each with later findings of the same lint about the same text: one
/// mistake that several groups repeat. With `all`, each finding is on its own.
fn repeated<'f>(file: &'f Linted<'_>, all: bool) -> Vec<Vec<&'f Diagnostic>> {
    let source = file.report.source();
    let mut places: HashMap<_, usize> = HashMap::new();
    let mut repeated: Vec<Vec<&Diagnostic>> = Vec::new();
    for found in &file.report.diagnostics {
        let title = found.fix.as_ref().map(|fix| (&*fix.title, fix.safety));
        let key = (found.lint.code, found.severity, &source[found.span.clone()], title);
        match places.entry(key) {
            Entry::Occupied(place) if !all => repeated[*place.get()].push(found),
            Entry::Occupied(_) => repeated.push(vec![found]),
            Entry::Vacant(place) => {
                place.insert(repeated.len());
                repeated.push(vec![found]);
            }
        }
    }
    repeated
}

/// Names the lints that found nothing because no URL of the site is known, and the options that supply URLs.
pub(super) fn tell_what_needs_urls(out: &mut impl Write, linter: &Linter, linted: &[Linted<'_>]) -> Result<()> {
    let codes: Vec<&str> = linter.lints().filter(|lint| lint.needs_urls).map(|lint| lint.code).collect();
    if !codes.is_empty() && linted.iter().all(|file| !file.knows_urls) {
        writeln!(
            out,
            "{} ({}) {} URLs of the site; --sitemap, --urls, --log or --page supply them.",
            count(codes.len(), "lint"),
            codes.join(", "),
            if codes.len() == 1 { "needs" } else { "need" },
        )?;
    }
    Ok(())
}

fn summary(out: &mut impl Write, file: &Linted<'_>) -> Result<()> {
    let found = &file.report.diagnostics;
    let name = file.name;
    let of = |severity| found.iter().filter(|found| found.severity == severity).count();
    let counts: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")]
        .into_iter()
        .map(|(severity, noun)| (of(severity), noun))
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| count(number, noun))
        .collect();
    let ignored = if file.report.ignored > 0 { format!(", {} ignored", file.report.ignored) } else { String::new() };
    if counts.is_empty() {
        writeln!(out, "{name}: nothing found{ignored}")?;
        return Ok(());
    }
    writeln!(out, "{name}: {}{ignored}", counts.join(", "))?;
    let fixes = || found.iter().filter_map(|found| found.fix.as_ref());
    let safe = fixes().filter(|fix| fix.safety == Safety::Safe).count();
    let blocking = fixes().filter(|fix| fix.may_block_site()).count();
    let risky = fixes().count() - safe - blocking;
    if safe > 0 {
        writeln!(out, "--fix fixes {safe} of them and keeps every verdict in the dialects {}.", fix::checked())?;
    }
    if risky > 0 {
        writeln!(
            out,
            "--unsafe-fixes fixes {risky}{} and changes verdicts; try it with --diff.",
            if safe > 0 { " more" } else { "" }
        )?;
    }
    if blocking > 0 {
        writeln!(
            out,
            "--unsafe-fixes with --allow-blocking fixes {blocking}{} and blocks `/`, or paths that no rule named before.",
            if safe + risky > 0 { " more" } else { "" }
        )?;
    }
    writeln!(out, "`comity lint --explain {}` explains a lint.", found[0].lint.code)?;
    Ok(())
}

fn render(renderer: &Renderer, file: &Linted<'_>, found: &Diagnostic, others: &[&Diagnostic]) -> String {
    let source = file.report.source();
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        _ => Level::NOTE,
    };
    let line = quoted(source, found);
    let snippet = Snippet::source(line.text)
        .line_start(found.line as usize)
        .path(file.name)
        .annotation(AnnotationKind::Primary.span(line.span));
    let mut elements = Vec::new();
    for (line, because) in found.related.iter().take(3) {
        elements.push(Level::NOTE.message(format!("line {line}: {because}")));
    }
    if !others.is_empty() {
        let lines: Vec<String> = others.iter().take(MAX_LINES).map(|other| other.line.to_string()).collect();
        let more = match others.len().saturating_sub(MAX_LINES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let noun = if others.len() == 1 { "line" } else { "lines" };
        elements.push(Level::NOTE.message(format!("the same in {noun} {}{more}", lines.join(", "))));
    }
    if let Some(help) = &found.help {
        elements.push(Level::HELP.message(help.clone()));
    }
    if let Some(fix) = &found.fix {
        let how = if fix.safety == Safety::Safe { "--fix" } else { "--unsafe-fixes" };
        elements.push(Level::HELP.message(format!("{}  ({how})", fix.title)));
    }
    let title = level.primary_title(found.message.clone()).id(found.lint.code);
    let group: Group<'_> = title.element(snippet).elements(elements);
    renderer.render(&[group])
}

/// A line that is safe to print and short enough to read, and the finding's place in it.
struct Quoted {
    text: String,
    span: std::ops::Range<usize>,
}

fn quoted(source: &[u8], found: &Diagnostic) -> Quoted {
    let start = line_start(source, found.span.start);
    let start = start.min(found.span.start);
    let end = source[found.span.end..].iter().position(|b| matches!(b, b'\r' | b'\n' | 0));
    let end = end.map_or(source.len(), |end| found.span.end + end);
    let safe = |bytes: &[u8]| Escaped(bytes).to_string();
    let last = |text: String| match text.char_indices().rev().nth(MAX_CONTEXT_CHARS - 1) {
        Some((at, _)) if at > 0 => format!("…{}", &text[at..]),
        _ => text,
    };
    let before = last(safe(&source[start..found.span.start]));
    let at = safe(&source[found.span.clone()]);
    let at = shorten(&at, 2 * MAX_CONTEXT_CHARS);
    let after = safe(&source[found.span.end..end.max(found.span.end)]);
    let after = shorten(&after, MAX_CONTEXT_CHARS);
    let span = before.len()..before.len() + at.len();
    Quoted { text: format!("{before}{at}{after}"), span }
}
