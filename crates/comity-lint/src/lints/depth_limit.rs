use crate::prelude::*;

lint! {
    /// A pattern of only stars and slashes matches all deep URLs, whatever their names are.
    ///
    /// Name the directories that are meant.
    ///
    /// ## What it does
    ///
    /// Finds patterns such as `/*/` and `/*/*/*/` that consist of stars and slashes alone, with two to five slashes.
    ///
    /// ## Why is this bad?
    ///
    /// Such a pattern matches every URL with at least this number of slashes, including
    /// consecutive slashes and those of the query. If pages
    /// with longer paths are added later, the rule blocks them, and nobody notices.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*/*/*/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /archive/*/print/
    /// ```
    ///
    /// ## Sources
    ///
    /// - Portent, The Complete Guide to Robots.txt: limiting the depth
    "L020" "depth-limit", Note, affects: "crawlers that understand `*`"
}

/// The maximum number of slashes. With more of them, the limit is meant, and few other URLs match.
const MAX_SLASHES: usize = 5;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (_, _, value) in file.rules() {
        let body = value.strip_suffix(b"$").unwrap_or(value);
        if !body.iter().all(|b| matches!(b, b'/' | b'*')) || !body.windows(2).any(|pair| pair == b"*/") {
            continue;
        }
        let slashes = body.split(|b| *b == b'/').count() - 1;
        if (2..=MAX_SLASHES).contains(&slashes) {
            out.add(file.span(value), format!("`{}` matches every URL with at least {slashes} slashes in its path and query, such as `/?to=/a/b/c`", shown(value)));
        }
    }
}
