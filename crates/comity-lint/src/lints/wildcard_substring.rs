use crate::prelude::*;

lint! {
    /// A star before a word makes the rule match other words that contain it.
    ///
    /// Write slashes around the word, so that it is the name of a directory: `*/foo/` for `*foo`.
    ///
    /// ## What it does
    ///
    /// With URLs of the site (`--sitemap`, `--urls`, `--log`), finds those that a pattern such as `*foo` blocks because
    /// another word contains `foo`.
    ///
    /// ## Why is this bad?
    ///
    /// `*foo` matches `/foo/`, but also `/petfood/`.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: *foo
    /// ```
    ///
    /// ```urls
    /// https://example.com/petfood/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: */foo/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: the meaning of a star
    /// - Portent, The Complete Guide to Robots.txt: wildcards match inside words
    "L018" "wildcard-substring", Warning, affects: "crawlers that understand `*`", needs_urls
}

/// The maximum number of pages that are examined for all rules together.
const MAX_PAGES: usize = 1_000_000;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.evidence.pages.is_empty() {
        return;
    }
    let mut looked_at = 0;
    for (line, _, value) in file.rules() {
        let Some(star) = value.iter().position(|b| *b == b'*') else { continue };
        let word = &value[star + 1..];
        let end = word.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(word.len());
        let (word, rest) = word.split_at(end);
        if word.len() < 2 || rest.first() == Some(&b'=') {
            continue;
        }
        looked_at += file.pages().len();
        if looked_at > MAX_PAGES {
            return out.bound("1,000,000 pages");
        }
        let inside = |page: &&&KnownPage| {
            let path = page.path().as_bytes();
            let at = path.windows(word.len()).position(|part| part == word);
            at.is_some_and(|at| at > 0 && path[at - 1].is_ascii_alphanumeric()) && file.forbids(line.number, page)
        };
        let hit: Vec<&KnownPage> = file.pages().iter().filter(inside).copied().collect();
        if hit.is_empty() {
            continue;
        }
        let message = format!("`{}` also matches {}", shown(value), evidence::describe(&hit));
        out.add(file.span(value), message).help(format!("`*/{}/` matches directories of that name", shown(word)));
    }
}
