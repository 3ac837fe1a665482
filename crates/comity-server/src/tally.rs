//! How many there are of each, and no more than so many.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts who is there, by a key. Keys that nobody has are forgotten.
#[derive(Clone, Debug)]
pub(crate) struct Tally<K> {
    most: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

/// One that is there, until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted<K: Hash + Eq> {
    key: K,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

impl<K: Hash + Eq + Clone> Tally<K> {
    /// With room for so many of each.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), counts: Arc::default() }
    }

    /// One more, if there is room.
    pub(crate) fn enter(&self, key: &K) -> Option<Counted<K>> {
        let mut counts = lock(&self.counts);
        let count = counts.entry(key.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Counted { key: key.clone(), counts: Arc::clone(&self.counts) })
    }
}

impl<K: Hash + Eq> Drop for Counted<K> {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
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
}
