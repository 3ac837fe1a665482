//! What the library beneath says, in the store's words.

use std::io;

use comity::Escaped;
use redb::{CommitError, CompactionError, DatabaseError, StorageError, TableError, TransactionError};

use crate::store::error::{Kind, StoreError};

impl From<StorageError> for StoreError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => broken("it ends too early"),
            StorageError::Io(e) if e.kind() == io::ErrorKind::InvalidData => broken(&e),
            StorageError::Io(e) => Self::io("read or write", e),
            StorageError::PreviousIo | StorageError::DatabaseClosed => Self::new(Kind::Stopped),
            other => broken(&other),
        }
    }
}

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen => Self::new(Kind::Locked),
            DatabaseError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

impl From<TransactionError> for StoreError {
    fn from(error: TransactionError) -> Self {
        match error {
            TransactionError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

impl From<TableError> for StoreError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

impl From<CommitError> for StoreError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

impl From<CompactionError> for StoreError {
    fn from(error: CompactionError) -> Self {
        match error {
            CompactionError::Storage(error) => error.into(),
            other => broken(&other),
        }
    }
}

fn broken(what: &(impl ToString + ?Sized)) -> StoreError {
    StoreError::new(Kind::Broken(Escaped(what.to_string().as_bytes()).to_string()))
}
