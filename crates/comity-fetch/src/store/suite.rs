//! The contract of stores, as tests. Requires the feature `store-suite`.
//!
//! Each function makes the checks of one part of the contract, each with a new store. A check that fails panics. They need a
//! tokio runtime with time, and should pass in both flavors.
//!
//! ```
//! use std::sync::Arc;
//! use comity_fetch::store::{MemoryStore, suite};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! suite::records(async || Arc::new(MemoryStore::new(64 << 20))).await;
//! # }
//! ```

#![allow(clippy::missing_panics_doc, reason = "these are tests")]

mod archive;
mod attempts;
mod journal;
mod leases;
mod records;

use std::pin::Pin;
use std::sync::Arc;

use comity_policy::StoredRecord;

use self::attempts::origin;
use super::{Saved, Store};

/// A store, shared by concurrent tasks.
type Shared = Arc<dyn Store>;
/// A check, given a new store.
type Check = for<'s> fn(&'s Shared) -> Pin<Box<dyn Future<Output = ()> + 's>>;

const URL: &str = "https://example.com/";
const DAY: u64 = 24 * 60 * 60;

/// Checks [`Store::load`] and [`Store::complete`], which every store implements.
pub async fn records<S: Store + 'static>(new_store: impl AsyncFnMut() -> Arc<S>) {
    run(records::CHECKS, new_store).await;
}

/// Checks [`Store::begin`] and [`Store::abandon`], of stores that clients share.
pub async fn leases<S: Store + 'static>(new_store: impl AsyncFnMut() -> Arc<S>) {
    run(leases::CHECKS, new_store).await;
}

/// Checks [`Store::archive`], of stores that have one.
pub async fn archive<S: Store + 'static>(new_store: impl AsyncFnMut() -> Arc<S>) {
    run(archive::CHECKS, new_store).await;
}

/// Checks [`Store::journal`], of stores that have one.
pub async fn journal<S: Store + 'static>(new_store: impl AsyncFnMut() -> Arc<S>) {
    run(journal::CHECKS, new_store).await;
}

async fn run<S: Store + 'static>(checks: &[Check], mut new_store: impl AsyncFnMut() -> Arc<S>) {
    for check in checks {
        let store: Shared = new_store().await;
        check(&store).await;
    }
}

async fn load(store: &Shared, url: &str) -> Option<StoredRecord> {
    store.load(&origin(url)).await.unwrap().map(|stored| stored.record)
}

async fn save(store: &Shared, record: &StoredRecord) {
    assert_eq!(store.complete(record, None).await.unwrap(), Saved::Kept);
}
