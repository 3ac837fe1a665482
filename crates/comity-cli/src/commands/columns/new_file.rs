//! A file that appears under its name when it is complete.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::{Builder, NamedTempFile};

use crate::input::file;

/// A new file. It has a temporary name in the same folder until it is kept, and is removed if it is not.
#[derive(Debug)]
pub(crate) struct NewFile {
    file: NamedTempFile,
    path: PathBuf,
}

impl NewFile {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = Builder::new();
        builder.prefix(".comity-").suffix(".tmp");
        // Temporary files are private by default; this one becomes an ordinary file, with the mask of the user.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder
            .tempfile_in(folder)
            .with_context(|| format!("{}: expected a folder that can be written to", file::name(folder)))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Gives the file its name. Replaces an older file.
    pub(crate) fn keep(self) -> Result<()> {
        let path = self.path;
        self.file.persist(&path).with_context(|| format!("{} could not be written", file::name(&path)))?;
        Ok(())
    }
}

impl io::Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        File::write(self.file.as_file_mut(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        File::flush(self.file.as_file_mut())
    }
}
