use std::collections::BTreeMap;

use crate::prelude::*;

lint! {
    /// The file names the same sitemap twice.
    ///
    /// Remove the second line, or correct its URL if another sitemap was meant.
    ///
    /// ## What it does
    ///
    /// Finds `Sitemap` lines with a URL that an earlier line also has.
    ///
    /// ## Why is this bad?
    ///
    /// It does no harm. But often the URL of another sitemap is missing.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Sitemap: https://example.com/sitemap.xml
    /// Sitemap: https://example.com/sitemap.xml
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
    "L058" "repeated-sitemap", Note, affects: "people who maintain the file"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut seen: BTreeMap<&[u8], u32> = BTreeMap::new();
    for (line, value) in file.sitemaps().filter(|(_, value)| !value.is_empty()) {
        let first = *seen.entry(value).or_insert(line.number);
        if first == line.number {
            continue;
        }
        let found = out.add(file.span(value), format!("line {first} already names `{}`", shown(value)));
        found.related(first, "the same sitemap");
        let group = |line| file.group_of(line).map(|group| group.group.index());
        if group(first) != group(line.number) {
            found.help("a sitemap is for all crawlers, whatever group its line is in");
        }
        if let Some(edits) = file.without_line(line.number) {
            found.safe("delete the line", edits);
        }
    }
}
