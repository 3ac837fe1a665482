//! The Markdown of the pages: links that lead out of the site, and links into the tester.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::tries;
use crate::links::Repository;
use crate::page;

/// The page with the documentation of the crates, which is written for the site.
const API: &str = "api.md";

/// The folders with pictures and other files that pages show.
const SHOWN: [&str; 2] = ["docs/images", "docs/performance"];

/// Writes the pages that a table of contents lists, and the files that they show.
pub(super) fn write(to: &Path, summary: &str, api: &str, repository: Option<&Repository>) -> Result<()> {
    let pages: BTreeSet<&str> = targets(summary).collect();
    let unlisted = unlisted(&pages)?;
    ensure!(unlisted.is_empty(), "xtask/site/SUMMARY.md lacks {}", unlisted.join(", "));
    for path in &pages {
        let text = match *path {
            API => api.to_owned(),
            path => fs::read_to_string(path).with_context(|| path.to_owned())?,
        };
        let text = tries::add(&text, &up(path)).with_context(|| (*path).to_owned())?;
        save(&to.join(path), outward(&text, path, &pages, repository).as_bytes())?;
    }
    save(&to.join("SUMMARY.md"), summary.as_bytes())?;
    for folder in SHOWN {
        for (path, bytes) in page::files(Path::new(folder))? {
            if path.extension().is_some_and(|extension| extension == "png" || extension == "svg") {
                save(&to.join(folder).join(path), &bytes)?;
            }
        }
    }
    Ok(())
}

fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, bytes).with_context(|| path.display().to_string())
}

/// Returns the pages of `docs` that a table of contents does not list.
fn unlisted(pages: &BTreeSet<&str>) -> Result<Vec<String>> {
    let all = page::files(Path::new("docs"))?.into_keys().map(|path| Path::new("docs").join(path));
    let names = all.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    Ok(names.map(|path| path.display().to_string()).filter(|name| !pages.contains(&**name)).collect())
}

/// Returns the targets of the links in a table of contents.
fn targets(summary: &str) -> impl Iterator<Item = &str> {
    summary.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// Returns the path from a page to the root of the site: `../` for each folder.
fn up(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

/// Returns a page whose links to what is no page of the site lead to the repository. Without one, they are text.
fn outward(text: &str, page: &str, pages: &BTreeSet<&str>, repository: Option<&Repository>) -> String {
    let mut whole = String::with_capacity(text.len());
    for (nth, mut rest) in text.split("\n```").enumerate() {
        if nth > 0 {
            whole += "\n```";
        }
        // Between the first two fences is code, and so on.
        let is_code = nth % 2 == 1;
        while let (false, Some((before, after))) = (is_code, rest.split_once("](")) {
            let Some((target, after)) = after.split_once(')') else { break };
            whole += &link(before, target, page, pages, repository);
            rest = after;
        }
        whole += rest;
    }
    whole
}

/// Returns the text up to a link, and the link.
fn link(before: &str, target: &str, page: &str, pages: &BTreeSet<&str>, repository: Option<&Repository>) -> String {
    let same = format!("{before}]({target})");
    if target.contains("://") || target.starts_with('#') {
        return same;
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let found = resolve(Path::new(page), path).display().to_string();
    if pages.contains(&*found) {
        // mdBook makes `index.html` of a README, and does not change links to it.
        let Some(folder) = path.strip_suffix("README.md") else { return same };
        return format!("{before}]({folder}index.md{}{fragment})", if fragment.is_empty() { "" } else { "#" });
    }
    let is_shown = SHOWN.iter().any(|folder| found.starts_with(folder));
    // A link to no file is left for the check of the built site, which names it.
    if is_shown || (page == API && path.starts_with("api/")) || !Path::new(&found).exists() {
        return same;
    }
    if let Some(repository) = repository {
        return format!("{before}]({}/blob/main/{found})", repository.address);
    }
    let Some(start) = before.rfind('[') else { return same };
    format!("{}{}", &before[..start], &before[start + 1..])
}

/// Returns the path that a relative link of a page leads to, from the root of both.
pub(super) fn resolve(page: &Path, path: &str) -> PathBuf {
    let mut found = page.to_owned();
    found.pop();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::Normal(name) => found.push(name),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_site_lead_to_the_repository_or_are_text() {
        let pages = BTreeSet::from(["README.md", "docs/a.md"]);
        let text = "[A](a.md#x), [R](../README.md#y), [S\nx](../Cargo.toml), [N](../none.rs) and [W](https://a.example)\n```\n[S](../x.rs)\n```\n";
        let index = "[A](a.md#x), [R](../index.md#y), ";
        let rest = ", [N](../none.rs) and [W](https://a.example)\n```\n[S](../x.rs)\n```\n";
        assert_eq!(outward(text, "docs/a.md", &pages, None), format!("{index}S\nx{rest}"));
        let repository = Repository::parse("https://git.example/a/b").unwrap();
        let linked = format!("{index}[S\nx](https://git.example/a/b/blob/main/Cargo.toml){rest}");
        assert_eq!(outward(text, "docs/a.md", &pages, Some(&repository)), linked);
    }

    #[test]
    fn a_page_knows_the_way_to_the_root() {
        assert_eq!([up("README.md"), up("docs/a.md"), up("docs/lints/a.md")], ["", "../", "../../"]);
        assert_eq!(resolve(Path::new("docs/lints/a.md"), "../../crates/x/README.md"), Path::new("crates/x/README.md"));
    }
}
