//! The history of an origin's robots.txt.

use std::collections::HashSet;

use comity_policy::{Event, StoredRecord, Time};
use serde::{Deserialize, Serialize};

use super::content::ContentHash;

/// The maximum number of copies in a history. The oldest are removed first.
pub const MAX_COPIES: usize = 50;
/// The maximum number of other states in a history. They are counted apart from the copies: a site that is down every
/// other day must not push out its files.
pub const MAX_OTHER_STATES: usize = 50;
/// The maximum size of the contents of a history's copies, uncompressed; the newest copy is kept in any case. Files that
/// change with each request are real, and may be large.
pub const MAX_COPY_BYTES: usize = 4 << 20;

/// A state of an origin's `/robots.txt` for a time: one content, or one way of having none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Version {
    /// The time when it was first seen.
    pub first_seen: Time,
    /// The time when it was last seen. Between this and the next version's `first_seen`, the file was not fetched.
    pub last_seen: Time,
    /// The result of the attempts that saw it; [`Event::Found`] for every copy.
    pub event: Event,
    /// The copy that was found, if any.
    pub copy: Option<VersionCopy>,
}

/// A robots.txt that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VersionCopy {
    /// The address that it was last fetched from.
    pub url: String,
    /// The number of its bytes, decoded.
    pub size: usize,
    /// The hash of its bytes.
    pub hash: ContentHash,
}

impl Version {
    /// Creates a version.
    pub fn new(first_seen: Time, last_seen: Time, event: Event, copy: Option<VersionCopy>) -> Self {
        Self { first_seen, last_seen, event, copy }
    }
}

impl VersionCopy {
    /// Creates the description of a copy.
    pub fn new(url: String, size: usize, hash: ContentHash) -> Self {
        Self { url, size, hash }
    }

    /// Returns the description of a record's copy, if it has one. Hashes its body.
    pub fn of(record: &StoredRecord) -> Option<Self> {
        let copy = record.copy.as_ref()?;
        Some(Self { url: copy.url.clone(), size: copy.body.len(), hash: ContentHash::of(&copy.body) })
    }
}

/// Adds a completed record to a history, newest first: its copy, and the result of its last attempt. Removes versions
/// beyond the limits. `copy` is [`VersionCopy::of`] the record.
pub fn add_version(versions: &mut Vec<Version>, record: &StoredRecord, copy: Option<&VersionCopy>) {
    let Some(last) = &record.last else { return };
    let newest = versions.iter().find_map(|version| version.copy.as_ref()).map(|copy| copy.hash);
    if let (Some(good), Some(copy)) = (&record.copy, copy)
        && (last.event.is_found() || newest != Some(copy.hash))
    {
        // A copy that is still good after another state was met is a new version, not one since the first time.
        let first_seen = if newest == Some(copy.hash) { good.confirmed } else { good.fetched };
        see(versions, Event::Found, Some(copy), first_seen, good.confirmed);
    }
    if !last.event.is_found() {
        see(versions, last.event, None, last.ended, last.ended);
    }
    limit(versions);
}

/// Removes versions beyond the limits.
pub(crate) fn limit(versions: &mut Vec<Version>) {
    let (mut copies, mut others, mut bytes) = (0, 0, 0_usize);
    let mut seen = HashSet::new();
    versions.retain(|version| {
        let Some(copy) = &version.copy else {
            others += 1;
            return others <= MAX_OTHER_STATES;
        };
        copies += 1;
        // One content may have come back many times, and is counted once.
        bytes = bytes.saturating_add(if seen.insert(copy.hash) { copy.size } else { 0 });
        copies == 1 || copies <= MAX_COPIES && bytes <= MAX_COPY_BYTES
    });
}

fn see(versions: &mut Vec<Version>, event: Event, copy: Option<&VersionCopy>, first_seen: Time, last_seen: Time) {
    if let Some(newest) = versions.first_mut()
        && newest.event == event
        && newest.copy.as_ref().map(|copy| copy.hash) == copy.map(|copy| copy.hash)
    {
        newest.last_seen = newest.last_seen.max(last_seen);
        newest.copy = copy.cloned();
        return;
    }
    versions.insert(0, Version { first_seen, last_seen: last_seen.max(first_seen), event, copy: copy.cloned() });
}
