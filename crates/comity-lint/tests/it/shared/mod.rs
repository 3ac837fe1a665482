//! Access to the reference data, which is not part of the project, and repeated application of fixes.

#![allow(dead_code, reason = "no test uses all of it")]

use std::path::PathBuf;

use comity_lint::{Evidence, Linter, Safety};

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

/// Applies the safe fixes until none are left. A run that rewrites a rule does not delete others because of it, so a
/// second run may delete lines. More runs are rarely needed.
pub(crate) fn settled(linter: &Linter, evidence: &Evidence, body: &[u8]) -> Vec<u8> {
    let mut body = linter.fix(body, evidence, Safety::Safe).body;
    for _ in 0..4 {
        let again = linter.fix(&body, evidence, Safety::Safe);
        if again.body == body {
            assert_eq!(again.applied, 0, "what is applied changes the file");
            return body;
        }
        body = again.body;
    }
    panic!("there is always something left to fix: {}", body.escape_ascii());
}
