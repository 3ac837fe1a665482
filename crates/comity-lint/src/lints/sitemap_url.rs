use comity::{Content, Field};

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A sitemap's address is not a whole URL.
    ///
    /// ## What it does
    ///
    /// Finds `Sitemap` lines that name no URL with `http:` or `https:`, nothing at all, or several at once.
    ///
    /// ## Why is this bad?
    ///
    /// A sitemap is named by its whole URL, since it may lie on another host. Google and Yandex ignore relative ones.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Sitemap: /sitemap.xml
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
    /// - Google, How Google interprets the robots.txt specification: sitemap
    "L026" "sitemap-url", Warning, concerns: "search engines"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for line in &file.lines {
        let Content::Other { field: Field::Sitemap, value, .. } = line.content else { continue };
        if line.missing_colon {
            continue;
        }
        let has_scheme = |scheme: &str| {
            value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes())) && value.len() > scheme.len()
        };
        let message = if value.is_empty() {
            "the address of the sitemap is missing".to_owned()
        } else if !has_scheme("http://") && !has_scheme("https://") {
            format!("`{}` is no whole URL: it must start with https:// and the host", shown(value))
        } else if value.iter().any(|b| matches!(b, b' ' | b'\t')) {
            format!("`{}` holds white space, which no URL does: one sitemap a line", shown(value))
        } else {
            continue;
        };
        out.add(line.number, file.value(line.number), message);
    }
}
