//! Findings in formats with one line or row for each.

use std::io::Write;

use anyhow::Result;
use comity::Escaped;
use comity_lint::{Safety, Severity};
use comity_report::columns;

use super::Linted;
use crate::render::junit::{self, Case, Suite};
use crate::render::{csv, style};

/// The columns of the CSV.
const HEADER: [&str; 10] =
    ["file", "line", "column", "end_column", "severity", "code", "name", "message", "help", "fix"];

/// Prints one line per finding, in the form of compilers: `file:line:column: warning[L011]: message`.
pub(super) fn print_short(out: &mut impl Write, linted: &[Linted<'_>]) -> Result<()> {
    for file in linted {
        for found in &file.report.diagnostics {
            let (column, _) = columns(file.report.source(), &found.span);
            let message = Escaped(found.message.as_bytes());
            let level = style::paint(style_of(found.severity), format!("{}[{}]", found.severity, found.lint.code));
            writeln!(out, "{}:{}:{column}: {level}: {message}", file.name, found.line)?;
        }
    }
    Ok(())
}

fn style_of(severity: Severity) -> anstyle::Style {
    match severity {
        Severity::Error => style::ERROR,
        Severity::Warning => style::NO_VERDICT,
        _ => style::FAINT,
    }
}

/// Prints one row of CSV per finding.
pub(super) fn print_csv(out: &mut impl Write, linted: &[Linted<'_>]) -> Result<()> {
    csv::row(out, &HEADER)?;
    for file in linted {
        for found in &file.report.diagnostics {
            let (column, end) = columns(file.report.source(), &found.span);
            let fix = found.fix.as_ref().map_or("", |fix| if fix.safety == Safety::Safe { "safe" } else { "unsafe" });
            csv::row(
                out,
                &[
                    file.name,
                    &found.line.to_string(),
                    &column.to_string(),
                    &end.to_string(),
                    &found.severity.to_string(),
                    found.lint.code,
                    found.lint.name,
                    &found.message,
                    found.help.as_deref().unwrap_or_default(),
                    fix,
                ],
            )?;
        }
    }
    Ok(())
}

/// Prints a `JUnit` report: one suite per file, and one case per finding. Findings below `fail_on` are remarks of cases
/// that pass.
pub(super) fn print_junit(out: &mut impl Write, linted: &[Linted<'_>], fail_on: Severity) -> Result<()> {
    let suites: Vec<Suite> = linted
        .iter()
        .map(|file| {
            let mut cases: Vec<Case> = Vec::new();
            for found in &file.report.diagnostics {
                let message = Escaped(found.message.as_bytes()).to_string();
                let help = found.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
                let text = Some(format!("line {}: {message}{help}", found.line));
                let fails = found.severity >= fail_on;
                cases.push(Case {
                    class: file.name.to_owned(),
                    name: format!("{} {} (line {})", found.lint.code, found.lint.name, found.line),
                    failure: text.clone().filter(|_| fails),
                    remark: text.filter(|_| !fails),
                });
            }
            // Some servers take a suite without cases for a job that did not run.
            if cases.is_empty() {
                let name = "nothing found".to_owned();
                cases.push(Case { class: file.name.to_owned(), name, failure: None, remark: None });
            }
            Suite { name: file.name.to_owned(), cases }
        })
        .collect();
    out.write_all(&junit::report(&suites)?)?;
    Ok(())
}
