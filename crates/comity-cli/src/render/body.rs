//! The content of files, printed for people or for programs.

use std::io::{IsTerminal, Write};

use anyhow::Result;
use comity::Escaped;

/// Prints a robots.txt on standard output: its bytes, or on a terminal its lines in printable form, since the content of
/// a foreign file may control the terminal.
pub(crate) fn print(body: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        for line in body.split_inclusive(|byte| *byte == b'\n') {
            writeln!(out, "{}", Escaped(line.trim_ascii_end()))?;
        }
    } else {
        out.write_all(body)?;
    }
    out.flush()?;
    Ok(())
}
