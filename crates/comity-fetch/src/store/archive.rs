//! The part of a store that lists, exports, verifies, purges and keeps history.

use std::fmt;
use std::sync::Arc;

use comity::Origin;
use comity_policy::{Event, StoredRecord, Time};

use super::StoreFuture;
use super::content::ContentHash;
use super::entry::ArchiveEntry;
use super::error::StoreError;
use super::history::{Version, VersionCopy};
use super::report::VerifyReport;

/// The part of a [`Store`](super::Store) that lists, exports, verifies, purges and keeps history.
///
/// Each completed record adds a version to its origin's history, as [`add_version`](super::add_version) does.
pub trait Archive: fmt::Debug + Send + Sync {
    /// Returns the history of an origin's robots.txt, newest first; empty if nothing is stored.
    fn versions<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Vec<Version>>;

    /// Returns the bytes of a version; `None` if no record or history refers to them any more.
    fn body(&self, hash: ContentHash) -> StoreFuture<'_, Option<Arc<[u8]>>>;

    /// Returns a page of the origins, ordered by their texts: at most `max`, all of them after `after`. The last one's text
    /// leads to the next page; an empty page is the end. A record that is damaged is in the page, with its
    /// [damage](Summary::damage).
    fn list<'a>(&'a self, after: Option<&'a str>, max: usize) -> StoreFuture<'a, Vec<Summary>>;

    /// Returns all that is stored of an origin, as of one moment; `None` if there is nothing.
    fn entry<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<ArchiveEntry>>;

    /// Replaces the stored data of the entries' origins, history included. Skips an entry if its last attempt is not
    /// later than that of the stored record. Returns the number of entries that were not skipped.
    fn restore(&self, entries: Vec<ArchiveEntry>) -> StoreFuture<'_, u64>;

    /// Removes origins. Returns their number.
    fn purge(&self, what: Purge) -> StoreFuture<'_, u64>;

    /// Checks everything that is stored, and reports the problems. Changes nothing.
    fn verify(&self) -> StoreFuture<'_, VerifyReport>;

    /// Returns the size of the stored data.
    fn stats(&self) -> StoreFuture<'_, StoreStats>;
}

/// The origins to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purge {
    /// One origin.
    Origin(Origin),
    /// The origins with a last attempt that ended before this time, and those without an attempt.
    Before(Time),
    /// All origins.
    All,
}

/// An origin in a list. [`Store::load`](super::Store::load) returns the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The text of the origin.
    pub origin: String,
    /// The name of the policy that was in force.
    pub policy: String,
    /// The last good copy: its source, size and hash.
    pub copy: Option<VersionCopy>,
    /// The time when the copy's bytes were received.
    pub fetched: Option<Time>,
    /// The time when the site last confirmed the copy.
    pub confirmed: Option<Time>,
    /// The result of the last attempt.
    pub event: Option<Event>,
    /// The time when the last attempt ended.
    pub ended: Option<Time>,
    /// The time since which the file has been unreachable.
    pub failing_since: Option<Time>,
    /// The number of attempts in a row that left it unreachable.
    pub failures: u32,
    /// The name of the damage, if the record is not as it was written. Then, all fields but the origin are empty.
    pub damage: Option<String>,
}

/// The size of an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStats {
    /// The number of origins.
    pub origins: u64,
    /// The number of different contents of robots.txt files, earlier versions included.
    pub bodies: u64,
    /// The number of bytes of memory or disk in use.
    pub bytes: u64,
}

impl StoreStats {
    /// Creates the statistics from the number of origins, of different contents, and of bytes.
    pub fn new(origins: u64, bodies: u64, bytes: u64) -> Self {
        Self { origins, bodies, bytes }
    }
}

impl Summary {
    /// Creates the summary of a record. `copy` is [`VersionCopy::of`] the record; it is a parameter so that listing needs no
    /// bodies.
    pub fn new(record: &StoredRecord, copy: Option<VersionCopy>) -> Self {
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
            damage: None,
        }
    }

    /// Creates the summary of a record that cannot be read. It is in the list, so that one damaged record hides no others.
    pub fn damaged(origin: &str, error: &StoreError) -> Self {
        let (origin, damage) = (origin.to_owned(), Some(error.what()));
        let (policy, copy, fetched, confirmed) = (String::new(), None, None, None);
        let (event, ended, failing_since, failures) = (None, None, None, 0);
        Self { origin, policy, copy, fetched, confirmed, event, ended, failing_since, failures, damage }
    }
}

impl Purge {
    /// Returns true if the record of an origin is removed, given its text and the end of its last attempt.
    pub fn includes(&self, origin: &str, ended: Option<Time>) -> bool {
        match self {
            Self::Origin(one) => one.to_string() == origin,
            Self::Before(moment) => ended.is_none_or(|ended| ended < *moment),
            Self::All => true,
        }
    }
}
