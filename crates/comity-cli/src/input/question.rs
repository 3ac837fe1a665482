//! The URLs that were typed, and those of a file.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use comity::Origin;
use comity_report::{AskError, Question, Questions};

use crate::input::file;

/// Questions about one file: what was typed, and the lines of a file.
pub(crate) fn of_file(typed: &[String], file: Option<&Path>, origin: Option<&str>, raw: bool) -> Result<Questions> {
    in_options(Questions::of_file(collect(typed, file, raw)?, origin))
}

/// The same for questions that are put to their own sites; paths are asked on the one that is given.
pub(crate) fn live(typed: &[String], file: Option<&Path>, origin: Option<&str>, raw: bool) -> Result<Questions> {
    in_options(Questions::live(collect(typed, file, raw)?, origin))
}

/// The site of any URL on it, as `--origin` names it.
pub(crate) fn site(typed: &str) -> Result<Origin> {
    in_options(comity_report::site_of(typed))
}

/// What is taken for granted about whose file it is.
pub(crate) fn assumption(questions: &Questions, file: &str) -> Option<String> {
    let site = questions.site.as_ref().filter(|_| questions.is_assumed)?;
    Some(format!("Assumed: {file} is the robots.txt of {site}; if not, give --origin."))
}

fn in_options<T>(asked: Result<T, AskError>) -> Result<T> {
    asked.map_err(|error| anyhow!(error.in_options()))
}

fn collect(typed: &[String], file: Option<&Path>, raw: bool) -> Result<Vec<Question>> {
    let list = typed.iter().map(|url| in_options(Question::new(url, raw)));
    let mut list: Vec<Question> = list.collect::<Result<_>>()?;
    if let Some(path) = file {
        read(BufReader::new(file::open(path)?), &file::name(path), &LIMITS, raw, &mut list)?;
    }
    Ok(list)
}

/// How much of a list of URLs is read.
struct Limits {
    /// The longest line, in bytes.
    line: usize,
    /// The most URLs. They are all held, for the answers keep their order.
    urls: usize,
    /// The most bytes that they have together.
    bytes: usize,
}

const LIMITS: Limits = Limits { line: 64 << 10, urls: 1_000_000, bytes: 256 << 20 };

/// Reads the URLs of a list, one a line. Blank lines and comments don't count.
fn read(source: impl BufRead, name: &str, limits: &Limits, raw: bool, list: &mut Vec<Question>) -> Result<()> {
    let mut source = source;
    let (mut line, mut urls, mut bytes) = (Vec::new(), 0, 0);
    for number in 1_u64.. {
        let place = || format!("{name}, line {number}");
        line.clear();
        source.by_ref().take(limits.line as u64 + 1).read_until(b'\n', &mut line).with_context(place)?;
        if line.is_empty() {
            break;
        }
        if line.len() > limits.line {
            return Err(anyhow!("expected a URL in a line of at most {} bytes, found a longer one", limits.line))
                .with_context(place);
        }
        let text = std::str::from_utf8(&line)
            .map_err(|_| anyhow!("expected a URL, found bytes that are no text"))
            .with_context(place)?;
        let url = text.trim().trim_start_matches('\u{FEFF}');
        if url.is_empty() || url.starts_with('#') {
            continue;
        }
        (urls, bytes) = (urls + 1, bytes + url.len());
        if urls > limits.urls || bytes > limits.bytes {
            return Err(anyhow!(
                "expected a list of at most {} URLs and {} bytes, found a longer one: split it, or use `comity batch`, \
                 which has no limit",
                limits.urls,
                limits.bytes
            ))
            .with_context(place);
        }
        list.push(in_options(Question::new(url, raw)).with_context(place)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_bounded() {
        let limits = Limits { line: 20, urls: 3, bytes: 30 };
        let read = |text: &str| {
            let mut list = Vec::new();
            read(text.as_bytes(), "urls.txt", &limits, false, &mut list).map(|()| list.len())
        };
        assert_eq!(read("\u{FEFF}/a\n\n# /b\n/c\r\n/d").unwrap(), 3);
        assert_eq!(read(&format!("/{}\n", "a".repeat(18))).unwrap(), 1);
        for (text, place, limit) in [
            ("/a\n/b\n/c\n/d\n".to_owned(), "urls.txt, line 4", "at most 3 URLs"),
            (format!("/{0}\n/{0}\n", "a".repeat(15)), "urls.txt, line 2", "30 bytes"),
            (format!("/a\n/{}", "a".repeat(20)), "urls.txt, line 2", "a line of at most 20 bytes"),
            (format!("#{}\n", "a".repeat(20)), "urls.txt, line 1", "a line of at most 20 bytes"),
        ] {
            let error = format!("{:#}", read(&text).unwrap_err());
            assert!(error.starts_with(place) && error.contains(limit), "{error}");
        }
    }
}
