//! Findings as workflow commands of GitHub, which shows them next to the lines.

use std::io::Write;

use anyhow::Result;
use comity_lint::Severity;
use comity_report::columns;

use super::Linted;
use crate::render::github::Annotation;

pub(super) fn print(out: &mut impl Write, linted: &[Linted<'_>]) -> Result<()> {
    for file in linted {
        for found in &file.report.diagnostics {
            let help = found.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
            let annotation = Annotation {
                level: match found.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                    _ => "notice",
                },
                file: file.name,
                line: u64::from(found.line),
                columns: Some(columns(file.report.source(), &found.span)),
                title: &format!("{} {}", found.lint.code, found.lint.name),
                message: &format!("{}{help}", found.message),
            };
            annotation.write(out)?;
        }
    }
    Ok(())
}
