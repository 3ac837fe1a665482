//! Visits one page as a polite crawler does: asks whether and when it may be fetched, and how it may be used.
//!
//! `cargo run -p comity-fetch --example polite -- https://example.com/`

use std::collections::HashMap;
use std::error::Error;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::{Crawler, Origin, Pace, Robots};
use comity_fetch::{Client, FetchedPage};
use comity_page::Permissions;
use url::Url;

/// The product token: the name that sites use in their files, and a part of the crawler's `User-Agent` (RFC 9309
/// §2.2.1).
pub(crate) const ME: &str = "ExampleBot";

/// The number of bytes of a page that are read.
const MAX_BYTES: usize = 4 << 20;

/// The number of redirects that are followed.
const MAX_REDIRECTS: usize = 10;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// A page that was fetched, and its permitted uses.
#[derive(Debug)]
pub(crate) struct VisitedPage {
    pub(crate) page: FetchedPage,
    pub(crate) permissions: Permissions,
    /// True if all of the page was read. Otherwise, the rest may contain a rule that forbids more.
    pub(crate) is_complete: bool,
}

impl VisitedPage {
    /// Returns true if the page may be indexed. Where nothing is stated, the decision is yours; this crawler indexes.
    pub(crate) fn may_index(&self) -> bool {
        self.page.status == 200 && self.is_complete && !self.permissions.index.stance.forbids()
    }
}

/// The start of the last request to each site, counted from the start of 1970.
pub(crate) type Visits = Mutex<HashMap<Origin, Duration>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let url = std::env::args().nth(1).ok_or("usage: polite URL")?;
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    visit(&client, &Crawler::token(ME)?, &url, &Visits::default()).await?;
    Ok(())
}

/// Visits a page, and returns it unless a robots.txt forbids that.
pub(crate) async fn visit(
    client: &Client,
    me: &Crawler<'_>,
    url: &str,
    visits: &Visits,
) -> Result<Option<VisitedPage>, Failure> {
    // Parameters that the site declares irrelevant are dropped. A crawler that knows the resulting page stops here.
    let site = client.robots(url).await?;
    let mut url = Url::parse(&site.canonical(url))?;
    let mut redirect: Option<FetchedPage> = None;
    loop {
        // Check the URL that will be fetched, on its own site: after a redirect, that may be another one. One fetch of
        // a robots.txt serves all questions about its site until it is due again.
        let site = client.robots(&url).await?;
        let decision = site.check(me, &url);
        println!("{decision}");
        if !decision.is_allowed() {
            return Ok(None); // nor can it be known what the page says
        }
        wait(&site.pace(me), site.origin(), visits).await?;
        let page = match &redirect {
            None => client.get_once(&url, MAX_BYTES).await?,
            Some(redirect) => client.follow(redirect, MAX_BYTES).await?,
        };
        let Some(target) = &page.location else {
            let visited = permitted_uses(site.robots(), me, page)?;
            report(&visited);
            return Ok(Some(visited));
        };
        if page.redirects.len() == MAX_REDIRECTS {
            return Err(format!("{url}: too many redirects").into());
        }
        url = target.clone();
        redirect = Some(page);
    }
}

/// Waits until the next request to a site may start: by its delay, its rate and its hours, but no less than a second and
/// no more than five minutes after the last one.
async fn wait(pace: &Pace, site: &Origin, visits: &Visits) -> Result<(), Failure> {
    let pace = pace.clone().at_least(Duration::from_secs(1)).at_most(Duration::from_secs(300));
    let now = now()?;
    let start = {
        let mut visits = visits.lock().expect("no panic while it was locked");
        let start = pace.next_start(visits.get(site).copied(), now);
        visits.insert(site.clone(), start);
        start
    };
    tokio::time::sleep(start.saturating_sub(now)).await;
    Ok(())
}

/// Returns the time since the start of 1970.
fn now() -> Result<Duration, Failure> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?)
}

/// Returns a page with its permitted uses. Its header, its meta tags and the robots.txt of its own site add up.
fn permitted_uses(robots: &Robots, me: &Crawler<'_>, page: FetchedPage) -> Result<VisitedPage, Failure> {
    let mut rules = comity_page::Page::new();
    for (name, value) in &page.fields {
        rules.header(name, value.as_bytes());
    }
    let found = comity_page::read_page(&*page.body, &mut rules, &[ME])?;
    let is_complete = !page.is_cut && !found.is_cut;
    // With the time, because an `unavailable_after` forbids indexing from its date on.
    let now = i64::try_from(now()?.as_secs())?;
    let permissions = comity_page::permissions_at(robots, me, &page.url, &rules, now);
    Ok(VisitedPage { page, permissions, is_complete })
}

/// Prints the permitted uses of a page.
fn report(visited: &VisitedPage) {
    let VisitedPage { page, permissions, is_complete } = visited;
    for (what, permission) in [
        ("index", &permissions.index),
        ("follow links", &permissions.follow),
        ("train on it", &permissions.training),
        ("answer with it", &permissions.ai_input),
    ] {
        println!("{what}: {}", permission.stance);
        permission.because.iter().for_each(|because| println!("    {because}"));
    }
    if !is_complete {
        println!("the page is too large to be read whole: the rest may contain more rules");
    }
    if visited.may_index() {
        println!("{} bytes of {} to be indexed", page.body.len(), page.url);
    }
}
