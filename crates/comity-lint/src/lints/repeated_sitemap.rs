use std::collections::BTreeMap;

use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A sitemap is listed twice.
    ///
    /// ## What it does
    ///
    /// Finds `Sitemap` lines whose URL an earlier line has already.
    ///
    /// ## Why is this bad?
    ///
    /// It does no harm. Mostly another sitemap was meant, and its URL was never filled in.
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
    "L058" "repeated-sitemap", Note, concerns: "whoever maintains the file"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut seen: BTreeMap<&[u8], u32> = BTreeMap::new();
    for line in &file.lines {
        let Content::Other { field: Field::Sitemap, value: value @ [_, ..], .. } = line.content else { continue };
        let first = *seen.entry(value).or_insert(line.number);
        if first == line.number {
            continue;
        }
        let found = out.add(line.number, file.span(value), format!("line {first} lists `{}` already", shown(value)));
        found.related(first, "the same sitemap");
        if let Some(edits) = file.without_line(line.number) {
            found.safe("delete the line", edits);
        }
    }
}
