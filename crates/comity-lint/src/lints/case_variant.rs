use comity::RuleKind;

use crate::diagnostic::Diagnostics;
use crate::evidence::{self, KnownPage};
use crate::file::File;
use crate::text::shown;
use crate::lint::lint;
use crate::shadows::is_literal;

lint! {
    /// A rule does not block pages with paths that differ from it only in upper and lower case.
    ///
    /// Add a rule for the other spelling, or redirect these pages to the spelling of the rule.
    ///
    /// ## What it does
    ///
    /// With URLs of the site (`--sitemap`, `--urls`, `--log`), finds pages that are allowed, but that a `Disallow` rule
    /// would block if case did not matter.
    ///
    /// ## Why is this bad?
    ///
    /// Paths are case-sensitive: `/Private/` is not `/private/`. Many servers answer requests for both, and crawlers
    /// fetch the one that has a link.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/
    /// ```
    ///
    /// ```urls
    /// https://example.com/Private/plans.html
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /private/
    /// Disallow: /Private/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: paths are case-sensitive
    /// - Portent, The Complete Guide to Robots.txt: case matters
    "L007" "case-variant", Note, affects: "every crawler", needs_urls
}

/// The maximum number of pages that are examined for all rules together.
const MAX_PAGES: usize = 1_000_000;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.evidence.pages.is_empty() {
        return;
    }
    let mut pages: Vec<(Vec<u8>, &KnownPage)> =
        file.evidence.pages.iter().map(|page| (page.path().as_bytes().to_ascii_lowercase(), page)).collect();
    pages.sort_by(|a, b| a.0.cmp(&b.0));
    let mut looked_at = 0;
    for (line, kind, value) in file.rules() {
        if kind != RuleKind::Disallow || !is_literal(value) || value.iter().filter(|b| b.is_ascii_alphabetic()).count() < 3 {
            continue;
        }
        let start = value.to_ascii_lowercase();
        let from = pages.partition_point(|(path, _)| *path < start);
        let alike = pages[from..].iter().take_while(|(path, _)| path.starts_with(&start)).map(|(_, page)| *page);
        let is_missed = |page: &KnownPage| {
            !page.path().as_bytes().starts_with(value) && file.verdict(line.number, page).is_some_and(|verdict| verdict.is_allowed())
        };
        let alike: Vec<&KnownPage> = alike.take(MAX_PAGES.saturating_sub(looked_at)).collect();
        looked_at += alike.len();
        let missed: Vec<&KnownPage> = alike.into_iter().filter(|page| is_missed(page)).collect();
        if let Some(page) = missed.first() {
            let variant = &page.path().as_bytes()[..value.len()];
            let message = format!("`{}` does not block {}, which differs in case", shown(value), evidence::describe(&missed));
            out.add(line.number, file.span(value), message).unsafe_fix(
                format!("block `{}` too", shown(variant)),
                file.with_values(line.number, &[value, variant]),
            );
        }
    }
    if looked_at >= MAX_PAGES {
        out.bound("1,000,000 pages");
    }
}
