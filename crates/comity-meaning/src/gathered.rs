//! The changes of all classes of crawlers. Changes that are the same for several classes are joined.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::change::Change;

/// The maximum number of changes, which no reader would look at.
const MAX_CHANGES: usize = 40_000;

/// The maximum number of names of crawlers, over all lists of them.
const MAX_NAMES: usize = 100_000;

/// The maximum number of numbers of classes, over all changes.
const MAX_CLASS_NUMBERS: usize = 500_000;

/// Changes with the classes of crawlers that they affect.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    entries: Vec<(Change, Vec<u32>)>,
    /// The number of entries after they were joined last.
    joined: usize,
    class_numbers: usize,
}

impl Gathered {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a change of a class. Returns false if there are too many.
    pub(crate) fn add(&mut self, change: Change, class: u32) -> bool {
        let is_room = self.entries.len() < MAX_CHANGES && self.class_numbers < MAX_CLASS_NUMBERS;
        if is_room {
            self.class_numbers += 1;
            self.entries.push((change, alloc::vec![class]));
        }
        is_room
    }

    /// Joins changes that are the same, if there are many new ones.
    pub(crate) fn join(&mut self) {
        if self.entries.len() > 2 * self.joined + 256 {
            self.join_all();
        }
    }

    fn join_all(&mut self) {
        self.entries.sort_unstable_by(|(one, of), (other, of_other)| (one.key(), of).cmp(&(other.key(), of_other)));
        self.entries.dedup_by(|(removed, classes), (kept, all)| {
            let is_same = removed.key() == kept.key();
            if is_same {
                all.append(classes);
            }
            is_same
        });
        self.joined = self.entries.len();
    }

    /// Returns the changes in order, with the names of the crawlers of their classes, and the classes of changes that are
    /// left out because there are too many names.
    pub(crate) fn changes(mut self, names: &[&[String]]) -> (Vec<Change>, BTreeSet<u32>) {
        self.join_all();
        let mut lists: BTreeMap<Vec<u32>, Arc<[String]>> = BTreeMap::new();
        let mut names_left = MAX_NAMES;
        let mut left_out = BTreeSet::new();
        let mut changes = Vec::with_capacity(self.entries.len());
        for (mut change, mut classes) in self.entries {
            classes.sort_unstable();
            if let Some(list) = lists.get(&classes) {
                change.crawlers = Arc::clone(list);
            } else {
                let count: usize = classes.iter().map(|class| names[*class as usize].len()).sum();
                let Some(left) = names_left.checked_sub(count) else {
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
