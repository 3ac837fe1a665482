//! The part of a store that keeps the notes and the entries of a watcher.

use std::fmt;

use comity_policy::Time;

use super::StoreFuture;

/// The part of a [`Store`](super::Store) that keeps what a watcher of sites remembers, and what it reports.
///
/// A note is a text that is replaced, such as the state of a site. An entry is a text that is appended, such as an alert. A
/// watcher writes both in one transaction, so that it neither forgets an entry nor appends it twice, whenever it ends.
pub trait Journal: fmt::Debug + Send + Sync {
    /// Returns the notes with these names, in this order; `None` for those that do not exist.
    fn notes(&self, names: Vec<String>) -> StoreFuture<'_, Vec<Option<String>>>;

    /// Replaces notes and appends entries, all of them or none. An entry whose id was appended before is skipped.
    fn write(&self, change: JournalChange) -> StoreFuture<'_, ()>;

    /// Returns at most `max` entries with a number greater than `after`, in the order of their numbers.
    ///
    /// Numbers increase, and become visible in that order: a reader that continues after the last number misses none.
    fn entries(&self, after: u64, max: usize) -> StoreFuture<'_, Vec<JournalEntry>>;

    /// Returns the number of the newest entry; 0 if there was none.
    fn newest(&self) -> StoreFuture<'_, u64>;

    /// Removes the entries from before a time, and the oldest ones beyond `max`. Keeps the newest one in any case, since the
    /// next number follows from it. Returns the number of removed entries.
    fn trim(&self, before: Time, max: u64) -> StoreFuture<'_, u64>;
}

/// A change of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct JournalChange {
    /// The notes to replace: the name and the text of each.
    pub notes: Vec<(String, String)>,
    /// The entries to append. Their numbers are ignored.
    pub entries: Vec<JournalEntry>,
}

/// An entry of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct JournalEntry {
    /// The number, from 1. The journal assigns it.
    pub number: u64,
    /// The id, by which the same entry is not appended twice.
    pub id: String,
    /// The time, by which old entries are removed.
    pub at: Time,
    /// The text.
    pub text: String,
}
