//! What is known besides the file: real URLs, pages, and how the site answers, which the caller gathers.

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
    /// What pages of the site load to be rendered.
    pub resources: Vec<Resource>,
    /// How the robots.txt is answered where crawlers look for it.
    pub served: Option<Served>,
    /// What the site answers under its other schemes and names.
    pub variants: Vec<Variant>,
    /// Sitemaps that could not be had or read.
    pub lost_sitemaps: Vec<LostSitemap>,
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

/// A file that a page loads to be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// Its whole URL.
    pub url: String,
    /// The URL of the page.
    pub page: String,
    /// Whether it is a style sheet; a script otherwise.
    pub is_style: bool,
}

/// How a robots.txt was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// The URL that was asked for.
    pub url: String,
    /// The status; none if there was no answer.
    pub status: Option<u16>,
    /// Why there was no answer.
    pub failure: Option<String>,
    /// The `Content-Type`, if it was said.
    pub content_type: Option<String>,
    /// Where redirects led to, in order.
    pub redirects: Vec<String>,
}

/// What the site answers under another scheme or name, for which that counts (RFC 9309 §2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variant {
    /// The URL of its robots.txt.
    pub url: String,
    /// The status, redirects followed.
    pub status: u16,
    /// The body, if the status is a success.
    pub body: Vec<u8>,
}

/// A sitemap that could not be had or read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostSitemap {
    /// Its URL.
    pub url: String,
    /// Why, as words that fit behind the URL: `answered 404`.
    pub problem: String,
    /// The URL that the file names and that leads to it, if it is another one's entry.
    pub named: String,
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

    /// A style sheet, or else a script, that a page loads.
    pub fn add_resource(&mut self, page: impl Into<String>, url: impl Into<String>, is_style: bool) {
        self.resources.push(Resource { url: url.into(), page: page.into(), is_style });
    }

    /// What the site answers under another scheme or name.
    pub fn add_variant(&mut self, url: impl Into<String>, status: u16, body: impl Into<Vec<u8>>) {
        self.variants.push(Variant { url: url.into(), status, body: body.into() });
    }

    /// A sitemap that could not be had or read, and the one that the file names and that led to it.
    pub fn add_lost_sitemap(&mut self, url: impl Into<String>, problem: impl Into<String>, named: impl Into<String>) {
        self.lost_sitemaps.push(LostSitemap { url: url.into(), problem: problem.into(), named: named.into() });
    }
}

impl Served {
    /// An answer with this status.
    pub fn new(url: impl Into<String>, status: u16) -> Self {
        Self { url: url.into(), status: Some(status), ..Self::default() }
    }

    /// No answer, and why.
    pub fn failed(url: impl Into<String>, failure: impl Into<String>) -> Self {
        Self { url: url.into(), failure: Some(failure.into()), ..Self::default() }
    }
}

impl Page {
    /// Its path and query.
    pub(crate) fn path(&self) -> &str {
        path(&self.url)
    }
}

/// Path and query of a URL, or of what is a path already.
pub(crate) fn path(url: &str) -> &str {
    let rest = url.find("://").map_or(url, |at| {
        let rest = &url[at + 3..];
        rest.find(['/', '?']).map_or("/", |slash| &rest[slash..])
    });
    rest.split('#').next().unwrap_or(rest)
}

/// The scheme and host of a URL, with its port; none of a path.
pub(crate) fn site(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    Some((scheme, &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())]))
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
