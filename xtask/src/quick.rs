//! The checks and tests while one works: of the crates that differ from the main branch, without a network.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::run::{Options, Run, Step, Work};
use crate::test::tests;
use crate::workspace::Workspace;
use crate::{prose, shell};

/// The branches with which the work is compared: the first that is there.
const MAIN: [&str; 2] = ["origin/main", "main"];

/// The variables of builds while one works: the same crates are built again and again.
const WORKING: &str = "CARGO_NET_OFFLINE=true CARGO_INCREMENTAL=1 ";

/// Runs the checks and tests. Returns true if none failed.
pub(crate) fn run() -> Result<bool> {
    let workspace = Workspace::load()?;
    let changed = changed_files()?;
    let folders = workspace.members().filter_map(|package| {
        let folder = package.folder().strip_prefix(std::path::absolute(".").ok()?).ok()?;
        Some((folder.to_owned(), package.name().to_owned()))
    });
    let folders: Vec<_> = folders.collect();
    let names: BTreeSet<&str> = changed.iter().filter_map(|file| package(&folders, Path::new(file))).collect();
    let (options, mut run) = (Options::default(), Run::new());
    run.step(Step::new("format", None, Work::commands(["cargo fmt --all --check"])), &options);
    run.step(Step::new("words", None, Work::check(prose::check)), &options);
    if names.is_empty() {
        println!("No crate differs from the main branch.\n");
    } else {
        let selection: Vec<&str> = names.into_iter().collect();
        let selection = format!("-p {} --all-features", selection.join(" -p "));
        let clippy = format!("{WORKING}cargo clippy {selection} --all-targets -- -D warnings");
        run.step(Step::new("lints", None, Work::commands([&*clippy])), &options);
        run.step(Step::new("tests", None, tests(WORKING, &selection)), &options);
    }
    run.finish(&options)
}

/// Returns the crate in whose folder a file is: the innermost one.
fn package<'a>(folders: &'a [(std::path::PathBuf, String)], file: &Path) -> Option<&'a str> {
    let holders = folders.iter().filter(|(folder, _)| file.starts_with(folder));
    holders.max_by_key(|(folder, _)| folder.components().count()).map(|(_, name)| &**name)
}

/// Returns the files that differ from where this branch left the main one, committed or not.
fn changed_files() -> Result<Vec<String>> {
    let base = MAIN.iter().find_map(|branch| shell::output(&format!("git merge-base HEAD {branch}")));
    let base = base.with_context(|| format!("expected a branch named {}, found none", MAIN.join(" or ")))?;
    let base = base.trim();
    ensure!(!base.is_empty(), "`git merge-base` printed nothing");
    let tracked = shell::output(&format!("git diff --name-only {base}")).context("`git diff` failed")?;
    let new = shell::output("git ls-files --others --exclude-standard").context("`git ls-files` failed")?;
    Ok(tracked.lines().chain(new.lines()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::package;

    #[test]
    fn a_file_belongs_to_the_innermost_crate() {
        let folders = [("python", "comity-python"), ("python/client", "comity-python-client"), ("xtask", "xtask")];
        let folders = folders.map(|(folder, name)| (folder.into(), name.to_owned()));
        assert_eq!(package(&folders, Path::new("python/client/src/lib.rs")), Some("comity-python-client"));
        assert_eq!(package(&folders, Path::new("python/src/lib.rs")), Some("comity-python"));
        assert_eq!(package(&folders, Path::new("pythonic/lib.rs")), None);
        assert_eq!(package(&folders, Path::new("README.md")), None);
    }
}
