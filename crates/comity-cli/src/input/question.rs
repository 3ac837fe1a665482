//! The URLs to check: those given as arguments, and those in a file.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use comity::Origin;
use comity_report::{AskError, Question, Questions};

use crate::input::file;

/// Returns questions about one robots.txt, from the arguments and the lines of a file.
pub(crate) fn of_file(typed: &[String], file: Option<&Path>, origin: Option<&str>, raw: bool) -> Result<Questions> {
    in_options(Questions::of_file(collect(typed, file, raw)?, origin))
}

/// Returns questions about live sites: each URL is checked by the robots.txt of its own site. Paths without a host
/// belong to `origin`.
pub(crate) fn live(typed: &[String], file: Option<&Path>, origin: Option<&str>, raw: bool) -> Result<Questions> {
    in_options(Questions::live(collect(typed, file, raw)?, origin))
}

/// Returns the site of a URL, as `--origin` accepts it: any URL on the site.
pub(crate) fn site(typed: &str) -> Result<Origin> {
    in_options(comity_report::site_of(typed))
}

/// Returns a sentence that states the assumed site of a file, if the site was not given.
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

/// The limits on a list of URLs.
struct Limits {
    /// The maximum length of a line, in bytes.
    line: usize,
    /// The maximum number of URLs. They are all kept in memory, because the answers keep their order.
    urls: usize,
    /// The maximum total size of the URLs, in bytes.
    bytes: usize,
}

const LIMITS: Limits = Limits { line: 64 << 10, urls: 1_000_000, bytes: 256 << 20 };

/// Reads the URLs of a list, one per line. Blank lines and comments are ignored.
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
            .map_err(|_| anyhow!("expected a URL, found bytes that are not UTF-8"))
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
