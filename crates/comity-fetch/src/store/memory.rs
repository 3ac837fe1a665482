//! A store for as long as the program runs.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use comity::Origin;
use comity_policy::Record;

use super::content::ContentHash;
use super::history::{self, Version, VersionCopy};
use super::report::Report;
use super::{Entry, Purge, Store, StoreError, StoreFuture, StoreStats, Summary, entry};

/// Keeps records in memory, bounded by bytes: the origins that were not asked about for longest are forgotten first.
///
/// ```
/// use comity::Origin;
/// use comity_fetch::store::{MemoryStore, Store};
/// use comity_policy::Record;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new(64 << 20);
/// let origin = Origin::of("https://example.com/")?;
/// store.save(&Record::new(&origin)).await?;
/// assert_eq!(store.load(&origin).await?, Some(Record::new(&origin)));
/// # Ok(())
/// # }
/// ```
pub struct MemoryStore {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    origins: BTreeMap<String, Held>,
    bodies: HashMap<ContentHash, Body>,
    /// The origins by when they were asked about last.
    used: BTreeMap<u64, String>,
    /// Counts the questions.
    clock: u64,
    bytes: usize,
}

struct Held {
    record: Record,
    copy: Option<VersionCopy>,
    versions: Vec<Version>,
    used: u64,
    bytes: usize,
}

struct Body {
    bytes: Arc<[u8]>,
    /// How many origins have it.
    origins: usize,
}

impl MemoryStore {
    /// With room for about so many bytes. The origin that was saved last is kept in any case.
    pub fn new(bytes: usize) -> Self {
        Self { most: bytes, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing below panics while it holds the lock.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn load<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Record>> {
        Box::pin(async move { Ok(self.kept().touch(&origin.to_string()).map(|held| held.record.clone())) })
    }

    fn save<'a>(&'a self, record: &'a Record) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            entry::check_record(record)?;
            let copy = VersionCopy::of(record);
            let mut kept = self.kept();
            let mut versions = kept.origins.get(&record.origin).map(|held| held.versions.clone()).unwrap_or_default();
            history::enter(&mut versions, record, copy.as_ref());
            let bodies = record.copy.iter().map(|copy| Arc::clone(&copy.body)).collect();
            kept.put(Entry { record: record.clone(), versions, bodies }, self.most);
            Ok(())
        })
    }

    fn versions<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Vec<Version>> {
        Box::pin(async move {
            Ok(self.kept().touch(&origin.to_string()).map(|held| held.versions.clone()).unwrap_or_default())
        })
    }

    fn body(&self, hash: ContentHash) -> StoreFuture<'_, Option<Arc<[u8]>>> {
        Box::pin(async move { Ok(self.kept().bodies.get(&hash).map(|body| Arc::clone(&body.bytes))) })
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> StoreFuture<'a, Vec<Summary>> {
        Box::pin(async move {
            let start = after.map_or(Bound::Unbounded, Bound::Excluded);
            let kept = self.kept();
            let page = kept.origins.range::<str, _>((start, Bound::Unbounded)).take(most);
            Ok(page.map(|(_, held)| Summary::of(&held.record, held.copy.clone())).collect())
        })
    }

    fn entry<'a>(&'a self, origin: &'a Origin) -> StoreFuture<'a, Option<Entry>> {
        Box::pin(async move {
            let kept = self.kept();
            Ok(kept.origins.get(&origin.to_string()).map(|held| {
                let contents = entry::contents(held.copy.as_ref(), &held.versions);
                let bodies = contents.iter().filter_map(|hash| kept.bodies.get(hash));
                Entry {
                    record: held.record.clone(),
                    versions: held.versions.clone(),
                    bodies: bodies.map(|body| Arc::clone(&body.bytes)).collect(),
                }
            }))
        })
    }

    fn restore(&self, entries: Vec<Entry>) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let entries: Vec<Entry> = entries.into_iter().map(Entry::checked).collect::<Result<_, StoreError>>()?;
            let mut kept = self.kept();
            let mut taken = 0;
            for entry in entries {
                let held = kept.origins.get(&entry.record.origin).map(|held| &held.record);
                if held.is_none_or(|held| entry::is_later(&entry.record, held)) {
                    kept.put(entry, self.most);
                    taken += 1;
                }
            }
            Ok(taken)
        })
    }

    fn purge(&self, what: Purge) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let mut kept = self.kept();
            let ended = |held: &Held| held.record.last.as_ref().map(|last| last.ended);
            let gone = kept.origins.iter().filter(|(origin, held)| what.takes(origin, ended(held)));
            let gone: Vec<String> = gone.map(|(origin, _)| origin.clone()).collect();
            for origin in &gone {
                kept.forget(origin);
            }
            Ok(gone.len() as u64)
        })
    }

    fn verify(&self) -> StoreFuture<'_, Report> {
        Box::pin(async move {
            let kept = self.kept();
            let (origins, bodies) = (kept.origins.len() as u64, kept.bodies.len() as u64);
            let mut report = Report { origins, bodies, ..Report::default() };
            for (hash, body) in &kept.bodies {
                if ContentHash::of(&body.bytes) != *hash {
                    report.add(None, Some(*hash), "is not what was stored");
                }
            }
            Ok(report)
        })
    }

    fn stats(&self) -> StoreFuture<'_, StoreStats> {
        Box::pin(async move {
            let kept = self.kept();
            Ok(StoreStats {
                origins: kept.origins.len() as u64,
                bodies: kept.bodies.len() as u64,
                bytes: kept.bytes as u64,
            })
        })
    }
}

