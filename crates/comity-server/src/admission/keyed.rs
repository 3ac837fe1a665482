//! A counting semaphore per key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A counting semaphore per key, with the same number of permits for each key. Unused keys take no memory.
#[derive(Clone, Debug)]
pub(crate) struct KeyedLimiter<K> {
    max: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

/// A number of permits of one key, which are returned on drop.
#[derive(Debug)]
pub(crate) struct KeyedPermit<K: Hash + Eq> {
    key: K,
    amount: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

impl<K: Hash + Eq + Clone> KeyedLimiter<K> {
    /// Returns a limiter with `max` permits per key, at least 1.
    pub(crate) fn new(max: usize) -> Self {
        Self { max: max.max(1), counts: Arc::default() }
    }

    /// Acquires one permit of a key. Returns `None` if none is left.
    pub(crate) fn enter(&self, key: &K) -> Option<KeyedPermit<K>> {
        self.add(key, 1)
    }

    /// Acquires several permits of a key. Returns `None` if fewer are left.
    pub(crate) fn add(&self, key: &K, amount: usize) -> Option<KeyedPermit<K>> {
        let mut counts = lock(&self.counts);
        let count = counts.get(key).copied().unwrap_or_default();
        if amount > self.max.saturating_sub(count) {
            return None;
        }
        counts.insert(key.clone(), count + amount);
        Some(KeyedPermit { key: key.clone(), amount, counts: Arc::clone(&self.counts) })
    }
}

impl<K: Hash + Eq> KeyedPermit<K> {
    /// Takes over the amount of another permit for the same key.
    pub(crate) fn merge(&mut self, mut other: Self) {
        debug_assert!(self.key == other.key, "amounts of one key");
        self.amount += std::mem::take(&mut other.amount);
    }
}

impl<K: Hash + Eq> Drop for KeyedPermit<K> {
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

/// Locks a map of keys. Its entries are correct even if a thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_limit() {
        let limiter = KeyedLimiter::new(2);
        let first = limiter.enter(&"a").unwrap();
        let second = limiter.enter(&"a").unwrap();
        assert!(limiter.enter(&"a").is_none());
        assert!(limiter.enter(&"b").is_some());
        drop(first);
        let third = limiter.enter(&"a").unwrap();
        drop((second, third));
        assert!(lock(&limiter.counts).is_empty());
    }

    #[test]
    fn amounts_add_up() {
        let limiter = KeyedLimiter::new(10);
        let mut first = limiter.add(&"a", 6).unwrap();
        assert!(limiter.add(&"a", 5).is_none());
        first.merge(limiter.add(&"a", 4).unwrap());
        assert!(limiter.add(&"a", 1).is_none());
        drop(first);
        assert!(lock(&limiter.counts).is_empty());
    }
}
