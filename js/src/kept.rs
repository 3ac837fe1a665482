//! Values that a module keeps for JavaScript, up to a limit.
//!
//! JavaScript does not state when it drops an object, and a finalizer runs only between tasks: a loop over a million
//! files would keep all of them. So a module keeps the values that were used last, and JavaScript keeps the bodies. A
//! value that is no longer kept is made again from its body.

/// The limit on the memory of all values, in bytes, until JavaScript sets another one.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// The values that were used last.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    slots: Vec<Option<Slot<T>>>,
    free: Vec<usize>,
    bytes: usize,
    max_bytes: usize,
    /// The number of uses so far.
    uses: u64,
}

#[derive(Debug)]
struct Slot<T> {
    /// The number that tells this value from earlier ones in the same slot.
    serial: u64,
    last_use: u64,
    bytes: usize,
    value: T,
}

impl<T> Kept<T> {
    pub(crate) const fn new(max_bytes: usize) -> Self {
        Self { slots: Vec::new(), free: Vec::new(), bytes: 0, max_bytes, uses: 0 }
    }

    /// Sets the limit, and drops values as [`insert`](Self::insert) does if they need more.
    pub(crate) fn limit(&mut self, max_bytes: usize) {
        self.max_bytes = max_bytes;
        if self.bytes > max_bytes {
            self.shrink(max_bytes / 2);
        }
    }

    /// Keeps a value, and drops those that were not used for the longest time if all need too much memory. Returns its
    /// slot.
    pub(crate) fn insert(&mut self, serial: u64, value: T, bytes: usize) -> usize {
        if self.bytes + bytes > self.max_bytes {
            self.shrink(self.max_bytes / 2);
        }
        self.uses += 1;
        self.bytes += bytes;
        let slot = Some(Slot { serial, last_use: self.uses, bytes, value });
        if let Some(at) = self.free.pop() {
            self.slots[at] = slot;
            return at;
        }
        self.slots.push(slot);
        self.slots.len() - 1
    }

    /// Returns a value, unless it is no longer kept.
    pub(crate) fn get(&mut self, at: usize, serial: u64) -> Option<&T> {
        let slot = self.slots.get_mut(at)?.as_mut().filter(|slot| slot.serial == serial)?;
        self.uses += 1;
        slot.last_use = self.uses;
        Some(&slot.value)
    }

    /// Drops the values that were not used for the longest time until the others need at most this memory.
    fn shrink(&mut self, bytes: usize) {
        let used = |(at, slot): (usize, &Option<Slot<T>>)| Some((slot.as_ref()?.last_use, at));
        let mut oldest: Vec<(u64, usize)> = self.slots.iter().enumerate().filter_map(used).collect();
        oldest.sort_unstable();
        for (_, at) in oldest {
            if self.bytes <= bytes {
                break;
            }
            if let Some(slot) = self.slots[at].take() {
                self.bytes -= slot.bytes;
                self.free.push(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_apart_by_their_serial_numbers() {
        let mut kept = Kept::new(100);
        let at = kept.insert(1, "a", 10);
        assert_eq!(kept.get(at, 1), Some(&"a"));
        assert_eq!(kept.get(at, 2), None);
        assert_eq!(kept.get(at + 1, 1), None);
    }

    #[test]
    fn the_values_that_were_used_last_stay() {
        let mut kept = Kept::new(100);
        let slots: Vec<usize> = (0..10).map(|serial| kept.insert(serial, serial, 10)).collect();
        assert_eq!(kept.get(slots[0], 0), Some(&0));
        let new = kept.insert(10, 10, 10);
        assert!(kept.bytes <= 60);
        assert_eq!(kept.get(slots[0], 0), Some(&0));
        assert_eq!(kept.get(slots[1], 1), None);
        assert_eq!(kept.get(slots[9], 9), Some(&9));
        assert_eq!(kept.get(new, 10), Some(&10));
    }

    #[test]
    fn a_value_above_the_limit_is_kept_alone() {
        let mut kept = Kept::new(100);
        let small = kept.insert(1, 1, 60);
        let large = kept.insert(2, 2, 1000);
        assert_eq!(kept.get(small, 1), None);
        assert_eq!(kept.get(large, 2), Some(&2));
        let next = kept.insert(3, 3, 1);
        assert_eq!(kept.get(large, 2), None);
        assert_eq!(kept.get(next, 3), Some(&3));
        assert_eq!(kept.bytes, 1);
    }

    #[test]
    fn a_limit_can_change() {
        let mut kept = Kept::new(100);
        kept.limit(1000);
        let slots: Vec<usize> = (0..100).map(|serial| kept.insert(serial, serial, 10)).collect();
        assert!(slots.iter().zip(0..).all(|(at, serial)| kept.get(*at, serial) == Some(&serial)));
        kept.limit(200);
        assert_eq!(kept.bytes, 100);
        assert_eq!(kept.get(slots[89], 89), None);
        assert_eq!(kept.get(slots[90], 90), Some(&90));
    }

    #[test]
    fn slots_are_used_again() {
        let mut kept = Kept::new(100);
        for serial in 0..10_000 {
            kept.insert(serial, serial, 10);
        }
        assert!(kept.slots.len() <= 10);
    }
}
