//! The list of everything that the program is made of (SBOM), in the format `CycloneDX`: with versions, licenses and
//! checksums. The program itself contains a shorter list, which `cargo audit bin` reads.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::binary::without_machine_paths;
use super::{Release, no_machine_path};
use crate::shell;
use crate::workspace::Workspace;

/// The name of the files that cargo-cyclonedx writes: one beside each manifest of the workspace.
const TEMPORARY: &str = "comity-release-sbom";

/// Writes the list. Returns its path.
pub(crate) fn write(release: &Release) -> Result<PathBuf> {
    let line = format!(
        "SOURCE_DATE_EPOCH={} cargo cyclonedx --quiet --format json --spec-version 1.5 --all-features --target {} \
         --override-filename {TEMPORARY} --manifest-path crates/comity-cli/Cargo.toml",
        release.date, release.platform.target
    );
    let written = shell::run(&line);
    let text = fs::read_to_string(format!("crates/comity-cli/{TEMPORARY}.json"));
    for folder in Workspace::load()?.folders() {
        let _ = fs::remove_file(folder.join(format!("{TEMPORARY}.json")));
    }
    written?;
    let text = without_machine_paths(&text.context("cargo-cyclonedx wrote no list")?);
    no_machine_path("the list of dependencies", text.as_bytes())?;
    let list: Value = serde_json::from_str(&text).context("cargo-cyclonedx wrote no JSON")?;
    let components = list["components"].as_array().map_or(0, Vec::len);
    ensure!(components > 100, "expected all dependencies in the list, found {components}");
    ensure!(list["metadata"]["component"]["name"] == "comity-cli", "the list is not that of comity-cli");
    let path = release.artifact(&format!("{}.cdx.json", release.archive_name()));
    fs::write(&path, serde_json::to_string_pretty(&list)? + "\n").with_context(|| path.display().to_string())?;
    Ok(path)
}
