use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::lint;

lint! {
    /// The file lists no sitemap.
    ///
    /// ## What it does
    ///
    /// Finds files without a `Sitemap` line.
    ///
    /// ## Why is this bad?
    ///
    /// It is no mistake. A sitemap that is listed here is found by every search engine, without being submitted to each.
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
    "L060" "no-sitemap", Note, concerns: "search engines", opt_in
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let has_any = file.lines.iter().any(|line| matches!(line.content, Content::Other { field: Field::Sitemap, .. }));
    if !has_any && !file.groups.is_empty() {
        out.add(1, file.said(1), "no sitemap is listed").help("add `Sitemap:` with the whole URL, anywhere in the file");
    }
}
