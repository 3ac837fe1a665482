//! The table of answers: a column for each crawler, then the URL.

use std::fmt;
use std::io::{self, Write};

use anstyle::Style;
use comity::{Answer, Dialect, Escaped};
use comity_report::{CrawlerQuery, Question};

use crate::input::rows::Invalid;
use crate::render::style::{self, paint};
use crate::render::width;

/// The width of a verdict with a line number of five digits.
const MIN_WIDTH: usize = 13;

/// The columns of a terminal that remain for the URL.
const URL_WIDTH: usize = 24;

/// The minimum width of a column, with the space after it.
const MIN_CUT_WIDTH: usize = 7;

/// A table that is written row by row.
pub(super) struct Table {
    /// The widths of the crawlers' columns, with the space after them.
    widths: Vec<usize>,
    terminal: Option<usize>,
    row: String,
    /// The column of the next cell.
    column: usize,
}

impl Table {
    /// Writes the header. On a terminal of this width, columns and rows are cut to fit.
    pub(super) fn new(out: &mut impl Write, askers: &[CrawlerQuery], terminal: Option<usize>) -> io::Result<Self> {
        let names: Vec<String> = askers.iter().map(|asker| Escaped(asker.token().as_bytes()).to_string()).collect();
        let mut widths: Vec<usize> = names.iter().map(|name| name.chars().count().max(MIN_WIDTH) + 2).collect();
        if let Some(terminal) = terminal
            && widths.iter().sum::<usize>() + URL_WIDTH > terminal
        {
            let share = (terminal.saturating_sub(URL_WIDTH) / widths.len().max(1)).max(MIN_CUT_WIDTH);
            for width in &mut widths {
                *width = share.min(*width);
            }
        }
        let mut table = Self { widths, terminal, row: String::new(), column: 0 };
        for name in &names {
            table.cell(style::STRONG, name);
        }
        table.end(out, "URL")?;
        Ok(table)
    }

    /// Adds a cell to the row. Returns true if it is the last one before the URL.
    pub(super) fn cell(&mut self, style: Style, text: &str) -> bool {
        let width = self.widths[self.column];
        let text = if self.terminal.is_some() { console::truncate_str(text, width - 2, "…") } else { text.into() };
        let gap = width.saturating_sub(text.chars().count());
        self.row += &paint(style, format!("{text}{:gap$}", ""));
        self.column += 1;
        self.column == self.widths.len()
    }

    /// Writes the row, with the URL as it was typed, and as it was checked if that differs.
    pub(super) fn url(&mut self, out: &mut impl Write, question: &Question, dialect: &Dialect) -> io::Result<()> {
        let mut end = Escaped(question.typed.as_bytes()).to_string();
        if let Some(sent) = question.rewritten_in(dialect) {
            end += &paint(style::FAINT, format!("  asked for {}", Escaped(sent.as_bytes())));
        }
        self.end(out, &end)
    }

    /// Writes the row, with an entry that is no URL.
    pub(super) fn invalid(&mut self, out: &mut impl Write, invalid: &Invalid) -> io::Result<()> {
        let (typed, error) = (Escaped(invalid.typed.as_bytes()), Escaped(invalid.error.as_bytes()));
        self.end(out, &format!("{typed}{}", paint(style::FAINT, format!("  {error}"))))
    }

    fn end(&mut self, out: &mut impl Write, end: &str) -> io::Result<()> {
        self.row += end;
        writeln!(out, "{}", width::fit(&self.row, self.terminal))?;
        self.row.clear();
        self.column = 0;
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_its_terminal() {
        let names = ["Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "Applebot-Extended"];
        let askers: Vec<CrawlerQuery> = names.iter().map(|name| CrawlerQuery::new(name, None)).collect();
        let url = "https://shop.example/a/page/with/a/long/name.html";
        for terminal in [None, Some(40), Some(80), Some(120), Some(300)] {
            let mut out = Vec::new();
            let mut table = Table::new(&mut out, &askers, terminal).unwrap();
            for _ in names {
                table.cell(style::DISALLOWED, "blocked 12345");
            }
            table.url(&mut out, &Question::new(url, false).unwrap(), &Dialect::STANDARD).unwrap();
            let text = String::from_utf8(out).unwrap();
            let longest = text.lines().map(console::measure_text_width).max().unwrap();
            let is_whole = text.contains(url) && text.contains("blocked 12345");
            match terminal {
                Some(terminal @ ..=120) => assert!(longest <= terminal && !is_whole, "{terminal}: {text}"),
                _ => assert!(is_whole, "{text}"),
            }
            assert_eq!(text.lines().count(), 2);
        }
    }
}
