//! Findings as workflow commands of GitHub, which shows them next to the lines.

use std::io::Write;

use anyhow::Result;
use comity_lint::Severity;
use comity_report::columns;

use super::Linted;

pub(super) fn print(out: &mut impl Write, linted: &[Linted<'_>]) -> Result<()> {
    for file in linted {
        for found in &file.report.diagnostics {
            let level = match found.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                _ => "notice",
            };
            let (column, end) = columns(file.report.source(), &found.span);
            let help = found.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
            writeln!(
                out,
                "::{level} file={},line={},col={column},endColumn={end},title={}::{}",
                property(file.name),
                found.line,
                property(&format!("{} {}", found.lint.code, found.lint.name)),
                data(&format!("{}{help}", found.message)),
            )?;
        }
    }
    Ok(())
}

/// Escapes a message as GitHub's runner expects it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
