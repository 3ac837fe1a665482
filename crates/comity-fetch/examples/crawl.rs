//! Visits pages of many sites at once: each host at its own pace, and no site waits for another.
//!
//! `cargo run -p comity-fetch --example crawl -- https://example.com/ https://example.org/a https://example.org/b`

use std::collections::BTreeMap;
use std::time::Duration;

use comity::{Crawler, Origin};
use comity_fetch::{Client, Visit, Visitor};
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    // Its clones share the pace of each host, where a redirect may lead, too.
    let visitor = Visitor::new(client, Crawler::token("ExampleBot")?).patience(Duration::from_secs(300));
    let mut sites: BTreeMap<Origin, Vec<String>> = BTreeMap::new();
    for url in std::env::args().skip(1) {
        sites.entry(Origin::of(&url)?).or_default().push(url);
    }
    let mut tasks = JoinSet::new();
    for urls in sites.into_values() {
        let visitor = visitor.clone();
        tasks.spawn(async move {
            for url in urls {
                match visitor.visit(&url).await {
                    Ok(Visit::Page(page)) => println!("{url}: {} bytes", page.response.body.len()),
                    other => println!("{url}: {other:?}"),
                }
            }
        });
    }
    tasks.join_all().await;
    Ok(())
}
