//! Access to the reference data, which is not part of the project.

use std::path::PathBuf;

/// Returns a path in the folder that `COMITY_SHARED` names, which defaults to `../shared`. Prints a message if there is
/// none.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let shared = root.join(std::env::var_os("COMITY_SHARED").unwrap_or_else(|| "../shared".into()));
    let path = shared.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there; set COMITY_SHARED to the reference data", path.display());
    None
}
