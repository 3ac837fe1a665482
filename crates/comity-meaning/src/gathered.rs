//! The changes of all classes of crawlers. Changes that are the same for several classes are joined.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::budget::Exhausted;
use crate::change::{Change, ChangeException, ChangeRule};
use crate::memory::Memory;

/// The maximum number of changes, which no reader would look at.
const MAX_CHANGES: usize = 40_000;

/// The maximum number of names of crawlers, over all lists of them.
const MAX_NAMES: usize = 100_000;

/// The maximum number of numbers of classes, over all changes.
const MAX_CLASS_NUMBERS: usize = 500_000;

/// A change with the classes of crawlers that it affects.
type Entry = Box<(Change, Vec<u32>)>;

/// Changes with the classes of crawlers that they affect.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    entries: Vec<Entry>,
    /// The number of entries after they were joined last.
    joined: usize,
    class_numbers: usize,
}

impl Gathered {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the bytes that a change takes, at most.
    pub(crate) fn octets_of(change: &Change) -> usize {
        // The places of entries are allocated in advance, and the list of classes has room for four.
        let unless = change.except.iter().flat_map(|except| &except.unless);
        let rules = change.narrowed_by.iter().chain(change.except.iter().map(|except| &except.rule)).chain(unless);
        let rules = rules.map(|rule| size_of::<ChangeRule>() + rule.pattern.len()).sum::<usize>()
            + change.except.len() * (size_of::<ChangeException>() - size_of::<ChangeRule>());
        size_of::<Entry>() * 3
            + size_of::<(Change, Vec<u32>)>()
            + 16
            + rules
            + change.rule.pattern.len()
            + change.witness.len()
    }

    /// Adds a change of a class, if there is room.
    pub(crate) fn add(&mut self, change: Change, class: u32) -> Result<(), Exhausted> {
        if self.entries.len() >= MAX_CHANGES || self.class_numbers >= MAX_CLASS_NUMBERS {
            return Err(Exhausted);
        }
        self.class_numbers += 1;
        self.entries.push(Box::new((change, alloc::vec![class])));
        Ok(())
    }

    /// Joins changes that are the same, if there are many new ones.
    pub(crate) fn join(&mut self) {
        if self.entries.len() > 2 * self.joined + 256 {
            self.join_all();
        }
    }

    fn join_all(&mut self) {
        self.entries.sort_unstable_by(|one, other| (one.0.key(), &one.1).cmp(&(other.0.key(), &other.1)));
        self.entries.dedup_by(|removed, kept| {
            let is_same = removed.0.key() == kept.0.key();
            if is_same {
                kept.1.append(&mut removed.1);
            }
            is_same
        });
        self.joined = self.entries.len();
    }

    /// Returns the changes in order, with the names of the crawlers of their classes, and the classes of changes that are
    /// left out because there are too many names or too many changes.
    pub(crate) fn changes(mut self, names: &[&[String]], memory: &mut Memory) -> (Vec<Change>, BTreeSet<u32>) {
        self.join_all();
        let mut lists: BTreeMap<Vec<u32>, Arc<[String]>> = BTreeMap::new();
        let mut names_left = MAX_NAMES;
        let mut left_out = BTreeSet::new();
        let room = memory.room_for(size_of::<Change>()).min(self.entries.len());
        let mut changes = Vec::with_capacity(room);
        for entry in self.entries {
            let (mut change, mut classes) = *entry;
            if changes.len() == room {
                left_out.extend(classes);
                continue;
            }
            classes.sort_unstable();
            if let Some(list) = lists.get(&classes) {
                change.crawlers = Arc::clone(list);
            } else {
                let of_classes = || classes.iter().flat_map(|class| names[*class as usize]);
                let octets = of_classes().map(|name| size_of::<String>() + name.len()).sum();
                let left = names_left.checked_sub(of_classes().count());
                let (Some(left), Ok(())) = (left, memory.hold(octets)) else {
                    left_out.extend(classes);
                    continue;
                };
                names_left = left;
                change.crawlers = classes.iter().flat_map(|class| names[*class as usize]).cloned().collect();
                lists.insert(classes, Arc::clone(&change.crawlers));
            }
            changes.push(change);
        }
        (changes, left_out)
    }
}
