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
    /// By the entry and all of the crawler that decides which rules are its own.
    rules: Bounded<Box<[u8]>, Arc<Rules>>,
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
            #[expect(clippy::borrowed_box, reason = "the cache hands over its keys so")]
            rules: Bounded::builder()
                .eviction_policy(EvictionPolicy::lru())
                .max_capacity(for_rules)
                .weigher(move |name: &Box<[u8]>, rules: &Arc<Rules>| weight(name.len() + rules.memory()))
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
        let key = Key::new(entry, &crawler);
        Some(self.rules.get(key.as_bytes()).unwrap_or_else(|| {
            let rules = Arc::new(robots.rules_for(crawler));
            self.rules.insert(key.as_bytes().into(), Arc::clone(&rules));
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

/// An entry, and all of a crawler that decides which rules are its own. Most are short, and are looked up more often
/// than they are kept, so they take no memory of their own.
struct Key {
    len: usize,
    short: [u8; Self::SHORT],
    /// In its place, if it is longer.
    long: Vec<u8>,
}

impl Key {
    const SHORT: usize = 96;

    fn new(entry: &Entry, crawler: &Crawler<'_>) -> Self {
        let mut key = Self { len: 0, short: [0; Self::SHORT], long: Vec::new() };
        key.push(&entry.id.to_le_bytes());
        // A literal token has fallbacks of its own in some dialects, the table's crawlers never do.
        let is_known = u8::from(crawler.profile().is_some());
        let (star, merges) = (u8::from(crawler.obeys_star()), u8::from(crawler.merges()));
        key.push(&[crawler.governed() as u8, star, merges, is_known]);
        for token in crawler.tokens() {
            key.push(&(token.len() as u32).to_le_bytes());
            key.push(token);
        }
        key
    }

    fn push(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if self.long.is_empty()
            && let Some(place) = self.short.get_mut(self.len..end)
        {
            place.copy_from_slice(bytes);
            self.len = end;
            return;
        }
        if self.long.is_empty() {
            self.long.extend_from_slice(&self.short[..self.len]);
        }
        self.long.extend_from_slice(bytes);
    }

    fn as_bytes(&self) -> &[u8] {
        if self.long.is_empty() { &self.short[..self.len] } else { &self.long }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("origins", &self.entries.entry_count()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use comity::Dialect;
    use comity_policy::{Policy, Site};

    #[test]
    fn keys_tell_crawlers_and_files_apart() {
        let origin = Origin::of("https://a.test/").unwrap();
        let entry = || {
            let site = Site::new(&origin, Policy::STANDARD);
            Entry::new(origin.clone(), Arc::new(site), &Dialect::STANDARD, Vec::new())
        };
        let (first, second) = (entry(), entry());
        let long = ["a".repeat(70), "a".repeat(200)];
        let merged = [["ab", "c"], ["a", "bc"]];
        let mut crawlers: Vec<Crawler<'_>> = vec!["Googlebot".into(), "*".into(), "".into(), (&long[0]).into()];
        crawlers.extend([(&long[1]).into(), Crawler::merged(&merged[0]), Crawler::merged(&merged[1])]);
        crawlers.extend(["Googlebot", "AdsBot-Google", "Googlebot-Image"].map(|name| Crawler::known(name).unwrap()));
        let keys: Vec<Vec<u8>> = [&first, &second]
            .into_iter()
            .flat_map(|entry| crawlers.iter().map(move |crawler| Key::new(entry, crawler).as_bytes().to_vec()))
            .collect();
        for (nth, key) in keys.iter().enumerate() {
            assert!(!keys[..nth].contains(key), "{nth}");
        }
    }
}
