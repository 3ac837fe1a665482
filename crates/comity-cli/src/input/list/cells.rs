//! One column of a table in CSV or a similar form.

use std::io::BufRead;

use anyhow::Result;

use super::{Entry, MAX_LINE_BYTES, MAX_SKIPPED_BYTES, Table, no_list};

/// The maximum number of lines of a row. A quote that is still open then is a mistake, and would hide the rows after it.
const MAX_ROW_LINES: u64 = 100;

/// The cells of the column with the URLs. All other cells are skipped, so memory is bounded whatever the file contains.
///
/// The `csv` crate is not used, because it accepts what may be read in several ways: a quote that is never closed, and
/// text after a closing quote.
pub(super) struct Cells<R> {
    source: R,
    delimiter: u8,
    column: usize,
    /// The number of cells of the first row. A row with more may be a URL that was cut at a delimiter.
    width: Option<usize>,
    /// The number of line ends so far.
    lines: u64,
    /// True if the next row names the columns.
    is_header: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    CellStart,
    Cell,
    QuotedCell,
    /// After a quote in a quoted cell: the end of the cell, or the first of two quotes that mean one.
    Quote,
    /// In a row that is not valid.
    Invalid,
}

/// The part of a row that was read.
struct Row {
    position: Position,
    cells: usize,
    /// The number of line ends inside quotes.
    lines: u64,
    /// The cell in the column with the URLs, or its start if it is too long.
    text: Vec<u8>,
}

impl Row {
    /// Reads a byte. Returns true if the row ends with it.
    fn read(&mut self, byte: u8, delimiter: u8, column: usize) -> bool {
        let (next, is_text) = match (self.position, byte) {
            (Position::QuotedCell, b'"') => (Position::Quote, false),
            (Position::QuotedCell, b'\n') => {
                self.lines += 1;
                (Position::QuotedCell, true)
            }
            (Position::QuotedCell, _) | (Position::Quote, b'"') => (Position::QuotedCell, true),
            (_, b'\n') => return true,
            (Position::Invalid, _) => return false,
            (_, byte) if byte == delimiter => {
                self.cells += 1;
                (Position::CellStart, false)
            }
            (Position::CellStart, b'"') => (Position::QuotedCell, false),
            (Position::Quote, _) => (Position::Invalid, false),
            _ => (Position::Cell, true),
        };
        self.position = next;
        if is_text && self.cells == column + 1 && self.text.len() <= MAX_LINE_BYTES {
            self.text.push(byte);
        }
        self.lines == MAX_ROW_LINES
    }

    fn is_blank(&self) -> bool {
        self.cells == 1 && self.position == Position::CellStart
    }
}

impl<R: BufRead> Cells<R> {
    pub(super) fn new(source: R, table: &Table, lines: u64) -> Self {
        let &Table { delimiter, column, has_header } = table;
        Self { source, delimiter, column, width: None, lines, is_header: has_header }
    }

    /// Reads a row. Returns `None` at the end.
    fn read(&mut self) -> Result<Option<Row>> {
        let (first, mut bytes) = (self.lines + 1, 0);
        let mut row = Row { position: Position::CellStart, cells: 1, lines: 0, text: Vec::new() };
        loop {
            let input = self.source.fill_buf()?;
            if input.is_empty() {
                return Ok((!row.is_blank()).then_some(row));
            }
            let end = input.iter().position(|byte| row.read(*byte, self.delimiter, self.column));
            let len = end.map_or(input.len(), |end| end + 1);
            self.lines += newlines(&input[..len]);
            self.source.consume(len);
            bytes += len;
            if end.is_some() {
                return Ok(Some(row));
            }
            if bytes > MAX_SKIPPED_BYTES {
                return Err(no_list(first));
            }
        }
    }

    /// Returns the reason why a row is not valid.
    fn problem(&self, row: &Row, line: u64) -> Option<String> {
        let lines = || match self.lines {
            last if last > line => format!("the row of lines {line} to {last} was not read"),
            _ => "the row was not read".to_owned(),
        };
        match (row.position, self.width) {
            (Position::QuotedCell, _) if row.lines == MAX_ROW_LINES => {
                Some(format!("expected a closing quote within {MAX_ROW_LINES} lines, found none: {}", lines()))
            }
            (Position::QuotedCell, _) => {
                Some("expected a closing quote, found the end of the list: the rows from here on were not read".into())
            }
            (Position::Invalid, _) => {
                Some(format!("expected the end of the cell after its closing quote, found more text: {}", lines()))
            }
            (_, Some(width)) if row.cells > width => Some(format!(
                "expected at most {width} cells, as in the first row, found {}: put quotes around cells that contain \
                 the delimiter",
                row.cells
            )),
            _ if row.text.is_empty() && !self.is_header => Some("expected a URL, found an empty cell".to_owned()),
            _ => None,
        }
    }
}

/// Returns the number of line ends.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.split(|byte| *byte == b'\n').count() as u64 - 1
}

impl<R: BufRead> Iterator for Cells<R> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.lines + 1;
            let row = match self.read() {
                Err(error) => return Some(Err(error)),
                Ok(None) => return None,
                Ok(Some(row)) if row.is_blank() => continue,
                Ok(Some(row)) => row,
            };
            if let Some(problem) = self.problem(&row, line) {
                return Some(Ok(Entry::invalid(line, &row.text, problem)));
            }
            self.width.get_or_insert(row.cells);
            if std::mem::take(&mut self.is_header) {
                continue;
            }
            return Some(Ok(Entry::new(line, &row.text)));
        }
    }
}

/// Returns the cells of one line.
pub(super) fn split(line: &[u8], delimiter: u8) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(line);
    let row = reader.byte_records().next().and_then(Result::ok).unwrap_or_default();
    row.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
}
