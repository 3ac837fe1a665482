//! What is known of the site: sitemaps, lists of URLs, pages, and the server's log.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::page::Page;
use comity::{Crawler, Escaped};
use comity_lint::Evidence;
use comity_page::read_page;
use url::Url;

use crate::args::PageSource;
use crate::live::Fetcher;
use crate::{args, input, sitemap};

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
                add_page(&mut evidence, url, input::open(path)?, Page::new()).with_context(|| input::name(path))?;
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
fn add_page(evidence: &mut Evidence, url: &str, html: impl Read, mut page: Page) -> Result<()> {
    let base = Url::parse(url).with_context(|| format!("`{}` is no URL", Escaped(url.as_bytes())))?;
    let found = read_page(html, &mut page, &[])?;
    let is_noindex = Crawler::known("Googlebot").is_some_and(|crawler| page.rules_for(crawler).noindex.is_some());
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
        let read = log.by_ref().take(MOST_LINE).read_until(b'\n', &mut line);
        if read.with_context(|| format!("{} could not be read", input::name(path)))? == 0 {
            break;
        }
        lines += 1;
        let Some(path) = requested(&line) else { continue };
        understood += 1;
        if let Some(count) = requests.get_mut(path) {
            *count += 1;
        } else if requests.len() < MOST_PATHS {
            requests.insert(path.to_owned(), 1);
        }
    }
    if lines > 0 && understood == 0 {
        bail!(
            "{} is no access log: expected lines such as \
             `192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] \"GET /a HTTP/1.1\" 200 512`",
            input::name(path)
        );
    }
    Ok(())
}

/// The path of a line in the common or combined format, unless nothing was there.
fn requested(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?;
    let (_, rest) = line.split_once('"')?;
    let (request, rest) = rest.split_once('"')?;
    let mut words = request.split(' ');
    let (method, path) = (words.next()?, words.next()?);
    let status = rest.split_whitespace().next()?;
    let is_page = matches!(method, "GET" | "HEAD") && path.starts_with('/') && !matches!(status, "404" | "410");
    is_page.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::requested;

    #[test]
    fn lines_of_both_formats_are_understood() {
        let common = br#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 512"#;
        let combined = br#"2001:db8::1 - x [01/Oct/2026:12:00:00 +0000] "GET /b HTTP/2.0" 304 0 "-" "Bot \"1\"""#;
        let missing = br#"192.0.2.1 - - [01/Oct/2026:12:00:00 +0000] "GET /c HTTP/1.1" 404 0"#;
        assert_eq!([&common[..], combined, missing, b"prose"].map(requested), [Some("/a?b=c"), Some("/b"), None, None]);
    }
}
