//! Findings as remarks for the pages of merge requests.

use comity_lint::Diagnostic;
use comity_report::{columns, line_start};

use super::Linted;
use crate::render::annotation::Annotation;

/// Returns a remark for each finding, and its subject: the text of its line.
pub(super) fn of<'a>(linted: &'a [Linted<'_>]) -> Vec<(Annotation<'a>, String)> {
    let of_file = |file: &'a Linted<'_>| file.report.diagnostics.iter().map(move |found| of_finding(file, found));
    linted.iter().flat_map(of_file).collect()
}

fn of_finding<'a>(file: &'a Linted<'_>, found: &'a Diagnostic) -> (Annotation<'a>, String) {
    let source = file.report.source();
    let help = found.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
    let annotation = Annotation {
        severity: found.severity,
        file: file.name,
        line: Some(u64::from(found.line)),
        columns: Some(columns(source, &found.span)),
        title: format!("{} {}", found.lint.code, found.lint.name).into(),
        message: format!("{}{help}", found.message).into(),
    };
    let line = &source[line_start(source, found.span.start)..];
    let end = line.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(line.len());
    (annotation, String::from_utf8_lossy(line[..end].trim_ascii()).into_owned())
}
