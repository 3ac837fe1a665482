//! Workflow commands of GitHub Actions, which shows them next to the lines of files.

use std::io::{self, Write};

/// An annotation of a file.
pub(crate) struct Annotation<'a> {
    /// `error`, `warning` or `notice`.
    pub(crate) level: &'a str,
    pub(crate) file: &'a str,
    pub(crate) line: u64,
    /// The first column and the one after the last.
    pub(crate) columns: Option<(usize, usize)>,
    pub(crate) title: &'a str,
    pub(crate) message: &'a str,
}

impl Annotation<'_> {
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "::{} file={},line={}", self.level, property(self.file), self.line)?;
        if let Some((column, end)) = self.columns {
            write!(out, ",col={column},endColumn={end}")?;
        }
        writeln!(out, ",title={}::{}", property(self.title), data(self.message))
    }
}

/// Escapes a message as GitHub's runner expects it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
