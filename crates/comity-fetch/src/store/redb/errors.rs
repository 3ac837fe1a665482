//! Errors of redb as errors of the store.

use std::io;

use comity::Escaped;
use redb::{CommitError, CompactionError, DatabaseError, StorageError, TableError, TransactionError};

use crate::store::error::{Kind, StoreError};

/// An error within this module. It converts from redb's errors, which [`StoreError`] must not: they would be part of the
/// public API.
#[derive(Debug)]
pub(super) struct RedbError(pub(super) StoreError);

impl From<StoreError> for RedbError {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<RedbError> for StoreError {
    fn from(error: RedbError) -> Self {
        error.0
    }
}

impl From<StorageError> for RedbError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => broken("it ends too early"),
            StorageError::Io(e) if e.kind() == io::ErrorKind::InvalidData => broken(&e),
            StorageError::Io(e) => StoreError::io("read or write", e).into(),
            StorageError::PreviousIo | StorageError::DatabaseClosed => StoreError::new(Kind::Stopped).into(),
            other => broken(&other),
        }
    }
}

impl From<DatabaseError> for RedbError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen => StoreError::new(Kind::Locked).into(),
            DatabaseError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

impl From<TransactionError> for RedbError {
    fn from(error: TransactionError) -> Self {
        match error {
            TransactionError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

impl From<TableError> for RedbError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

impl From<CommitError> for RedbError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

impl From<CompactionError> for RedbError {
    fn from(error: CompactionError) -> Self {
        match error {
            CompactionError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

fn broken(what: &(impl ToString + ?Sized)) -> RedbError {
    StoreError::new(Kind::Broken(Escaped(what.to_string().as_bytes()).to_string())).into()
}
