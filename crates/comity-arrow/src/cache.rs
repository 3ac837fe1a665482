//! Parsed files and compiled rules, within a bound of memory.

use std::hash::Hash;
use std::sync::Arc;

use comity::{Crawler, Dialect, Robots, Rules};
use foldhash::quality::RandomState;
use quick_cache::unsync::{Cache as Bounded, DefaultLifecycle};
use quick_cache::{Equivalent, OptionsBuilder, Weighter};

/// A file: an entry of a table, or a body. Bodies are compared by their bytes, so no two bodies are confused.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FileKey {
    Slot(u64, u32),
    Body(Box<[u8]>),
}

/// The same, borrowed. The variants are in the same order, so the hashes are equal.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) enum FileRef<'a> {
    Slot(u64, u32),
    Body(&'a [u8]),
}

impl Equivalent<FileKey> for FileRef<'_> {
    fn equivalent(&self, key: &FileKey) -> bool {
        match (self, key) {
            (Self::Slot(table, slot), FileKey::Slot(other, index)) => (table, slot) == (other, index),
            (Self::Body(body), FileKey::Body(other)) => **body == **other,
            _ => false,
        }
    }
}

impl FileRef<'_> {
    fn to_key(self) -> FileKey {
        match self {
            Self::Slot(table, slot) => FileKey::Slot(table, slot),
            Self::Body(body) => FileKey::Body(body.into()),
        }
    }
}

/// A file with the rules of some crawlers.
#[derive(Debug)]
struct File {
    robots: Robots,
    /// By the number of the crawler, in ascending order.
    rules: Vec<(u32, Arc<Rules>)>,
    /// The memory of the rules and, if it is not that of a table, of the parsed file.
    memory: usize,
}

impl File {
    fn find(&self, crawler: u32) -> Option<&Arc<Rules>> {
        let at = self.rules.binary_search_by_key(&crawler, |(number, _)| *number).ok()?;
        Some(&self.rules[at].1)
    }
}

#[derive(Clone, Debug)]
struct Memory;

impl Weighter<FileKey, File> for Memory {
    fn weight(&self, key: &FileKey, file: &File) -> u64 {
        /// The memory of an entry itself, as an upper estimate.
        const ENTRY_BYTES: usize = 256;
        let key = match key {
            FileKey::Slot(..) => 0,
            FileKey::Body(body) => body.len(),
        };
        (ENTRY_BYTES + key + file.memory) as u64
    }
}

/// A cache of parsed files and compiled rules, bounded by their memory. What was used least recently is removed first,
/// approximately.
#[derive(Debug)]
pub(crate) struct RulesCache {
    files: Bounded<FileKey, File, Memory, RandomState, DefaultLifecycle<FileKey, File>>,
    max_memory: usize,
    compilations: u64,
}

impl RulesCache {
    pub(crate) fn new(max_memory: usize) -> Self {
        /// The memory of a typical file with the rules of one crawler.
        const TYPICAL_FILE_BYTES: usize = 8 << 10;
        let options = OptionsBuilder::new()
            .estimated_items_capacity((max_memory / TYPICAL_FILE_BYTES).max(16))
            .weight_capacity(max_memory.max(1) as u64)
            .build()
            .expect("both capacities are set");
        let files = Bounded::with_options(options, Memory, RandomState::default(), DefaultLifecycle::default());
        Self { files, max_memory, compilations: 0 }
    }

    /// Returns the number of times that rules were compiled.
    pub(crate) fn compilations(&self) -> u64 {
        self.compilations
    }

    /// Returns the memory of the cache in bytes, approximately.
    pub(crate) fn memory(&self) -> usize {
        self.files.weight() as usize
    }

    pub(crate) fn clear(&mut self) {
        self.files.clear();
    }

    /// Returns the rules of a crawler, if they are in the cache.
    #[inline]
    pub(crate) fn get(&mut self, file: &FileRef<'_>, number: u32) -> Option<Arc<Rules>> {
        self.files.get(file)?.find(number).map(Arc::clone)
    }

    /// Compiles the rules of a crawler, and stores them under its number. A file of a table is passed as it was parsed;
    /// a body is parsed if it is not in the cache.
    #[cold]
    pub(crate) fn compile(
        &mut self,
        file: FileRef<'_>,
        parsed: Option<&Robots>,
        dialect: &Dialect,
        number: u32,
        crawler: &Crawler<'_>,
    ) -> Arc<Rules> {
        self.compilations += 1;
        let max_memory = self.max_memory;
        if let Some(mut known) = self.files.get_mut(&file) {
            let rules = Arc::new(known.robots.rules_for(crawler));
            let memory = memory_of(&rules);
            if known.memory + memory > max_memory / 4 {
                // One file must not fill the cache with the rules of all its crawlers.
                known.memory -= known.rules.drain(..).map(|(_, rules)| memory_of(&rules)).sum::<usize>();
            }
            let at = known.rules.partition_point(|(other, _)| *other < number);
            known.rules.insert(at, (number, Arc::clone(&rules)));
            known.memory += memory;
            return rules;
        }
        let (robots, own) = match (parsed, file) {
            (Some(robots), _) => (robots.clone(), 0),
            (None, FileRef::Body(body)) => {
                let robots = Robots::parse_with(body, dialect);
                let memory = robots.memory();
                (robots, memory)
            }
            (None, FileRef::Slot(..)) => (Robots::parse_with([], dialect), 0),
        };
        let rules = Arc::new(robots.rules_for(crawler));
        let memory = own + memory_of(&rules);
        self.files.insert(file.to_key(), File { robots, rules: vec![(number, Arc::clone(&rules))], memory });
        rules
    }
}

fn memory_of(rules: &Rules) -> usize {
    rules.memory() + size_of::<(u32, Arc<Rules>)>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_stays_within_its_memory() {
        let (mut cache, max) = (RulesCache::new(1 << 20), 1 << 20);
        for number in 0..4_000_u32 {
            let body = format!("User-agent: *\nDisallow: /{number}\n{}", "Disallow: /a\n".repeat(50));
            let file = FileRef::Body(body.as_bytes());
            let rules = cache.compile(file, None, &Dialect::STANDARD, 0, &Crawler::ANY);
            assert!(rules.check(format!("/{number}")).is_disallowed());
            assert!(cache.memory() <= max, "{}", cache.memory());
        }
        assert!(cache.memory() > max / 2, "{}", cache.memory());
        assert_eq!(cache.compilations(), 4_000);
    }

    #[test]
    fn a_file_with_many_crawlers_does_not_fill_the_cache() {
        let mut cache = RulesCache::new(1 << 20);
        let file = FileRef::Body(b"User-agent: *\nDisallow: /a\n");
        for number in 0..10_000 {
            cache.compile(file, None, &Dialect::STANDARD, number, &Crawler::ANY);
            assert!(cache.memory() <= 1 << 20);
            assert!(cache.get(&file, number).is_some());
        }
    }

    #[test]
    fn a_file_larger_than_the_cache_is_answered() {
        let mut cache = RulesCache::new(1_000);
        let body = "User-agent: *\n".to_owned() + &"Disallow: /a\n".repeat(1_000);
        let file = FileRef::Body(body.as_bytes());
        for _ in 0..3 {
            let rules = cache.compile(file, None, &Dialect::STANDARD, 0, &Crawler::ANY);
            assert!(rules.check("/a").is_disallowed());
            assert!(cache.memory() <= 1_000);
        }
    }
}
