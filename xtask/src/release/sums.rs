//! The checksums of all artifacts.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};

use super::tree::file_name;

/// The name of the file with the checksums, which `sha256sum --check` reads.
pub(crate) const NAME: &str = "SHA256SUMS";

/// Writes the checksums of all files in a folder.
pub(crate) fn write(folder: &Path) -> Result<()> {
    let mut text = String::new();
    for file in super::files(folder)?.iter().filter(|file| !file.ends_with(NAME)) {
        let bytes = fs::read(file).with_context(|| file.display().to_string())?;
        let _ = writeln!(text, "{}  {}", sha256(&bytes), file_name(file));
    }
    Ok(fs::write(folder.join(NAME), text)?)
}

/// Returns the checksum of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
