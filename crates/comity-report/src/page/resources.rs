//! The style sheets, scripts and images that a page loads. A crawler that may not fetch them sees another page than
//! people do.

use std::collections::BTreeSet;
use std::fmt;

use comity::url::{join_url, parse_url};
use comity::{Answer, Dialect, Origin, VerdictFields};
use comity_fetch::{CheckError, SiteRobots};
use comity_page::Found;
use serde::Serialize;

use crate::answer::{AnswerReason, CheckRow, Explain, PolicyReason};
use crate::check::{Answered, Check};
use crate::crawler_query::CrawlerQuery;
use crate::question::{MAX_URL_BYTES, Question, Questions};

/// The maximum number of sites that are asked for the resources of one page, including its own site. Most pages load
/// from fewer.
pub const MAX_RESOURCE_SITES: usize = 8;

/// The maximum number of resources of a page.
const MAX_RESOURCES: usize = 1_000;

/// The kind of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ResourceKind {
    /// A style sheet.
    Style,
    /// A script.
    Script,
    /// An image.
    Image,
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Style => "style sheet",
            Self::Script => "script",
            Self::Image => "image",
        })
    }
}

/// A resource of a page, and if the crawler may fetch it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ResourceRow<'a> {
    /// The kind.
    pub kind: ResourceKind,
    /// The answer.
    #[serde(flatten)]
    pub row: CheckRow<'a>,
}

impl ResourceRow<'_> {
    /// Returns true if the crawler may not fetch the resource.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.row.verdict.answer == Some(Answer::Disallowed)
    }
}

/// The style sheets, scripts and images that a page loads, as questions.
#[derive(Debug)]
pub struct PageResources {
    check: Check,
    kinds: Vec<ResourceKind>,
    /// The sites that are asked: that of the page, and the first others.
    sites: Vec<String>,
}

impl PageResources {
    /// Creates a check of the resources of the page at this URL, each once: style sheets, scripts, images. Addresses of
    /// other schemes, such as `data`, are left out, and so are those of more than 20 KiB. Returns `None` if there are
    /// none.
    ///
    /// `dialect` must be the one in which files are parsed. `refusal` is the error of an answer about a site that the
    /// client's address rules refuse.
    #[must_use]
    pub fn new(
        found: &Found,
        page: &str,
        dialect: &Dialect,
        crawler: CrawlerQuery,
        refusal: &'static str,
    ) -> Option<Self> {
        let page_site = Origin::of(page).ok()?;
        let pairs = absolute(found, page).into_iter();
        let pairs = pairs.filter_map(|(kind, url)| Some((kind, Question::new(&url, false).ok()?)));
        let (kinds, list): (Vec<_>, Vec<_>) = pairs.unzip();
        let mut sites = vec![page_site.to_string()];
        let questions = Questions::of_site(list, Some(page_site)).ok()?;
        for site in questions.list.iter().filter_map(|question| question.on_site(None)) {
            if sites.len() < MAX_RESOURCE_SITES && !sites.contains(&site) {
                sites.push(site);
            }
        }
        let check = Check::new(dialect, vec![crawler], questions).with_refusal(refusal);
        Some(Self { check, kinds, sites })
    }

    /// Returns the sites to ask, at most [`MAX_RESOURCE_SITES`].
    #[must_use]
    pub fn sites(&self) -> &[String] {
        &self.sites
    }

    /// Returns the answers. `found` returns the robots.txt that answers for a site: that of the site, or a
    /// [given](SiteRobots::given) one, which has no answer for other sites. A resource without a file has no answer.
    pub fn rows<'a>(
        &'a self,
        found: impl Fn(&str) -> Option<Result<&'a SiteRobots, &'a CheckError>>,
    ) -> impl Iterator<Item = ResourceRow<'a>> {
        let crawler = &self.check.crawlers()[0];
        let rows = self.check.questions().list.iter().map(move |question| {
            if let Some(found) = question.on_site(None).and_then(|site| found(&site)) {
                return Answered::new(&self.check, question, crawler, found).row(Explain::Not);
            }
            let none = VerdictFields::without_rules(None, AnswerReason::Policy(PolicyReason::NoAnswer));
            let sent = question.asked_in(self.check.dialect());
            let mut row = CheckRow::new(&question.typed, sent, crawler.token(), none);
            row.error = Some(format!("at most {MAX_RESOURCE_SITES} sites are asked for one page"));
            row
        });
        self.kinds.iter().zip(rows).map(|(kind, row)| ResourceRow { kind: *kind, row })
    }
}

/// Returns the absolute URLs of the resources of a page at this URL.
fn absolute(found: &Found, page: &str) -> Vec<(ResourceKind, String)> {
    let Ok(page) = parse_url(page) else { return Vec::new() };
    let base = found.base.as_ref().and_then(|base| join_url(&page, base).ok()).unwrap_or(page);
    if base.as_str().len() > MAX_URL_BYTES {
        return Vec::new();
    }
    let lists = [
        (ResourceKind::Style, &found.styles),
        (ResourceKind::Script, &found.scripts),
        (ResourceKind::Image, &found.images),
    ];
    let mut known = BTreeSet::new();
    let all = lists.into_iter().flat_map(|(kind, list)| list.iter().map(move |address| (kind, address)));
    let urls = all.filter(|(_, address)| !address.is_empty()).filter_map(|(kind, address)| {
        let mut url = join_url(&base, address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        url.set_fragment(None);
        (url.as_str().len() <= MAX_URL_BYTES).then(|| (kind, url.into()))
    });
    urls.filter(|(_, url): &(_, String)| known.insert(url.clone())).take(MAX_RESOURCES).collect()
}

#[cfg(test)]
mod tests {
    use comity_page::{Page, read_page};

    use super::*;

    fn urls(html: &str) -> Vec<(ResourceKind, String)> {
        let found = read_page(html.as_bytes(), &mut Page::new(), &[]).unwrap();
        absolute(&found, "https://shop.example/a/page")
    }

    #[test]
    fn addresses_are_absolute_and_listed_once() {
        let html = "<base href=/assets/><img src=b.png><img src='b.png#top'><script src=//cdn.example/a.js></script>
            <img src=data:image/png;base64,AA><img src=''><link rel=stylesheet href=../s.css><link rel=icon href=i.ico>";
        let expected = [
            (ResourceKind::Style, "https://shop.example/s.css"),
            (ResourceKind::Script, "https://cdn.example/a.js"),
            (ResourceKind::Image, "https://shop.example/assets/b.png"),
        ];
        assert_eq!(urls(html), expected.map(|(kind, url)| (kind, url.to_owned())));
    }

    #[test]
    fn long_addresses_are_left_out() {
        // Each character has six bytes when it is escaped.
        let long = "\u{E9}".repeat(MAX_URL_BYTES / 6);
        let short = vec![(ResourceKind::Image, "https://shop.example/a/b.png".to_owned())];
        assert_eq!(urls(&format!("<img src='{long}'><img src=b.png>")), short);
        assert!(urls(&format!("<base href='/{long}/'><img src=b.png><script src=c.js></script>")).is_empty());
    }

    #[test]
    fn a_page_has_a_limited_number_of_resources() {
        let many: String = (0..1_500).map(|nth| format!("<img src={nth}><script src=/{nth}></script>")).collect();
        assert_eq!(urls(&many).len(), MAX_RESOURCES);
    }
}
