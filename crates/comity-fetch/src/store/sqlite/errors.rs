//! Errors of SQLite as errors of the store.

use std::io;

use comity::Escaped;
use rusqlite::ErrorCode;

use crate::store::error::{Kind, StoreError};

/// An error within this module. It converts from SQLite's errors, which [`StoreError`] must not: they would be part of the
/// public API.
#[derive(Debug)]
pub(super) struct SqliteError(pub(super) StoreError);

impl From<StoreError> for SqliteError {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<SqliteError> for StoreError {
    fn from(error: SqliteError) -> Self {
        error.0
    }
}

impl From<rusqlite::Error> for SqliteError {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        Self(match code {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::new(Kind::Locked),
            Some(ErrorCode::DiskFull) => StoreError::io("write", io::ErrorKind::StorageFull.into()),
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport
                | ErrorCode::OutOfMemory
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure,
            ) => {
                // SQLite does not tell a quota or a limit on the size of files from a broken disk. The system does, and
                // after the failed call, SQLite makes no other in this thread that fails.
                let cause = StoreError::io("write", io::Error::last_os_error());
                if cause.is_full() {
                    return Self(cause);
                }
                // The text contains the path.
                StoreError::io("read or write", io::Error::other(Escaped(error.to_string().as_bytes()).to_string()))
            }
            // One that can only be read is never written to.
            Some(ErrorCode::ReadOnly) => broken("its header forbids to write it"),
            // Among them are names that its schema does not have.
            _ => broken(&error),
        })
    }
}

pub(super) fn broken(what: &(impl ToString + ?Sized)) -> StoreError {
    StoreError::new(Kind::Broken(Escaped(what.to_string().as_bytes()).to_string()))
}
