//! Where what is known of origins outlasts the program.
//!
//! A [`Store`] keeps one [`Record`] per origin: the last good copy, apart from how the last attempt ended. Beside it
//! stands the origin's history, so that one can see what its robots.txt said when. [`RedbStore`] keeps them in a file,
//! [`MemoryStore`] for as long as the program runs; [`export`] and [`import`] carry them from any store to any other.
//!
//! A store is a cache: to lose it costs fetches, and the last good copies of sites that don't answer just now. So its
//! rule is to say that something is damaged rather than to repair, or guess: a wrong copy would be worse than none, and
//! "nothing known" where there was something may be.

mod content;
mod entry;
mod error;
mod history;
mod memory;
mod redb;
mod report;
mod transfer;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use comity::Origin;
use comity_policy::{Event, Record, Time};

pub use self::redb::{RedbStore, catches_panics};
pub use content::{ContentHash, NotAHash};
pub use entry::Entry;
pub use error::StoreError;
pub use history::{MOST_BYTES, MOST_COPIES, MOST_OTHERS, Version, VersionCopy};
pub use memory::MemoryStore;
pub use report::{MOST_PROBLEMS, Problem, Report};
pub use transfer::{Imported, Refused, export, import};

/// What a [`Store`] answers, in time.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// What keeps records.
///
/// All may be called at once, from any number of tasks. A future that is dropped has either done its work, or does it
/// still, or does nothing: never half of it.
pub trait Store: fmt::Debug + Send + Sync {
    /// Returns the record that was saved last; `None` if there is none. If it can't be read as it was written, that is an
    /// [error](StoreError::is_damaged).
    ///
    /// The record comes with the body of its copy, which serde leaves out. Without it the copy counts for nothing: nothing
    /// is allowed, and the file is fetched at once.
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Record>>;

    /// Keeps a record in the place of the origin's last one, and enters what its last attempt found into the history.
    /// When this is ready, the record is as safe as the store can make it: on disk, that is, if it has one.
    fn save<'a>(&'a self, record: &'a Record) -> StoreFuture<'a, ()>;

    /// The history of an origin's robots.txt, the newest first; empty if nothing is known.
    fn versions<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Vec<Version>>;

    /// The bytes of a version; none if no record or history refers to them any more.
    fn body(&self, hash: ContentHash) -> StoreFuture<'_, Option<Arc<[u8]>>>;

    /// A page of the origins in the order of their texts: so many at most, all of them after this one. The last one's
    /// text leads to the next page; an empty page is the end.
    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> StoreFuture<'a, Vec<Summary>>;

    /// All that is kept of an origin, as it is at one moment; none if there is nothing.
    fn entry<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Entry>>;

    /// Puts entries in the place of what is known of their origins, history and all. One whose last attempt is not
    /// later than that of the record which is there is passed over. How many were not.
    fn restore(&self, entries: Vec<Entry>) -> StoreFuture<'_, u64>;

    /// Forgets. How many origins were forgotten.
    fn purge(&self, what: Purge) -> StoreFuture<'_, u64>;

    /// Looks at everything that is kept, and says what is wrong with it. Changes nothing.
    fn verify(&self) -> StoreFuture<'_, Report>;

    /// How much is kept.
    fn stats(&self) -> StoreFuture<'_, StoreStats>;
}

/// What to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purge {
    /// One origin.
    Origin(Origin),
    /// The origins whose last attempt ended before this moment, and those that had none.
    Before(Time),
    /// Everything.
    All,
}

/// What a list says of an origin. [`Store::load`] has the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Its text.
    pub origin: String,
    /// The name of the policy that was in force.
    pub policy: String,
    /// The last good copy: where it came from, how large it is, its hash.
    pub copy: Option<VersionCopy>,
    /// When the copy's bytes came.
    pub fetched: Option<Time>,
    /// When the site last said that the copy is still good.
    pub confirmed: Option<Time>,
    /// How the last attempt ended.
    pub event: Option<Event>,
    /// When the last attempt ended.
    pub ended: Option<Time>,
    /// Since when the file has been unreachable.
    pub failing_since: Option<Time>,
    /// How many attempts in a row have left it unreachable.
    pub failures: u32,
}

/// How much a store keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStats {
    /// Origins.
    pub origins: u64,
    /// Different contents of robots.txt files, those of earlier versions too.
    pub bodies: u64,
    /// Bytes of memory, or of disk, that all of it takes.
    pub bytes: u64,
}

impl Summary {
    pub(crate) fn of(record: &Record, copy: Option<VersionCopy>) -> Self {
        Self {
            origin: record.origin.clone(),
            policy: record.policy.clone(),
            fetched: record.copy.as_ref().map(|copy| copy.fetched),
            confirmed: record.copy.as_ref().map(|copy| copy.confirmed),
            copy,
            event: record.last.as_ref().map(|last| last.event),
            ended: record.last.as_ref().map(|last| last.ended),
            failing_since: record.failing_since,
            failures: record.failures,
        }
    }
}

impl Purge {
    /// Whether a record goes.
    fn takes(&self, origin: &str, ended: Option<Time>) -> bool {
        match self {
            Self::Origin(one) => one.to_string() == origin,
            Self::Before(moment) => ended.is_none_or(|ended| ended < *moment),
            Self::All => true,
        }
    }
}
