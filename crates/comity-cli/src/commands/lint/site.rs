//! The answers of the site: for its robots.txt, its other addresses, and its sitemaps.

use anyhow::{Context, Result};
use comity::{MAX_BYTES, Origin, Robots};
use comity_lint::{Evidence, Served};
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
    for url in variants(&answer.url) {
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

/// Returns the URLs of the robots.txt with the other scheme, and with and without `www.`, which most sites have.
fn variants(robots_txt: &str) -> Vec<String> {
    let Ok(own) = Url::parse(robots_txt) else { return Vec::new() };
    let mut hosts = vec![own.host_str().unwrap_or_default().to_owned()];
    if let Some(url::Host::Domain(host)) = own.host() {
        let labels: Vec<&str> = host.split('.').collect();
        match (labels.as_slice(), host.strip_prefix("www.")) {
            (_, Some(bare)) if bare.contains('.') => hosts.push(bare.to_owned()),
            // Three labels that end in a suffix such as `co.uk` are a whole domain; other names of three labels are
            // subdomains, which mostly have no variant with `www.`.
            ([_, _] | [_, "ac" | "co" | "com" | "gov" | "net" | "or" | "org", _], None) => {
                hosts.push(format!("www.{host}"));
            }
            _ => {}
        }
    }
    // A URL with an explicit port has only one scheme.
    let schemes = if own.port().is_some() { vec![own.scheme()] } else { vec!["https", "http"] };
    let mut urls = Vec::new();
    for scheme in schemes {
        for host in &hosts {
            let mut url = own.clone();
            if url.set_scheme(scheme).is_ok() && url.set_host(Some(host)).is_ok() && url != own {
                urls.push(url.to_string());
            }
        }
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::variants;

    #[test]
    fn other_addresses_of_a_site() {
        for (own, expected) in [
            (
                "https://example.com/robots.txt",
                &[
                    "https://www.example.com/robots.txt",
                    "http://example.com/robots.txt",
                    "http://www.example.com/robots.txt",
                ][..],
            ),
            (
                "http://www.example.co.uk/robots.txt",
                &[
                    "https://www.example.co.uk/robots.txt",
                    "https://example.co.uk/robots.txt",
                    "http://example.co.uk/robots.txt",
                ],
            ),
            ("https://shop.example.com/robots.txt", &["http://shop.example.com/robots.txt"]),
            ("http://example.com:8080/robots.txt", &["http://www.example.com:8080/robots.txt"]),
            ("http://127.0.0.1:8080/robots.txt", &[]),
            ("https://[::1]/robots.txt", &["http://[::1]/robots.txt"]),
            ("http://localhost/robots.txt", &["https://localhost/robots.txt"]),
        ] {
            assert_eq!(variants(own), expected, "{own}");
        }
    }
}
