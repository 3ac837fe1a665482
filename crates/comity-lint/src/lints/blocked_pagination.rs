use comity::RuleKind;

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::lint::lint;
use crate::text::shown;

lint! {
    /// A rule blocks the second and later pages of all lists.
    ///
    /// Let crawlers fetch them. Each page has its own items, so it is no duplicate of the first one.
    ///
    /// ## What it does
    ///
    /// Finds the first `Disallow` rule for a parameter such as `page`, anywhere in the site and with any value.
    ///
    /// ## Why is this bad?
    ///
    /// Crawlers find the items of a long list by its pages. What only the later ones link is found late or never, unless a
    /// sitemap lists it.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*?page=
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*?sort=
    /// ```
    ///
    /// ## Sources
    ///
    /// - Google Search Central, Pagination, incremental page loading, and their impact on Google Search
    "L075" "blocked-pagination", Note, affects: "search engines"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // A site that is closed to all has no lists to crawl.
    if file.groups.iter().any(|group| group.is_for_any() && group.closes()) {
        return;
    }
    let is_found = |(_, kind, value): &(_, RuleKind, &[u8])| *kind == RuleKind::Disallow && is_pagination(value);
    if let Some((line, _, value)) = file.rules().find(is_found) {
        let message = format!("`{}` blocks the later pages of lists: what only they link is found late or never", shown(value));
        out.add(line.number, file.span(value), message);
    }
}

/// Returns true for the parameter of all pages, such as `/*?page=`.
fn is_pagination(value: &[u8]) -> bool {
    const NAMES: [&[u8]; 5] = [b"page", b"paged", b"pagina", b"seite", b"pg"];
    if !matches!(value, [b'*', ..] | [b'/', b'*', ..]) {
        return false;
    }
    let value = value.strip_suffix(b"*").unwrap_or(value);
    let Some(at) = value.iter().position(|byte| matches!(byte, b'?' | b'&')) else { return false };
    let name = value[at + 1..].strip_prefix(b"*").unwrap_or(&value[at + 1..]);
    let is_anywhere = matches!(&value[..at], b"/*" | b"*" | b"/*/");
    is_anywhere && name.strip_suffix(b"=").is_some_and(|name| NAMES.contains(&name))
}
