//! The header section of a response, read from a file.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::Escaped;
use comity_page::Page;

use crate::input::file;

/// The maximum size of a header section in bytes. Servers send less, and clients accept less.
const MAX_BYTES: u64 = 256 * 1024;

/// A status line, and the redirects that led to it.
pub(super) struct Head {
    pub(super) status: u16,
    /// The value of each `Location`, and the status of the response to it, if that follows.
    pub(super) redirects: Vec<(String, Option<u16>)>,
}

/// Reads a header section as `curl -sIL` prints it, and adds its fields to the page. If there are several because of
/// redirects, the last one applies. Returns `None` if there is no status line.
pub(super) fn read(path: &Path, page: &mut Page<'_>) -> Result<Option<Head>> {
    let mut bytes = Vec::new();
    let read = file::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("{} could not be read", file::name(path)))?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("{}: expected the header of a response, found more than 256 KiB", file::name(path));
    }
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    let is_status = |line: &[u8]| line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"));
    let mut head: Option<Head> = None;
    let mut start = 0;
    for (at, line) in lines.iter().enumerate() {
        if is_status(line) {
            let status = std::str::from_utf8(line).ok().and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
            let Some(status @ 100..=999) = status else {
                bail!(
                    "{}, line {}: expected a status such as `HTTP/1.1 200`, found `{}`",
                    file::name(path),
                    at + 1,
                    Escaped(&line[..line.len().min(100)])
                );
            };
            let mut redirects = head.map_or_else(Vec::new, |head| head.redirects);
            redirects.last_mut().into_iter().for_each(|(_, there)| *there = Some(status));
            (head, start) = (Some(Head { status, redirects }), at);
        } else if let (Some(head), Some((name, value))) = (&mut head, field(line))
            && matches!(head.status, 301 | 302 | 303 | 307 | 308)
            && name.eq_ignore_ascii_case(b"location")
            // Of several, a client follows the first.
            && head.redirects.last().is_none_or(|(_, there)| there.is_some())
        {
            head.redirects.push((String::from_utf8_lossy(value).into_owned(), None));
        }
    }
    let mut fields = 0;
    for (number, line) in (1_u32..).zip(&lines).skip(start) {
        if line.is_empty() || is_status(line) {
            continue;
        }
        let Some((name, value)) = field(line) else {
            bail!(
                "{}, line {number}: expected a field such as `X-Robots-Tag: noindex`, found `{}`",
                file::name(path),
                Escaped(&line[..line.len().min(100)])
            );
        };
        fields += 1;
        if let Ok(name) = std::str::from_utf8(name) {
            page.header_at(name, value, number);
        }
    }
    if fields == 0 && head.is_none() {
        bail!("{}: expected the header of a response, found none", file::name(path));
    }
    Ok(head)
}

/// Returns the name and the value of a field. Folded lines are obsolete (RFC 9112 §5.2). They are refused, because a rule
/// in one would be lost unnoticed.
fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
    (!is_folded).then(|| (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
}
