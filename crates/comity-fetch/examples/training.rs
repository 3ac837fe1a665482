//! Collects pages to train a model on, and leaves out what sites do not want trained on.
//!
//! Sites say so in three places: the robots.txt (may the page be fetched, and `Content-Signal` or `Content-Usage`), the
//! page's header, and its meta tags. All of them count.
//!
//! `cargo run -p comity-fetch --example training -- https://example.com/`

use comity::Crawler;
use comity_fetch::{Client, Visitor};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    let visitor = Visitor::new(client, Crawler::token("ExampleBot")?);
    for url in std::env::args().skip(1) {
        let Some(page) = visitor.visit(&url).await?.page() else { continue };
        let training = page.permissions().training;
        if page.response.status == 200 && !training.stance.forbids() {
            println!("{url}: {} bytes kept", page.response.body.len());
        } else {
            println!("{url}: left out: {}, {:?}", page.response.status, training.because);
        }
    }
    Ok(())
}
