//! JSON output that is safe to print to a terminal.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use anyhow::Result;
use comity::Escaped;
use serde::Serialize;

/// Prints a value as indented JSON.
pub(crate) fn print(value: &impl Serialize) -> Result<()> {
    write(io::stdout().lock(), value)
}

/// Writes a value as indented JSON.
pub(crate) fn write(out: impl Write, value: &impl Serialize) -> Result<()> {
    let mut out = Safe(BufWriter::new(out));
    serde_json::to_writer_pretty(&mut out, value)?;
    out.0.write_all(b"\n")?;
    out.0.flush()?;
    Ok(())
}

/// A writer that replaces invisible characters in JSON by escapes. JSON itself only requires escapes for ASCII control
/// characters, and the text of a robots.txt could contain others that control a terminal or reorder its text.
struct Safe<W>(W);

impl<W: Write> Write for Safe<W> {
    /// Writes a part of the JSON. `serde_json` never splits a character between two calls.
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(json) {
            Ok(text) if !text.is_ascii() || text.contains('\x7F') => self.0.write_all(safe(text).as_bytes())?,
            _ => self.0.write_all(json)?,
        }
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns the JSON with invisible characters as escapes, as [`print()`] writes it.
pub(crate) fn safe(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if (c.is_ascii() && c != '\x7F') || is_shown(c) {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

fn is_shown(c: char) -> bool {
    let mut bytes = [0; 4];
    let text = c.encode_utf8(&mut bytes);
    Escaped(text.as_bytes()).to_string() == *text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    #[test]
    fn invisible_characters_are_escaped_and_mean_the_same() {
        let value = Value::from("ü\u{202E}\u{9B}\x7F\u{E0001}\t😀");
        let text = super::safe(&value.to_string());
        assert_eq!(text, r#""ü\u202e\u009b\u007f\udb40\udc01\t😀""#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
