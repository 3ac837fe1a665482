
use crate::diagnostic::Diagnostics;
use crate::evidence::{self, KnownPage, Seen};
use crate::file::File;
use crate::lint::lint;

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
    let pages: Vec<&KnownPage> = file.evidence.pages.iter().filter(|page| page.seen == Seen::Sitemap).collect();
    if pages.is_empty() {
        return;
    }
    let mut told = Vec::new();
    for name in ["Googlebot", "bingbot"] {
        let Some(crawler) = file.crawler(name) else { continue };
        let rules = file.robots.rules_for(&crawler);
        let mut blocked: Vec<(u32, &KnownPage)> = Vec::new();
        for page in &pages {
            let verdict = rules.check(&page.url);
            if let Some(line) = verdict.line().filter(|_| verdict.is_disallowed()) {
                blocked.push((line, page));
            }
        }
        blocked.sort_by_key(|(line, _)| *line);
        for same in blocked.chunk_by(|a, b| a.0 == b.0) {
            let line = same[0].0;
            if !told.contains(&line) {
                told.push(line);
                let hit: Vec<&KnownPage> = same.iter().map(|(_, page)| *page).collect();
                out.add(line, file.record_span(line), format!("the sitemap lists {}, but {name} may not fetch it", evidence::describe(&hit)));
            }
        }
    }
}
