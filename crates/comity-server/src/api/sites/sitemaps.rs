//! `/v1/sitemaps`: reads the sitemaps of a site, and reports the pages that its robots.txt disallows.

use std::collections::HashSet;

use axum::response::Response;
use comity::{Origin, Robots};
use comity_fetch::{FetchedPage, SiteRobots};
use comity_page::{Scope, Sitemap, Step, Walk};
use comity_report::{CheckedSitemap, SitemapCheck, SitemapsDocument};
use serde::Deserialize;
use tokio::time::{Duration, Instant};
use url::Url;

use crate::api::ask;
use crate::api::document::document;
use crate::api::extract::{Caller, Json};
use crate::problem::Problem;

/// The maximum number of sitemaps that are fetched.
const MAX_SITEMAPS: usize = 20;

/// The maximum number of bytes that are read of each sitemap.
const MAX_SITEMAP_BYTES: usize = 4 << 20;

/// The maximum number of entries in an answer. The counts are of all entries.
const MAX_ENTRIES: usize = 1_000;

/// The time after which no more sitemaps are fetched.
const MAX_TIME: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SitemapsQuestion {
    /// Any URL of the site.
    url: String,
    /// The file that names the sitemaps and decides. Defaults to the site's own.
    robots: Option<String>,
    /// The file's bytes, as base64.
    robots_b64: Option<String>,
    /// The crawler. Defaults to one that no group names.
    agent: Option<String>,
    /// The dialect. Defaults to the service's.
    dialect: Option<String>,
    /// Takes the name as a literal product token, without looking it up.
    #[serde(default)]
    literal: bool,
    /// Includes all entries, up to 1,000. By default, only those with a problem are included.
    #[serde(default)]
    all: bool,
}

/// Reads the sitemaps of a site
///
/// Fetches the sitemaps that the robots.txt names, and those that these list: at most 20, and the first 4 MiB of each. Those
/// of other hosts are fetched only if the site's own robots.txt names a sitemap of that host.
/// Counts their entries, and reports up to 1,000 that the crawler may not fetch, or that have another problem.
pub(crate) async fn sitemaps(caller: Caller, Json(asked): Json<SitemapsQuestion>) -> Result<Response, Problem> {
    let Caller { state, permit, .. } = &caller;
    let dialect = ask::dialect(asked.dialect.as_deref())?.unwrap_or(*state.client.dialect());
    let mut crawlers = ask::who(state, asked.agent, None, asked.literal)?;
    let origin = ask::origin(&asked.url)?;
    let given = ask::given(asked.robots, asked.robots_b64)?;
    let Some(crawler) = crawlers.pop() else { return Err(Problem::bad_request("expected a crawler in `agent`")) };
    if state.client.is_offline() {
        return Err(Problem::unprocessable("this service fetches nothing, so it cannot read sitemaps"));
    }
    let is_given = given.is_some();
    let file = ask::File::of(&caller, given, (!is_given).then_some(&*asked.url)).await?;
    let max_bytes = MAX_SITEMAP_BYTES.min(state.limits.body_bytes);
    permit.hold(&state.bodies, max_bytes).await?;
    let (name, body) = (file.name, file.body);
    let (site, of_table) = (origin.clone(), state.clone());
    let (named, mut hosts, mut check, crawler) = caller
        .compute(move || {
            let robots = Robots::parse_with(&body, &dialect);
            let check = SitemapCheck::new(&robots, &crawler, &of_table.crawlers, Some(site));
            let named: Vec<_> = robots.sitemaps().map(|record| check.named(&record)).collect();
            let hosts = hosts(named.iter().map(|one| one.url.as_str()));
            (named, hosts, check, crawler)
        })
        .await?;
    if is_given && hosts.iter().any(|host| host != origin.host()) {
        // Anybody can write a file that names the sitemaps of a third party.
        let site = permit.aside(&origin, state.robots(permit.account(), &origin)).await?;
        let own = move || hosts_of_site(site.as_ref().ok());
        hosts = caller.compute(own).await?;
    }
    hosts.insert(origin.host().to_owned());
    let mut walk =
        Walk::new(named.iter().filter(|one| one.problem.is_none()).map(|one| one.url.as_str()).take(MAX_SITEMAPS))
            .with_limit(MAX_SITEMAPS);
    let mut left_out = named.iter().filter(|one| one.problem.is_none()).count().saturating_sub(MAX_SITEMAPS);
    let mut files = Vec::new();
    let mut room = MAX_ENTRIES;
    let end = Instant::now() + MAX_TIME;
    while let Some(step) = walk.next_step() {
        if Instant::now() >= end {
            left_out += 1;
            continue;
        }
        let fetched = match fetch(&caller, &origin, &hosts, &step, max_bytes).await? {
            Ok(fetched) => fetched,
            Err(error) => {
                files.push(CheckedSitemap::unread(step.url.clone(), error));
                continue;
            }
        };
        let (url, depth) = (step.url.clone(), step.depth);
        let read = caller.compute(move || {
            let read = read(url, depth, &fetched, &mut check, asked.all, room);
            (read, check)
        });
        let ((file, listed), returned) = read.await?;
        check = returned;
        room -= file.entries.len();
        files.push(file);
        for url in listed {
            walk.add(&step, &url);
        }
    }
    left_out += walk.left_out();
    document(&caller, false, move |_, budget| {
        budget.json(&SitemapsDocument {
            headline: SitemapsDocument::headline(crawler.token(), named.len(), &files, left_out),
            robots: &name,
            dialect: dialect.name,
            agent: crawler.token(),
            origin: check.origin().map(ToString::to_string),
            origin_is_assumed: false,
            named,
            sitemaps: files,
            left_out,
        })
    })
    .await
}

