//! Findings as data, for JSON.

use std::ops::Range;

use comity_lint::{Fix, Severity};
use serde::Serialize;

use super::Linted;

#[derive(Serialize)]
pub(super) struct Files<'a> {
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "file")]
    name: &'a str,
    findings: Vec<Finding<'a>>,
    /// Findings that comments in the file asked to ignore.
    ignored: usize,
    /// Lints that did not look at everything.
    bounded: Vec<Bounded<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: &'static str,
    name: &'static str,
    severity: Severity,
    line: u32,
    /// In characters, from 1; the end is the first column behind it.
    column: usize,
    end_column: usize,
    /// In bytes of the file.
    span: Range<usize>,
    message: &'a str,
    help: Option<&'a str>,
    concerns: &'static str,
    related: Vec<Related>,
    fix: Option<FixOf<'a>>,
}

#[derive(Serialize)]
struct Related {
    line: u32,
    because: &'static str,
}

#[derive(Serialize)]
struct FixOf<'a> {
    title: &'a str,
    safety: comity_lint::Safety,
    edits: Vec<EditOf>,
}

#[derive(Serialize)]
struct EditOf {
    span: Range<usize>,
    text: String,
}

#[derive(Serialize)]
struct Bounded<'a> {
    code: &'static str,
    bound: &'a str,
}

impl<'a> Files<'a> {
    pub(super) fn new(linted: &'a [Linted<'a>]) -> Self {
        Self { files: linted.iter().map(File::new).collect() }
    }
}

impl<'a> File<'a> {
    fn new(linted: &'a Linted<'a>) -> Self {
        let source = linted.report.source();
        let findings = linted.report.diagnostics.iter().map(|found| {
            let (column, end_column) = columns(source, &found.span);
            Finding {
                code: found.lint.code,
                name: found.lint.name,
                severity: found.severity,
                line: found.line,
                column,
                end_column,
                span: found.span.clone(),
                message: &found.message,
                help: found.help.as_deref(),
                concerns: found.lint.concerns,
                related: found.related.iter().map(|(line, because)| Related { line: *line, because }).collect(),
                fix: found.fix.as_ref().map(FixOf::new),
            }
        });
        Self {
            name: linted.name,
            findings: findings.collect(),
            ignored: linted.report.ignored,
            bounded: linted.report.bounded.iter().map(|(lint, bound)| Bounded { code: lint.code, bound }).collect(),
        }
    }
}

impl<'a> FixOf<'a> {
    fn new(fix: &'a Fix) -> Self {
        let edits = fix
            .edits
            .iter()
            .map(|edit| EditOf { span: edit.span.clone(), text: String::from_utf8_lossy(&edit.text).into_owned() });
        Self { title: &fix.title, safety: fix.safety, edits: edits.collect() }
    }
}

/// The columns of a span in its line: characters from 1, the end exclusive.
pub(super) fn columns(source: &[u8], span: &Range<usize>) -> (usize, usize) {
    let line = line_start(source, span.start);
    let characters = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
    let column = characters(&source[line..span.start]) + 1;
    (column, column + characters(&source[span.clone()]))
}

/// Where the line of a place starts.
pub(super) fn line_start(source: &[u8], at: usize) -> usize {
    let start = source[..at].iter().rposition(|b| matches!(b, b'\r' | b'\n')).map_or(0, |at| at + 1);
    if start == 0 && source.starts_with(b"\xEF\xBB\xBF") && at >= 3 { 3 } else { start }
}
