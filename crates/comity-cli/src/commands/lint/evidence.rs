//! Evidence about the site: sitemaps, lists of URLs, pages, and the server's log.

use std::collections::HashMap;
use std::io::Read;

use anyhow::{Context, Result, bail};
use comity::url::without_userinfo;
use comity::{Crawler, Crawlers, Escaped};
use comity_lint::Evidence;
use comity_page::{Ignored, Page, read_page};
use comity_report::MAX_PAGE_BYTES;
use url::Url;

use crate::args;
use crate::args::PageSource;
use crate::input::live::Fetcher;
use crate::input::{access_log, file, sitemap};

/// Collects the evidence about the site that the options name.
pub(crate) fn gather(args: &args::Evidence, fetcher: Option<&Fetcher>, crawlers: &Crawlers) -> Result<Evidence> {
    let mut evidence = Evidence::default();
    evidence.location.clone_from(&args.url);
    if let Some(url) = &args.url
        && !url.contains("://")
    {
        bail!("--url expects the address of the file, such as https://example.com/robots.txt");
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
                add_page(&mut evidence, url, file::open(path)?, Page::with_crawlers(crawlers))
                    .with_context(|| file::name(path))?;
            }
            (PageSource::Live(url), Some(fetcher)) => {
                let answer = fetcher.page(url, MAX_PAGE_BYTES)?;
                let mut page = Page::with_crawlers(crawlers);
                for (name, value) in &answer.fields {
                    page.header(name, value.as_bytes());
                }
                add_page(&mut evidence, answer.url.as_str(), &*answer.body, page)?;
            }
            (PageSource::Live(url), None) => bail!("{} can't be fetched", Escaped(without_userinfo(url).as_bytes())),
        }
    }
    let mut requests = HashMap::new();
    for path in &args.log {
        access_log::count(path, &mut requests)?;
    }
    let mut requests: Vec<_> = requests.into_iter().collect();
    requests.sort();
    for (path, count) in requests {
        evidence.add_url(path, count);
    }
    Ok(evidence)
}

/// Adds a page: its rules for crawlers, and the resources that it loads.
fn add_page(evidence: &mut Evidence, url: &str, html: impl Read, mut page: Page<'_>) -> Result<()> {
    let base =
        Url::parse(url).with_context(|| format!("`{}` is not a URL", Escaped(without_userinfo(url).as_bytes())))?;
    let found = read_page(html, &mut page, &[])?;
    let rules = Crawler::known("Googlebot").map(|crawler| page.rules_for(&crawler)).unwrap_or_default();
    for (statement, why) in &rules.ignored {
        if matches!(why, Ignored::OtherField | Ignored::OtherTag(_)) {
            let line = statement.line.map_or_else(String::new, |line| format!(", line {line}"));
            eprintln!("warning: {}{line}: {statement} has no effect: {why}", Escaped(without_userinfo(url).as_bytes()));
        }
    }
    if rules.noindex.is_some() {
        evidence.add_noindex(url);
    } else {
        evidence.add_url(url, 0);
    }
    let base = found.base.as_deref().and_then(|href| comity::url::join_url(&base, href).ok()).unwrap_or(base);
    for (hrefs, is_style) in [(&found.styles, true), (&found.scripts, false)] {
        for loaded in hrefs.iter().filter_map(|href| comity::url::join_url(&base, href).ok()) {
            if matches!(loaded.scheme(), "http" | "https") {
                evidence.add_resource(url, loaded, is_style);
            }
        }
    }
    Ok(())
}
