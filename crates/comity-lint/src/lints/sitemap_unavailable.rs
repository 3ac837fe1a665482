use crate::prelude::*;

lint! {
    /// The file names a sitemap that can't be fetched or is not a sitemap.
    ///
    /// Correct its URL, or remove the line.
    ///
    /// ## What it does
    ///
    /// With `--fetch`, fetches the sitemaps that the file names, and those that they list. It reports those that are
    /// missing or can't be read.
    ///
    /// ## Why is this bad?
    ///
    /// Search engines find pages that are only in a sitemap late or never. If a sitemap was moved, only the search
    /// consoles show it.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Sitemap: https://example.com/sitemap_old.xml
    /// ```
    ///
    /// ```lost
    /// https://example.com/sitemap_old.xml answered 404
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
    /// - sitemaps.org, Protocol
    /// - Google Search Console help: sitemap errors
    "L052" "sitemap-unavailable", Error, affects: "search engines"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    /// The maximum number of findings for one line, since an index may list thousands of sitemaps.
    const MAX_FINDINGS_PER_LINE: usize = 5;
    let lost = &file.evidence.lost_sitemaps;
    if lost.is_empty() {
        return;
    }
    for (_, value) in file.sitemaps() {
        let of_line: Vec<_> = lost.iter().filter(|lost| lost.named.as_bytes() == value).collect();
        for (i, lost) in of_line.iter().enumerate().take(MAX_FINDINGS_PER_LINE) {
            let problem = comity::Escaped(lost.problem.as_bytes());
            let message = if lost.url.as_bytes() == value {
                format!("this sitemap can't be read: it {problem}")
            } else {
                format!("this index lists {}, which {problem}", comity::Escaped(lost.url.as_bytes()))
            };
            let found = out.add(file.span(value), message);
            let more = of_line.len().saturating_sub(MAX_FINDINGS_PER_LINE);
            if i + 1 == MAX_FINDINGS_PER_LINE && more > 0 {
                found.help(format!("{more} more sitemaps of this index can't be read"));
            }
        }
    }
}
