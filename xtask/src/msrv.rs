//! The minimum supported Rust version of each crate.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};

use crate::workspace::{Package, Workspace};

/// Checks that no crate has a direct or indirect dependency that needs a newer Rust than the crate's own
/// `rust-version`.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut errors = Vec::new();
    for package in workspace.published() {
        let promised = package.rust_version().with_context(|| format!("{} has no rust-version", package.name()))?;
        let tree = tree(workspace, package);
        for dependency in &tree {
            let Some(dependency) = workspace.package(dependency) else { continue };
            if let Some(needed) = dependency.rust_version().filter(|needed| numbers(needed) > numbers(promised)) {
                let (name, version) = (dependency.name(), dependency.version());
                errors.push(format!("{} promises Rust {promised}; {name} {version} needs {needed}", package.name()));
            }
        }
        println!("{}: Rust {promised}, {} dependencies", package.name(), tree.len());
    }
    ensure!(errors.is_empty(), "{}", errors.join("\n"));
    Ok(())
}

/// Returns the toolchains of all `rust-version` fields, with their crates.
pub(crate) fn toolchains(workspace: &Workspace) -> BTreeMap<String, Vec<&str>> {
    let mut toolchains = BTreeMap::<_, Vec<_>>::new();
    for package in workspace.published() {
        let Some(version) = package.rust_version() else { continue };
        let [major, minor, patch] = numbers(version);
        toolchains.entry(format!("{major}.{minor}.{patch}")).or_default().push(package.name());
    }
    toolchains
}

/// Returns the packages that compiling a package needs, without the package itself.
fn tree<'a>(workspace: &'a Workspace, package: Package<'a>) -> BTreeSet<&'a str> {
    let mut tree = BTreeSet::new();
    let mut open = vec![package.id()];
    while let Some(id) = open.pop() {
        open.extend(workspace.dependencies(id).into_iter().filter(|dependency| tree.insert(*dependency)));
    }
    tree
}

/// Parses `1.88` as 1, 88, 0.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(numbers("1.88"), numbers("1.88.0"));
        assert!(numbers("1.9") < numbers("1.88"));
        assert!(numbers("1.88.1") > numbers("1.88"));
        assert!(numbers("2") > numbers("1.88"));
    }
}
