//! Permissions of the files and their folder: created for their owner alone, and refused if another user could have written
//! them.
//!
//! A store decides what may be fetched, so a user that can write its files can allow everything. The files are only looked
//! at, and never opened: closing one would end the locks that another connection of this process has on it.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::store::error::{Kind, StoreError};

/// Creates the folder if it is missing, with mode 0700 (XDG Base Directory Specification), and checks that it is not
/// writable by everyone. Returns its path without symbolic links.
pub(super) fn directory(directory: &Path) -> Result<PathBuf, StoreError> {
    let failed = |error| StoreError::io("make the directory of", error);
    // A path without a parent is in the current folder.
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    #[cfg(unix)]
    unix::check_link(directory)?;
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(failed)?;
    #[cfg(unix)]
    unix::check_folder(&fs::metadata(directory).map_err(failed)?)?;
    // SQLite opens no path with a symbolic link in it. (Elsewhere, the result would be a path that it may not know.)
    if cfg!(unix) { directory.canonicalize() } else { std::path::absolute(directory) }.map_err(failed)
}

/// Checks a file, if it exists. It is never reached through a symbolic link.
pub(super) fn file(path: &Path) -> Result<Option<Metadata>, StoreError> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("look at", error)),
    };
    if metadata.is_symlink() {
        return Err(exposed("it is a symbolic link"));
    }
    if metadata.is_dir() {
        return Err(StoreError::io("open", io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        return Err(StoreError::new(Kind::Foreign));
    }
    #[cfg(unix)]
    unix::check_file(&metadata)?;
    Ok(Some(metadata))
}

/// Makes a file private that has just been created, and is empty.
pub(super) fn protect(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    unix::protect(path).map_err(|error| StoreError::io("protect", error))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Returns true if this process may not write to a file that exists, or not create others beside it.
pub(super) fn is_read_only(file: &Path) -> bool {
    #[cfg(unix)]
    return unix::is_read_only(file) || file.parent().is_some_and(unix::is_read_only);
    #[cfg(not(unix))]
    return fs::metadata(file).is_ok_and(|metadata| metadata.permissions().readonly());
}

fn exposed(why: &'static str) -> StoreError {
    StoreError::new(Kind::Exposed(why))
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Metadata, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    use rustix::fs::{Access, access};
    use rustix::process::geteuid;

    use super::exposed;
    use crate::store::error::StoreError;

    const OTHERS_MAY_WRITE: u32 = 0o002;

    fn is_ours(metadata: &Metadata) -> bool {
        metadata.uid() == geteuid().as_raw() || metadata.uid() == 0
    }

    /// Checks a symbolic link in place of the folder: its target must exist, and it must not belong to another user.
    pub(super) fn check_link(directory: &Path) -> Result<(), StoreError> {
        let Ok(link) = fs::symlink_metadata(directory) else { return Ok(()) };
        if link.is_symlink() && !is_ours(&link) {
            return Err(exposed("its directory is a symbolic link of another user"));
        }
        if link.is_symlink() && !directory.exists() {
            let error = io::Error::new(io::ErrorKind::NotFound, "it is a symbolic link that leads nowhere");
            return Err(StoreError::io("make the directory of", error));
        }
        Ok(())
    }

    /// Checks that not everyone may create files in the folder. A sticky one, such as `/tmp`, is refused as well: SQLite
    /// reads the files with `-wal` and `-journal` after the name, which anyone could put there.
    pub(super) fn check_folder(folder: &Metadata) -> Result<(), StoreError> {
        if folder.mode() & OTHERS_MAY_WRITE != 0 {
            return Err(exposed("every user may write to its directory"));
        }
        Ok(())
    }

    pub(super) fn check_file(metadata: &Metadata) -> Result<(), StoreError> {
        if !is_ours(metadata) {
            return Err(exposed("it belongs to another user"));
        }
        // What is in an empty file was written by nobody.
        if metadata.len() > 0 && metadata.mode() & OTHERS_MAY_WRITE != 0 {
            return Err(exposed("every user may write to it"));
        }
        Ok(())
    }

    pub(super) fn protect(path: &Path) -> io::Result<()> {
        fs::set_permissions(path, Permissions::from_mode(0o600))
    }

    pub(super) fn is_read_only(path: &Path) -> bool {
        access(path, Access::WRITE_OK).is_err()
    }
}
