//! A store in memory.

mod contents;

use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use comity::Origin;
use comity_policy::StoredRecord;

use self::contents::{Contents, Kept};
use super::archive::{Archive, Purge, StoreStats, Summary};
use super::content::ContentHash;
use super::history::{self, Version, VersionCopy};
use super::lease::{FetchKind, Lease, Leases, Ticket};
use super::report::VerifyReport;
use super::{ArchiveEntry, Saved, Store, StoreError, StoreFuture, Stored, entry};
use crate::clock::Clock;

/// A store in memory, limited by bytes: the origins that were not used for longest are removed first. Clients in one process
/// may share it: it has leases.
///
/// ```
/// use comity::Origin;
/// use comity_fetch::store::{MemoryStore, Store};
/// use comity_policy::StoredRecord;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new(64 << 20);
/// let origin = Origin::of("https://example.com/")?;
/// store.complete(&StoredRecord::new(&origin), None).await?;
/// assert_eq!(store.load(&origin).await?.unwrap().record, StoredRecord::new(&origin));
/// # Ok(())
/// # }
/// ```
pub struct MemoryStore {
    max_bytes: usize,
    clock: Clock,
    contents: Mutex<(Contents, Leases)>,
}

impl MemoryStore {
    /// Creates a store with room for about `max_bytes`. The origin that was saved last is kept in any case.
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, clock: Clock::system(), contents: Mutex::default() }
    }

    /// Sets the clock that determines when records are due. Defaults to the system's. A test that sets the clock of a
    /// client must set the same clock here.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    fn lock(&self) -> MutexGuard<'_, (Contents, Leases)> {
        // Nothing below panics while it holds the lock.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move { Ok(self.lock().0.touch(origin.as_str()).map(Kept::stored)) })
    }

    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        Box::pin(async move {
            let (contents, leases) = &mut *self.lock();
            if kind == FetchKind::Due
                && let Some(kept) = contents.touch(origin.as_str())
                && kept.is_fresh(self.clock.now())
            {
                return Ok(Lease::Fresh(kept.stored()));
            }
            Ok(match leases.begin(origin, span) {
                Ok(ticket) => Lease::Granted(ticket),
                Err(until) => Lease::Held { until },
            })
        })
    }

    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
        Box::pin(async move {
            entry::check_record(record, ticket)?;
            let copy = VersionCopy::of(record);
            let (contents, leases) = &mut *self.lock();
            let kept = contents.get(&record.origin);
            if let Some(ticket) = ticket
                && !leases.completing(ticket)
            {
                return Ok(Saved::Late(kept.map_or_else(|| Stored::empty(ticket.origin()), Kept::stored)));
            }
            let mut versions = kept.map(|kept| kept.versions.clone()).unwrap_or_default();
            history::add_version(&mut versions, record, copy.as_ref());
            let bodies = record.copy.iter().map(|copy| Arc::clone(&copy.body)).collect();
            let due = record.fresh_for.map(|span| self.clock.now() + span);
            contents.put(ArchiveEntry { record: record.clone(), versions, bodies }, due, self.max_bytes);
            leases.end_all(&record.origin);
            Ok(Saved::Kept)
        })
    }

    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.lock().1.end(ticket);
            Ok(())
        })
    }

    fn renew<'a>(&'a self, ticket: &'a Ticket, span: Duration) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.lock().1.renew(ticket, span);
            Ok(())
        })
    }

    fn archive(&self) -> Option<&dyn Archive> {
        Some(self)
    }
}

impl Archive for MemoryStore {
    fn versions<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Vec<Version>> {
        Box::pin(async move {
            Ok(self.lock().0.touch(origin.as_str()).map(|kept| kept.versions.clone()).unwrap_or_default())
        })
    }

    fn body(&self, hash: ContentHash) -> StoreFuture<'_, Option<Arc<[u8]>>> {
        Box::pin(async move { Ok(self.lock().0.bodies.get(&hash).map(|body| Arc::clone(&body.bytes))) })
    }

    fn list<'a>(&'a self, after: Option<&'a str>, max: usize) -> StoreFuture<'a, Vec<Summary>> {
        Box::pin(async move {
            let start = after.map_or(Bound::Unbounded, Bound::Excluded);
            let contents = &self.lock().0;
            let page = contents.origins.range::<str, _>((start, Bound::Unbounded)).take(max);
            Ok(page.map(|(_, kept)| Summary::new(&kept.record, kept.copy.clone())).collect())
        })
    }

    fn entry<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<ArchiveEntry>> {
        Box::pin(async move {
            let contents = &self.lock().0;
            Ok(contents.origins.get(&origin.to_string()).map(|kept| {
                let hashes = entry::contents(kept.copy.as_ref(), &kept.versions);
                let bodies = hashes.iter().filter_map(|hash| contents.bodies.get(hash));
                ArchiveEntry {
                    record: kept.record.clone(),
                    versions: kept.versions.clone(),
                    bodies: bodies.map(|body| Arc::clone(&body.bytes)).collect(),
                }
            }))
        })
    }

    fn restore(&self, entries: Vec<ArchiveEntry>) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let entries: Vec<ArchiveEntry> =
                entries.into_iter().map(ArchiveEntry::checked).collect::<Result<_, StoreError>>()?;
            let (contents, leases) = &mut *self.lock();
            let mut taken = 0;
            for entry in entries {
                let kept = contents.get(&entry.record.origin).map(|kept| &kept.record);
                if kept.is_none_or(|kept| entry::is_later(&entry.record, kept)) {
                    // A fetch in progress is based on the earlier record.
                    leases.end_all(&entry.record.origin);
                    contents.put(entry, None, self.max_bytes);
                    taken += 1;
                }
            }
            Ok(taken)
        })
    }

    fn purge(&self, what: Purge) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let contents = &mut self.lock().0;
            let ended = |kept: &Kept| kept.record.last.as_ref().map(|last| last.ended);
            let gone = contents.origins.iter().filter(|(origin, kept)| what.includes(origin, ended(kept)));
            let gone: Vec<String> = gone.map(|(origin, _)| origin.clone()).collect();
            for origin in &gone {
                contents.remove(origin);
            }
            Ok(gone.len() as u64)
        })
    }

    fn verify(&self) -> StoreFuture<'_, VerifyReport> {
        Box::pin(async move {
            let contents = &self.lock().0;
            let (origins, bodies) = (contents.origins.len() as u64, contents.bodies.len() as u64);
            let mut report = VerifyReport::new(origins, bodies);
            for (hash, body) in &contents.bodies {
                if ContentHash::of(&body.bytes) != *hash {
                    report.add(None, Some(*hash), "is not what was stored");
                }
            }
            Ok(report)
        })
    }

    fn stats(&self) -> StoreFuture<'_, StoreStats> {
        Box::pin(async move {
            let contents = &self.lock().0;
            Ok(StoreStats {
                origins: contents.origins.len() as u64,
                bodies: contents.bodies.len() as u64,
                bytes: contents.bytes as u64,
            })
        })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contents = &self.lock().0;
        f.debug_struct("MemoryStore")
            .field("max_bytes", &self.max_bytes)
            .field("origins", &contents.origins.len())
            .field("bytes", &contents.bytes)
            .finish_non_exhaustive()
    }
}
