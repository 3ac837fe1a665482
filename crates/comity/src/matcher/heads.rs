//! Searches sorted texts for the last one that is not greater than a path.
//!
//! The first sixteen bytes usually decide. They are searched eight at a time: first among the distinct first eight
//! bytes, then among the next eight bytes of the texts that start with those. A table from the byte after the slash
//! to the heads that start with it made checks 2 to 3 % faster, and was removed.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// The first bytes of sorted texts.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    /// The distinct first eight bytes.
    firsts: Box<[u64]>,
    /// The index of the first text with each of `firsts`, and finally the number of texts.
    runs: Box<[u32]>,
    /// The next eight bytes of each text.
    nexts: Box<[u64]>,
}

impl Heads {
    pub(super) fn new(heads: &[Head]) -> Self {
        let most = heads.len();
        let (mut firsts, mut runs, mut nexts) =
            (Vec::with_capacity(most), Vec::with_capacity(most + 1), Vec::with_capacity(most));
        for &Head(first, next) in heads {
            if firsts.last() != Some(&first) {
                firsts.push(first);
                runs.push(nexts.len() as u32);
            }
            nexts.push(next);
        }
        runs.push(nexts.len() as u32);
        Self { firsts: firsts.into(), runs: runs.into(), nexts: nexts.into() }
    }

    /// Returns the index of the last text that is not greater than `path`.
    #[inline]
    pub(super) fn nearest<'t>(&self, path: &[u8], text: impl Fn(usize) -> &'t [u8]) -> Option<usize> {
        let Head(first, next) = Head::of(path);
        let run = self.firsts.partition_point(|other| *other <= first).checked_sub(1)?;
        let (start, end) = (self.runs[run] as usize, self.runs[run + 1] as usize);
        if self.firsts[run] < first {
            return Some(end - 1);
        }
        let nexts = &self.nexts[start..end];
        let mut after = start + nexts.partition_point(|other| *other <= next);
        let is_greater = |index: usize| self.nexts[index] == next && text(index) > path;
        if after > start && is_greater(after - 1) {
            // All texts in this range have the same head.
            let mut from = start + nexts.partition_point(|other| *other < next);
            while from < after {
                let middle = from.midpoint(after);
                if is_greater(middle) {
                    after = middle;
                } else {
                    from = middle + 1;
                }
            }
        }
        after.checked_sub(1)
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.firsts) + size_of_val(&*self.runs) + size_of_val(&*self.nexts)
    }
}

/// The head of a text: its first sixteen bytes, as two numbers that sort in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Head(u64, u64);

impl Head {
    /// The number of bytes in a head.
    pub(super) const LEN: usize = 16;

    /// Returns the head of a text. If the text is shorter than a head, zeros follow it.
    #[inline]
    pub(super) fn of(octets: &[u8]) -> Self {
        let mut first = [0; Self::LEN];
        let first = octets.first_chunk().unwrap_or_else(|| {
            first.iter_mut().zip(octets).for_each(|(to, octet)| *to = *octet);
            &first
        });
        Self::from(u128::from_be_bytes(*first))
    }

    /// Returns true if the first `len` bytes equal those of another head. If `len` exceeds the head, all bytes are
    /// compared.
    #[inline]
    pub(super) fn starts_with(self, other: Self, len: usize) -> bool {
        let differing = u128::from(self) ^ u128::from(other);
        differing.leading_zeros() as usize >= 8 * len.min(Self::LEN)
    }

    /// Returns a number that sorts by the first twelve bytes and then by `index`, which is in its low 32 bits.
    #[inline]
    pub(super) fn with(self, index: u32) -> u128 {
        u128::from(self) & !u128::from(u32::MAX) | u128::from(index)
    }
}

impl From<u128> for Head {
    fn from(both: u128) -> Self {
        Self((both >> 64) as u64, both as u64)
    }
}

impl From<Head> for u128 {
    fn from(Head(first, next): Head) -> Self {
        Self::from(first) << 64 | Self::from(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_same_as_a_full_scan() {
        let words =
            [&b""[..], b"/", b"/\0", b"/a", b"/aaaaaaa", b"/aaaaaaaa", b"aaaaaaab", b"aaaaaaaab", b"\0", b"\xFF"];
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for first in words {
            for second in words {
                texts.extend(words.map(|third| [first, second, third].concat()));
            }
        }
        texts.sort();
        texts.dedup();
        for step in [1, 2, 4, 7] {
            let some: Vec<&[u8]> = texts.iter().step_by(step).map(Vec::as_slice).collect();
            let heads = Heads::new(&some.iter().map(|text| Head::of(text)).collect::<Vec<_>>());
            let others = [&b"/b"[..], b"/\x01", b"0", b"/\xFF\xFF", b"-"].map(<[u8]>::to_vec);
            for path in texts.iter().chain(&others) {
                let expected = some.iter().rposition(|text| *text <= &**path);
                assert_eq!(heads.nearest(path, |index| some[index]), expected, "{path:?}");
            }
        }
        assert_eq!(Heads::new(&[]).nearest(b"/", |_| b""), None);
    }
}
