//! Substring search for the segments of patterns in a path.
//!
//! Real checks search a few times, for which scanning the path is fastest. A hostile file causes tens of thousands of
//! searches, each of which scans a long path to its end. So the bytes that are scanned are counted, and once they have
//! cost as much as an index of the path, a suffix index is built. From then on, each search is a binary search.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use memchr::memmem;

/// The searches of one check.
pub(crate) struct Search<'p> {
    path: &'p [u8],
    /// The remaining bytes that may be scanned before an index is built.
    left: usize,
    index: Option<Box<SuffixIndex>>,
}

/// The fixed cost of a search, in bytes scanned.
const SEARCH_COST: usize = 64;

impl<'p> Search<'p> {
    #[inline]
    pub(crate) fn new(path: &'p [u8]) -> Self {
        // Building an index takes about as long as scanning the path a hundred times. The fixed part delays it for
        // short paths.
        Self { path, left: 100 * path.len() + 512 * SEARCH_COST, index: None }
    }

    pub(crate) fn path(&self) -> &'p [u8] {
        self.path
    }

    /// Returns the first position at or after `from` where `segment` occurs.
    pub(crate) fn find(&mut self, segment: &[u8], from: usize) -> Option<usize> {
        if segment.is_empty() {
            return Some(from);
        }
        if let Some(index) = &mut self.index {
            return index.find(self.path, segment, from);
        }
        let found = memmem::find(&self.path[from..], segment);
        let cost = SEARCH_COST + found.unwrap_or(self.path.len() - from);
        match self.left.checked_sub(cost) {
            Some(left) => self.left = left,
            // The index uses 16-bit positions. No server accepts a longer URL.
            None if u16::try_from(self.path.len()).is_ok() => self.index = Some(Box::new(SuffixIndex::new(self.path))),
            None => {}
        }
        found.map(|at| from + at)
    }
}

/// A sorted array of the suffixes of a path, in which those that start with a segment are contiguous. Results are
/// cached, since hostile files repeat segments.
struct SuffixIndex {
    /// The first bytes of the suffixes, in sorted order.
    heads: Vec<u64>,
    /// The start of each suffix, in sorted order.
    order: Vec<u16>,
    /// A hash table of segments.
    known: Vec<Known>,
    known_count: usize,
    /// Bit maps of the positions of segments that occur often, with one bit for each byte of the path.
    maps: Vec<u64>,
    /// Bit maps of the positions of each byte.
    octets: Vec<u64>,
}

/// The occurrences of a segment.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The length of the segment; 0 if the slot is empty.
    len: u16,
    /// The range of ranks, `first..end`, of the suffixes that start with it.
    first: u16,
    end: u16,
    /// The index of its bit map, if it occurs often and was searched for again.
    map: Option<u8>,
}

/// Segments with at most this many occurrences get no bit map; their positions are compared one by one.
const MAX_UNMAPPED: u16 = 48;
/// The number of slots for segments. Half of them stay empty.
const SLOTS: usize = 1 << 12;
/// The number of slots that are tried for a segment.
const MAX_PROBES: usize = 8;
const MAX_MAPS: usize = 256; // `Known::map` counts them

impl SuffixIndex {
    fn new(path: &[u8]) -> Self {
        let order = sort_suffixes(path);
        let heads = order.iter().map(|at| head(&path[usize::from(*at)..])).collect();
        let map_len = path.len().div_ceil(64);
        let mut octets = vec![0; 256 * map_len];
        for (at, octet) in path.iter().enumerate() {
            octets[usize::from(*octet) * map_len + at / 64] |= 1 << (at % 64);
        }
        Self { heads, order, known: vec![Known::default(); SLOTS], known_count: 0, maps: Vec::new(), octets }
    }

    fn find(&mut self, path: &[u8], segment: &[u8], from: usize) -> Option<usize> {
        if let [octet] = segment {
            return next_in(self.map(&self.octets, usize::from(*octet)), from);
        }
        let place = hash(segment);
        for place in (place..place + MAX_PROBES).map(|place| place % SLOTS) {
            let known = self.known[place];
            if known.len == 0 {
                break;
            }
            // They are equal if the segment occurs where the known one of the same length does.
            let start = usize::from(self.order[usize::from(known.first)]);
            if usize::from(known.len) == segment.len() && path[start..].starts_with(segment) {
                let map = known.map.or_else(|| self.draw_map(place));
                return self.next(Known { map, ..known }, from);
            }
        }
        let found = self.look_up(path, segment)?;
        self.remember(found, place);
        self.next(found, from)
    }

