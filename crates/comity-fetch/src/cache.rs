//! What is kept in memory, bounded by bytes.

use std::fmt;
use std::sync::Arc;

use comity::{Crawler, Origin, Rules};
use moka::policy::EvictionPolicy;
use moka::sync::Cache as Bounded;

use crate::entry::Entry;

/// Entries by origin, and the compiled rules of those who ask.
///
/// Nothing expires here: an old copy is still what counts when its site can't be reached. Whether an entry is due is the
/// policy's business; here, only room makes it go.
pub(crate) struct Cache {
    entries: Bounded<Origin, Arc<Entry>>,
    rules: Bounded<(u64, Box<[u8]>), Arc<Rules>>,
}

impl Cache {
    /// With room for so many bytes: three quarters for files, the rest for compiled rules.
    pub(crate) fn new(bytes: u64) -> Self {
        let for_rules = bytes / 4;
        let weight = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        Self {
            // Who came last stays, always: one that is not let in would be fetched again at once.
            entries: Bounded::builder()
                .eviction_policy(EvictionPolicy::lru())
                .max_capacity(bytes - for_rules)
                .weigher(move |_, entry: &Arc<Entry>| weight(entry.memory()))
                .build(),
            rules: Bounded::builder()
                .eviction_policy(EvictionPolicy::lru())
                .max_capacity(for_rules)
                .weigher(move |(_, name): &(u64, Box<[u8]>), rules: &Arc<Rules>| weight(name.len() + rules.memory()))
                .build(),
        }
    }

    pub(crate) fn entry(&self, origin: &Origin) -> Option<Arc<Entry>> {
        self.entries.get(origin)
    }

    pub(crate) fn insert(&self, origin: Origin, entry: Arc<Entry>) {
        self.entries.insert(origin, entry);
    }

    /// The rules of an entry's copy for a crawler, compiled once.
    pub(crate) fn rules(&self, entry: &Entry, crawler: Crawler<'_>) -> Option<Arc<Rules>> {
        let robots = entry.robots.as_ref()?;
        let key = (entry.id, name(&crawler));
        Some(self.rules.get(&key).unwrap_or_else(|| {
            let rules = Arc::new(robots.rules_for(crawler));
            self.rules.insert(key, Arc::clone(&rules));
            rules
        }))
    }

    /// How many origins there are, and the bytes that they and the rules hold.
    pub(crate) fn size(&self) -> (u64, u64) {
        self.entries.run_pending_tasks();
        self.rules.run_pending_tasks();
        (self.entries.entry_count(), self.entries.weighted_size() + self.rules.weighted_size())
    }
}

/// All of a crawler that decides which rules are its own.
fn name(crawler: &Crawler<'_>) -> Box<[u8]> {
    let mut name = vec![crawler.governed() as u8, u8::from(crawler.obeys_star()), u8::from(crawler.merges())];
    // A literal token has fallbacks of its own in some dialects, the table's crawlers never do.
    name.push(u8::from(crawler.profile().is_some()));
    for token in crawler.tokens() {
        name.extend_from_slice(&(token.len() as u64).to_le_bytes());
        name.extend_from_slice(token);
    }
    name.into()
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("origins", &self.entries.entry_count()).finish_non_exhaustive()
    }
}
