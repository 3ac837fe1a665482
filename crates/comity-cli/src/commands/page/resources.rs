//! The resources that the page loads: answered by the file that was given, or by the files of their own sites.

use std::collections::BTreeMap;

use anyhow::Result;
use comity::Dialect;
use comity_fetch::{CheckError, SiteRobots};
use comity_page::Found;
use comity_report::{
    Check, CrawlerQuery, LiveResources, PageResource, Question, Questions, ResourceRow, page_resources,
};

use crate::input::live::Fetcher;
use crate::render::provenance::REFUSED_BY_ADDRESS_RULES;

/// The resources of a page, with the files that answer.
pub(super) enum Resources {
    ByFile(Box<Check>, SiteRobots, Vec<PageResource>),
    BySites(Box<LiveResources>, BTreeMap<String, Result<SiteRobots, CheckError>>),
    None,
}

impl Resources {
    /// Finds the resources of a page at this URL. Without a fetcher, the robots.txt `body` of the page's site answers,
    /// and resources on other sites have no answer.
    pub(super) fn new(
        found: Option<&Found>,
        url: &str,
        asker: &CrawlerQuery,
        questions: &Questions,
        (body, dialect): (&[u8], &Dialect),
        fetcher: Option<&Fetcher>,
    ) -> Result<Self> {
        let (Some(found), Some(site)) = (found, &questions.site) else { return Ok(Self::None) };
        let resources = page_resources(found, &page_url(url, site.as_str()));
        if let Some(fetcher) = fetcher {
            let refusal = REFUSED_BY_ADDRESS_RULES;
            let Some(live) = LiveResources::new(dialect, asker.clone(), site, &resources, refusal) else {
                return Ok(Self::None);
            };
            let found = live.sites().iter().map(|site| (site.clone(), fetcher.site(site))).collect();
            return Ok(Self::BySites(Box::new(live), found));
        }
        let list: Result<Vec<Question>, _> = resources.iter().map(|one| Question::new(&one.url, false)).collect();
        let list = list?;
        if list.is_empty() {
            return Ok(Self::None);
        }
        let questions = Questions::of_file(list, Some(site.as_str()))?;
        let check = Check::new(dialect, vec![asker.clone()], questions);
        let given = check.given(body);
        Ok(Self::ByFile(Box::new(check), given, resources))
    }

    /// Returns the answers.
    pub(super) fn rows(&self) -> Vec<ResourceRow<'_>> {
        match self {
            Self::ByFile(check, site, resources) => ResourceRow::of_file(check, site, resources),
            Self::BySites(live, found) => live.rows(found).collect(),
            Self::None => Vec::new(),
        }
    }
}

/// Returns the URL of a page that may be given as a path.
fn page_url(url: &str, site: &str) -> String {
    if url.starts_with('/') { format!("{site}{url}") } else { url.to_owned() }
}
