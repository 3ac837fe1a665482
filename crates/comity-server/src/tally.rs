//! Counts by key, with a bound on each.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A count for each key, with one bound for all of them. Keys that nobody has are forgotten.
#[derive(Clone, Debug)]
pub(crate) struct Tally<K> {
    max: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

/// An amount that is counted, until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted<K: Hash + Eq> {
    key: K,
    amount: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

impl<K: Hash + Eq + Clone> Tally<K> {
    /// Returns one with this bound on each key's count, 1 at least.
    pub(crate) fn new(max: usize) -> Self {
        Self { max: max.max(1), counts: Arc::default() }
    }

    /// Counts one more of a key. None if that is too many.
    pub(crate) fn enter(&self, key: &K) -> Option<Counted<K>> {
        self.add(key, 1)
    }

    /// Adds an amount to the count of a key. None if that is too much.
    pub(crate) fn add(&self, key: &K, amount: usize) -> Option<Counted<K>> {
        let mut counts = lock(&self.counts);
        let count = counts.get(key).copied().unwrap_or_default();
        if amount > self.max.saturating_sub(count) {
            return None;
        }
        counts.insert(key.clone(), count + amount);
        Some(Counted { key: key.clone(), amount, counts: Arc::clone(&self.counts) })
    }
}

impl<K: Hash + Eq> Counted<K> {
    /// Takes over the amount of another one of the same key.
    pub(crate) fn merge(&mut self, mut other: Self) {
        debug_assert!(self.key == other.key, "amounts of one key");
        self.amount += std::mem::take(&mut other.amount);
    }
}

impl<K: Hash + Eq> Drop for Counted<K> {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= self.amount;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_so_many_of_each() {
        let tally = Tally::new(2);
        let first = tally.enter(&"a").unwrap();
        let second = tally.enter(&"a").unwrap();
        assert!(tally.enter(&"a").is_none());
        assert!(tally.enter(&"b").is_some());
        drop(first);
        let third = tally.enter(&"a").unwrap();
        drop((second, third));
        assert!(lock(&tally.counts).is_empty());
    }

    #[test]
    fn amounts_add_up() {
        let tally = Tally::new(10);
        let mut first = tally.add(&"a", 6).unwrap();
        assert!(tally.add(&"a", 5).is_none());
        first.merge(tally.add(&"a", 4).unwrap());
        assert!(tally.add(&"a", 1).is_none());
        drop(first);
        assert!(lock(&tally.counts).is_empty());
    }
}
