//! Files that packages are made of, with the modes that they will have.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};

/// The mode of a file in a package.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    Data = 0o644,
    Program = 0o755,
}

/// Writes a file with its mode, whatever the umask is, and the folders above it.
pub(crate) fn write(path: &Path, bytes: &[u8], mode: Mode) -> Result<()> {
    let written = || -> Result<()> {
        if let Some(folder) = path.parent() {
            create(folder)?;
        }
        fs::write(path, bytes)?;
        set_mode(path, mode as u32)
    };
    written().with_context(|| path.display().to_string())
}

/// Copies a file as [`write`] does.
pub(crate) fn copy(from: impl AsRef<Path>, to: &Path, mode: Mode) -> Result<()> {
    let from = from.as_ref();
    write(to, &fs::read(from).with_context(|| from.display().to_string())?, mode)
}

/// Creates a folder that everybody can read, and those above it.
fn create(folder: &Path) -> Result<()> {
    if folder.exists() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        create(above)?;
    }
    fs::create_dir(folder)?;
    set_mode(folder, 0o755)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it fails elsewhere")]
fn set_mode(_: &Path, _: u32) -> Result<()> {
    Ok(())
}

/// Compresses as `gzip -9n` does: without a name and a date.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    std::io::Write::write_all(&mut gzip, bytes)?;
    Ok(gzip.finish()?)
}

/// Returns the names and sizes of the files in a folder, sorted.
pub(crate) fn sizes(folder: &Path) -> Result<Vec<(String, u64)>> {
    let files = super::files(folder)?.into_iter();
    files.map(|file| Ok((file_name(&file), fs::metadata(&file)?.len()))).collect()
}

/// Returns the name of a file.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
