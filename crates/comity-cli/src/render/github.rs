//! Workflow commands of GitHub Actions, which shows them next to the lines of files.

use std::io::{self, Write};

use comity_lint::Severity;

use super::annotation::Annotation;

pub(crate) fn write(out: &mut impl Write, annotation: &Annotation<'_>) -> io::Result<()> {
    let level = match annotation.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => "notice",
    };
    write!(out, "::{level} file={}", property(annotation.file))?;
    if let Some(line) = annotation.line {
        write!(out, ",line={line}")?;
    }
    if let Some((column, end)) = annotation.columns {
        write!(out, ",col={column},endColumn={end}")?;
    }
    writeln!(out, ",title={}::{}", property(&annotation.title), data(&annotation.message))
}

/// Escapes a message as GitHub's runner expects it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
