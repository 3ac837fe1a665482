//! Visits pages of many sites at once: each site at its own pace, one request at a time, and no site waits for another.
//!
//! `cargo run -p comity-fetch --example crawl -- https://example.com/ https://example.org/a https://example.org/b`

use std::collections::BTreeMap;
use std::sync::Arc;

use comity::{Crawler, Origin};
use comity_fetch::Client;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

#[path = "polite.rs"]
#[expect(dead_code, reason = "the other example's own `main` is not run here")]
mod polite;

use polite::{Failure, ME, VisitedPage, Visits};

/// The number of sites that are visited at once.
const MAX_SITES: usize = 64;

/// The result for each URL: the page, `None` if a robots.txt forbids it, or the reason why it could not be fetched.
pub(crate) type Visited = BTreeMap<String, Result<Option<VisitedPage>, Failure>>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    for (url, visited) in crawl(&client, std::env::args().skip(1)).await? {
        match visited {
            Ok(Some(VisitedPage { page, .. })) => println!("{url}: {} bytes of {}", page.body.len(), page.url),
            Ok(None) => println!("{url}: forbidden"),
            Err(error) => println!("{url}: {error}"),
        }
    }
    Ok(())
}

/// Visits all pages. Those of one site are visited one after another, at the pace that its robots.txt asks for.
pub(crate) async fn crawl(client: &Client, urls: impl IntoIterator<Item = String>) -> Result<Visited, Failure> {
    let mut sites: BTreeMap<Origin, Vec<String>> = BTreeMap::new();
    for url in urls {
        sites.entry(Origin::of(&url)?).or_default().push(url);
    }
    let (visits, places) = (Arc::new(Visits::default()), Arc::new(Semaphore::new(MAX_SITES)));
    let mut tasks = JoinSet::new();
    for urls in sites.into_values() {
        let (client, visits, places) = (client.clone(), Arc::clone(&visits), Arc::clone(&places));
        tasks.spawn(async move {
            let _place = places.acquire_owned().await.expect("the semaphore is never closed");
            let me = Crawler::token(ME).expect("a product token");
            let mut visited = Visited::new();
            for url in urls {
                // A redirect may lead to another site. Its pace is kept too: `visits` is shared.
                let page = polite::visit(&client, &me, &url, &visits).await;
                visited.insert(url, page);
            }
            visited
        });
    }
    let mut visited = Visited::new();
    while let Some(of_one_site) = tasks.join_next().await {
        visited.extend(of_one_site?);
    }
    Ok(visited)
}
