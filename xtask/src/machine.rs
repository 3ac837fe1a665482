//! Checks for installed programs and files. Each function returns a note about what is missing, and how to get it.

use std::path::Path;

use crate::shell::output;

/// A note about what is missing for a step; `None` if nothing is.
pub(crate) type Missing = Option<String>;

/// Checks for `cargo NAME`, which the command `how` installs.
pub(crate) fn cargo_tool(name: &str, how: &str) -> Missing {
    match output(&format!("cargo {name} --version")) {
        Some(_) => None,
        None => Some(format!("`cargo {name}` is not there: {how}")),
    }
}

/// Checks for a toolchain in rustup's list. (Running `cargo +NAME` could install it.)
pub(crate) fn toolchain(name: &str) -> Missing {
    let list = output("rustup toolchain list").unwrap_or_default();
    let there = list
        .lines()
        .any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['-', ' ']) || rest.is_empty()));
    (!there).then(|| format!("Rust {name} is not there: rustup toolchain install {name}"))
}

/// Returns an installed target without an operating system.
pub(crate) fn bare_target() -> Option<String> {
    let list = output("rustup target list --installed").unwrap_or_default();
    list.lines().find(|target| target.contains("-none")).map(str::to_owned)
}

/// Checks for a file of the workspace.
pub(crate) fn file(path: &str) -> Missing {
    (!Path::new(path).exists()).then(|| format!("{path} is not there"))
}

/// Checks for the reference data that some tests compare with.
pub(crate) fn reference_data() -> Missing {
    let folder = std::env::var("COMITY_SHARED").unwrap_or_else(|_| "../shared".into());
    file(&folder).map(|missing| format!("{missing}; set COMITY_SHARED to the reference data"))
}