impl Kept {
    /// What is held of an origin, as asked about just now.
    fn touch(&mut self, origin: &str) -> Option<&Held> {
        let held = self.origins.get_mut(origin)?;
        if let Some(name) = self.used.remove(&held.used) {
            self.clock += 1;
            held.used = self.clock;
            self.used.insert(held.used, name);
        }
        Some(held)
    }

    /// Puts an entry in the place of what is there, and makes room for it.
    fn put(&mut self, entry: Entry, most: usize) {
        let Entry { mut record, versions, bodies } = entry;
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
        self.forget(&record.origin);

        self.clock += 1;
        let origin = record.origin.clone();
        let bytes = memory(&record, &versions);
        self.bytes += bytes;
        self.used.insert(self.clock, origin.clone());
        self.origins.insert(origin, Held { record, copy, versions, used: self.clock, bytes });
        while self.bytes > most && self.origins.len() > 1 {
            let Some((_, oldest)) = self.used.first_key_value() else { break };
            let oldest = oldest.clone();
            self.forget(&oldest);
        }
    }

    /// The one allocation of a content.
    fn body(&mut self, bytes: Arc<[u8]>) -> Arc<[u8]> {
        let body = self.bodies.entry(ContentHash::of(&bytes)).or_insert_with(|| {
            self.bytes += size_of::<(ContentHash, Body)>() + bytes.len();
            Body { bytes, origins: 0 }
        });
        Arc::clone(&body.bytes)
    }

    fn forget(&mut self, origin: &str) {
        let Some(held) = self.origins.remove(origin) else { return };
        self.used.remove(&held.used);
        self.bytes -= held.bytes;
        for hash in entry::contents(held.copy.as_ref(), &held.versions) {
            let Some(body) = self.bodies.get_mut(&hash) else { continue };
            body.origins -= 1;
            if body.origins == 0 {
                self.bytes -= size_of::<(ContentHash, Body)>() + body.bytes.len();
                self.bodies.remove(&hash);
            }
        }
    }
}

/// About how many bytes a record and a history take, without bodies.
fn memory(record: &Record, versions: &[Version]) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let copy = record
        .copy
        .as_ref()
        .map_or(0, |copy| copy.url.len() + text(&copy.etag) + text(&copy.last_modified) + text(&copy.content_type));
    let last = record.last.as_ref().map_or(0, |last| {
        text(&last.detail) + last.hops.iter().map(|hop| size_of_val(hop) + hop.url.len()).sum::<usize>()
    });
    let urls = versions.iter().filter_map(|version| version.copy.as_ref()).map(|copy| copy.url.len());
    // The origin's text stands in the record and in both maps.
    let origin = 3 * record.origin.len() + size_of::<Held>() + 3 * size_of::<String>();
    origin + record.policy.len() + copy + last + size_of_val(versions) + urls.sum::<usize>()
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        f.debug_struct("MemoryStore")
            .field("most", &self.most)
            .field("origins", &kept.origins.len())
            .field("bytes", &kept.bytes)
            .finish_non_exhaustive()
    }
}
