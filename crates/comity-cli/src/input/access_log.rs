//! The paths in the access log of a server.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use comity_log::{LogEntry, LogError, LogLine, LogOptions, LogReader};
use percent_encoding::percent_encode_byte;

use crate::input::list::{Entries, Entry};
use crate::input::{file, sitemap};

/// The maximum number of different paths that are kept from logs.
const MAX_PATHS: usize = 200_000;
/// The maximum total size of the paths that are kept, in bytes.
const MAX_PATH_BYTES: usize = 64 << 20;

/// Opens a log, and returns each requested path, mostly once: after [`MAX_PATHS`] paths, new ones are no longer
/// remembered, so they may occur several times. Lines that are not in the format of the log are entries with a problem; if
/// no line is a request, there is an error. `before_read` is called before each read of the file, which may take long if it
/// is a pipe.
pub(crate) fn open(path: &Path, before_read: impl FnMut() + 'static) -> Result<Entries> {
    let name = file::name(path);
    let mut seen = Seen::default();
    let new = entries(file::open(path)?, before_read).with_context(|| name.clone())?.filter(move |entry| match entry {
        Ok(Entry { text, problem: None, .. }) => seen.is_new(text),
        _ => true,
    });
    Ok(Box::new(new.map(move |entry| entry.with_context(|| name.clone()))))
}

/// Counts the requests for each path. Lines that can't be read, and paths beyond a limit, are reported on standard error.
/// Fails if no line is a request.
pub(crate) fn count(path: &Path, requests: &mut HashMap<String, u64>) -> Result<()> {
    let name = file::name(path);
    let mut bytes: usize = requests.keys().map(String::len).sum();
    let (mut skipped, mut dropped) = (sitemap::Skipped::default(), 0_u64);
    for entry in entries(file::open(path)?, || {}).with_context(|| name.clone())? {
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

/// Returns the entries of a log; none for an empty file.
fn entries<'r>(
    source: impl Read + Send + 'r,
    mut before_read: impl FnMut() + 'r,
) -> Result<impl Iterator<Item = Result<Entry>> + 'r> {
    before_read();
    let mut reader = match LogReader::open(source, &LogOptions::default()) {
        Ok(reader) => Some(reader),
        Err(LogError::Empty) => None,
        Err(error) => return Err(error.into()),
    };
    let blocks = std::iter::from_fn(move || {
        before_read();
        reader.as_mut()?.next_block()
    });
    Ok(blocks.flat_map(|block| match block {
        Ok(block) => block.lines().filter_map(|line| entry(&line)).map(Ok).collect(),
        Err(error) => vec![Err(anyhow!(error))],
    }))
}

/// Returns the path of a line that is a request for a page, or its problem.
fn entry(line: &LogLine<'_>) -> Option<Entry> {
    match &line.entry {
        Ok(Some(request)) => Some(Entry { line: line.number, text: path(request)?, problem: None }),
        Ok(None) => None,
        Err(problem) => Some(Entry::invalid(line.number, b"", problem.to_string())),
    }
}

/// Returns the path of a GET or HEAD request with a status other than 404 and 410.
fn path(request: &LogEntry<'_>) -> Option<String> {
    let is_page = request.method.as_ref().is_none_or(|method| matches!(&**method, b"GET" | b"HEAD"));
    if !is_page || matches!(request.status, Some(404 | 410)) {
        return None;
    }
    let target = request.target.as_deref()?;
    target.starts_with(b"/").then(|| text(target))
}

/// Returns a target as text. Bytes that are not UTF-8, and characters that a parser of URLs would change, become
/// percent-escapes.
fn text(target: &[u8]) -> String {
    let mut text = String::with_capacity(target.len());
    for chunk in target.utf8_chunks() {
        for c in chunk.valid().chars() {
            match u8::try_from(c) {
                Ok(byte @ (0..=b' ' | 0x7F | b'\\' | b'#')) => text.push_str(percent_encode_byte(byte)),
                _ => text.push(c),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(percent_encode_byte));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_become_urls() {
        for (written, expected) in [
            (r#"/a\"b\\c"#, &[r#"/a"b%5Cc"#][..]),
            (r"/caf\xC3\xa9\x", &["/café%5Cx"]),
            (r"/caf\xE9", &["/caf%E9"]),
            (r"/a\tb#c\x20", &["/a%09b%23c%20"]),
            (r"/\xff\xG0", &["/%FF%5CxG0"]),
            (r"\x16\x03\x01", &[]),
            ("https://a.example/", &[]),
        ] {
            let log = format!("192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] \"GET {written}\" 200 512");
            let found: Vec<String> = entries(log.as_bytes(), || {}).unwrap().map(|entry| entry.unwrap().text).collect();
            assert_eq!(found, expected, "{written}");
        }
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