    /// Returns the first occurrence at or after `from`.
    fn next(&self, known: Known, from: usize) -> Option<usize> {
        let Some(map) = known.map else {
            // Positions before `from` wrap around to large numbers.
            let starts = &self.order[usize::from(known.first)..usize::from(known.end)];
            let nearest = starts.iter().map(|at| at.wrapping_sub(from as u16)).fold(u16::MAX, u16::min);
            let at = from + usize::from(nearest);
            return (at < self.order.len()).then_some(at);
        };
        next_in(self.map(&self.maps, usize::from(map)), from)
    }

    fn map<'m>(&self, maps: &'m [u64], index: usize) -> &'m [u64] {
        &maps[index * self.map_len()..][..self.map_len()]
    }

    fn map_len(&self) -> usize {
        self.order.len().div_ceil(64)
    }

    /// Returns the range of the suffixes that start with `segment`.
    fn look_up(&self, path: &[u8], segment: &[u8]) -> Option<Known> {
        let least = head(segment);
        let greatest = if segment.len() < HEAD_LEN { least | u64::MAX >> (8 * segment.len()) } else { least };
        let mut first = self.heads.partition_point(|head| *head < least);
        if *self.heads.get(first)? > greatest {
            return None;
        }
        let mut end = first + self.heads[first..].partition_point(|head| *head <= greatest);
        if let Some(rest) = segment.get(HEAD_LEN..) {
            let after_head = |at: &u16| {
                let suffix = &path[usize::from(*at) + HEAD_LEN..];
                &suffix[..suffix.len().min(rest.len())]
            };
            // In a repetitive path, usually all of them continue alike.
            if after_head(&self.order[first]) < rest {
                first += self.order[first..end].partition_point(|at| after_head(at) < rest);
            }
            if after_head(self.order[first..end].first()?) != rest {
                return None;
            }
            if after_head(&self.order[end - 1]) != rest {
                end = first + self.order[first..end].partition_point(|at| after_head(at) == rest);
            }
        }
        Some(Known { len: segment.len() as u16, first: first as u16, end: end as u16, map: None })
    }

    fn remember(&mut self, found: Known, place: usize) {
        if self.known_count == SLOTS / 2 {
            self.forget();
        }
        let is_free = |place: &usize| self.known[place % SLOTS].len == 0;
        let free = (place..place + MAX_PROBES).find(is_free);
        self.known_count += usize::from(free.is_some());
        self.known[free.unwrap_or(place) % SLOTS] = found;
    }

    fn forget(&mut self) {
        self.known.fill(Known::default());
        self.known_count = 0;
        self.maps.clear();
    }

    /// Builds the bit map of a segment if it occurs often, and returns its index.
    fn draw_map(&mut self, place: usize) -> Option<u8> {
        let known = self.known[place];
        if known.end - known.first <= MAX_UNMAPPED {
            return None;
        }
        if self.maps.len() == MAX_MAPS * self.map_len() {
            self.forget();
        }
        let start = self.maps.len();
        let map = (start / self.map_len()) as u8;
        self.maps.resize(start + self.map_len(), 0);
        for at in &self.order[usize::from(known.first)..usize::from(known.end)] {
            self.maps[start + usize::from(*at / 64)] |= 1 << (at % 64);
        }
        self.known_count += usize::from(self.known[place].len == 0);
        self.known[place] = Known { map: Some(map), ..known };
        Some(map)
    }
}

/// Returns the first bit of a map that is set at or after `from`.
fn next_in(map: &[u64], from: usize) -> Option<usize> {
    let word = from / 64;
    let here = map.get(word)? & u64::MAX << (from % 64);
    if here != 0 {
        return Some(64 * word + here.trailing_zeros() as usize);
    }
    let word = word + 1 + map[word + 1..].iter().position(|bits| *bits != 0)?;
    Some(64 * word + map[word].trailing_zeros() as usize)
}

