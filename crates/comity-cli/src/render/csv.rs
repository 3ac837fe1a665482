//! CSV output (RFC 4180) that is safe to open in a spreadsheet.

use std::borrow::Cow;
use std::io::Write;

use anyhow::Result;
use comity::Escaped;
use csv::{Terminator, WriterBuilder};
use serde::Serialize;

/// The size of the buffer for a row, in bytes.
const ROW_BYTES: usize = 512;

/// Writes a row: the header, or the cells of an answer.
pub(crate) fn row(out: &mut impl Write, cells: &[&str]) -> Result<()> {
    let mut writer =
        WriterBuilder::new().terminator(Terminator::CRLF).buffer_capacity(ROW_BYTES).from_writer(Vec::new());
    writer.write_record(cells.iter().map(|text| cell(text).into_owned()))?;
    writer.flush()?;
    out.write_all(writer.get_ref())?;
    Ok(())
}

/// Returns a text as a cell. Invisible characters are escaped, and a text that a spreadsheet could take for a formula
/// gets a leading `'`: cells contain text of other people's files, and formulas can run commands and send data.
fn cell(text: &str) -> Cow<'_, str> {
    let shown = Escaped(text.as_bytes()).to_string();
    // Spreadsheets with an East Asian keyboard layout accept the full-width forms, too.
    let is_formula = shown.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if is_formula { Cow::Owned(format!("'{shown}")) } else { Cow::Owned(shown) }
}

/// Returns a value as its word in JSON. `null` becomes an empty cell.
pub(crate) fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(serde_json::Value::Null) | Err(_) => String::new(),
        Ok(other) => other.to_string(),
    }
}

/// Returns a line number; an empty cell if there is none.
pub(crate) fn line(number: Option<u32>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[&str]) -> String {
        let mut out = Vec::new();
        row(&mut out, cells).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_with_separators_are_quoted() {
        assert_eq!(written(&["a,b", "say \"a\"", "", "c;d"]), "\"a,b\",\"say \"\"a\"\"\",,c;d\r\n");
        assert_eq!(written(&["a\nb\u{1B}[2J\u{202E}"]), "a\\x0Ab\\x1B[2J\\u{202E}\r\n");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1", "=HYPERLINK(\"http://a.example\")"] {
            let row = written(&[text]);
            let cell = row.trim_start_matches('"');
            assert!(cell.starts_with('\'') || cell.starts_with('\\'), "{row}");
        }
        assert_eq!(written(&["/a=b", "https://a.example/?a=-1"]), "/a=b,https://a.example/?a=-1\r\n");
    }
}
