//! Files that were parsed, and rules that were compiled, within a bound of memory.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use comity::{Dialect, Robots, Rules};

use crate::object::Who;

/// Parsed files by their bodies: the oldest goes first.
#[derive(Debug)]
pub struct Files {
    parsed: HashMap<Arc<[u8]>, Parsed>,
    order: VecDeque<Arc<[u8]>>,
    memory: usize,
    most: usize,
    /// The one that was asked for last.
    current: Arc<[u8]>,
}

/// A file of [`Files`].
#[derive(Debug)]
pub struct Parsed {
    robots: Robots,
    /// Of the last few that asked.
    rules: VecDeque<(Who<'static>, Rules)>,
    memory: usize,
}

impl Parsed {
    /// The file.
    pub fn robots(&self) -> &Robots {
        &self.robots
    }

    /// The rules of who asked for them lately.
    pub fn rules_of(&self, asker: &Who<'_>) -> Option<&Rules> {
        self.rules.iter().find(|(known, _)| known == asker).map(|(_, rules)| rules)
    }
}

fn memory_of(asker: &Who<'_>, rules: &Rules) -> usize {
    asker.memory() + rules.memory()
}

impl Files {
    /// Who asks about one file: more than a few take turns.
    const MOST_RULES: usize = 16;

    /// With room for so many bytes.
    pub fn new(most: usize) -> Self {
        let (parsed, order) = (HashMap::new(), VecDeque::new());
        Self { parsed, order, memory: 0, most, current: Arc::from([]) }
    }

    /// The file of these bytes, parsed now or before.
    pub fn get(&mut self, body: &[u8], dialect: &Dialect) -> &Parsed {
        if let Some((known, _)) = self.parsed.get_key_value(body) {
            self.current = Arc::clone(known);
        } else {
            self.current = Arc::from(body);
            let robots = Robots::parse_with(body, dialect);
            let memory = body.len() + robots.memory() + 512; // what the maps need is small change
            self.make_room(memory);
            self.memory += memory;
            self.order.push_back(Arc::clone(&self.current));
            self.parsed.insert(Arc::clone(&self.current), Parsed { robots, rules: VecDeque::new(), memory });
        }
        &self.parsed[&self.current]
    }

    /// Keeps rules of the file that was asked for last.
    pub fn keep(&mut self, asker: Who<'static>, rules: Rules) {
        let memory = memory_of(&asker, &rules);
        self.make_room(memory);
        if self.memory + memory > self.most {
            return; // this file alone fills it
        }
        let Some(file) = self.parsed.get_mut(&self.current) else { return };
        if file.rules.len() == Self::MOST_RULES
            && let Some((asker, rules)) = file.rules.pop_front()
        {
            let freed = memory_of(&asker, &rules);
            file.memory -= freed;
            self.memory -= freed;
        }
        file.rules.push_back((asker, rules));
        file.memory += memory;
        self.memory += memory;
    }

    /// Forgets the oldest files until there is room, but not the current one.
    fn make_room(&mut self, memory: usize) {
        while self.memory + memory > self.most
            && let Some(oldest) = self.order.front()
            && *oldest != self.current
            && let Some(oldest) = self.order.pop_front()
        {
            self.memory -= self.parsed.remove(&oldest).map_or(0, |parsed| parsed.memory);
        }
    }
}
