//! What is known of the site: sitemaps, lists of URLs, pages, and the server's log.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::{Crawler, Escaped};
use comity_lint::Evidence;
use comity_page::{LOCATION_LIMIT, Page, read_page};
use url::Url;

use crate::args;
use crate::args::PageSource;
use crate::input::live::Fetcher;
use crate::input::{file, sitemap};

/// The most different paths that are kept of the logs.
const MOST_PATHS: usize = 200_000;
/// How much of a page is read: its tags are at its start.
const MOST_HTML: usize = 4 << 20;
/// The most bytes of a log's line that are looked at.
const MOST_LINE: u64 = 64 * 1024;

/// What the options tell of the site.
pub(crate) fn gather(args: &args::Evidence, fetcher: Option<&Fetcher>) -> Result<Evidence> {
    let mut evidence = Evidence::default();
    evidence.location.clone_from(&args.url);
    if let Some(url) = &args.url
        && !url.contains("://")
    {
        bail!("--url takes the address where the file is served, such as https://example.com/robots.txt");
    }
    for path in &args.sitemap {
        for url in sitemap::read(path, fetcher)? {
            evidence.add_sitemap_url(url);
        }
    }
    for path in &args.urls {
        for url in sitemap::list(path)? {
            evidence.add_url(url, 0);
        }
    }
    for path in &args.noindex {
        for url in sitemap::list(path)? {
            evidence.add_noindex(url);
        }
    }
    for page in &args.page {
        match (page, fetcher) {
            (PageSource::File { path, url }, _) => {
                add_page(&mut evidence, url, file::open(path)?, Page::new()).with_context(|| file::name(path))?;
            }
            (PageSource::Live(url), Some(fetcher)) => {
                let answer = fetcher.page(url, MOST_HTML)?;
                let mut page = Page::new();
                for (name, value) in &answer.fields {
                    page.header(name, value.as_bytes());
                }
                add_page(&mut evidence, answer.url.as_str(), &*answer.body, page)?;
            }
            (PageSource::Live(url), None) => bail!("{} can't be fetched", Escaped(url.as_bytes())),
        }
    }
    let mut requests = HashMap::new();
    for path in &args.log {
        read_log(path, &mut requests)?;
    }
    let mut requests: Vec<_> = requests.into_iter().collect();
    requests.sort();
    for (path, count) in requests {
        evidence.add_url(path, count);
    }
    Ok(evidence)
}

/// What a page says to crawlers, and what it loads.
fn add_page(evidence: &mut Evidence, url: &str, html: impl Read, mut page: Page<'_>) -> Result<()> {
    let base = Url::parse(url).with_context(|| format!("`{}` is no URL", Escaped(url.as_bytes())))?;
    let found = read_page(html, &mut page, &[])?;
    let is_noindex = Crawler::known("Googlebot").is_some_and(|crawler| page.rules_for(&crawler).noindex.is_some());
    if is_noindex {
        evidence.add_noindex(url);
    } else {
        evidence.add_url(url, 0);
    }
    let base = found.base.as_deref().and_then(|href| base.join(href).ok()).unwrap_or(base);
    for (hrefs, is_style) in [(&found.styles, true), (&found.scripts, false)] {
        for loaded in hrefs.iter().filter_map(|href| base.join(href).ok()) {
            if matches!(loaded.scheme(), "http" | "https") {
                evidence.add_resource(url, loaded, is_style);
            }
        }
    }
    Ok(())
}

/// Counts the requests for each path, line by line.
fn read_log(path: &Path, requests: &mut HashMap<String, u64>) -> Result<()> {
    let mut log = BufReader::new(sitemap::unpacked(path)?);
    let (mut line, mut understood, mut lines) = (Vec::new(), 0_u64, 0_u64);
    loop {
        line.clear();
        let read = sitemap::read_line(&mut log, &mut line, MOST_LINE);
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
        } else if requests.len() < MOST_PATHS {
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

/// The path of a line in the common or combined format, unless nothing was there.
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

/// Where the quote is that ends what a quote began; servers escape those inside.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

/// A path as it was sent: servers write what is no plain text, and quotes, as `\xHH`, `\"` and `\\`.
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
