//! A cache of parsed files and compiled rules, within a bound of memory.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use comity::{Crawlers, Dialect, Robots, Rules};

use crate::batch::{LineCrawler, LineError};

/// A cache of parsed files by their bodies. The oldest is removed first.
#[derive(Debug)]
pub struct Files {
    parsed: HashMap<Arc<[u8]>, Parsed>,
    order: VecDeque<Arc<[u8]>>,
    memory: usize,
    max_memory: usize,
    /// The file that was requested last.
    current: Arc<[u8]>,
}

/// A file of [`Files`].
#[derive(Debug)]
struct Parsed {
    robots: Robots,
    /// The rules of the last few crawlers.
    rules: VecDeque<(LineCrawler<'static>, Rules)>,
    memory: usize,
}

fn memory_of(crawler: &LineCrawler<'_>, rules: &Rules) -> usize {
    crawler.memory() + rules.memory()
}

impl Files {
    /// The maximum number of crawlers whose rules are stored for one file.
    const MAX_RULES: usize = 16;

    /// Returns an empty cache that stores at most this many bytes.
    pub fn new(max_memory: usize) -> Self {
        let (parsed, order) = (HashMap::new(), VecDeque::new());
        Self { parsed, order, memory: 0, max_memory, current: Arc::from([]) }
    }

    /// Calls a function with the rules of a crawler in the file with this body. Parses the file and compiles the rules
    /// if they are not in the cache.
    ///
    /// # Errors
    ///
    /// If the table has no crawler of that name.
    pub fn with_rules<T>(
        &mut self,
        body: &[u8],
        dialect: &Dialect,
        crawler: LineCrawler<'_>,
        table: &Crawlers,
        f: impl FnOnce(&Rules) -> T,
    ) -> Result<T, LineError> {
        let file = self.get(body, dialect);
        if let Some((_, rules)) = file.rules.iter().find(|(known, _)| *known == crawler) {
            return Ok(f(rules));
        }
        let rules = crawler.with(table, |crawler| file.robots.rules_for(crawler))?;
        let result = f(&rules);
        self.keep(crawler.into_owned(), rules);
        Ok(result)
    }

    /// Returns the file with this body. Parses it if it is not in the cache.
    fn get(&mut self, body: &[u8], dialect: &Dialect) -> &Parsed {
        if let Some((known, _)) = self.parsed.get_key_value(body) {
            self.current = Arc::clone(known);
        } else {
            self.current = Arc::from(body);
            let robots = Robots::parse_with(body, dialect);
            let memory = body.len() + robots.memory() + 512; // 512 bytes are an upper estimate for the maps
            self.make_room(memory);
            self.memory += memory;
            self.order.push_back(Arc::clone(&self.current));
            self.parsed.insert(Arc::clone(&self.current), Parsed { robots, rules: VecDeque::new(), memory });
        }
        &self.parsed[&self.current]
    }

    /// Stores rules of the file that was requested last.
    fn keep(&mut self, crawler: LineCrawler<'static>, rules: Rules) {
        let memory = memory_of(&crawler, &rules);
        self.make_room(memory);
        if self.memory + memory > self.max_memory {
            return; // the current file alone fills the cache
        }
        let Some(file) = self.parsed.get_mut(&self.current) else { return };
        if file.rules.len() == Self::MAX_RULES
            && let Some((crawler, rules)) = file.rules.pop_front()
        {
            let freed = memory_of(&crawler, &rules);
            file.memory -= freed;
            self.memory -= freed;
        }
        file.rules.push_back((crawler, rules));
        file.memory += memory;
        self.memory += memory;
    }

    /// Removes the oldest files until there is room, but not the current one.
    fn make_room(&mut self, memory: usize) {
        while self.memory + memory > self.max_memory
            && let Some(oldest) = self.order.front()
            && *oldest != self.current
            && let Some(oldest) = self.order.pop_front()
        {
            self.memory -= self.parsed.remove(&oldest).map_or(0, |parsed| parsed.memory);
        }
    }
}