/// Returns the host of a URL, if it has one.
fn host(url: &str) -> Option<String> {
    Origin::of(url).ok().map(|origin| origin.host().to_owned())
}

fn hosts<'u>(urls: impl Iterator<Item = &'u str>) -> HashSet<String> {
    urls.filter_map(host).collect()
}

/// Returns the hosts of the sitemaps that a site's own file names.
fn hosts_of_site(site: Option<&SiteRobots>) -> HashSet<String> {
    let sitemaps = site.into_iter().flat_map(SiteRobots::sitemaps);
    sitemaps.filter_map(|record| host(&String::from_utf8_lossy(record.value()))).collect()
}

/// Fetches a sitemap. One that cannot be fetched is a part of the answer: the reason in words.
async fn fetch(
    Caller { state, permit, .. }: &Caller,
    origin: &Origin,
    hosts: &HashSet<String>,
    step: &Step,
    max_bytes: usize,
) -> Result<Result<FetchedPage, String>, Problem> {
    let Ok(url) = Url::parse(&step.url) else { return Ok(Err("is not a URL".to_owned())) };
    if !host(&step.url).is_some_and(|host| hosts.contains(&host)) {
        return Ok(Err(format!("is on a host that the robots.txt of {origin} does not name: not fetched")));
    }
    let fetched = permit.aside(origin, state.page(permit.account(), url, max_bytes)).await?;
    Ok(match fetched {
        Ok(page) if (200..=299).contains(&page.status) => Ok(page),
        Ok(page) => Err(format!("expected a sitemap, {} answered {}", page.url, page.status)),
        Err(error) => Err(error.to_string()),
    })
}

/// Reads a sitemap. Returns it with at most `room` entries, and the sitemaps that it lists.
fn read(
    name: String,
    depth: u32,
    page: &FetchedPage,
    check: &mut SitemapCheck,
    all: bool,
    room: usize,
) -> (CheckedSitemap, Vec<String>) {
    // A sitemap that the robots.txt names may list URLs of the whole site; one that an index lists, only URLs below it.
    let url = name.clone();
    let scope = if depth > 0 { Scope::of(&url) } else { None };
    let sitemap = match Sitemap::read(&*page.body) {
        Ok(sitemap) => sitemap.with_files(),
        Err(error) => return (CheckedSitemap::unread(name, error.to_string()), Vec::new()),
    };
    let mut file = CheckedSitemap::new(name, sitemap.format().to_string());
    if depth > 0 {
        file.set_listed_by_index();
    }
    let mut listed = Vec::new();
    for entry in sitemap {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                file.error = Some(error.to_string());
                break;
            }
        };
        let Some(row) = check.row(entry, scope, &mut file.counts) else { continue };
        if row.sitemap && row.problem.is_none() && listed.len() < MAX_ENTRIES {
            listed.push(row.url.clone());
        }
        if (all || row.is_wrong()) && file.entries.len() < room {
            file.entries.push(row);
        }
    }
    if page.is_cut {
        file.error = Some(format!("is longer than the {} bytes that are read", page.body.len()));
    }
    (file, listed)
}
