//! Whether the crates can be published: each is packed, and built from what was packed.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::shell;
use crate::workspace::Workspace;

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let names: Vec<&str> = workspace.published().iter().map(|package| package.name()).collect();
    let packages = names.join(" -p ");
    if forget_unpacked(&names)? {
        // What was compiled of them is thought to be good for ever, too.
        shell::run(&format!("cargo clean -p {packages}"))?;
    }
    shell::run(&format!("cargo package --allow-dirty --all-features -p {packages}"))
}

/// Cargo unpacks crates that need each other out of a registry of the moment, and keeps them for good by name, version
/// and the folder it was in. The next time, in the same folder, it would build with yesterday's. Whether there were any.
fn forget_unpacked(names: &[&str]) -> Result<bool> {
    let mut were_any = false;
    let Some(home) = cargo_home() else { return Ok(false) };
    let Ok(registries) = fs::read_dir(home.join("registry/src")) else { return Ok(false) };
    for registry in registries {
        let registry = registry?;
        // A registry that is a folder has no host before the hash.
        if !registry.file_name().to_string_lossy().starts_with('-') {
            continue;
        }
        for unpacked in fs::read_dir(registry.path())? {
            let unpacked = unpacked?;
            let folder = unpacked.file_name();
            let is_ours = |name: &&str| {
                let version = folder.to_str().and_then(|folder| folder.strip_prefix(name)?.strip_prefix('-'));
                version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
            };
            if names.iter().any(is_ours) {
                fs::remove_dir_all(unpacked.path()).with_context(|| unpacked.path().display().to_string())?;
                were_any = true;
            }
        }
    }
    Ok(were_any)
}

fn cargo_home() -> Option<PathBuf> {
    let home = || std::env::home_dir().map(|home| home.join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}
