//! One page, as a good crawler takes it: may it be fetched, when, and what may be done with it?
//!
//! `cargo run -p comity-fetch --example polite -- https://example.com/`

use std::error::Error;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use comity::page::Page;
use comity::{Robots, Stance};
use comity_fetch::Client;
use url::Url;

/// Who asks: the word that sites name in their files, and a part of the `User-Agent` that they see (RFC 9309 §2.2.1).
const ME: &str = "ExampleBot";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("usage: polite URL")?;
    let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
    visit(&client, &url, None).await
}

/// Visits a page, on a site that was last asked for one so long after the start of 1970.
async fn visit(client: &Client, url: &str, last: Option<Duration>) -> Result<(), Box<dyn Error>> {
    // May I? One fetch of the robots.txt serves all questions about a site until it is due again.
    let known = client.known(url).await?;
    let decision = client.decide_by(&known, url, ME)?;
    println!("{decision}");
    if !decision.is_allowed() {
        return Ok(()); // nor can it be known what the page says
    }
    // A site whose file says nothing, or has none, says nothing of all that follows either.
    let nothing = Robots::parse(b"");
    let robots = known.robots().unwrap_or(&nothing);

    // Which page is it? Parameters that the site says don't matter are dropped, and pages that are known not visited.
    let url = String::from_utf8(robots.canonical(url).into_owned())?;

    // When? Its delay, its rate and its hours, but no less than a second and no more than five minutes.
    let speed = robots.pace(ME).at_least(Duration::from_secs(1)).at_most(Duration::from_secs(300));
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    tokio::time::sleep(speed.next_start(last, now).saturating_sub(now)).await;

    // What may be done with it? Header and page add up.
    let answer = client.get(&Url::parse(&url)?, 4 << 20).await?;
    let mut page = Page::new();
    for (name, value) in &answer.fields {
        page.header(name, value.as_bytes());
    }
    comity_page::read_page(&*answer.body, &mut page, &[ME])?;
    let permissions = robots.permissions(ME, &url, &page);
    for (what, permission) in [
        ("index", &permissions.index),
        ("follow links", &permissions.follow),
        ("train on it", &permissions.training),
        ("answer with it", &permissions.ai_input),
    ] {
        println!("{what}: {}", permission.stance);
        permission.because.iter().for_each(|because| println!("    {because}"));
    }
    // `NotStated` is for you to decide; `No` is not.
    if permissions.index.stance != Stance::No {
        println!("{} bytes to be indexed", answer.body.len());
    }
    Ok(())
}
