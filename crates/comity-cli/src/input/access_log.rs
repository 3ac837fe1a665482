//! The access log of a server.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, anyhow};

use crate::input::line_ends::LineEnds;
use crate::input::list::{Announced, Entries, Entry};
use crate::input::{file, sitemap};

/// The maximum number of different paths that are kept from logs.
const MAX_PATHS: usize = 200_000;
/// The maximum total size of the paths that are kept, in bytes.
const MAX_PATH_BYTES: usize = 64 << 20;
/// The maximum length of a line in bytes; the rest of a longer one is skipped.
const MAX_LINE_BYTES: u64 = 64 * 1024;
/// The maximum number of lines before the first one in the format of an access log.
const MAX_OTHER_LINES: usize = 1_000;

/// Opens a log, and returns each requested path, mostly once: after [`MAX_PATHS`] paths, new ones are no longer
/// remembered, so they may occur several times. Lines without the format of an access log are entries with a problem; if
/// no line has it, the list ends with an error.
pub(crate) fn open(path: &Path, before_read: impl FnMut() + 'static) -> Result<Entries> {
    let name = file::name(path);
    let source = Announced { source: file::open(path)?, before_read };
    let log = BufReader::new(LineEnds::new(sitemap::unpacked_source(source)));
    let mut seen = Seen::default();
    let entries = Log { source: log, number: 0, has_format: false, waiting: VecDeque::new() };
    let new = entries.filter(move |entry| match entry {
        Ok(Entry { text, problem: None, .. }) => seen.is_new(text),
        _ => true,
    });
    Ok(Box::new(new.map(move |entry| entry.with_context(|| name.clone()))))
}

/// Counts the requests for each path. Lines that can't be read, and paths beyond a limit, are reported on standard error.
/// Fails if no line has the format of an access log.
pub(crate) fn count(path: &Path, requests: &mut HashMap<String, u64>) -> Result<()> {
    let name = file::name(path);
    let log = BufReader::new(LineEnds::new(sitemap::unpacked(path)?));
    let mut bytes: usize = requests.keys().map(String::len).sum();
    let (mut skipped, mut dropped) = (sitemap::Skipped::default(), 0_u64);
    for entry in (Log { source: log, number: 0, has_format: false, waiting: VecDeque::new() }) {
        let entry = entry.with_context(|| name.clone())?;
        if entry.problem.is_some() {
            skipped.add(entry);
        } else if let Some(count) = requests.get_mut(&entry.text) {
            *count += 1;
        } else if requests.len() < MAX_PATHS && bytes + entry.text.len() <= MAX_PATH_BYTES {
            bytes += entry.text.len();
            requests.insert(entry.text, 1);
        } else {
            dropped += 1;
        }
    }
    skipped.warn(&name);
    if dropped > 0 {
        eprintln!(
            "warning: {name}: {dropped} requests were not used: at most 200,000 different paths and 64 MiB of paths are"
        );
    }
    Ok(())
}

/// The paths that were found already, as many as are remembered.
#[derive(Default)]
struct Seen {
    paths: HashSet<String>,
    bytes: usize,
}

impl Seen {
    fn is_new(&mut self, path: &str) -> bool {
        if self.paths.contains(path) {
            return false;
        }
        if self.paths.len() < MAX_PATHS && self.bytes + path.len() <= MAX_PATH_BYTES {
            self.bytes += path.len();
            self.paths.insert(path.to_owned());
        }
        true
    }
}

struct Log<R> {
    source: R,
    /// The number of the last line.
    number: u64,
    /// True if a line had the format of an access log.
    has_format: bool,
    /// The entries of lines before the first one that has it.
    waiting: VecDeque<Entry>,
}

impl<R: BufRead> Log<R> {
    /// Reads a line. Returns `None` at the end.
    fn read(&mut self) -> std::io::Result<Option<Line>> {
        let mut line = Vec::new();
        let Some(is_whole) = sitemap::read_line(&mut self.source, &mut line, MAX_LINE_BYTES)? else { return Ok(None) };
        self.number += 1;
        Ok(Some(if is_whole { parse(&line) } else { Line::Invalid("expected a line of at most 64 KiB".to_owned()) }))
    }
}

impl<R: BufRead> Iterator for Log<R> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.has_format
                && let Some(entry) = self.waiting.pop_front()
            {
                return Some(Ok(entry));
            }
            let line = match self.read() {
                Ok(line) => line,
                Err(error) => return Some(Err(anyhow::Error::new(error).context("could not be read"))),
            };
            let is_end = line.is_none();
            match line {
                Some(Line::Path(text)) => {
                    self.has_format = true;
                    self.waiting.push_back(Entry { line: self.number, text, problem: None });
                }
                Some(Line::Other) => self.has_format = true,
                Some(Line::Invalid(problem)) => self.waiting.push_back(Entry::invalid(self.number, b"", problem)),
                None if self.waiting.is_empty() => return None,
                Some(Line::Blank) | None => {}
            }
            if !self.has_format && (is_end || self.waiting.len() > MAX_OTHER_LINES) {
                self.waiting.clear();
                self.has_format = true;
                return Some(Err(anyhow!(
                    "expected lines of an access log, such as \
                     `192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] \"GET /a HTTP/1.1\" 200 512`, found others"
                )));
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// A GET or HEAD request with a status other than 404 and 410, with its path.
    Path(String),
    /// Another request.
    Other,
    Blank,
    /// A line that can't be read, with the reason.
    Invalid(String),
}

