//! Evidence besides the file, which the caller gathers: real URLs, pages, and responses of the site.

use std::collections::BTreeSet;

/// Evidence about the site besides its robots.txt. The documentation of a lint states if it needs evidence; without it,
/// such a lint finds nothing.
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
    /// The URL or path at which the file is served, if known.
    pub location: Option<String>,
    /// The URLs of the site, from lists, sitemaps and logs.
    pub pages: Vec<KnownPage>,
    /// The style sheets and scripts that pages of the site load.
    pub resources: Vec<Resource>,
    /// The site's response at the URL at which crawlers request the robots.txt.
    pub served: Option<Served>,
    /// The responses of the site under its other schemes and host names.
    pub variants: Vec<Variant>,
    /// The sitemaps that could not be fetched or parsed.
    pub lost_sitemaps: Vec<LostSitemap>,
}

/// A URL of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownPage {
    /// The URL as found.
    pub url: String,
    /// The source of the URL.
    pub seen: Seen,
    /// The number of requests for the URL in the log; 0 if the URL is not from a log.
    pub requests: u64,
    /// True if the page asks not to be indexed, in a meta element or a header.
    pub noindex: bool,
}

/// A style sheet or script that a page loads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// The whole URL of the file.
    pub url: String,
    /// The URL of the page.
    pub page: String,
    /// True for a style sheet, false for a script.
    pub is_style: bool,
}

/// A response to a request for a robots.txt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// The URL that was requested.
    pub url: String,
    /// The status; `None` if there was no response.
    pub status: Option<u16>,
    /// The reason why there was no response.
    pub failure: Option<String>,
    /// The `Content-Type`, if the response has one.
    pub content_type: Option<String>,
    /// The targets of the redirects, in order.
    pub redirects: Vec<String>,
}

/// A response of the site under another scheme or host name, for which its own robots.txt applies (RFC 9309 §2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variant {
    /// The URL of the robots.txt.
    pub url: String,
    /// The status after redirects.
    pub status: u16,
    /// The body, if the status is a success.
    pub body: Vec<u8>,
}

/// A sitemap that could not be fetched or parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostSitemap {
    /// The URL of the sitemap.
    pub url: String,
    /// The problem, in words that fit after the URL, such as `answered 404`.
    pub problem: String,
    /// The URL of the sitemap in the robots.txt that led to this one: the same URL, or that of an index that lists it.
    pub named: String,
}

/// The source of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Seen {
    /// A list that somebody made, or a log.
    List,
    /// A sitemap. The site asks for the URL to be crawled.
    Sitemap,
}

impl Evidence {
    /// Adds a URL of a list, or of a log with this number of requests for it.
    pub fn add_url(&mut self, url: impl Into<String>, requests: u64) {
        self.pages.push(KnownPage { url: url.into(), seen: Seen::List, requests, noindex: false });
    }

    /// Adds a URL of a sitemap.
    pub fn add_sitemap_url(&mut self, url: impl Into<String>) {
        self.pages.push(KnownPage { url: url.into(), seen: Seen::Sitemap, requests: 0, noindex: false });
    }

    /// Adds the URL of a page that asks not to be indexed.
    pub fn add_noindex(&mut self, url: impl Into<String>) {
        self.pages.push(KnownPage { url: url.into(), seen: Seen::List, requests: 0, noindex: true });
    }

    /// Adds a style sheet or, if `is_style` is false, a script that a page loads.
    pub fn add_resource(&mut self, page: impl Into<String>, url: impl Into<String>, is_style: bool) {
        self.resources.push(Resource { url: url.into(), page: page.into(), is_style });
    }

    /// Adds a response of the site under another scheme or host name.
    pub fn add_variant(&mut self, url: impl Into<String>, status: u16, body: impl Into<Vec<u8>>) {
        self.variants.push(Variant { url: url.into(), status, body: body.into() });
    }

    /// Adds a sitemap that could not be fetched or parsed. `named` is the sitemap in the robots.txt that led to it.
    pub fn add_lost_sitemap(&mut self, url: impl Into<String>, problem: impl Into<String>, named: impl Into<String>) {
        self.lost_sitemaps.push(LostSitemap { url: url.into(), problem: problem.into(), named: named.into() });
    }
}

impl Served {
    /// Creates a response with this status.
    pub fn new(url: impl Into<String>, status: u16) -> Self {
        Self { url: url.into(), status: Some(status), ..Self::default() }
    }

    /// Creates the result of a request without a response, with the reason.
    pub fn failed(url: impl Into<String>, failure: impl Into<String>) -> Self {
        Self { url: url.into(), failure: Some(failure.into()), ..Self::default() }
    }
}

impl KnownPage {
    /// Returns the path and query of the URL.
    pub(crate) fn path(&self) -> &str {
        path(&self.url)
    }
}

/// Returns the path and query of a URL or of a path.
pub(crate) fn path(url: &str) -> &str {
    let rest = url.find("://").map_or(url, |at| {
        let rest = &url[at + 3..];
        rest.find(['/', '?']).map_or("/", |slash| &rest[slash..])
    });
    rest.split('#').next().unwrap_or(rest)
}

/// Returns the scheme of a URL, and its host with the port. Returns `None` for a path.
pub(crate) fn site(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    Some((scheme, &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())]))
}

/// Describes URLs in words: the one with the most requests, the number of others, and the number of requests.
pub(crate) fn describe(pages: &[&KnownPage]) -> String {
    let requests: u64 = pages.iter().map(|page| page.requests).sum();
    let most = pages.iter().max_by_key(|page| page.requests).map_or("", |page| page.path());
    let shown: String = most.chars().take(100).collect();
    let shown = comity::Escaped(shown.as_bytes()).to_string();
    let requests = match requests {
        0 => String::new(),
        1 => ", 1 request".to_owned(),
        n => format!(", {n} requests"),
    };
    // A URL may be in both the sitemap and the log.
    let different: BTreeSet<&str> = pages.iter().map(|page| page.path()).collect();
    match different.len() {
        1 => format!("`{shown}`{requests}"),
        n => format!("`{shown}` and {} more{requests}", n - 1),
    }
}
