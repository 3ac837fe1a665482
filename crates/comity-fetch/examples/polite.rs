//! Visits one page as a polite crawler does: asks whether and when it may be fetched, and how it may be used.
//!
//! `cargo run -p comity-fetch --example polite -- https://example.com/`

use comity::Crawler;
use comity_fetch::{Client, Visit, Visitor};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: polite URL")?;
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    match Visitor::new(client, Crawler::token("ExampleBot")?).visit(&url).await? {
        Visit::Page(page) => println!("{}: index: {}", page.response.url, page.permissions().index.stance),
        Visit::Forbidden { url, decision, .. } => println!("{url}: {decision}"),
        visit => println!("{visit:?}"),
    }
    Ok(())
}