/// Returns true if a line has the format of an access log, and is a successful request for a page.
pub(crate) fn is_line(line: &[u8]) -> bool {
    matches!(parse(line), Line::Path(_))
}

/// Reads a line in the common or combined format.
fn parse(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"#") {
        return Line::Blank;
    }
    let Some((request, status)) = request(line) else {
        return Line::Invalid("expected a line of an access log, with a request in quotes and a status".to_owned());
    };
    let parts: Vec<&[u8]> = request.split(|byte| *byte == b' ').collect();
    let [b"GET" | b"HEAD", path, version @ ..] = &*parts else { return Line::Other };
    if !path.starts_with(b"/") || matches!(status, b"404" | b"410") {
        return Line::Other;
    }
    match version {
        [] => Line::Path(unescaped(path)),
        [version] if version.starts_with(b"HTTP/") => Line::Path(unescaped(path)),
        _ => Line::Invalid(format!(
            "expected a method, a path and a version, found `{}`",
            comity::Escaped(&request[..request.len().min(60)])
        )),
    }
}

/// Returns the request and the status of a line.
fn request(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = line.iter().position(|byte| *byte == b'"')? + 1;
    let (request, rest) = line[start..].split_at(closing_quote(&line[start..])?);
    let status = rest[1..].split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
    (status.len() == 3 && status.iter().all(u8::is_ascii_digit)).then_some((request, status))
}

/// Returns the position of the closing quote. Servers escape quotes inside the text.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    text.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })
}

/// Returns a path as it was sent: servers write quotes, backslashes and other special bytes as `\"`, `\\`, `\t` and
/// `\xHH`. Bytes that are not UTF-8, and characters that a parser of URLs would change, become percent-escapes.
fn unescaped(path: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    let is_hex = |digit: u8| digit.is_ascii_hexdigit();
    let hex = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    loop {
        let (byte, len) = match *rest {
            [] => break,
            [b'\\', b'x', high, low, ..] if is_hex(high) && is_hex(low) => (hex(high) << 4 | hex(low), 4),
            [b'\\', quoted @ (b'"' | b'\\'), ..] => (quoted, 2),
            [b'\\', b'b', ..] => (0x08, 2),
            [b'\\', b't', ..] => (b'\t', 2),
            [b'\\', b'n', ..] => (b'\n', 2),
            [b'\\', b'v', ..] => (0x0B, 2),
            [b'\\', b'f', ..] => (0x0C, 2),
            [b'\\', b'r', ..] => (b'\r', 2),
            [byte, ..] => (byte, 1),
        };
        bytes.push(byte);
        rest = &rest[len..];
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match u8::try_from(c) {
                Ok(byte @ (0..=b' ' | 0x7F | b'\\' | b'#')) => push_escape(&mut text, byte),
                _ => text.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| push_escape(&mut text, *byte));
    }
    text
}

fn push_escape(text: &mut String, byte: u8) {
    let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value)]);
    text.extend(['%', digit(byte >> 4), digit(byte & 15)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Line {
        Line::Path(text.to_owned())
    }

    #[test]
    fn lines_of_both_formats_are_understood() {
        let common = br#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 512"#;
        let combined = br#"2001:db8::1 - x [01/Oct/2026:12:00:00 +0000] "GET /b HTTP/2.0" 304 0 "-" "Bot \"1\"""#;
        let missing = br#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "GET /c HTTP/1.1" 404 0"#;
        let agent = b"192.0.2.1 - - [x] \"HEAD /d HTTP/1.1\" 200 0 \"-\" \"Bot \xFF\"\r\n";
        let found = [&common[..], combined, missing, agent].map(parse);
        assert_eq!(found, [path("/a?b=c"), path("/b"), Line::Other, path("/d")]);
    }

    #[test]
    fn escapes_of_servers_are_decoded() {
        for (written, expected) in [
            (r#"/a\"b\\c"#, path(r#"/a"b%5Cc"#)),
            (r"/caf\xC3\xa9\x", path("/café%5Cx")),
            (r"/caf\xE9", path("/caf%E9")),
            (r"/a\tb#c\x20", path("/a%09b%23c%20")),
            (r"/\xff\xG0", path("/%FF%5CxG0")),
            (r"\x16\x03\x01", Line::Other),
        ] {
            let line = format!("192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] \"GET {written}\" 200 512");
            assert_eq!(parse(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn no_line_disappears() {
        for line in [
            r#"192.0.2.1 - - [x] "GET /q /p HTTP/1.1" 200 5"#,
            r#"192.0.2.1 - - [x] "GET /q /p" 200 5"#,
            r#"192.0.2.1 - - [x] "GET /q\" 200 5"#,
            r#"he said "GET /x it" at once"#,
        ] {
            assert!(matches!(parse(line.as_bytes()), Line::Invalid(_)), "{line}");
        }
        assert_eq!([b"\n", b"#"].map(|line| parse(line)), [Line::Blank, Line::Blank]);
    }

    #[test]
    fn every_path_is_answered_after_the_limit() {
        let mut seen = Seen::default();
        for number in 0..MAX_PATHS + 10 {
            assert!(seen.is_new(&format!("/{number}")));
        }
        assert!(!seen.is_new("/1") && seen.is_new(&format!("/{}", MAX_PATHS + 1)));
    }
}
