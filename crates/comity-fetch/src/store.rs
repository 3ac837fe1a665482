//! Persistent storage of fetched robots.txt files.
//!
//! A [`Store`] contains one [`StoredRecord`] per origin: the last good copy, and how the last attempt ended. [`SqliteStore`] keeps
//! records in a file that processes share, [`MemoryStore`] in memory; a store of your own needs two methods, [`Store::load`] and
//! [`Store::complete`]. One that several clients share has [leases](Store::begin) as well, so that an origin is fetched
//! once, whichever client is asked. The feature `store-suite` has tests of all of it, in the module `suite`, for stores of your own.
//!
//! A store may have an [`Archive`]: lists, earlier versions of each file, checks. [`export`] and [`import`] copy its
//! entries to any other archive.
//!
//! A store is a cache: losing it costs fetches, and the last good copies of sites that do not answer now. So a store
//! reports damage, and never repairs or guesses: a wrong copy is worse than none.

mod archive;
#[cfg_attr(not(feature = "sqlite"), allow(dead_code, reason = "the store in a file uses all of it"))]
mod content;
mod entry;
#[cfg_attr(not(feature = "sqlite"), allow(dead_code, reason = "the store in a file uses all of it"))]
mod error;
mod history;
mod journal;
mod lease;
mod memory;
mod report;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "store-suite")]
pub mod suite;
mod transfer;

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use comity::Origin;
use comity_policy::StoredRecord;

pub use archive::{Archive, Purge, StoreStats, Summary};
pub use content::{ContentHash, NotAHash};
pub use entry::{ArchiveEntry, check_record};
pub use error::StoreError;
pub use history::{MAX_COPIES, MAX_COPY_BYTES, MAX_OTHER_STATES, Version, VersionCopy, add_version};
pub use journal::{Journal, JournalChange, JournalEntry};
pub use lease::{FetchKind, Lease, Ticket};
pub use memory::MemoryStore;
pub use report::{MAX_PROBLEMS, VerifyProblem, VerifyReport};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use transfer::{Exported, Imported, Refused, export, import};

/// The future that a [`Store`] returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Storage for records, shared by any number of clients.
///
/// All methods may be called concurrently. A future that is dropped has either done its work, or still does it, or does
/// nothing: never half of it. A client waits for as long as a store takes, unless it has a [`patience`](Self::patience), so a
/// store on a network sets time limits of its own.
///
/// A store that only one client uses implements [`load`](Self::load) and [`complete`](Self::complete):
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use comity::Origin;
/// use comity_fetch::store::{Saved, Store, StoreFuture, Stored, Ticket};
/// use comity_policy::StoredRecord;
///
/// #[derive(Debug, Default)]
/// struct Simple(Mutex<HashMap<String, Stored>>);
///
/// impl Store for Simple {
///     fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>> {
///         Box::pin(async move { Ok(self.0.lock().unwrap().get(&origin.to_string()).cloned()) })
///     }
///
///     fn complete<'a>(&'a self, record: &'a StoredRecord, _: Option<&'a Ticket>) -> StoreFuture<'a, Saved> {
///         Box::pin(async move {
///             let mut records = self.0.lock().unwrap();
///             let revision = records.get(&record.origin).map_or(1, |stored| stored.revision + 1);
///             records.insert(record.origin.clone(), Stored::new(record.clone(), revision));
///             Ok(Saved::Kept)
///         })
///     }
/// }
/// ```
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns the stored record and its revision; `None` if there is none. A record that cannot be read as it was written
    /// is an [error](StoreError::is_damaged).
    ///
    /// The record contains the body of its copy. Without it, everything is disallowed, and the file is fetched at once.
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Stored>>;

    /// Requests the right to fetch an origin's file, for at most `span`. Defaults to always granting it.
    ///
    /// A shared store grants it to one client at a time. To others it is [`Lease::Held`] until the client
    /// [completes](Self::complete) or [abandons](Self::abandon) its fetch, or `span` has passed by the store's clock. If the
    /// kind is [`FetchKind::Due`], and [`StoredRecord::fresh_for`] has not passed since the record was completed, by the store's
    /// clock as well, it returns [`Lease::Fresh`]: another client has fetched meanwhile. If that clock was set back since, the
    /// record is due.
    fn begin<'a>(&'a self, origin: &'a Origin, span: Duration, kind: FetchKind) -> StoreFuture<'a, Lease> {
        let _ = (span, kind);
        Box::pin(async move { Ok(Lease::Granted(Ticket::random(origin))) })
    }

    /// Saves the result of a fetch, and ends its lease. When the future is ready, the record is as durable as the store can
    /// make it.
    ///
    /// With a ticket that is not the origin's current one, nothing is saved, and the stored record is returned: see
    /// [`Saved::Late`]. A lease that has run out is current until another one is granted. Without a ticket the last writer
    /// wins, and a lease of the origin ends: its holder will be late.
    fn complete<'a>(&'a self, record: &'a StoredRecord, ticket: Option<&'a Ticket>) -> StoreFuture<'a, Saved>;

    /// Ends a lease without a result. Ignores tickets that are not current. Defaults to doing nothing.
    fn abandon<'a>(&'a self, ticket: &'a Ticket) -> StoreFuture<'a, ()> {
        let _ = ticket;
        Box::pin(async { Ok(()) })
    }

    /// Renews a lease while its client fetches: it ends after `span` from now. Ignores tickets that are not current.
    /// Defaults to doing nothing, for stores that grant every lease; one that implements [`begin`](Self::begin) implements
    /// this as well, since a lease is short.
    fn renew<'a>(&'a self, ticket: &'a Ticket, span: Duration) -> StoreFuture<'a, ()> {
        let _ = (ticket, span);
        Box::pin(async { Ok(()) })
    }

    /// Returns the time for which a question waits for the store, in total. Defaults to `None`: for as long as the store
    /// takes.
    ///
    /// After that, the question continues as if the store had failed, and the operation continues without it. After three
    /// such waits in a row, the store counts as down for one second; then one question tries again.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Returns the part that lists, exports, verifies, purges and keeps history, if the store has one. Defaults to `None`.
    fn archive(&self) -> Option<&dyn Archive> {
        None
    }

    /// Returns the part that keeps the notes and entries of a watcher, if the store has one. Defaults to `None`.
    fn journal(&self) -> Option<&dyn Journal> {
        None
    }
}

/// A record as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stored {
    /// The record, with the body of its copy.
    pub record: StoredRecord,
    /// A number that changes whenever the origin's record is replaced.
    pub revision: u64,
}

impl Stored {
    /// Creates it from a record and its revision.
    pub fn new(record: StoredRecord, revision: u64) -> Self {
        Self { record, revision }
    }

    /// Creates it for an origin of which nothing is stored: the record of no attempt, with revision 0. It is what a store
    /// without a record returns for a late result.
    pub fn empty(origin: &Origin) -> Self {
        Self::new(StoredRecord::new(origin), 0)
    }
}

/// The result of [`Store::complete`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, clippy::large_enum_variant, reason = "a store has no third result; it is not kept")]
pub enum Saved {
    /// The record was saved.
    Kept,
    /// The lease had passed to another client, so the record was not saved. The caller discards its own result, and
    /// uses this stored record.
    Late(Stored),
}
