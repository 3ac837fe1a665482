use crate::prelude::*;

lint! {
    /// Pages have a `noindex` that search engines can't read, since a rule blocks these pages.
    ///
    /// To remove the pages from search results, delete the rule, so that crawlers can fetch them.
    ///
    /// ## What it does
    ///
    /// With pages that have `noindex`, in a meta tag or a header (`--page`, or `--noindex FILE` for a list of them),
    /// finds the rules that block them for Googlebot.
    ///
    /// ## Why is this bad?
    ///
    /// A crawler that may not fetch a page can't read its `noindex`. If other pages link to it, search engines may
    /// still list its address.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /thanks
    /// ```
    ///
    /// ```noindex
    /// https://example.com/thanks
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow:
    /// ```
    ///
    /// ## Sources
    ///
    /// - Google Search Central, Block Search indexing with noindex
    /// - Portent, The Complete Guide to Robots.txt: robots.txt and noindex
    "L021" "noindex-unreachable", Error, affects: "search engines", needs_urls
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, pages) in file.blocked("Googlebot", file.evidence.pages.iter().filter(|page| page.noindex)) {
        let message =
            format!("this rule keeps search engines from reading the `noindex` of {}", evidence::describe(&pages));
        out.add(file.record_span(line), message);
    }
}
