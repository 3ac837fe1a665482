//! Collects pages to train a model on, and leaves out what sites do not want trained on.
//!
//! Sites say so in three places: the robots.txt (may the page be fetched, and `Content-Signal` or `Content-Usage`), the
//! page's header, and its meta tags. All of them count.
//!
//! `cargo run -p comity-fetch --example training -- https://example.com/`

use std::error::Error;

use comity::Crawler;
use comity_fetch::Client;
use url::Url;

/// The product token.
const ME: &str = "ExampleBot";

/// The number of bytes of a page that are read.
pub(crate) const MAX_BYTES: usize = 4 << 20;

/// The result for a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The site does not object, and here is the page.
    Kept(Vec<u8>),
    /// The robots.txt forbids the fetch.
    Forbidden,
    /// The page may be fetched, but not be trained on; with the statements that say so.
    Reserved(Vec<String>),
    /// The page has more bytes or meta tags than are read. The rest might reserve it.
    TooLarge,
    /// It was not answered with a page: another status, or a redirect.
    NoPage(u16),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    let me = Crawler::token(ME)?;
    for url in std::env::args().skip(1) {
        match collect(&client, &me, &Url::parse(&url)?).await? {
            Outcome::Kept(body) => println!("{url}: {} bytes kept", body.len()),
            Outcome::Forbidden => println!("{url}: its robots.txt forbids it"),
            Outcome::Reserved(because) => println!("{url}: not for training: {}", because.join("; ")),
            Outcome::TooLarge => println!("{url}: too large to be read whole"),
            Outcome::NoPage(status) => println!("{url}: answered {status}"),
        }
    }
    Ok(())
}

/// Fetches a page and returns it if it may be trained on.
pub(crate) async fn collect(client: &Client, me: &Crawler<'_>, url: &Url) -> Result<Outcome, Box<dyn Error>> {
    let site = client.robots(url).await?;
    if !site.check(me, url).is_allowed() {
        return Ok(Outcome::Forbidden);
    }
    // A redirect is not followed: its target has a robots.txt of its own. The example `polite` follows redirects.
    let page = client.get_once(url, MAX_BYTES).await?;
    if page.status != 200 {
        return Ok(Outcome::NoPage(page.status));
    }
    let mut rules = comity_page::Page::new();
    for (name, value) in &page.fields {
        rules.header(name, value.as_bytes());
    }
    let found = comity_page::read_page(&*page.body, &mut rules, &[ME])?;
    if page.is_cut || found.is_cut {
        return Ok(Outcome::TooLarge);
    }
    let training = comity_page::permissions(site.robots(), me, url, &rules).training;
    if training.stance.forbids() {
        return Ok(Outcome::Reserved(training.because.iter().map(ToString::to_string).collect()));
    }
    Ok(Outcome::Kept(page.body))
}
