//! The table of answers: a column for each crawler, then the URL.

use std::fmt;
use std::io::{self, Write};

use comity::{Answer, Dialect, Escaped};
use comity_report::{CrawlerQuery, Question};

use crate::render::style::{self, paint};

/// The width of a verdict with a line number of five digits.
const MIN_WIDTH: usize = 13;

/// Writes the header, and returns the widths of the crawlers' columns.
pub(super) fn write_header(out: &mut impl Write, askers: &[CrawlerQuery]) -> io::Result<Vec<usize>> {
    let names: Vec<String> = askers.iter().map(|asker| Escaped(asker.token().as_bytes()).to_string()).collect();
    let widths: Vec<usize> = names.iter().map(|name| name.chars().count().max(MIN_WIDTH) + 2).collect();
    let header: String = names.iter().zip(&widths).map(|(name, width)| format!("{name:<width$}")).collect();
    writeln!(out, "{}URL", paint(style::STRONG, header))?;
    Ok(widths)
}

/// Writes the end of a row: the URL as it was typed, and as it was checked if that differs.
pub(super) fn write_url(out: &mut impl Write, question: &Question, dialect: &Dialect) -> io::Result<()> {
    write!(out, "{}", Escaped(question.typed.as_bytes()))?;
    if let Some(sent) = question.rewritten_in(dialect) {
        write!(out, "{}", paint(style::FAINT, format!("  asked for {}", Escaped(sent.as_bytes()))))?;
    }
    writeln!(out)
}

/// The numbers of answers, by kind.
#[derive(Default)]
pub(super) struct Counts {
    allowed: u64,
    disallowed: u64,
    others: u64,
}

impl Counts {
    /// Counts an answer; `None` if there is no verdict.
    pub(super) fn count(&mut self, answer: Option<Answer>) {
        match answer {
            Some(Answer::Allowed) => self.allowed += 1,
            Some(Answer::Disallowed) => self.disallowed += 1,
            _ => self.others += 1,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} allowed, {} disallowed", self.allowed, self.disallowed)?;
        if self.others > 0 {
            write!(f, ", {} without a verdict", self.others)?;
        }
        f.write_str(".")
    }
}
