use std::cell::LazyCell;
use std::collections::BTreeSet;

use crate::prelude::*;
use crate::recognize::host::is_test_host;

lint! {
    /// A sitemap is on a test system, on another domain, or on `http:` although the site is on `https:`.
    ///
    /// Name the sitemap of this site, with the scheme and host of its pages.
    ///
    /// ## What it does
    ///
    /// Compares the URLs of sitemaps with the address of the file, which `--url` states. It reports hosts with
    /// the name of a test system (`staging.example.com`), the same name under another domain (`example.org`), and `http:`.
    /// Other hosts may contain sitemaps of this site.
    ///
    /// ## Why is this bad?
    ///
    /// The sitemap of a test system lists pages that visitors should not see. A sitemap under another domain is
    /// valid only if it lists pages of this site. A sitemap on `http:` is usually a leftover from before the site moved to
    /// `https:`, and lists URLs that redirect.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Sitemap: https://staging.example.com/sitemap.xml
    /// ```
    ///
    /// ```location
    /// https://www.example.com/robots.txt
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Sitemap: https://www.example.com/sitemap.xml
    /// ```
    ///
    /// ```location
    /// https://www.example.com/robots.txt
    /// ```
    ///
    /// ## Sources
    ///
    /// - sitemaps.org, Protocol: sitemap file location, and sitemaps and cross submits
    "L059" "foreign-sitemap", Note, affects: "search engines"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let Some((own_scheme, own)) = file.evidence.location.as_deref().and_then(evidence::site) else { return };
    let (own, mut told) = (host(own), BTreeSet::new());
    let with_https = LazyCell::new(|| hosts_with_https(file));
    for (_, value) in file.sitemaps() {
        let Some((scheme, other)) = std::str::from_utf8(value).ok().and_then(evidence::site) else { continue };
        let other = host(other);
        if other.is_empty() || !(scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")) {
            continue;
        }
        let (kind, message, severity) = if is_test_host(&other) && !is_test_host(&own) {
            let name = shown(other.as_bytes());
            (0, format!("`{name}` looks like a test system: its sitemap should not be public"), Severity::Warning)
        } else if domain(&other) != domain(&own) && name(&other) == name(&own) {
            let message = format!("the sitemap is on `{}`, this site under another domain", shown(other.as_bytes()));
            (1, message, Severity::Note)
        } else if own_scheme.eq_ignore_ascii_case("https")
            && is_http_copy(value, &own, &other)
            && !with_https.contains(&other)
        {
            (2, "the sitemap is on http:, but this site on https:".to_owned(), Severity::Note)
        } else {
            continue;
        };
        // The same mistake is reported once, even if several sitemaps have it.
        if told.insert((kind, other)) {
            let found = out.add(file.span(value), message).severity(severity);
            if kind == 1 {
                found.help("that is fine if it lists pages of this site; otherwise name this site's own sitemap");
            } else if kind == 2 {
                found.help("write https:, so that crawlers need no redirect");
            }
        }
    }
}

/// Returns the hosts of which the file lists a sitemap at an https: URL.
fn hosts_with_https(file: &File<'_>) -> BTreeSet<String> {
    let urls = file.sitemaps().filter_map(|(_, value)| std::str::from_utf8(value).ok());
    let sites = urls.filter_map(evidence::site).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("https"));
    sites.map(|(_, at)| host(at)).collect()
}

/// Returns true if a sitemap is at an http: URL of a site, with or without `www.`. The home page is no sitemap.
fn is_http_copy(value: &[u8], own: &str, other: &str) -> bool {
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    let Some(rest) = value.get(..7).filter(|start| start.eq_ignore_ascii_case(b"http://")).map(|_| &value[7..]) else {
        return false;
    };
    let has_path = rest.iter().position(|b| *b == b'/').is_some_and(|at| at + 1 < rest.len());
    bare(own) == bare(other) && has_path
}

/// Returns a host in lower case, without its port and without a dot at its end.
fn host(host: &str) -> String {
    let host = host.rsplit('@').next().unwrap_or(host);
    host.split(':').next().unwrap_or(host).trim_end_matches('.').to_ascii_lowercase()
}

/// Returns the first label of the part of a host that its owner registered: `example` of `www.example.co.uk`.
fn name(host: &str) -> &str {
    domain(host).split('.').next().unwrap_or_default()
}

/// Returns the part of a host that its owner registered, for example `example.co.uk` of `www.example.co.uk`. It is
/// guessed from the lengths of the labels.
fn domain(host: &str) -> &str {
    let starts: Vec<usize> = host.rmatch_indices('.').map(|(dot, _)| dot + 1).collect();
    let is_second_level = matches!(starts[..], [last, second, ..] if host.len() - last == 2 && last - 1 - second <= 3);
    starts.get(if is_second_level { 2 } else { 1 }).map_or(host, |start| &host[*start..])
}
