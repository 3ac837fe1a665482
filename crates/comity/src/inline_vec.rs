//! A vector that starts on the stack, for collections of unknown size.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// A vector of items, on the stack up to `N` of them. Reading a small file allocates only what the document keeps.
pub(crate) struct InlineVec<T, const N: usize> {
    inline: [T; N],
    inline_len: usize,
    /// All items, once there are more than `N`.
    spilled: Vec<T>,
    /// The number of items to reserve when spilling. An upper limit in nearly all cases, so that nothing grows twice.
    expected: usize,
}

impl<T: Copy, const N: usize> InlineVec<T, N> {
    /// Returns an empty vector. `filler` initializes the unused slots.
    pub(crate) fn new(filler: T, expected: usize) -> Self {
        Self { inline: [filler; N], inline_len: 0, spilled: Vec::new(), expected }
    }

    fn is_spilled(&self) -> bool {
        self.spilled.capacity() > 0
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        if self.is_spilled() { &self.spilled } else { &self.inline[..self.inline_len] }
    }

    pub(crate) fn len(&self) -> usize {
        self.as_slice().len()
    }

    #[inline]
    pub(crate) fn add(&mut self, items: &[T]) {
        if !self.is_spilled() {
            let end = self.inline_len + items.len();
            if let Some(free) = self.inline.get_mut(self.inline_len..end) {
                free.copy_from_slice(items);
                self.inline_len = end;
                return;
            }
            self.spill();
        }
        self.spilled.extend_from_slice(items);
    }

    #[cold]
    fn spill(&mut self) {
        self.spilled.reserve(self.expected.max(2 * N));
        self.spilled.extend_from_slice(&self.inline[..self.inline_len]);
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.inline_len = self.inline_len.min(len);
        self.spilled.truncate(len);
    }

    /// Returns the items and then `following`, in memory of exactly that size.
    pub(crate) fn into_box_with(mut self, following: &[T]) -> Box<[T]> {
        if !self.is_spilled() {
            self.spilled.reserve_exact(self.inline_len + following.len());
            self.spilled.extend_from_slice(&self.inline[..self.inline_len]);
        }
        self.spilled.extend_from_slice(following);
        self.spilled.into()
    }

    pub(crate) fn into_box(self) -> Box<[T]> {
        self.into_box_with(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_a_vector_holds() {
        for reserve in [0, 3, 100] {
            for step in 1..7 {
                let (mut vector, mut expected) = (InlineVec::<u32, 8>::new(0, reserve), Vec::new());
                for start in 0..30 {
                    let items: Vec<u32> = (start..start + step).collect();
                    vector.add(&items);
                    expected.extend(items);
                    if start % 5 == 4 {
                        let len = expected.len() - 3.min(expected.len()) * (start as usize % 2);
                        vector.truncate(len);
                        expected.truncate(len);
                    }
                    assert_eq!((vector.as_slice(), vector.len()), (&*expected, expected.len()));
                }
                expected.extend([1, 2]);
                assert_eq!(&*vector.into_box_with(&[1, 2]), &*expected);
            }
        }
        let mut vector = InlineVec::<u32, 2>::new(0, 2);
        vector.add(&[1, 2, 3]);
        vector.truncate(0);
        vector.add(&[4]);
        assert_eq!(&*vector.into_box(), [4]);
    }
}
