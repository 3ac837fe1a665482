//! The stores, from outside: the contract of each, and damage to the one in a file.

use std::path::Path;
use std::sync::Arc;

use comity_fetch::store::{MemoryStore, SqliteStore, Store, StoreError, suite};
use comity_policy::StoredRecord;

#[path = "../../src/store/suite/attempts.rs"]
mod attempts;
mod clock;
mod damage;
mod file;
mod full;
mod kill;
mod memory;
mod processes;
mod read_only;
mod tampered;
mod transfer;

fn memory_store() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(256 << 20))
}

fn sqlite_store(directory: &Path) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(directory).unwrap())
}

/// Returns the record of a URL's origin.
async fn load(store: &dyn Store, url: &str) -> Result<Option<StoredRecord>, StoreError> {
    Ok(store.load(&attempts::origin(url)).await?.map(|stored| stored.record))
}

/// The store in memory has no journal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn journal() {
    assert!(memory_store().journal().is_none());
    let directory = tempfile::tempdir().unwrap();
    let mut number = 0;
    suite::journal(async || {
        number += 1;
        sqlite_store(&directory.path().join(number.to_string()))
    })
    .await;
    // What was written is there after the file was opened again, and is one of the tables that belong there.
    let store = sqlite_store(&directory.path().join("1"));
    assert!(store.journal().unwrap().notes(vec!["a".to_owned()]).await.unwrap()[0].is_some());
}

/// Runs each part of the contract with each store, and with SQLite in both flavors of runtime.
macro_rules! contract {
    ($($part:ident)*) => {
        mod in_memory {
            $(#[tokio::test]
            async fn $part() {
                crate::suite::$part(async || crate::memory_store()).await;
            })*
        }

        mod sqlite {
            $(#[tokio::test]
            async fn $part() {
                let directory = tempfile::tempdir().unwrap();
                let mut number = 0;
                crate::suite::$part(async || {
                    number += 1;
                    crate::sqlite_store(&directory.path().join(number.to_string()))
                }).await;
            })*
        }

        mod sqlite_among_threads {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $part() {
                let directory = tempfile::tempdir().unwrap();
                let mut number = 0;
                crate::suite::$part(async || {
                    number += 1;
                    crate::sqlite_store(&directory.path().join(number.to_string()))
                }).await;
            })*
        }
    };
}

contract! {
    records
    leases
    archive
}
