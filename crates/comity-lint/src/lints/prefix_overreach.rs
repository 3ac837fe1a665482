use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Bound;

use crate::prelude::*;
use crate::shadows::is_literal;

lint! {
    /// A rule for one directory also blocks pages with longer names that start in the same way.
    ///
    /// If only the directory is meant, end the rule with a slash. To block the page of the same name as well, add a
    /// rule that ends in `$`.
    ///
    /// ## What it does
    ///
    /// With URLs of the site (`--sitemap`, `--urls`, `--log`), finds those that a `Disallow` rule without a final slash
    /// blocks, and that have a longer name: `/admin` blocks `/administer-medication`. Without URLs, reports
    /// as notes: the code of a language without a slash (`/de`), if the file has that of another one with a slash (`/fr/`); the
    /// start of a word in the name of a sitemap (`/pro` beside `sitemap-products.xml`); and one or two letters, if all other
    /// directories have a slash.
    ///
    /// ## Why is this bad?
    ///
    /// A rule matches every path that starts with it. This is easily overlooked in a rule for a directory.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /admin
    /// ```
    ///
    /// ```urls
    /// https://example.com/administer-medication
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /admin$
    /// Disallow: /admin/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: matching is by prefix
    /// - Portent, The Complete Guide to Robots.txt: blocking more than was meant
    "L004" "prefix-overreach", Warning, affects: "every crawler"
}

/// The maximum number of pages that are examined for all rules together.
const MAX_PAGES: usize = 1_000_000;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.evidence.pages.is_empty() {
        return check_names(file, out);
    }
    let goes_on = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii();
    let mut looked_at = 0;
    for (line, value) in file.disallowed() {
        let is_name = value.len() > 1 && value.last().is_some_and(u8::is_ascii_alphanumeric);
        if !is_name || !is_literal(value) || looked_at > MAX_PAGES {
            continue;
        }
        let name = value.rsplit(|b| *b == b'/').next().unwrap_or(value);
        if name.iter().any(|b| matches!(b, b'.' | b'?' | b'=')) {
            continue;
        }
        let mut hit: Vec<&KnownPage> = Vec::new();
        for page in file.pages_under(value) {
            looked_at += 1;
            if page.path().as_bytes().get(value.len()).is_some_and(|b| goes_on(*b)) {
                hit.push(page);
            }
        }
        if hit.first().is_some_and(|page| file.forbids(line.number, page)) {
            let message = format!("`{}` also blocks {}", shown(value), evidence::describe(&hit));
            let (alone, under) = ([value, b"$"].concat(), [value, b"/"].concat());
            out.add(file.span(value), message)
                .unsafe_fix("block only the page and the directory", file.with_values(line.number, &[&alone, &under]));
        }
    }
    out.bound_if(looked_at > MAX_PAGES, "1,000,000 pages");
}

/// Finds names without a slash after them that are hardly meant as the start of other names: the code of a language beside
/// that of another one with a slash, the start of a word in the name of a sitemap, and one or two letters where all other
/// directories have a slash.
fn check_names(file: &File<'_>, out: &mut Diagnostics) {
    const LANGUAGES: &str = "ar cs da de el en es fi fr hu it ja ko nl pl pt ru sv tr zh";
    // Most patterns end in another character, which is looked at first.
    let is_name =
        |name: &[u8]| name.last().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(u8::is_ascii_alphabetic);
    let under_root = || file.disallowed().filter_map(|(line, value)| Some((line, value, value.strip_prefix(b"/")?)));
    let names = || under_root().filter(|(_, _, name)| is_name(name));
    let folders = || under_root().filter_map(|(_, _, name)| name.strip_suffix(b"/").filter(|name| is_name(name)));
    let is_language = |code: &[u8]| code.len() == 2 && is_in(LANGUAGES, code);
    let language = file
        .rules()
        .map(|(_, _, value)| value)
        .find(|value| matches!(value, [b'/', a, b, b'/', ..] if is_language(&[*a, *b])));
    // Asked once: a file may have thousands of names and of sitemaps.
    let is_only_short = LazyCell::new(|| names().all(|(_, _, name)| name.len() < 3) && folders().nth(2).is_some());
    let words = LazyCell::new(|| -> BTreeSet<&[u8]> {
        let last = |url: &'_ [u8]| url.len() - url.iter().rev().take_while(|byte| **byte != b'/').count();
        let files = file.sitemaps().map(|(_, url)| &url[last(url)..]);
        files.flat_map(|name| name.split(|byte| !byte.is_ascii_alphabetic())).collect()
    });
    for (line, value, name) in names() {
        let longer = (Bound::Excluded(name), Bound::Unbounded);
        let of_sitemaps = || {
            words
                .range::<[u8], _>(longer)
                .take_while(|word| word.starts_with(name))
                .find(|word| !is_in("sitemap sitemaps", word))
        };
        let hint = match language.filter(|_| is_language(name)) {
            Some(other) => format!("`{}` has a slash", shown(other)),
            None => match of_sitemaps() {
                Some(word) => format!("a sitemap is named after `{}`", shown(word)),
                None if name.len() < 3 && *is_only_short => "the other directories have a slash".to_owned(),
                None => continue,
            },
        };
        let message = format!("`{}` also blocks every path that starts with these letters; {hint}", shown(value));
        let (alone, under) = ([value, b"$"].concat(), [value, b"/"].concat());
        out.add(file.span(value), message)
            .severity(Severity::Note)
            .unsafe_fix("block only the page and the directory", file.with_values(line.number, &[&alone, &under]));
    }
}
