//! What is gathered before it is known how much it will be.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::normal_form::normalize::Sink;

/// Items, on the stack as long as they fit: of a small file, nothing is allocated but what is kept.
pub(super) struct Gathered<T, const FEW: usize> {
    few: [T; FEW],
    len: usize,
    /// All of them, if they don't fit.
    many: Vec<T>,
    /// How many there can be, mostly, so that nothing needs to grow.
    most: usize,
}

impl<T: Copy, const FEW: usize> Gathered<T, FEW> {
    /// Nothing yet; `filler` takes the place of what is not there.
    pub(super) fn new(filler: T, most: usize) -> Self {
        Self { few: [filler; FEW], len: 0, many: Vec::new(), most }
    }

    fn is_many(&self) -> bool {
        self.many.capacity() > 0
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[T] {
        if self.is_many() { &self.many } else { &self.few[..self.len] }
    }

    pub(super) fn len(&self) -> usize {
        self.as_slice().len()
    }

    #[inline]
    pub(super) fn add(&mut self, items: &[T]) {
        let end = self.len + items.len();
        if end > FEW && !self.is_many() {
            self.spill();
        }
        if self.is_many() {
            self.many.extend_from_slice(items);
        } else {
            self.few[self.len..end].copy_from_slice(items);
            self.len = end;
        }
    }

    #[cold]
    fn spill(&mut self) {
        self.many.reserve(self.most.max(2 * FEW));
        self.many.extend_from_slice(&self.few[..self.len]);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.many.truncate(len);
    }

    /// All of them and what follows them, in memory of just that size.
    pub(super) fn into_box_with(mut self, following: &[T]) -> Box<[T]> {
        if !self.is_many() {
            self.many.reserve_exact(self.len + following.len());
            self.many.extend_from_slice(&self.few[..self.len]);
        }
        self.many.extend_from_slice(following);
        self.many.into()
    }

    pub(super) fn into_box(self) -> Box<[T]> {
        self.into_box_with(&[])
    }
}

impl<const FEW: usize> Sink for Gathered<u8, FEW> {
    fn put(&mut self, octets: &[u8]) {
        self.add(octets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_a_vector_holds() {
        for most in [0, 3, 100] {
            for step in 1..7 {
                let (mut gathered, mut expected) = (Gathered::<u32, 8>::new(0, most), Vec::new());
                for start in 0..30 {
                    let items: Vec<u32> = (start..start + step).collect();
                    gathered.add(&items);
                    expected.extend(items);
                    if start % 5 == 4 {
                        let len = expected.len() - 3.min(expected.len()) * (start as usize % 2);
                        gathered.truncate(len);
                        expected.truncate(len);
                    }
                    assert_eq!((gathered.as_slice(), gathered.len()), (&*expected, expected.len()));
                }
                expected.extend([1, 2]);
                assert_eq!(&*gathered.into_box_with(&[1, 2]), &*expected);
            }
        }
        let mut gathered = Gathered::<u32, 2>::new(0, 2);
        gathered.add(&[1, 2, 3]);
        gathered.truncate(0);
        gathered.add(&[4]);
        assert_eq!(&*gathered.into_box(), [4]);
    }
}
