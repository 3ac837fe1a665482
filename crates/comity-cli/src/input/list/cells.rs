//! One column of a table in CSV or a similar form.

use std::io::BufRead;

use anyhow::Result;
use csv_core::{ReadFieldResult, Reader, ReaderBuilder};

use super::{Entry, MAX_LINE_BYTES, MAX_SKIPPED_BYTES, Table, no_list};

/// The cells of the column with the URLs. All other cells are skipped, so memory is bounded whatever the file contains.
pub(super) struct Cells<R> {
    source: R,
    reader: Reader,
    column: usize,
    /// The number of line ends so far.
    lines: u64,
    /// True if the next row names the columns.
    is_header: bool,
    buffer: Box<[u8]>,
}

/// The cell of a row in the column with the URLs.
#[derive(Default)]
struct Cell {
    /// The line where the row starts.
    line: u64,
    text: Vec<u8>,
    is_too_long: bool,
}

impl<R: BufRead> Cells<R> {
    pub(super) fn new(source: R, table: &Table, lines: u64) -> Self {
        let reader = ReaderBuilder::new().delimiter(table.delimiter).build();
        let buffer = vec![0; 4096].into_boxed_slice();
        Self { source, reader, column: table.column, lines, is_header: table.has_header, buffer }
    }

    /// Reads a row. Returns `None` at the end.
    fn read(&mut self) -> Result<Option<Cell>> {
        let mut cell = Cell::default();
        let (mut column, mut bytes) = (0, 0);
        loop {
            let input = self.source.fill_buf()?;
            let (result, read, written) = self.reader.read_field(input, &mut self.buffer);
            let taken = &input[..read];
            // The line end of the row before, and blank lines, are read with the start of a row.
            let blank = taken.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if cell.line == 0 && blank < read {
                cell.line = self.lines + newlines(&taken[..blank]) + 1;
            }
            self.lines += newlines(taken);
            self.source.consume(read);
            bytes += read;
            if bytes > MAX_SKIPPED_BYTES {
                return Err(no_list(cell.line));
            }
            if column == self.column && !cell.is_too_long {
                cell.text.extend_from_slice(&self.buffer[..written]);
                cell.is_too_long = cell.text.len() > MAX_LINE_BYTES;
            }
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::Field { record_end: false } => column += 1,
                ReadFieldResult::Field { record_end: true } => return Ok(Some(cell)),
                ReadFieldResult::End => return Ok(None),
            }
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
            let Cell { line, text, is_too_long } = match self.read() {
                Err(error) => return Some(Err(error)),
                Ok(None) => return None,
                Ok(Some(cell)) => cell,
            };
            if std::mem::take(&mut self.is_header) {
                continue;
            }
            return Some(Ok(match (is_too_long, text.is_empty()) {
                (true, _) => Entry::too_long(line, &text),
                (false, true) => {
                    let problem = "expected a URL, found an empty cell".to_owned();
                    Entry { line, text: String::new(), problem: Some(problem) }
                }
                (false, false) => Entry::new(line, &text),
            }));
        }
    }
}

/// Returns the cells of one line.
pub(super) fn split(line: &[u8], delimiter: u8) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(line);
    let row = reader.byte_records().next().and_then(Result::ok).unwrap_or_default();
    row.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
}
