use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::lint;

lint! {
    /// The file names a sitemap that its own rules block for search engines.
    ///
    /// Add an `Allow` rule for the sitemap, or move the sitemap.
    ///
    /// ## What it does
    ///
    /// If the address of the file is known (`--url`), checks for each `Sitemap` line of the same host that Googlebot
    /// and bingbot may fetch the sitemap.
    ///
    /// ## Why is this bad?
    ///
    /// Rules also apply to sitemaps, so crawlers that obey them do not read this one.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /files/
    /// Sitemap: https://example.com/files/sitemap.xml
    /// ```
    ///
    /// ```location
    /// https://example.com/robots.txt
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /files/
    /// Allow: /files/sitemap.xml
    /// Sitemap: https://example.com/files/sitemap.xml
    /// ```
    ///
    /// ```location
    /// https://example.com/robots.txt
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2
    /// - sitemaps.org, Protocol
    "L041" "sitemap-disallowed", Warning, affects: "search engines"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut sitemaps = Vec::new();
    for line in &file.lines {
        if let Content::Other { field: Field::Sitemap, value, .. } = line.content
            && let Some(host) = host(value)
        {
            sitemaps.push((line.number, value, host));
        }
    }
    if sitemaps.is_empty() {
        return;
    }
    let Some(own) = file.evidence.location.as_deref().and_then(|location| host(location.as_bytes())) else { return };
    let engines = ["Googlebot", "bingbot"].map(|name| (name, file.crawler(name).map(|crawler| file.robots.rules_for(&crawler))));
    for (line, value, _) in sitemaps.iter().filter(|(_, _, host)| host.eq_ignore_ascii_case(own)) {
        // If the whole site is disallowed, the sitemap is not worth a finding of its own.
        let blocked = engines.iter().find_map(|(name, rules)| {
            let rules = rules.as_ref()?;
            let verdict = rules.check_bytes(value);
            let is_told = rules.check("/").is_disallowed() && rules.check("/x").is_disallowed();
            (verdict.is_disallowed() && !is_told).then_some((name, verdict.line().unwrap_or(0)))
        });
        if let Some((name, by)) = blocked {
            out.add(*line, file.span(value), format!("{name} may not fetch this sitemap: line {by} blocks it"))
                .related(by, "blocked here");
        }
    }
}

/// Returns the host of a URL with a path.
fn host(url: &[u8]) -> Option<&[u8]> {
    let at = url.windows(3).position(|part| part == b"://")?;
    let rest = &url[at + 3..];
    let end = rest.iter().position(|b| *b == b'/')?;
    Some(&rest[..end])
}
