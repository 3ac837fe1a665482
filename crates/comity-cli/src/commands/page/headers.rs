//! The header section of a response, read from a file.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::Escaped;
use comity_page::Page;

use crate::input::file;

/// The maximum size of a header section in bytes. Servers send less, and clients accept less.
const MAX_BYTES: u64 = 256 * 1024;

/// Reads a header section as `curl -sI` prints it, and adds its fields to the page. If there are several because of
/// redirects, the last one applies.
pub(super) fn read(path: &Path, page: &mut Page<'_>) -> Result<()> {
    let mut bytes = Vec::new();
    let read = file::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("{} could not be read", file::name(path)))?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("{}: expected the header of a response, found more than 256 KiB", file::name(path));
    }
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    let is_status = |line: &[u8]| line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"));
    let start = lines.iter().rposition(|line| is_status(line)).unwrap_or(0);
    let mut fields = 0;
    for (number, line) in (1_u32..).zip(&lines).skip(start) {
        if line.is_empty() || is_status(line) {
            continue;
        }
        // Folded lines are obsolete (RFC 9112 §5.2). They are refused, because a rule in one would be lost unnoticed.
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) if !line.starts_with(b" ") && !line.starts_with(b"\t") => (&line[..colon], &line[colon + 1..]),
            _ => bail!(
                "{}, line {number}: expected a field such as `X-Robots-Tag: noindex`, found `{}`",
                file::name(path),
                Escaped(&line[..line.len().min(100)])
            ),
        };
        fields += 1;
        if let Ok(name) = std::str::from_utf8(name.trim_ascii()) {
            page.header_at(name, value.trim_ascii(), number);
        }
    }
    if fields == 0 {
        bail!("{}: expected the header of a response, found none", file::name(path));
    }
    Ok(())
}