/// Returns the preferred slot of a segment. Segments that are chosen to collide cost repeated lookups, but do not
/// change results.
fn hash(segment: &[u8]) -> usize {
    let mut mixed = head(segment);
    if segment.len() > HEAD_LEN {
        let tail = head(&segment[segment.len() - HEAD_LEN..]);
        mixed = (mixed ^ tail.rotate_left(27)).wrapping_add(segment.len() as u64);
    }
    ((mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize
}

/// The number of bytes in a head.
const HEAD_LEN: usize = 7;

/// Returns the first bytes and their number as an integer that sorts like the bytes.
fn head(octets: &[u8]) -> u64 {
    if let Some(first) = octets.first_chunk() {
        return u64::from_be_bytes(*first) & !0xFF | HEAD_LEN as u64;
    }
    let number = octets.iter().fold(0, |number, octet| number << 8 | u64::from(*octet));
    number << (8 * (8 - octets.len())) | octets.len() as u64
}

/// Returns the starts of the suffixes in sorted order. They are sorted by their heads and then by twice as many bytes
/// in each round, using the ranks of the previous round (Manber and Myers). So no comparison is long, whatever the
/// path.
fn sort_suffixes(path: &[u8]) -> Vec<u16> {
    let heads: Vec<u64> = (0..path.len()).map(|at| head(&path[at..])).collect();
    let mut order: Vec<u16> = (0..path.len() as u16).collect();
    order.sort_unstable_by_key(|at| heads[usize::from(*at)]);
    // Equal suffixes share the rank of the first of them.
    let mut ranks = rank(&order, |a, b| heads[a] == heads[b]);
    let mut width = HEAD_LEN;
    let mut places: Vec<u16> = Vec::new();
    let mut sorted = order.clone();
    while width < path.len() {
        // Visit the suffixes in the order of what follows after `width` octets, and place each at the next position of
        // its rank.
        places.clear();
        places.extend(0..path.len() as u16);
        let (long, short) =
            (order.iter().filter_map(|at| at.checked_sub(width as u16)), path.len() - width..path.len());
        for at in short.map(|at| at as u16).chain(long) {
            let place = &mut places[usize::from(ranks[usize::from(at)])];
            sorted[usize::from(*place)] = at;
            *place += 1;
        }
        core::mem::swap(&mut order, &mut sorted);
        let before = ranks;
        ranks = rank(&order, |a, b| before[a] == before[b] && before.get(a + width) == before.get(b + width));
        width *= 2;
        if order.iter().zip(0..).all(|(at, rank)| ranks[usize::from(*at)] == rank) {
            break;
        }
    }
    order
}

/// Returns the ranks of sorted suffixes. Equal suffixes share a rank.
fn rank(order: &[u16], is_equal: impl Fn(usize, usize) -> bool) -> Vec<u16> {
    let mut ranks = vec![0; order.len()];
    let mut equals_from = 0;
    for (i, at) in order.iter().enumerate() {
        if i > 0 && !is_equal(usize::from(order[i - 1]), usize::from(*at)) {
            equals_from = i as u16;
        }
        ranks[usize::from(*at)] = equals_from;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pseudorandom number.
    fn below(state: &mut u64, end: usize) -> usize {
        *state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (*state >> 33) as usize % end
    }

    fn compare(path: &[u8], segments: usize, state: &mut u64) {
        let mut index = SuffixIndex::new(path);
        for _ in 0..segments {
            // Mostly a segment of the path, sometimes changed.
            let start = below(state, path.len());
            let most = [2, 8, 20, path.len()][below(state, 4)];
            let len = 1 + below(state, most);
            let mut segment = path[start..path.len().min(start + len)].to_vec();
            if below(state, 4) == 0 {
                segment.push([0, b'a', b'b', 0xFF][below(state, 4)]);
            }
            for from in [0, start, below(state, path.len() + 1), path.len()] {
                let expected = memmem::find(&path[from..], &segment).map(|at| from + at);
                assert_eq!(index.find(path, &segment, from), expected, "{segment:?} from {from} in {path:?}");
            }
        }
    }

    #[test]
    fn an_index_finds_what_reading_finds() {
        let mut state = 1;
        for len in (1..70).chain([127, 128, 129, 1_000, 4_097, 8_192, 65_535]) {
            for letters in [&b"a"[..], b"ab", b"\0a", b"\0\xFFa", b"abcdefghijklmnop/0123456789"] {
                let path: Vec<u8> = (0..len).map(|_| letters[below(&mut state, letters.len())]).collect();
                compare(&path, 40, &mut state);
            }
            let period = 1 + below(&mut state, 40);
            let path: Vec<u8> = (0..len).map(|at| if at % period == 0 { b'b' } else { b'a' }).collect();
            compare(&path, 40, &mut state);
        }
    }

    #[test]
    fn an_index_forgets_and_goes_on() {
        let mut state = 2;
        let path: Vec<u8> = (0..8_192).map(|_| b"ab"[below(&mut state, 2)]).collect();
        compare(&path, 6_000, &mut state); // more than there are slots
        let path = [b'a'; 2_000];
        let mut index = SuffixIndex::new(&path);
        for len in (1..1_500).chain(1..1_500) {
            assert_eq!(
                (index.find(&path, &path[..len], 7), index.find(&path, &path[..len], 501)),
                (Some(7), (len < 1_500).then_some(501).filter(|at| at + len <= 2_000))
            );
        }
    }

    #[test]
    fn only_many_searches_make_an_index() {
        let path = b"/aaaaaaab".repeat(500);
        let mut search = Search::new(&path);
        for _ in 0..100 {
            assert_eq!(search.find(b"aaaaaaaa", 0), None);
        }
        assert!(search.index.is_none());
        for _ in 0..100 {
            assert_eq!(search.find(b"aaaaaaaa", 0), None);
            assert_eq!(search.find(b"b/", 9), Some(17));
        }
        assert!(search.index.is_some());
    }
}
