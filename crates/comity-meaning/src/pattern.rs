//! Path patterns, split at their stars.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// A path pattern as literals, called segments, with stars between them.
///
/// The first segment is anchored at the start of the path and begins with `/`. No other segment is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern<'a> {
    first: &'a [u8],
    /// The other segments. Most patterns are literals and have none, which takes no memory of its own.
    rest: Box<[&'a [u8]]>,
    /// The bytes of the other segments, as a set. A path without them does not match.
    required: OctetSet,
    /// True if the last segment is anchored at the end of the path. If not, anything may follow it.
    pub(crate) anchored: bool,
}

impl<'a> Pattern<'a> {
    /// Returns the pattern that matches every path.
    pub(crate) fn everything() -> Self {
        Self::literal(b"/", false)
    }

    /// Returns the pattern of one segment.
    pub(crate) fn literal(segment: &'a [u8], anchored: bool) -> Self {
        Self { first: segment, rest: Box::default(), required: OctetSet::default(), anchored }
    }

    /// Splits a pattern in normal form into readings. Together, they match the same paths as the pattern.
    ///
    /// There are none if the pattern cannot match, because every path starts with `/`. There are two if it starts with
    /// a star and a segment that starts with `/`: that segment may be at the start of the path, or anywhere after its
    /// first byte.
    pub(crate) fn readings(pattern: &'a [u8], wildcards: bool) -> Vec<Self> {
        if !wildcards {
            let starts_path = pattern.starts_with(b"/");
            return starts_path.then(|| Self::literal(pattern, false)).into_iter().collect();
        }
        let (body, dollar) = match pattern.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (pattern, false),
        };
        let anchored = dollar && !body.ends_with(b"*");
        let first = body.split(|octet| *octet == b'*').next().unwrap_or_default();
        let rest = || body.split(|octet| *octet == b'*').skip(1).filter(|part| !part.is_empty());
        let starting = |first: &'a [u8], skipped| {
            // Counting first keeps the memory of patterns of many stars exact.
            let mut segments = Vec::with_capacity(rest().count().saturating_sub(skipped));
            segments.extend(rest().skip(skipped));
            let required = OctetSet::of(segments.iter().copied().flatten());
            Self { first, rest: segments.into_boxed_slice(), required, anchored }
        };
        if !first.is_empty() {
            return first.starts_with(b"/").then(|| starting(first, 0)).into_iter().collect();
        }
        if !body.starts_with(b"*") {
            return Vec::new();
        }
        // The star matches nothing, or at least the slash that every path starts with.
        let at_start = rest().next().filter(|part| part.starts_with(b"/"));
        let at_start = at_start.map(|part| starting(part, 1));
        core::iter::once(starting(b"/", 0)).chain(at_start).collect()
    }

    /// Returns the pattern that a word represents: each filler byte of the word becomes a star. The module `overlay`
    /// explains words.
    pub(crate) fn of_word(word: &'a [u8], filler: u8) -> Self {
        let mut segments = word.split(|octet| *octet == filler).filter(|segment| !segment.is_empty());
        let first = segments.next().unwrap_or_default();
        let required = OctetSet::default();
        Self { first, rest: segments.collect(), required, anchored: word.last() != Some(&filler) }
    }

    /// Returns the word of the pattern, with the filler byte in place of each star and of an open end.
    pub(crate) fn word(&self, filler: u8) -> Vec<u8> {
        let mut word = self.segments_from(0).collect::<Vec<&[u8]>>().join(&filler);
        if !self.anchored {
            word.push(filler);
        }
        word
    }

    /// Returns the literal that every matching path starts with.
    pub(crate) fn stem(&self) -> &'a [u8] {
        self.first
    }

    /// Returns the number of segments.
    pub(crate) fn len(&self) -> usize {
        1 + self.rest.len()
    }

    /// Returns the segment with this index, if there is one. The first one is the stem.
    pub(crate) fn segment(&self, index: usize) -> Option<&'a [u8]> {
        match index.checked_sub(1) {
            Some(index) => self.rest.get(index).copied(),
            None => Some(self.first),
        }
    }

    /// Returns the segments from this one on.
    pub(crate) fn segments_from(&self, index: usize) -> impl Iterator<Item = &'a [u8]> {
        (index..self.len()).filter_map(|index| self.segment(index))
    }

    /// Returns true if the pattern is a literal, without stars.
    pub(crate) fn is_literal(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns false if a path with these bytes cannot match.
    pub(crate) fn may_match(&self, octets: OctetSet) -> bool {
        self.required.0 & !octets.0 == 0
    }

    /// Returns true if the pattern matches a path. Matching each segment at its first occurrence leaves the most room
    /// for the following ones.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        let Some(mut tail) = path.strip_prefix(self.first) else { return false };
        let Some((last, middle)) = self.rest.split_last() else { return !self.anchored || tail.is_empty() };
        for segment in middle {
            match find(tail, segment) {
                Some(after) => tail = after,
                None => return false,
            }
        }
        if self.anchored { tail.ends_with(last) } else { find(tail, last).is_some() }
    }
}

/// A set of bytes, in which some bytes are not told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OctetSet(u32);

impl OctetSet {
    pub(crate) fn of<'o>(octets: impl IntoIterator<Item = &'o u8>) -> Self {
        Self(octets.into_iter().fold(0, |set, octet| set | 1 << (octet % 32)))
    }
}

/// Returns the bytes after the first occurrence of `segment`.
fn find<'p>(path: &'p [u8], segment: &[u8]) -> Option<&'p [u8]> {
    memchr::memmem::find(path, segment).map(|at| &path[at + segment.len()..])
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::Pattern;

    fn segments(pattern: &str) -> Vec<(Vec<&str>, bool)> {
        let readings = Pattern::readings(pattern.as_bytes(), true).into_iter();
        let text = |segment| core::str::from_utf8(segment).unwrap();
        readings.map(|reading| (reading.segments_from(0).map(text).collect(), reading.anchored)).collect()
    }

    #[test]
    fn patterns_are_split_at_stars() {
        assert_eq!(segments("/a*b$"), [(["/a", "b"].to_vec(), true)]);
        assert_eq!(segments("/a**b*"), [(["/a", "b"].to_vec(), false)]);
        assert_eq!(segments("/a*$"), [(["/a"].to_vec(), false)]);
        assert_eq!(segments("*"), [(["/"].to_vec(), false)]);
        assert_eq!(segments("*b"), [(["/", "b"].to_vec(), false)]);
        assert_eq!(segments("*/b$"), [(["/", "/b"].to_vec(), true), (["/b"].to_vec(), true)]);
    }

    #[test]
    fn patterns_that_start_no_path_match_nothing() {
        for pattern in ["", "$", "a", "?x"] {
            assert!(segments(pattern).is_empty(), "{pattern}");
        }
    }
}
