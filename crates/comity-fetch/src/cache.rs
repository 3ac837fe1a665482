//! The cache in memory, limited by bytes.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use comity::{Crawler, Origin, Rules};
use quick_cache::sync::{Cache as Bounded, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use smallvec::SmallVec;

use crate::cached_site::CachedSite;

/// Cached sites by origin, and compiled rules by crawler.
///
/// Nothing expires here: an old copy still decides while its site cannot be reached. The policy decides when an entry
/// is due; the cache only evicts entries for space.
pub(crate) struct Cache {
    entries: Bounded<Origin, Arc<CachedSite>, EntryMemory>,
    rules: Bounded<Key, Arc<Rules>, RulesMemory>,
}

/// The minimum size of a shard in bytes. Every entry is smaller, so a new one always fits.
const MIN_SHARD: u64 = 16 << 20;
const MAX_SHARDS: u64 = 8;

/// The estimated size of an entry in bytes.
const TYPICAL_ENTRY: u64 = 8 << 10;

/// The part of the cache for entries that were used more than once. The rest is for new ones: an entry that is evicted
/// before its second use would be fetched again at once.
const HOT_SHARE: f64 = 0.75;

#[derive(Clone)]
struct EntryMemory;

impl Weighter<Origin, Arc<CachedSite>> for EntryMemory {
    fn weight(&self, _: &Origin, entry: &Arc<CachedSite>) -> u64 {
        entry.memory() as u64
    }
}

#[derive(Clone)]
struct RulesMemory;

impl Weighter<Key, Arc<Rules>> for RulesMemory {
    fn weight(&self, key: &Key, rules: &Arc<Rules>) -> u64 {
        (size_of::<Key>() + key.0.len() + rules.memory()) as u64
    }
}

fn bounded<K: Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(bytes: u64, weighter: W) -> Bounded<K, V, W> {
    let options = OptionsBuilder::new()
        .shards((bytes / MIN_SHARD).clamp(1, MAX_SHARDS) as usize)
        .estimated_items_capacity((bytes / TYPICAL_ENTRY) as usize)
        .weight_capacity(bytes)
        .hot_allocation(HOT_SHARE)
        .build()
        .expect("all that it needs was set");
    Bounded::with_options(options, weighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
}

impl Cache {
    /// Returns a cache of `bytes` bytes: three quarters for files, the rest for compiled rules.
    pub(crate) fn new(bytes: u64) -> Self {
        let for_rules = bytes / 4;
        Self { entries: bounded(bytes - for_rules, EntryMemory), rules: bounded(for_rules, RulesMemory) }
    }

    pub(crate) fn entry(&self, origin: &Origin) -> Option<Arc<CachedSite>> {
        self.entries.get(origin)
    }

    pub(crate) fn insert(&self, origin: Origin, entry: Arc<CachedSite>) {
        self.entries.insert(origin, entry);
    }

    /// Returns the rules of an entry's copy for a crawler, compiled once.
    pub(crate) fn rules(&self, entry: &CachedSite, crawler: &Crawler<'_>) -> Option<Arc<Rules>> {
        let robots = entry.robots.as_ref()?;
        let key = Key::new(entry, crawler);
        Some(self.rules.get(&key).unwrap_or_else(|| {
            let rules = Arc::new(robots.rules_for(crawler));
            self.rules.insert(key, Arc::clone(&rules));
            rules
        }))
    }

    /// Returns true if the rules of an entry's copy for a crawler are compiled, or there is no copy.
    pub(crate) fn has_rules(&self, entry: &CachedSite, crawler: &Crawler<'_>) -> bool {
        entry.robots.is_none() || self.rules.contains_key(&Key::new(entry, crawler))
    }

    /// Returns the number of origins, and the bytes that they and the rules occupy.
    pub(crate) fn size(&self) -> (u64, u64) {
        (self.entries.len() as u64, self.entries.weight() + self.rules.weight())
    }
}

/// An entry, and everything about a crawler that decides which rules bind it. Most keys are short, and are looked up
/// more often than stored, so they are not allocated.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(SmallVec<[u8; 96]>);

impl Key {
    pub(crate) fn new(entry: &CachedSite, crawler: &Crawler<'_>) -> Self {
        let mut key = SmallVec::new();
        key.extend_from_slice(&entry.id.to_le_bytes());
        // A literal token has its own fallbacks in some dialects; crawlers of the table never do.
        let is_known = u8::from(crawler.profile().is_some());
        let (star, merges) = (u8::from(crawler.obeys_star()), u8::from(crawler.merges()));
        key.extend_from_slice(&[crawler.governed() as u8, star, merges, is_known]);
        for token in crawler.tokens() {
            key.extend_from_slice(&(token.len() as u32).to_le_bytes());
            key.extend_from_slice(token);
        }
        Self(key)
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("origins", &self.entries.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use comity::{Dialect, Robots};
    use comity_policy::{Policy, Site};

    #[test]
    fn keys_tell_crawlers_and_files_apart() {
        let origin = Origin::of("https://a.test/").unwrap();
        let entry = || {
            let site = Site::new(&origin, Policy::STANDARD);
            CachedSite::new(origin.clone(), Arc::new(site), &Dialect::STANDARD, Vec::new())
        };
        let (first, second) = (entry(), entry());
        let long = ["a".repeat(70), "a".repeat(200)];
        let merged = [["ab", "c"], ["a", "bc"]];
        let mut crawlers: Vec<Crawler<'_>> = ["Googlebot", "*", "", &long[0], &long[1]].map(Crawler::literal).into();
        crawlers.extend([Crawler::merged_literal(&merged[0]), Crawler::merged_literal(&merged[1])]);
        crawlers.extend(["Googlebot", "AdsBot-Google", "Googlebot-Image"].map(|name| Crawler::known(name).unwrap()));
        let keys: Vec<Vec<u8>> = [&first, &second]
            .into_iter()
            .flat_map(|entry| crawlers.iter().map(move |crawler| Key::new(entry, crawler).0.to_vec()))
            .collect();
        for (nth, key) in keys.iter().enumerate() {
            assert!(!keys[..nth].contains(key), "{nth}");
        }
    }

    #[test]
    fn compiled_rules_are_known_for_each_crawler_and_file() {
        let origin = Origin::of("https://a.test/").unwrap();
        let entry = |robots| {
            let site = Site::new(&origin, Policy::STANDARD);
            let mut entry = CachedSite::new(origin.clone(), Arc::new(site), &Dialect::STANDARD, Vec::new());
            entry.robots = robots;
            entry
        };
        let robots = || Some(Robots::parse("User-agent: *\nDisallow: /private/\n"));
        let (without, first, second) = (entry(None), entry(robots()), entry(robots()));
        let (one, other) = (Crawler::literal("one"), Crawler::literal("other"));
        let cache = Cache::new(64 << 20);
        assert!(cache.has_rules(&without, &one), "there is nothing to compile");
        assert!(!cache.has_rules(&first, &one));
        assert!(cache.rules(&first, &one).is_some());
        assert!(cache.has_rules(&first, &one));
        assert!(!cache.has_rules(&first, &other) && !cache.has_rules(&second, &one));
    }
}
