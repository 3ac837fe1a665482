//! A check that the committed bundle of the tester page is the result of building its sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::machine::Missing;
use crate::{described, packages, shell, target};

/// The oldest Node that builds the page and the npm package.
const NODE: (u32, u32) = (20, 19);

/// The folder of the bundle, which is embedded into the service.
const BUNDLE: &str = "crates/comity-server/page";

/// Returns a note if the page cannot be built here.
pub(crate) fn missing() -> Missing {
    node_missing().or_else(|| {
        Some(format!("its dependencies are missing: {INSTALL}")).filter(|_| !Path::new("web/node_modules").exists())
    })
}

/// Returns a note if there is no Node or npm, or only an older one.
pub(crate) fn node_missing() -> Missing {
    packages::missing("node").or_else(|| packages::missing("npm")).or_else(|| {
        let version = shell::output("node --version").unwrap_or_default();
        let (major, minor) = NODE;
        (number(&version) < NODE).then(|| format!("Node {major}.{minor} or newer builds it, found {}", version.trim()))
    })
}

/// Returns a note if the page cannot be tested in a browser here.
pub(crate) fn browser_missing() -> Missing {
    // `web/tests/browsers.mjs` starts either.
    missing().or_else(|| packages::missing("chromium").and_then(|_| packages::missing("chromium-headless-shell")))
}

/// The command that installs the dependencies of the page.
const INSTALL: &str = "npm --prefix web ci --no-audit --no-fund";

/// Returns a title and the command that installs the dependencies, if they are missing or old.
pub(crate) fn install() -> Option<(String, Vec<String>)> {
    let modified = |path: &str| fs::metadata(path).and_then(|found| found.modified()).ok();
    // npm writes this file last.
    let is_current = modified("web/node_modules/.package-lock.json") >= modified("web/package-lock.json");
    (!is_current)
        .then(|| ("the dependencies of web/package-lock.json, into web/node_modules".into(), vec![INSTALL.into()]))
}

/// Returns the command that tests the page in a browser, with the program that [`described::BUILD`] builds.
pub(crate) fn browser_tests() -> String {
    // Without scripts that run before it, which would build the program again, with other features.
    format!("COMITY={} npm --prefix web test --ignore-scripts", from_web(&described::program()))
}

/// Returns a path of the workspace as it is written in the folder of the page.
pub(crate) fn from_web(path: &Path) -> String {
    Path::new("..").join(path).display().to_string()
}

/// Builds the page, and compares it with the committed one.
pub(crate) fn check() -> Result<()> {
    shell::run("npm --prefix web run check")?;
    let folder = target::folder().join("page");
    shell::run(&format!("PAGE_OUT={} npm --prefix web run build", from_web(&folder)))?;
    let (fresh, committed) = (files(&folder)?, files(Path::new(BUNDLE))?);
    let differ = fresh.keys().chain(committed.keys()).filter(|name| fresh.get(*name) != committed.get(*name));
    let mut differ: Vec<String> = differ.map(|name| name.display().to_string()).collect();
    differ.sort();
    differ.dedup();
    ensure!(
        differ.is_empty(),
        "{BUNDLE} is not what web/ makes: {}; run `npm --prefix web run build`, and commit what it writes",
        differ.join(", ")
    );
    println!("{BUNDLE} is what web/ makes: {} files", committed.len());
    Ok(())
}

/// Returns the files in a folder by their relative paths.
pub(crate) fn files(root: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("{} can't be read", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(root)?.to_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

/// Parses `v20.19.5` as 20, 19.
fn number(version: &str) -> (u32, u32) {
    let mut parts = version.trim().trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node() {
        assert!(number("v18.20.4\n") < NODE);
        assert!(number("v20.19.0\n") >= NODE);
        assert!(number("v22.1.0") >= NODE);
        assert!(number("") < NODE);
    }
}
