//! The access log of a server.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity_page::LOCATION_LIMIT;

use crate::input::{file, sitemap};

/// The maximum number of different paths that are kept from logs.
const MAX_PATHS: usize = 200_000;
/// The maximum length of a line in bytes; the rest of a longer one is skipped.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Counts the requests for each path. Fails if no line has the format of an access log.
pub(crate) fn count(path: &Path, requests: &mut HashMap<String, u64>) -> Result<()> {
    let mut log = BufReader::new(sitemap::unpacked(path)?);
    let (mut line, mut understood, mut lines) = (Vec::new(), 0_u64, 0_u64);
    loop {
        line.clear();
        let read = sitemap::read_line(&mut log, &mut line, MAX_LINE_BYTES);
        if read.with_context(|| format!("{} could not be read", file::name(path)))?.is_none() {
            break;
        }
        lines += 1;
        let Some(path) = requested(&line) else { continue };
        understood += 1;
        if path.len() > LOCATION_LIMIT {
            continue;
        }
        if let Some(count) = requests.get_mut(&*path) {
            *count += 1;
        } else if requests.len() < MAX_PATHS {
            requests.insert(path.into_owned(), 1);
        }
    }
    if lines > 0 && understood == 0 {
        bail!(
            "{} is no access log: expected lines such as \
             `192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] \"GET /a HTTP/1.1\" 200 512`",
            file::name(path)
        );
    }
    Ok(())
}

/// Returns true if a line has the format of an access log, and is a successful request for a page.
pub(crate) fn is_line(line: &[u8]) -> bool {
    requested(line).is_some()
}

/// Returns the path of a line in the common or combined format, if it is a GET or HEAD request with a status other than
/// 404 and 410.
fn requested(line: &[u8]) -> Option<Cow<'_, str>> {
    let line = std::str::from_utf8(line).ok()?;
    let (_, rest) = line.split_once('"')?;
    let (request, rest) = rest.split_at(closing_quote(rest)?);
    let mut words = request.split(' ');
    let (method, path) = (words.next()?, words.next()?);
    let status = rest[1..].split_whitespace().next()?;
    let is_answer = status.len() == 3 && status.bytes().all(|b| b.is_ascii_digit()) && !matches!(status, "404" | "410");
    let is_page = is_answer && matches!(method, "GET" | "HEAD") && path.starts_with('/');
    is_page.then(|| unescaped(path))
}

/// Returns the position of the closing quote. Servers escape quotes inside the text.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

/// Returns a path as it was sent: servers write quotes, backslashes and other special bytes as `\"`, `\\` and `\xHH`.
fn unescaped(path: &str) -> Cow<'_, str> {
    if !path.contains('\\') {
        return Cow::Borrowed(path);
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    let is_hex = |digit: u8| digit.is_ascii_hexdigit();
    let hex = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    loop {
        let (byte, len) = match *rest {
            [] => break,
            [b'\\', b'x', high, low, ..] if is_hex(high) && is_hex(low) => (hex(high) << 4 | hex(low), 4),
            [b'\\', quoted @ (b'"' | b'\\'), ..] => (quoted, 2),
            [byte, ..] => (byte, 1),
        };
        bytes.push(byte);
        rest = &rest[len..];
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::requested;

    #[test]
    fn lines_of_both_formats_are_understood() {
        let common = br#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 512"#;
        let combined = br#"2001:db8::1 - x [01/Oct/2026:12:00:00 +0000] "GET /b HTTP/2.0" 304 0 "-" "Bot \"1\"""#;
        let missing = br#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "GET /c HTTP/1.1" 404 0"#;
        let found = [&common[..], combined, missing, b"prose"].map(requested);
        assert_eq!(found.each_ref().map(Option::as_deref), [Some("/a?b=c"), Some("/b"), None, None]);
    }

    #[test]
    fn what_servers_escape_is_understood() {
        for (path, expected) in [
            (r#"/a\"b\\c"#, Some(r#"/a"b\c"#)),
            (r"/caf\xC3\xa9\x", Some("/café\\x")),
            (r"/\xff\xG0\", None),
            (r"/\xff\xG0", Some("/\u{FFFD}\\xG0")),
            (r"\x16\x03\x01", None),
        ] {
            let line = format!("192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] \"GET {path}\" 200 512");
            assert_eq!(requested(line.as_bytes()).as_deref(), expected, "{line}");
        }
        assert_eq!(requested(br#"he said "GET /x it" at once"#), None);
    }
}
