//! The contents of a memory store: records, histories, and bodies that origins share.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use comity_policy::{StoredRecord, Time};

use crate::store::content::ContentHash;
use crate::store::history::{Version, VersionCopy};
use crate::store::{ArchiveEntry, Stored, entry, lease};

#[derive(Default)]
pub(super) struct Contents {
    pub(super) origins: BTreeMap<String, Kept>,
    pub(super) bodies: HashMap<ContentHash, Body>,
    /// The origins by their last use.
    used: BTreeMap<u64, String>,
    /// The number of uses so far.
    uses: u64,
    /// The number of changes so far.
    revision: u64,
    pub(super) bytes: usize,
}

pub(super) struct Kept {
    pub(super) record: StoredRecord,
    pub(super) copy: Option<VersionCopy>,
    pub(super) versions: Vec<Version>,
    /// The time when the record is due, by the store's clock. Restored records are due at once.
    pub(super) due: Option<Time>,
    revision: u64,
    used: u64,
    bytes: usize,
}

pub(super) struct Body {
    pub(super) bytes: Arc<[u8]>,
    /// The number of origins that have this body.
    origins: usize,
}

impl Kept {
    pub(super) fn stored(&self) -> Stored {
        Stored::new(self.record.clone(), self.revision)
    }

    /// Returns true if the record is not due yet.
    pub(super) fn is_fresh(&self, now: Time) -> bool {
        lease::is_fresh(&self.record, self.due, now)
    }
}

impl Contents {
    pub(super) fn get(&self, origin: &str) -> Option<&Kept> {
        self.origins.get(origin)
    }

    /// Returns the stored values of an origin, and marks them as used.
    pub(super) fn touch(&mut self, origin: &str) -> Option<&Kept> {
        let kept = self.origins.get_mut(origin)?;
        if let Some(name) = self.used.remove(&kept.used) {
            self.uses += 1;
            kept.used = self.uses;
            self.used.insert(kept.used, name);
        }
        Some(kept)
    }

    /// Stores an entry in place of its origin's stored values, and makes room for it.
    pub(super) fn put(&mut self, entry: ArchiveEntry, due: Option<Time>, max_bytes: usize) {
        let ArchiveEntry { mut record, versions, bodies } = entry;
        for bytes in bodies {
            self.body(bytes);
        }
        let copy = VersionCopy::of(&record);
        if let Some(good) = &mut record.copy {
            // Origins with the same file share its bytes.
            good.body = self.body(Arc::clone(&good.body));
        }
        let contents = entry::contents(copy.as_ref(), &versions);
        for hash in &contents {
            if let Some(body) = self.bodies.get_mut(hash) {
                body.origins += 1;
            }
        }
        self.remove(&record.origin);

        self.uses += 1;
        self.revision += 1;
        let origin = record.origin.clone();
        let bytes = memory(&record, &versions);
        self.bytes += bytes;
        self.used.insert(self.uses, origin.clone());
        self.origins
            .insert(origin, Kept { record, copy, versions, due, revision: self.revision, used: self.uses, bytes });
        while self.bytes > max_bytes && self.origins.len() > 1 {
            let Some((_, oldest)) = self.used.first_key_value() else { break };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
    }

    /// Returns the allocation that origins with the same bytes share. Stores the bytes if they are new.
    fn body(&mut self, bytes: Arc<[u8]>) -> Arc<[u8]> {
        let body = self.bodies.entry(ContentHash::of(&bytes)).or_insert_with(|| {
            self.bytes += size_of::<(ContentHash, Body)>() + bytes.len();
            Body { bytes, origins: 0 }
        });
        Arc::clone(&body.bytes)
    }

    pub(super) fn remove(&mut self, origin: &str) {
        let Some(kept) = self.origins.remove(origin) else { return };
        self.used.remove(&kept.used);
        self.bytes -= kept.bytes;
        for hash in entry::contents(kept.copy.as_ref(), &kept.versions) {
            let Some(body) = self.bodies.get_mut(&hash) else { continue };
            body.origins -= 1;
            if body.origins == 0 {
                self.bytes -= size_of::<(ContentHash, Body)>() + body.bytes.len();
                self.bodies.remove(&hash);
            }
        }
    }
}

/// Estimates the bytes of a record and a history, without bodies.
fn memory(record: &StoredRecord, versions: &[Version]) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let copy = record
        .copy
        .as_ref()
        .map_or(0, |copy| copy.url.len() + text(&copy.etag) + text(&copy.last_modified) + text(&copy.content_type));
    let last = record.last.as_ref().map_or(0, |last| {
        text(&last.detail) + last.hops.iter().map(|hop| size_of_val(hop) + hop.url.len()).sum::<usize>()
    });
    let urls = versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.url.len());
    // The origin's text is in the record and in both maps.
    let origin = 3 * record.origin.len() + size_of::<Kept>() + 3 * size_of::<String>();
    origin + record.policy.len() + copy + last + size_of_val(versions) + urls.sum::<usize>()
}
