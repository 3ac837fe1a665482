//! A check of the links between the files of the built site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::pages;
use crate::page;

/// The folders with pages that other programs make, and check.
const OTHERS: [&str; 2] = ["api", "try"];

/// Fails if a link leads to a file or a place that does not exist.
pub(super) fn check(site: &Path) -> Result<()> {
    let files = page::files(site)?;
    let mut count = 0;
    let mut places: BTreeMap<&Path, BTreeSet<String>> = BTreeMap::new();
    let mut pages = Vec::new();
    for (path, bytes) in &files {
        let is_other = OTHERS.iter().any(|folder| path.starts_with(folder));
        if path.extension().is_some_and(|extension| extension == "html") && !is_other {
            let text = String::from_utf8_lossy(bytes);
            places.insert(path, values(&text, "id").map(decoded).collect());
            pages.push((path, text));
        }
    }
    let mut broken = Vec::new();
    for (page, text) in &pages {
        // It is shown at any address, so its links begin with the path of the site.
        if page.as_path() == Path::new("404.html") {
            continue;
        }
        for link in values(text, "href").chain(values(text, "src")) {
            if link.contains(':') || link.starts_with("//") {
                continue;
            }
            count += 1;
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let target = resolve(page, path.split('?').next().unwrap_or_default());
            if !files.contains_key(&target) {
                broken.push(format!("{}: {link}: there is no {}", page.display(), target.display()));
            } else if let (Some(places), false) = (places.get(&*target), place.is_empty())
                && !places.contains(&decoded(place))
            {
                broken.push(format!("{}: {link}: no place has this name", page.display()));
            }
        }
    }
    ensure!(broken.is_empty(), "{} of {count} links lead nowhere:\n{}", broken.len(), broken.join("\n"));
    ensure!(count > 1_000, "expected the links of the whole site, found {count}");
    println!("{} pages, {count} links within the site", pages.len());
    Ok(())
}

/// Returns the values of an attribute in all tags.
fn values<'t>(html: &'t str, attribute: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {attribute}=\"");
    let parts = html.match_indices(&start).map(|(at, found)| at + found.len()).collect::<Vec<_>>();
    parts.into_iter().filter_map(move |at| html[at..].split('"').next())
}

/// Returns the file that a relative link of a page leads to.
fn resolve(page: &Path, path: &str) -> PathBuf {
    if path.is_empty() {
        return page.to_owned();
    }
    let mut found = pages::resolve(page, path);
    if path.ends_with('/') || path == "." {
        found.push("index.html");
    }
    found
}

/// Returns a name without entities and escapes.
fn decoded(text: impl AsRef<str>) -> String {
    let text = text.as_ref().replace("&amp;", "&");
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let escaped = (*first == b'%').then(|| others.get(..2)).flatten();
        let byte = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &others[2..] } else { others };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_as_browsers_do() {
        let page = Path::new("docs/lints/a.html");
        assert_eq!(resolve(page, "b.html"), Path::new("docs/lints/b.html"));
        assert_eq!(resolve(page, "../../try/"), Path::new("try/index.html"));
        assert_eq!(resolve(page, ""), page);
        let html = "<a href=\"b.html#x\">b</a><p id=\"caf%C3%A9\">";
        assert_eq!(values(html, "href").collect::<Vec<_>>(), ["b.html#x"]);
        assert_eq!(values(html, "id").map(decoded).collect::<Vec<_>>(), ["café"]);
    }
}
