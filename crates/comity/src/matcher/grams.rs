//! An index that selects the few of thousands of tails that can match a path.
//!
//! Checking the mask of a tail is fast, but not if there are thousands. So each tail of a stem with many tails is
//! indexed by a gram, four adjacent bytes that it requires: the one that the fewest other tails require. A path
//! contains few of the indexed grams, and only the tails of those are examined, and the tails that have no gram.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// Tails, indexed by a gram that they require.
#[derive(Clone, Debug, Default)]
pub(super) struct Grams {
    /// A bit for each cell that grams are hashed to, set if the cell has a tail. Few paths hit one by chance.
    occupied: Box<[u64]>,
    /// The start of the entries of each bucket of cells. The last bucket contains the tails without a gram.
    starts: Box<[u32]>,
    entries: Box<[Entry]>,
}

/// A tail of a stem with many tails.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    gram: Gram,
    pub(super) stem: u32,
    pub(super) tail: u32,
}

/// Four adjacent bytes.
type Gram = u32;

/// The number of cells in a bucket.
const CELLS_PER_BUCKET: usize = 16;

/// The maximum number of buckets. No file of less than 4 MB has more tails. In larger files, which only dialects
/// without a size limit read, tails share buckets.
const MAX_BUCKETS: usize = 1 << 20;

impl Grams {
    /// Builds the index from tails, each given by its index, the index of its stem, and its text.
    pub(super) fn new(tails: &[(u32, u32, &[u8])]) -> Self {
        if tails.is_empty() {
            return Self::default();
        }
        let buckets = tails.len().next_power_of_two().clamp(u64::BITS as usize / CELLS_PER_BUCKET, MAX_BUCKETS);
        let cells = buckets * CELLS_PER_BUCKET;
        let mut needed_by = vec![0_u32; cells];
        for gram in tails.iter().flat_map(|(.., text)| needs(text)) {
            needed_by[cell(gram, cells)] += 1;
        }
        let mut occupied = vec![0; cells.div_ceil(64)];
        let mut entries = Vec::with_capacity(tails.len());
        for &(tail, stem, text) in tails {
            let rarest = needs(text).map(|gram| (cell(gram, cells), gram)).min_by_key(|(cell, _)| needed_by[*cell]);
            if let Some((cell, _)) = rarest {
                occupied[cell / 64] |= 1 << (cell % 64);
            }
            let (cell, gram) = rarest.unwrap_or((cells, 0));
            entries.push((cell / CELLS_PER_BUCKET, Entry { gram, stem, tail }));
        }
        entries.sort_unstable_by_key(|(bucket, entry)| (*bucket, entry.tail));
        let starts = (0..=buckets + 1).scan(0, |start, bucket| {
            *start += entries[*start..].iter().take_while(|(other, _)| *other < bucket).count();
            Some(*start as u32)
        });
        Self {
            occupied: occupied.into(),
            starts: starts.collect(),
            entries: entries.iter().map(|(_, entry)| *entry).collect(),
        }
    }

    /// Calls `look` with the tails that can match a path according to its grams. Returns false if examining all tails
    /// is faster.
    #[inline]
    pub(super) fn candidates(&self, path: &[u8], mut look: impl FnMut(&Entry)) -> bool {
        if self.entries.is_empty() {
            return true;
        }
        // A long path has many grams, and a repetitive one yields the same tails again and again.
        let Some(mut left) = self.entries.len().checked_sub(path.len()) else { return false };
        let cells = self.occupied.len() * 64;
        for gram in path.windows(size_of::<Gram>()).map(gram) {
            let cell = cell(gram, cells);
            if self.occupied[cell / 64] >> (cell % 64) & 1 == 0 {
                continue;
            }
            let entries = self.bucket(cell / CELLS_PER_BUCKET);
            match left.checked_sub(entries.len()) {
                Some(less) => left = less,
                None => return false,
            }
            entries.iter().filter(|entry| entry.gram == gram).for_each(&mut look);
        }
        self.bucket(cells / CELLS_PER_BUCKET).iter().for_each(look);
        true
    }

