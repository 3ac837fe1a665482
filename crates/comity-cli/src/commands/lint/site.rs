//! The answers of the site: for its robots.txt, its other addresses, and its sitemaps.

use anyhow::{Context, Result};
use comity::{MAX_BYTES, Origin, Robots};
use comity_lint::{Evidence, Served};
use comity_report::site_variants;
use url::Url;

use crate::input::live::Fetcher;
use crate::input::sitemap;
use crate::render::error::message;

/// The answer of a site to a request for its robots.txt.
pub(super) struct Answer {
    pub(super) url: String,
    served: Served,
    /// The URL where the file was found, after redirects.
    found: String,
    /// The body of the file; empty if there is none.
    pub(super) body: Vec<u8>,
}

/// Requests the robots.txt of a URL's site once, without the cache. If the site does not answer, that is also returned
/// as an answer.
pub(super) fn ask(fetcher: &Fetcher, url: &str) -> Result<Answer> {
    let asked = Origin::of(url).context("--fetch")?.robots_url();
    let answer = match fetcher.get(&asked, MAX_BYTES) {
        Ok(page) => page,
        Err(error) => {
            let served = Served::failed(&*asked, message(&error));
            return Ok(Answer { found: asked.clone(), url: asked, served, body: Vec::new() });
        }
    };
    let mut served = Served::new(&*asked, answer.status);
    let field = |name: &str| answer.fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    served.content_type = field("content-type").map(|(_, value)| value.clone());
    let hops = answer.redirects.iter().skip(1).map(|(url, _)| url);
    if !answer.redirects.is_empty() {
        served.redirects = hops.chain([&answer.url]).map(ToString::to_string).collect();
    }
    let is_file = (200..=299).contains(&answer.status);
    Ok(Answer {
        url: asked,
        served,
        found: answer.url.to_string(),
        body: if is_file { answer.body } else { Vec::new() },
    })
}

/// Adds evidence about the site: its answer, the files at its other addresses, and the URLs in its sitemaps.
pub(super) fn add(evidence: &mut Evidence, fetcher: &Fetcher, answer: &Answer, body: &[u8]) {
    evidence.served = Some(answer.served.clone());
    let variants = Origin::of(&answer.url).map(|origin| site_variants(&origin)).unwrap_or_default();
    for url in variants.iter().skip(1).map(Origin::robots_url) {
        // An address that does not answer does not belong to the site.
        let Ok(other) = fetcher.get(&url, MAX_BYTES) else { continue };
        let is_file = (200..=299).contains(&other.status);
        let is_same = other.url.as_str() == answer.found || is_file && other.body == answer.body;
        if !is_same {
            evidence.add_variant(url, other.status, if is_file { other.body } else { Vec::new() });
        }
    }
    let robots = Robots::parse(body);
    let named = robots.sitemaps().map(|record| String::from_utf8_lossy(record.value()).into_owned());
    let named: Vec<String> = named.filter(|url| Url::parse(url).is_ok_and(|url| url.has_host())).collect();
    let listed = sitemap::fetch(fetcher, Origin::of(&answer.url).ok().as_ref(), named.iter().map(String::as_str));
    listed.urls.into_iter().for_each(|url| evidence.add_sitemap_url(url));
    listed.lost.into_iter().for_each(|lost| evidence.add_lost_sitemap(lost.url, lost.problem, lost.named));
    if let Some(bound) = listed.bound {
        eprintln!("The sitemaps list more than is read: stopped at {bound}.");
    }
}
