//! Permissions of the file and its folder: created for their owner alone, and refused if another user could have written the
//! file.
//!
//! A store decides what may be fetched, so a user that can write its file can allow everything.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::store::error::{Kind, StoreError};

/// Creates the folder if it is missing, with mode 0700 (XDG Base Directory Specification), and checks that it is not
/// writable by everyone.
pub(super) fn directory(directory: &Path) -> Result<(), StoreError> {
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
    Ok(())
}

/// Opens the file, or creates it with mode 0600. It is never reached through a symbolic link.
pub(super) fn file(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    unix::harden(&mut options);
    let failed = |error: io::Error| {
        if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
            return exposed("it is a symbolic link");
        }
        StoreError::io("open", error)
    };
    let file = options.open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(|e| StoreError::io("look at", e))?;
    if !metadata.is_file() {
        return Err(StoreError::new(Kind::Foreign));
    }
    #[cfg(unix)]
    unix::check_file(&file, &metadata)?;
    Ok(file)
}

fn exposed(why: &'static str) -> StoreError {
    StoreError::new(Kind::Exposed(why))
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
    use std::path::Path;

    use rustix::fs::OFlags;
    use rustix::process::geteuid;

    use super::exposed;
    use crate::store::error::StoreError;

    const OTHERS_MAY_WRITE: u32 = 0o002;
    /// In such a folder only owners may rename and delete files, as in `/tmp`.
    const STICKY: u32 = 0o1000;

    /// Sets flags to open neither a named pipe without its other end nor a symbolic link.
    pub(super) fn harden(options: &mut OpenOptions) {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }

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

    pub(super) fn check_folder(folder: &Metadata) -> Result<(), StoreError> {
        if folder.mode() & OTHERS_MAY_WRITE != 0 && folder.mode() & STICKY == 0 {
            return Err(exposed("every user may write to its directory"));
        }
        Ok(())
    }

    pub(super) fn check_file(file: &File, metadata: &Metadata) -> Result<(), StoreError> {
        if !is_ours(metadata) {
            return Err(exposed("it belongs to another user"));
        }
        if metadata.len() == 0 && metadata.mode() & 0o077 != 0 {
            // The file is empty, so this is as good as creating it now.
            let private = file.set_permissions(Permissions::from_mode(0o600));
            return private.map_err(|e| StoreError::io("protect", e));
        }
        if metadata.mode() & OTHERS_MAY_WRITE != 0 {
            return Err(exposed("every user may write to it"));
        }
        Ok(())
    }
}
