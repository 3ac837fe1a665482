//! What stood at an origin's `/robots.txt`, and when.

use std::collections::HashSet;

use comity_policy::{Event, Record, Time};
use serde::{Deserialize, Serialize};

use super::content::ContentHash;

/// How many copies a history holds. The oldest go first.
pub const MOST_COPIES: usize = 50;
/// How many other states a history holds, apart from the copies: a site that is down every other day must not push out
/// what its file said.
pub const MOST_OTHERS: usize = 50;
/// How many bytes the contents of a history's copies may come to, uncompressed; the newest copy stays in any case. Files
/// that say something else each time are real, and may be large.
pub const MOST_BYTES: usize = 4 << 20;

/// What stood at an origin's `/robots.txt` for a time: one content, or one way of having none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Version {
    /// When it was met first.
    pub first_seen: Time,
    /// When it was met last. Between this and the next version's first, nobody looked.
    pub last_seen: Time,
    /// How the attempts ended that met it; [`Event::Found`] for every copy.
    pub event: Event,
    /// What was found, if anything was.
    pub copy: Option<VersionCopy>,
}

/// A robots.txt that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VersionCopy {
    /// Where it came from last.
    pub url: String,
    /// How many bytes it has, decoded; of those that count.
    pub size: usize,
    /// What names its bytes.
    pub hash: ContentHash,
}

impl VersionCopy {
    /// That of a record.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let copy = record.copy.as_ref()?;
        Some(Self { url: copy.url.clone(), size: copy.body.len(), hash: ContentHash::of(&copy.body) })
    }
}

/// Enters what a record says into a history: the copy that it has, and how its last attempt ended.
pub(crate) fn enter(versions: &mut Vec<Version>, record: &Record, copy: Option<&VersionCopy>) {
    let Some(last) = &record.last else { return };
    let newest = versions.iter().find_map(|version| version.copy.as_ref()).map(|copy| copy.hash);
    if let (Some(good), Some(copy)) = (&record.copy, copy)
        && (last.event.is_found() || newest != Some(copy.hash))
    {
        // Still good after something else was met: seen anew, not all the time since.
        let first_seen = if newest == Some(copy.hash) { good.confirmed } else { good.fetched };
        see(versions, Event::Found, Some(copy), first_seen, good.confirmed);
    }
    if !last.event.is_found() {
        see(versions, last.event, None, last.ended, last.ended);
    }
    limit(versions);
}

/// A history as it may be kept.
pub(crate) fn limit(versions: &mut Vec<Version>) {
    let (mut copies, mut others, mut bytes) = (0, 0, 0_usize);
    let mut seen = HashSet::new();
    versions.retain(|version| {
        let Some(copy) = &version.copy else {
            others += 1;
            return others <= MOST_OTHERS;
        };
        copies += 1;
        // One content may have come back many times, and is kept once.
        bytes = bytes.saturating_add(if seen.insert(copy.hash) { copy.size } else { 0 });
        copies == 1 || copies <= MOST_COPIES && bytes <= MOST_BYTES
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
