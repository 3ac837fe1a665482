//! `/v1/page`: fetches a page, and reports what a crawler may do with it and with its resources.

use std::collections::BTreeMap;
use std::time::SystemTime;

use axum::response::Response;
use comity::{Dialect, Origin, Robots};
use comity_fetch::FetchedPage;
use comity_page::{Page, read_page};
use comity_report::{
    CrawlerQuery, MAX_PAGE_BYTES, MAX_RESOURCE_SITES, PageCheck, PageResources, PageResponse, PageSources, Questions,
    read_answer,
};
use futures_util::future::join_all;
use serde::Deserialize;
use url::Url;

use crate::api::ask;
use crate::api::document::document;
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuestion {
    /// The URL of the page.
    url: String,
    /// The crawler. Defaults to one that no group names.
    agent: Option<String>,
    /// The dialect. Defaults to the service's.
    dialect: Option<String>,
    /// Takes the name as a literal product token, without looking it up.
    #[serde(default)]
    literal: bool,
}

/// Checks a page for a crawler
///
/// Fetches the page, even if the crawler may not fetch it, and reads its rules in `X-Robots-Tag` and meta tags. Reports
/// if the crawler may fetch the page, index it, follow its links and use it for AI, and if it may fetch the style
/// sheets, scripts and images that the page loads. For these, at most 8 sites are asked for their robots.txt. A page that
/// answers with an error such as 404, redirects, or names another page as the original has an answer, too: `headline`
/// states it, and `redirects` has each URL on the way.
pub(crate) async fn page(caller: Caller, Json(asked): Json<PageQuestion>) -> Result<Response, Problem> {
    let Caller { state, permit, .. } = &caller;
    let dialect = ask::dialect(asked.dialect.as_deref())?.unwrap_or(*state.client.dialect());
    let list = ask::questions(&caller, Some(asked.url), None, false).await?;
    let mut crawlers = ask::who(state, asked.agent, None, asked.literal)?;
    let mut questions = Questions::live(list, None).map_err(|error| ask::unanswerable(&error))?;
    let question = questions.list[0].clone();
    let (Some(crawler), Some(url)) = (crawlers.pop(), question.sent.as_deref().and_then(|url| Url::parse(url).ok()))
    else {
        return Err(Problem::unprocessable("expected the whole URL of a page"));
    };
    let origin = ask::origin(url.as_str())?;
    questions.site = Some(origin.clone());
    if state.client.is_offline() {
        return Err(Problem::unprocessable("this service fetches nothing, so it cannot read pages"));
    }
    let file = ask::File::of(&caller, None, Some(url.as_str())).await?;
    let fetched = fetch(&caller, &origin, &url).await?;
    let (fetched, resources) = read_resources(&caller, dialect, crawler.clone(), fetched).await?;
    let mut sites = resources.as_ref().map_or_else(Vec::new, |resources| resources.sites().to_vec());
    // The sites that the page redirects to decide, even if the page loads nothing. They come first.
    for site in PageResponse::sites(&fetched).into_iter().rev() {
        if site != origin.to_string() && sites.first() != Some(&site) {
            sites.retain(|known| *known != site);
            sites.insert(0, site);
        }
    }
    sites.truncate(MAX_RESOURCE_SITES);
    let asking = sites.iter().map(async |site| (site.clone(), state.robots_of_url(permit.account(), site).await));
    let mut found: BTreeMap<_, _> = permit.aside(&origin, join_all(asking)).await?.into_iter().collect();
    document(&caller, false, move |state, budget| {
        let mut page = Page::with_crawlers(&state.crawlers).at(SystemTime::now());
        let tags = read_answer(&fetched, &mut page, &[crawler.token()]).map_err(|_| Problem::internal())?;
        let robots = Robots::parse_with(&file.body, &dialect);
        budget.check()?;
        if dialect != *state.client.dialect() {
            for site in found.values_mut().flatten() {
                *site = site.read_in(&dialect);
                budget.check()?;
            }
        }
        let site = |origin: &str| found.get(origin).and_then(|site| site.as_ref().ok());
        let response = PageResponse::new(&fetched, &questions, &crawler, &robots, site);
        let check = PageCheck::new(
            PageSources {
                file: &file.name,
                robots: &robots,
                questions: &questions,
                crawler: &crawler,
                page: &page,
                found: Some(&tags),
                has_header: true,
                response: Some(&response),
            },
            &question,
        );
        let mut document = check.document(&question.typed);
        let mut rows = Vec::new();
        for row in resources.iter().flat_map(|resources| resources.rows(|site| Some(found.get(site)?.as_ref()))) {
            rows.push(row);
            budget.check()?;
        }
        document.set_resources(rows);
        budget.json(&document)
    })
    .await
}

/// Fetches a page and follows its redirects. Memory for its body is reserved first.
async fn fetch(caller: &Caller, origin: &Origin, url: &Url) -> Result<FetchedPage, Problem> {
    let Caller { state, permit, .. } = caller;
    let max = MAX_PAGE_BYTES.min(state.limits.body_bytes);
    permit.hold(&state.bodies, max).await?;
    let fetched = permit.aside(origin, state.page(permit.account(), url.clone(), max)).await?;
    let fetched = fetched.map_err(|error| ask::not_answered(error.to_string(), error.retry_after()))?;
    // Of these, one does not know what the page is. Others, such as 404, are the answer about it.
    if fetched.status == 429 || fetched.status >= 500 {
        let text = format!("expected a page, {} answered {}", fetched.url, fetched.status);
        return Err(Problem::unprocessable(text).with("page_status", fetched.status));
    }
    Ok(fetched)
}

/// Returns a page of this site and the resources that it loads, if there are any.
async fn read_resources(
    caller: &Caller,
    dialect: Dialect,
    crawler: CrawlerQuery,
    fetched: FetchedPage,
) -> Result<(FetchedPage, Option<PageResources>), Problem> {
    caller
        .compute(move || {
            let found = read_page(&*fetched.body, &mut Page::new(), &[]).unwrap_or_default();
            // What the page of an error loads matters to nobody.
            let is_page = (200..=299).contains(&fetched.status);
            let resources = is_page
                .then(|| PageResources::new(&found, fetched.url.as_str(), &dialect, crawler, ask::REFUSED))
                .flatten();
            (fetched, resources)
        })
        .await
}
