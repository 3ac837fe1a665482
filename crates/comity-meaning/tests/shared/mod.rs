//! The reference data that is kept beside the project, not in it.

use std::path::PathBuf;

/// A path in the folder that `COMITY_SHARED` names, `../shared` unless it is set. Says so when it is not there.
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
