//! The stores, from outside: what each of them must do, and what the one on disk must survive.

use std::path::Path;
use std::sync::Arc;

use comity_fetch::store::{MemoryStore, RedbStore, Store};

mod attempts;
mod contract;
mod damage;
mod file;
mod full;
mod kill;
mod memory;
mod tampered;
mod transfer;

/// Puts the contract to every store: each test is a function of `contract`, which gets a new store.
macro_rules! contract {
    ($($test:ident)*) => {
        mod in_memory {
            $(#[tokio::test]
            async fn $test() {
                crate::contract::$test(&crate::memory_store()).await;
            })*
        }

        mod redb {
            $(#[tokio::test]
            async fn $test() {
                let directory = tempfile::tempdir().unwrap();
                crate::contract::$test(&crate::redb_store(directory.path())).await;
            })*
        }

        mod redb_among_threads {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let directory = tempfile::tempdir().unwrap();
                crate::contract::$test(&crate::redb_store(directory.path())).await;
            })*
        }
    };
}

contract! {
    knows_nothing_at_first
    loads_what_was_saved
    the_last_write_wins
    keeps_the_copy_apart_from_the_last_attempt
    remembers_what_stood_there_when
    a_record_saved_again_is_no_change
    a_copy_that_was_never_seen_here_has_a_version
    keeps_each_content_once
    a_history_has_so_many_copies
    a_history_has_so_many_bytes
    failures_push_no_copy_out
    forgets_what_it_is_told_to
    lists_by_pages
    serves_many_at_once
    bodies_of_all_sizes
    an_empty_file_is_a_file
    all_sorts_of_origins
    keeps_nothing_of_what_is_no_origin
    restores_what_is_later
    restores_nothing_that_is_incomplete
    callers_may_go_away
    remembers_as_simply_as_a_list
}

fn memory_store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new(256 << 20))
}

fn redb_store(directory: &Path) -> Arc<dyn Store> {
    Arc::new(RedbStore::open(directory).unwrap())
}
