//! A store that ends the process before or after one of its writes, as `kill -9` would.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use comity::Origin;
use comity_fetch::store::{
    Archive, FetchKind, Journal, JournalChange, JournalEntry, Lease, Saved, SqliteStore, Store, StoreFuture, Stored,
    Ticket,
};
use comity_fetch::{StoredRecord, Time};

#[derive(Debug)]
pub(crate) struct Deadly {
    store: SqliteStore,
    left: AtomicUsize,
}

impl Deadly {
    pub(crate) fn new(store: SqliteStore, left: usize) -> Self {
        Self { store, left: AtomicUsize::new(left) }
    }

    /// Ends the process at the chosen moment.
    fn step(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            std::process::abort();
        }
    }
}

impl Store for Deadly {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        self.store.load(origin)
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        self.store.begin(origin, span, kind)
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        Box::pin(async move {
            self.step();
            let saved = self.store.complete(record, ticket).await;
            self.step();
            saved
        })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        self.store.abandon(ticket)
    }

    fn renew<'a>(&'a self, ticket: &'a Ticket, span: Duration) -> StoreFuture<'a, ()> {
        self.store.renew(ticket, span)
    }

    fn archive(&self) -> Option<&dyn Archive> {
        self.store.archive()
    }

    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

impl Journal for Deadly {
    fn notes(&self, names: Vec<String>) -> StoreFuture<'_, Vec<Option<String>>> {
        Journal::notes(&self.store, names)
    }

    fn write(&self, change: JournalChange) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.step();
            let written = Journal::write(&self.store, change).await;
            self.step();
            written
        })
    }

    fn entries(&self, after: u64, max: usize) -> StoreFuture<'_, Vec<JournalEntry>> {
        Journal::entries(&self.store, after, max)
    }

    fn newest(&self) -> StoreFuture<'_, u64> {
        Journal::newest(&self.store)
    }

    fn trim(&self, before: Time, max: u64) -> StoreFuture<'_, u64> {
        Journal::trim(&self.store, before, max)
    }
}
