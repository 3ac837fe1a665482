//! The site: the documentation as pages, and the tester without a service below `try/`.
//!
//! mdBook makes the pages. Their Markdown keeps its places in the workspace, so links between pages are those that readers
//! of the repository follow; `pages` changes the others. Everything works below any path.

mod output;
mod pages;
mod tries;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::links::Repository;
use crate::machine::Missing;
use crate::tools::MDBOOK;
use crate::workspace::Workspace;
use crate::{page, setup, shell, target, tester};

/// The committed files of the site.
const FILES: &str = "xtask/site";

/// Returns a note if the site cannot be built here.
pub(crate) fn missing() -> Missing {
    MDBOOK.missing().or_else(tester::missing)
}

/// Returns a note if the site cannot be tested in a browser here.
pub(crate) fn browser_missing() -> Missing {
    missing().or_else(page::browser_missing)
}

/// Returns the folder of the built site.
fn built() -> PathBuf {
    target::folder().join("site/book")
}

/// Installs what is missing, builds the tester and the site, and checks the links of the site.
pub(crate) fn build() -> Result<()> {
    setup::for_site();
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    tester::build()?;
    build_with(&target::folder().join("doc"))
}

/// Builds the site with the tester that was built before, without the documentation of the crates, and checks its links.
pub(crate) fn build_pages() -> Result<()> {
    build_with(Path::new("none"))
}

/// Builds the site with the documentation in a folder, which may not exist.
fn build_with(docs: &Path) -> Result<()> {
    let folder = target::folder().join("site");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let repository = Repository::of_workspace()?;
    let source = folder.join("src");
    let summary = summary(&fs::read_to_string(Path::new(FILES).join("SUMMARY.md"))?)?;
    let api = api(docs)?;
    pages::write(&source, &summary, &api, repository.as_ref())?;
    let theme = folder.join("theme");
    fs::create_dir_all(&theme)?;
    for file in ["book.toml", "crawlers.js", "site.css", "site.js"] {
        fs::copy(Path::new(FILES).join(file), folder.join(file)).with_context(|| file.to_owned())?;
    }
    fs::copy(Path::new(FILES).join("header.hbs"), theme.join("header.hbs")).context("header.hbs")?;
    fs::copy("web/src/favicon.svg", theme.join("favicon.svg")).context("web/src/favicon.svg")?;
    let settings = repository.as_ref().map(settings).unwrap_or_default();
    shell::run(&format!("{settings} mdbook build {}", folder.display()))?;
    copy(&tester::folder(), &built().join("try"))?;
    if docs.exists() {
        copy(docs, &built().join("api"))?;
    }
    output::check(&built())
}

/// Returns settings of mdBook, as variables of the environment.
fn settings(repository: &Repository) -> String {
    format!(
        "MDBOOK_OUTPUT__HTML__SITE_URL=/{}/ MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL={}",
        repository.name, repository.address
    )
}

/// Returns the table of contents, with the lints in the order of their codes.
fn summary(text: &str) -> Result<String> {
    let index = fs::read_to_string("docs/lints/README.md")?;
    let rows = index.lines().filter_map(|line| line.strip_prefix("| [")?.split_once(')'));
    let lints: Vec<String> = rows.map(|(link, _)| format!("  - [{})", link.replace("](", "](docs/lints/"))).collect();
    ensure!(lints.len() > 50, "docs/lints/README.md: expected a row for each lint, found {}", lints.len());
    Ok(text.replace("LINTS", &lints.join("\n")))
}

/// Returns the page with the documentation of the crates: that of `cargo doc` if it is there, or that of docs.rs.
fn api(docs: &Path) -> Result<String> {
    let mut page = "# API\n\nThe documentation of the crates, with examples. [Python](docs/python.md) and \
                    [JavaScript](docs/javascript.md) have guides.\n\n| crate | contents |\n|---|---|\n"
        .to_owned();
    for package in Workspace::load()?.published() {
        let name = package.name();
        // Its library is that of the program alone.
        if name == "comity-cli" {
            continue;
        }
        let module = name.replace('-', "_");
        let is_there = docs.join(&module).join("index.html").exists();
        let address = if is_there { format!("api/{module}/index.html") } else { format!("https://docs.rs/{name}") };
        page += &format!("| [{name}]({address}) | {} |\n", package.field("description").unwrap_or_default());
    }
    Ok(page)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to).with_context(|| from.display().to_string())?;
        }
    }
    Ok(())
}

/// The report that the tests write.
pub(crate) const REPORT: &str = "target/site-tests.xml";

/// Returns the command that opens the site in browsers.
pub(crate) fn browser_tests() -> String {
    format!("SITE={} npm --prefix web run test-site", page::from_web(&built()))
}
