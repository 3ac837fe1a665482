use crate::prelude::*;
use crate::recognize::records::only_read_by_google;

lint! {
    /// The file names no sitemap for search engines.
    ///
    /// Add a `Sitemap` line with the complete URL, anywhere in the file.
    ///
    /// ## What it does
    ///
    /// Finds files without a `Sitemap` line.
    ///
    /// ## Why is this bad?
    ///
    /// It is not a mistake. But every search engine finds a sitemap that robots.txt names, so that it need not be
    /// submitted to each of them.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Sitemap: https://example.com/sitemap.xml
    /// ```
    ///
    /// ## Sources
    ///
    /// - sitemaps.org, Protocol: specifying the location in robots.txt
    "L060" "no-sitemap", Note, affects: "search engines", opt_in
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.sitemaps().next().is_some() || file.groups.is_empty() {
        return;
    }
    let message = match only_read_by_google(file, &[Field::Sitemap]) {
        Some(line) => format!("the file names a sitemap only for Google, whose parser reads line {line}"),
        None => "the file names no sitemap".to_owned(),
    };
    out.add(file.record_span(1), message).help("add `Sitemap:` with the complete URL, anywhere in the file");
}
