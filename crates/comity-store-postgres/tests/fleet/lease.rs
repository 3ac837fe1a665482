//! Leases that are shorter than clients request, so that tests need not wait for long.

use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_fetch::StoredRecord;
use comity_fetch::store::{FetchKind, Lease, Saved, Store, StoreFuture, Stored, Ticket};
use comity_store_postgres::PostgresStore;

/// The span of leases in tests that wait for their end. A fetch takes some milliseconds.
pub(crate) const SHORT_LEASE: Duration = Duration::from_secs(3);

/// A store that grants leases for at most this span.
#[derive(Debug)]
pub(crate) struct Leased {
    store: Arc<PostgresStore>,
    max: Duration,
}

impl Leased {
    pub(crate) fn new(store: &Arc<PostgresStore>, max: Duration) -> Self {
        Self { store: Arc::clone(store), max }
    }
}

impl Store for Leased {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        self.store.load(origin)
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        self.store.begin(origin, span.min(self.max), kind)
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        self.store.complete(record, ticket)
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        self.store.abandon(ticket)
    }
}