    fn bucket(&self, bucket: usize) -> &[Entry] {
        &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.occupied) + size_of_val(&*self.starts) + size_of_val(&*self.entries)
    }
}

/// Returns the grams that a tail requires, which are those within one segment.
fn needs(text: &[u8]) -> impl Iterator<Item = Gram> {
    text.windows(size_of::<Gram>()).map(gram).filter(|gram| !has_star(*gram))
}

/// Returns true if a byte is a star. It tests all four at once: only a zero byte borrows from its highest bit.
fn has_star(gram: Gram) -> bool {
    let zero_where_star = gram ^ Gram::from_le_bytes(*b"****");
    zero_where_star.wrapping_sub(0x0101_0101) & !zero_where_star & 0x8080_8080 != 0
}

fn gram(octets: &[u8]) -> Gram {
    octets.first_chunk().map_or(0, |octets| Gram::from_le_bytes(*octets))
}

fn cell(gram: Gram, cells: usize) -> usize {
    gram.wrapping_mul(0x9E37_79B1) as usize >> (Gram::BITS - cells.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Returns a pseudorandom number.
    fn below(state: &mut u64, end: usize) -> usize {
        *state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (*state >> 33) as usize % end
    }

    fn text(state: &mut u64, letters: &[u8], most: usize) -> Vec<u8> {
        (0..below(state, most)).map(|_| letters[below(state, letters.len())]).collect()
    }

    #[test]
    fn every_match_is_a_candidate() {
        let mut state = 1;
        let (mut looked_at, mut could_match) = (0, 0);
        for (count, letters) in [(0, &b"a*"[..]), (1, b"ab*"), (40, b"a*"), (500, b"abcd*"), (5_000, b"abcdefgh/*")] {
            let texts: Vec<Vec<u8>> = (0..count).map(|_| text(&mut state, letters, 12)).collect();
            let tails: Vec<_> = texts.iter().zip(0..).map(|(text, tail)| (tail, 7, &**text)).collect();
            let grams = Grams::new(&tails);
            for _ in 0..200 {
                let path = text(&mut state, letters, 40);
                let mut found = vec![false; count];
                let enough = grams.candidates(&path, |entry| {
                    assert_eq!(entry.stem, 7);
                    found[entry.tail as usize] = true;
                });
                if !enough {
                    continue;
                }
                looked_at += found.iter().filter(|found| **found).count();
                for (text, found) in texts.iter().zip(found) {
                    let mut segments = text.split(|octet| *octet == b'*');
                    if segments.all(|segment| memchr::memmem::find(&path, segment).is_some()) {
                        could_match += 1;
                        assert!(found, "{text:?} in {path:?}");
                    }
                }
            }
        }
        assert!(could_match > 1_000, "{could_match}");
        assert!(looked_at < 4 * could_match, "{looked_at} for {could_match}");
    }

    #[test]
    fn stars_are_seen() {
        for octet in 0..=u8::MAX {
            for place in 0..4 {
                let mut octets = *b"\x01a\xFF+";
                octets[place] = octet;
                assert_eq!(has_star(gram(&octets)), octet == b'*', "{octets:?}");
            }
        }
    }

    #[test]
    fn a_path_that_leads_astray_is_left() {
        let text = |i| if i < 500 { alloc::format!("*aaaa*{i}") } else { alloc::format!("*{i:05}") };
        let texts: Vec<Vec<u8>> = (0..1_000).map(|i| text(i).into_bytes()).collect();
        let tails: Vec<_> = texts.iter().zip(0..).map(|(text, tail)| (tail, 0, &**text)).collect();
        let grams = Grams::new(&tails);
        let mut looked_at = 0;
        assert!(grams.candidates(b"/aaaa", |_| looked_at += 1));
        assert_eq!(looked_at, 500);
        assert!(!grams.candidates(&b"/aaaa".repeat(50), |_| looked_at += 1));
        assert!(!grams.candidates(&[b'/'; 1_001], |_| looked_at += 1));
        assert!(looked_at <= 1_500, "{looked_at}");
    }
}
