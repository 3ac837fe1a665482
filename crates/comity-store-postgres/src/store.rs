//! The store.

use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_fetch::store::{
    Archive, ArchiveEntry, ContentHash, FetchKind, Journal, JournalChange, JournalEntry, Lease, Purge, Saved, Store,
    StoreError, StoreFuture, StoreStats, Stored, Summary, Ticket, VerifyReport, Version,
};
use comity_fetch::{StoredRecord, Time};

use crate::archive::{Body, Entry, List, Load, Sizes, Versions};
use crate::connections::Connections;
use crate::failure;
use crate::journal::{Change, Entries, Newest, Notes, Trim};
use crate::lease::{Abandon, Begin, Renew};
use crate::options::PostgresOptions;
use crate::record::Complete;
use crate::restore::{Remove, Restore};
use crate::verify::Verify;

/// A store in a PostgreSQL database, shared by clients on any number of machines.
///
/// Leases and the freshness of records depend on the clock of the database only. Each operation is one transaction, and is
/// repeated if its connection was lost.
#[derive(Debug)]
pub struct PostgresStore(Connections);

impl PostgresStore {
    /// Creates a store. The first operation connects; [`connect`](Self::connect) does so now.
    ///
    /// # Errors
    ///
    /// If the certificate authorities cannot be used.
    pub fn new(options: PostgresOptions) -> Result<Self, StoreError> {
        Ok(Self(Connections::new(options)?))
    }

    /// Connects, and creates the tables or changes them to this version's, if necessary. A program that starts while the
    /// database is [down](Self::is_down) can go on: the first operation that reaches the database does the same.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached or refuses the user, or the tables are of a [newer](StoreError::is_newer) version.
    pub async fn connect(&self) -> Result<(), StoreError> {
        self.0.prepare().await
    }

    /// Returns true if an error is about a database that is down, or was too slow: it may work again later.
    pub fn is_down(error: &StoreError) -> bool {
        failure::is_down(error)
    }

    /// Returns the host, the port and the name of the database.
    pub fn address(&self) -> &str {
        self.0.address()
    }
}

impl Store for PostgresStore {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move { self.0.run(&Load(origin)).await })
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        Box::pin(async move { self.0.run(&Begin { ticket: &Ticket::random(origin), span, kind }).await })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        Box::pin(async move { self.0.run(&Complete { record, ticket }).await })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.0.run(&Abandon(ticket)).await })
    }

    fn renew<'a>(&'a self, ticket: &'a Ticket, span: Duration) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.0.run(&Renew { ticket, span }).await })
    }

    fn patience(&self) -> Option<Duration> {
        self.0.patience()
    }

    fn archive(&self) -> Option<&dyn Archive> {
        Some(self)
    }

    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

impl Journal for PostgresStore {
    fn notes(&self, names: Vec<String>) -> StoreFuture<'_, Vec<Option<String>>> {
        Box::pin(async move { self.0.run(&Notes(names)).await })
    }

    fn write(&self, change: JournalChange) -> StoreFuture<'_, ()> {
        Box::pin(async move { self.0.run(&Change(change)).await })
    }

    fn entries(&self, after: u64, max: usize) -> StoreFuture<'_, Vec<JournalEntry>> {
        Box::pin(async move { self.0.run(&Entries { after, max }).await })
    }

    fn newest(&self) -> StoreFuture<'_, u64> {
        Box::pin(self.0.run(&Newest))
    }

    fn trim(&self, before: Time, max: u64) -> StoreFuture<'_, u64> {
        Box::pin(async move { self.0.run(&Trim { before, max }).await })
    }
}

impl Archive for PostgresStore {
    fn versions<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Vec<Version>> {
        Box::pin(async move { self.0.run(&Versions(origin)).await })
    }

    fn body(&self, hash: ContentHash) -> StoreFuture<'_, Option<Arc<[u8]>>> {
        Box::pin(async move { self.0.run(&Body(hash)).await })
    }

    fn list<'a>(&'a self, after: Option<&'a str>, max: usize) -> StoreFuture<'a, Vec<Summary>> {
        Box::pin(async move { self.0.run(&List { after, max }).await })
    }

    fn entry<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<ArchiveEntry>> {
        Box::pin(async move { self.0.run(&Entry(origin)).await })
    }

    fn restore(&self, entries: Vec<ArchiveEntry>) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let checked = |entry: ArchiveEntry| ArchiveEntry::new(entry.record, entry.versions, entry.bodies);
            let entries = entries.into_iter().map(checked).collect::<Result<_, _>>()?;
            self.0.run(&Restore(entries)).await
        })
    }

    fn purge(&self, what: Purge) -> StoreFuture<'_, u64> {
        Box::pin(async move { self.0.run(&Remove(what)).await })
    }

    fn verify(&self) -> StoreFuture<'_, VerifyReport> {
        Box::pin(self.0.run(&Verify))
    }

    fn stats(&self) -> StoreFuture<'_, StoreStats> {
        Box::pin(self.0.run(&Sizes))
    }
}
