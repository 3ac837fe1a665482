//! The response of a page: its status, the redirects that led to it, and the page that it names as the original.

use std::io;

use comity::url::join_url;
use comity::{Answer, Origin, Robots};
use comity_fetch::{FetchedPage, SiteRobots};
use comity_page::{Found, Page, read_page};
use serde::Serialize;
use url::Url;

use crate::crawler_query::CrawlerQuery;
use crate::question::{Question, Questions};

/// The response of a page that was fetched, or whose header was saved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageResponse {
    /// The URL that it was read from, after redirects. `None` if only its header was saved.
    pub url: Option<Url>,
    /// The status code.
    pub status: u16,
    /// The URLs that redirects led to, the last of which is the page's; empty without a redirect.
    pub hops: Vec<PageHop>,
}

/// A URL that a redirect led to.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PageHop {
    /// The URL.
    pub url: String,
    /// The status code there. Absent if that URL was not fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// True if the crawler may fetch it, and false if it may not. `null` if the robots.txt of its site is not available.
    pub allowed: Option<bool>,
}

impl PageHop {
    /// Returns true if the crawler may not fetch it, or if there is no answer about it.
    pub(crate) fn is_closed(&self) -> bool {
        self.allowed != Some(true)
    }
}

/// Reads the header fields and the HTML of a page that was fetched. `also` has the names of crawlers whose tags count.
///
/// # Errors
///
/// If the body can't be read, which does not happen for one that is in memory.
pub fn read_answer(answer: &FetchedPage, page: &mut Page<'_>, also: &[&str]) -> io::Result<Found> {
    for (name, value) in &answer.fields {
        page.header(name, value.as_bytes());
    }
    let mut found = read_page(&*answer.body, page, also)?;
    found.is_cut |= answer.is_cut;
    Ok(found)
}

impl PageResponse {
    /// Checks each URL that redirects led to. `robots` is the file of the questions' site, and `site` returns that of
    /// another one, if it is available.
    #[must_use]
    pub fn new<'s>(
        fetched: &FetchedPage,
        questions: &Questions,
        crawler: &CrawlerQuery,
        robots: &Robots,
        site: impl Fn(&str) -> Option<&'s SiteRobots>,
    ) -> Self {
        let targets = fetched.redirects.iter().skip(1).map(|(url, status)| (url, Some(*status)));
        let last = (!fetched.redirects.is_empty()).then_some((&fetched.url, Some(fetched.status)));
        let hops = hops(targets.chain(last), questions, crawler, robots, site);
        Self { url: Some(fetched.url.clone()), status: fetched.status, hops }
    }

    /// Checks each URL that redirects led to, by a header that was saved: the URL, and its status if that was saved, too.
    /// `robots` is the file of the questions' site. There is no answer about other sites.
    #[must_use]
    pub fn saved(
        status: u16,
        targets: &[(Url, Option<u16>)],
        questions: &Questions,
        crawler: &CrawlerQuery,
        robots: &Robots,
    ) -> Self {
        let targets = targets.iter().map(|(url, status)| (url, *status));
        Self { url: None, status, hops: hops(targets, questions, crawler, robots, |_| None) }
    }

    /// Returns the sites of the URLs that redirects led to, each once.
    #[must_use]
    pub fn sites(fetched: &FetchedPage) -> Vec<String> {
        let urls = fetched.redirects.iter().skip(1).map(|(url, _)| url).chain(std::iter::once(&fetched.url));
        let mut sites: Vec<String> = Vec::new();
        for origin in urls.filter_map(|url| Origin::of(url.as_str()).ok()) {
            if !sites.contains(&origin.to_string()) {
                sites.push(origin.to_string());
            }
        }
        sites
    }

    /// Returns true if the response is a page, and not an error.
    #[must_use]
    pub fn is_page(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    /// Returns the first URL that redirects led to and that the crawler may not fetch.
    pub(crate) fn closed_hop(&self) -> Option<&PageHop> {
        self.hops.iter().find(|hop| hop.is_closed())
    }

    /// Returns the URL that redirects led to, if it is not that of the question.
    pub(crate) fn moved_to(&self, question: &Question) -> Option<&str> {
        let asked = question.sent.as_deref().unwrap_or(&question.typed);
        let url = self.hops.last()?.url.as_str();
        (without_fragment(url) != without_fragment(asked)).then_some(url)
    }

    /// Returns the canonical URL that a page names, if it is not the page's own. `base` is that of its relative addresses.
    pub(crate) fn other_canonical(&self, page: &Page<'_>, base: Option<&str>) -> Option<String> {
        let url = self.url.as_ref()?;
        let base = base.and_then(|base| join_url(url, base).ok());
        let named = join_url(base.as_ref().unwrap_or(url), &page.canonical()?.url).ok()?.to_string();
        (without_fragment(&named) != without_fragment(url.as_str())).then_some(named)
    }
}

/// Checks the URLs that redirects led to. `site` returns the robots.txt of a site other than that of the questions.
fn hops<'u, 's>(
    targets: impl Iterator<Item = (&'u Url, Option<u16>)>,
    questions: &Questions,
    crawler: &CrawlerQuery,
    robots: &Robots,
    site: impl Fn(&str) -> Option<&'s SiteRobots>,
) -> Vec<PageHop> {
    let crawler = crawler.as_crawler();
    let answer = |url: &str| {
        let origin = Origin::of(url).ok()?;
        if questions.site.as_ref() == Some(&origin) {
            return Some(robots.check(&crawler, url).answer());
        }
        site(origin.as_ref()).map(|site| site.check_as_is(&crawler, url).answer())
    };
    let hop = |(url, status): (&Url, _)| {
        // A crawler that does not obey robots.txt goes on, too.
        let allowed = answer(url.as_str()).map(|answer| matches!(answer, Answer::Allowed | Answer::NotGoverned));
        PageHop { url: url.to_string(), status, allowed }
    };
    targets.map(hop).collect()
}

fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(url, _)| url)
}
