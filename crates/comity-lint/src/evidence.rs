//! What is known besides the file: real URLs, which the caller gathers.

use std::collections::BTreeSet;

/// What is known of the site besides its robots.txt. The lints that need it say so; without it they are silent.
///
/// ```
/// use comity_lint::{Evidence, Linter};
///
/// let mut evidence = Evidence::default();
/// evidence.add_url("https://example.com/administer-medication", 37);
/// let report = Linter::new().lint(b"User-agent: *\nDisallow: /admin\n", &evidence);
/// assert_eq!(report.diagnostics[0].lint.name, "prefix-overreach");
/// assert!(report.diagnostics[0].message.contains("37 requests"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Evidence {
    /// Where the file is served: its URL or path, if known.
    pub location: Option<String>,
    /// URLs of the site, from lists, sitemaps and logs.
    pub pages: Vec<Page>,
}

/// A URL of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// As it was found.
    pub url: String,
    /// Where it was found.
    pub seen: Seen,
    /// How many requests for it the log holds; 0 if it is from no log.
    pub requests: u64,
    /// The page asks not to be indexed, in a meta element or a header.
    pub noindex: bool,
}

/// Where a URL was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Seen {
    /// In a list that somebody made, or in a log.
    List,
    /// In a sitemap: the site asks for it to be crawled.
    Sitemap,
}

impl Evidence {
    /// A URL of a list, or of a log with so many requests.
    pub fn add_url(&mut self, url: impl Into<String>, requests: u64) {
        self.pages.push(Page { url: url.into(), seen: Seen::List, requests, noindex: false });
    }

    /// A URL of a sitemap.
    pub fn add_sitemap_url(&mut self, url: impl Into<String>) {
        self.pages.push(Page { url: url.into(), seen: Seen::Sitemap, requests: 0, noindex: false });
    }

    /// The URL of a page that asks not to be indexed.
    pub fn add_noindex(&mut self, url: impl Into<String>) {
        self.pages.push(Page { url: url.into(), seen: Seen::List, requests: 0, noindex: true });
    }
}

impl Page {
    /// Its path and query.
    pub(crate) fn path(&self) -> &str {
        let rest = self.url.find("://").map_or(self.url.as_str(), |at| {
            let rest = &self.url[at + 3..];
            rest.find(['/', '?']).map_or("/", |slash| &rest[slash..])
        });
        rest.split('#').next().unwrap_or(rest)
    }
}

/// Real URLs as words: how many, with their requests, and the first.
pub(crate) fn describe(pages: &[&Page]) -> String {
    let requests: u64 = pages.iter().map(|page| page.requests).sum();
    let most = pages.iter().max_by_key(|page| page.requests).map_or("", |page| page.path());
    let shown: String = most.chars().take(100).collect();
    let shown = comity::Escaped(shown.as_bytes()).to_string();
    let requests = match requests {
        0 => String::new(),
        1 => ", 1 request".to_owned(),
        n => format!(", {n} requests"),
    };
    // The sitemap and the log may both have it.
    let different: BTreeSet<&str> = pages.iter().map(|page| page.path()).collect();
    match different.len() {
        1 => format!("`{shown}`{requests}"),
        n => format!("`{shown}` and {} more{requests}", n - 1),
    }
}
