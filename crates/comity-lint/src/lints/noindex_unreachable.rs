
use crate::diagnostic::Diagnostics;
use crate::evidence::{self, KnownPage};
use crate::file::File;
use crate::lint::lint;

lint! {
    /// Pages ask not to be indexed, and crawlers are kept from reading that.
    ///
    /// ## What it does
    ///
    /// With pages that say `noindex`, in a meta tag or a header (`--page`, or `--noindex FILE` for a list of them), finds the
    /// rules that block them for Googlebot.
    ///
    /// ## Why is this bad?
    ///
    /// A crawler that may not fetch a page can't see its `noindex`. If others link to it, its address is indexed all the
    /// same. To have it dropped, let it be fetched.
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
    "L021" "noindex-unreachable", Error, concerns: "search engines", needs_urls
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let mut pages: Vec<&KnownPage> = file.evidence.pages.iter().filter(|page| page.noindex).collect();
    if pages.is_empty() {
        return;
    }
    let Some(crawler) = file.crawler("Googlebot") else { return };
    let rules = file.robots.rules_for(&crawler);
    let line_of = |page: &&KnownPage| {
        let verdict = rules.check(page.path());
        if verdict.is_disallowed() { verdict.line() } else { None }
    };
    pages.sort_by_key(|page| line_of(page));
    for same in pages.chunk_by(|a, b| line_of(a) == line_of(b)) {
        let Some(line) = line_of(&same[0]) else { continue };
        let message = format!("nobody can see the `noindex` of {}: this rule blocks it", evidence::describe(same));
        out.add(line, file.said(line), message);
    }
}
