//! Real files, from the reference data.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result};

use super::Body;

/// Returns the folder of the reference data: `COMITY_SHARED`, or `shared` beside the project.
pub(super) fn shared() -> PathBuf {
    if let Some(folder) = std::env::var_os("COMITY_SHARED") {
        return folder.into();
    }
    // Packages in folders of `bench` include this file, too.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bench = package.ancestors().find(|folder| folder.ends_with("bench")).unwrap_or(package);
    bench.join("../../shared")
}

/// Returns all files, sorted by name, or `None` if the reference data is missing.
pub(super) fn load() -> Result<Option<Vec<Rc<Body>>>> {
    let Ok(folder) = shared().join("corpus").read_dir() else { return Ok(None) };
    let mut bodies = Vec::new();
    for entry in folder {
        let entry = entry?;
        let bytes = std::fs::read(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
        bodies.push(Body::new(entry.file_name().to_string_lossy(), bytes));
    }
    bodies.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((!bodies.is_empty()).then_some(bodies))
}
