//! The state of a site between judgments.

use std::collections::BTreeMap;

use comity_fetch::store::{ContentHash, Version, VersionCopy};
use comity_fetch::{Event, Time};
use serde::{Deserialize, Serialize};

use crate::alert::AlertKind;

/// The state of a site: what was judged, and which conditions hold. It is stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct State {
    /// The newest version that was judged; `None` before the first judgment.
    pub judged: Option<Key>,
    /// True once the site has sent a file, or has answered that there is none.
    pub is_known: bool,
    /// The last file; `None` if there is none.
    pub file: Option<LastFile>,
    /// The conditions that were reported, and since when they hold.
    pub open: BTreeMap<AlertKind, Time>,
    /// The time of the last change to an earlier version, until a calm day has passed.
    pub alternated: Option<Time>,
    /// The expected and the live file that were compared last.
    pub compared: Option<[ContentHash; 2]>,
    /// The time of the last news.
    pub news: Option<Time>,
}

/// A version, without the time when it was last seen, which changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs, reason = "a plain key")]
pub struct Key {
    /// The time when it was first seen.
    pub first_seen: Time,
    /// The result of the attempts that saw it.
    pub event: Event,
    /// The hash of the file, if there was one.
    pub hash: Option<ContentHash>,
}

/// A file that was judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs, reason = "plain facts")]
pub struct LastFile {
    /// Its hash.
    pub hash: ContentHash,
    /// The address that it was fetched from.
    pub url: String,
}

impl Key {
    /// Returns the key of a version.
    pub fn of(version: &Version) -> Self {
        let hash = version.copy.as_ref().map(|copy| copy.hash);
        Self { first_seen: version.first_seen, event: version.event, hash }
    }
}

impl LastFile {
    pub(super) fn of(copy: &VersionCopy) -> Self {
        Self { hash: copy.hash, url: copy.url.clone() }
    }
}

impl State {
    /// Returns the number of versions at the start of a history, newest first, that were not judged yet.
    pub(super) fn unjudged(&self, versions: &[Version]) -> usize {
        let Some(judged) = self.judged else { return versions.len() };
        // A history keeps fifty versions of each sort. If the last judged one is not among them any more, time decides.
        let known = versions.iter().position(|version| Key::of(version) == judged);
        known.unwrap_or_else(|| versions.iter().take_while(|version| version.first_seen > judged.first_seen).count())
    }
}
