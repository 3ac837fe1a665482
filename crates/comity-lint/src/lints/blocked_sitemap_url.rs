use std::collections::BTreeSet;

use crate::evidence::Seen;
use crate::prelude::*;

lint! {
    /// Pages of the sitemap are blocked for search engines.
    ///
    /// If the pages should be crawled, change the rule. If not, remove them from the sitemap.
    ///
    /// ## What it does
    ///
    /// With the site's sitemap (`--sitemap`), finds the rules that block its pages for Googlebot or bingbot.
    ///
    /// ## Why is this bad?
    ///
    /// The sitemap asks search engines to crawl these pages, and the robots.txt disallows it. One of the two is wrong.
    /// Search consoles report such pages as errors.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /news
    /// ```
    ///
    /// ```sitemap
    /// https://example.com/newsletter
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /news/
    /// ```
    ///
    /// ## Sources
    ///
    /// - Google Search Console help: submitted URL blocked by robots.txt
    "L047" "blocked-sitemap-url", Error, affects: "search engines", needs_urls
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut told = BTreeSet::new();
    for name in ["Googlebot", "bingbot"] {
        let pages = file.evidence.pages.iter().filter(|page| page.seen == Seen::Sitemap);
        for (line, hit) in file.blocked(name, pages).into_iter().filter(|(line, _)| told.insert(*line)) {
            out.add(
                file.record_span(line),
                format!("the sitemap lists {}, but {name} may not fetch it", evidence::describe(&hit)),
            );
        }
    }
}
