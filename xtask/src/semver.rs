//! A check of the public APIs against the last release, by cargo-semver-checks.

use anyhow::{Context, Result};

use crate::machine::Missing;
use crate::shell;
use crate::tools::SEMVER;

/// Returns the tag of the last release: `v` and a version. Before the first release there is none.
pub(crate) fn baseline() -> Option<String> {
    let tag = shell::output("git describe --tags --abbrev=0 --match v[0-9]*")?;
    Some(tag.trim().to_owned()).filter(|tag| !tag.is_empty())
}

/// Returns a note if the check cannot run.
pub(crate) fn missing() -> Missing {
    match baseline() {
        Some(_) => SEMVER.missing(),
        None => Some("there is no release to compare with".to_owned()),
    }
}

/// Fails if a crate's version does not allow the changes of its API since the last release.
pub(crate) fn check() -> Result<()> {
    let baseline = baseline().context("there is no release to compare with")?;
    shell::run(&format!("cargo semver-checks --workspace --all-features --baseline-rev {baseline}"))
}
