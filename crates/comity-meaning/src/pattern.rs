//! Path patterns, split at their stars.

use alloc::vec::Vec;

/// A path pattern as literals, called segments, with stars between them.
///
/// The first segment is anchored at the start of the path and begins with `/`. No other segment is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern<'a> {
    pub(crate) segments: Vec<&'a [u8]>,
    /// True if the last segment is anchored at the end of the path. If not, anything may follow it.
    pub(crate) anchored: bool,
}

impl<'a> Pattern<'a> {
    /// Returns the pattern that matches every path.
    pub(crate) fn everything() -> Self {
        Self { segments: alloc::vec![b"/"], anchored: false }
    }

    /// Splits a pattern in normal form into readings. Together, they match the same paths as the pattern.
    ///
    /// There are none if the pattern cannot match, because every path starts with `/`. There are two if it starts with
    /// a star and a segment that starts with `/`: that segment may be at the start of the path, or anywhere after its
    /// first octet.
    pub(crate) fn readings(pattern: &'a [u8], wildcards: bool) -> Vec<Self> {
        if !wildcards {
            let starts_path = pattern.starts_with(b"/");
            return starts_path.then(|| Self { segments: alloc::vec![pattern], anchored: false }).into_iter().collect();
        }
        let (body, dollar) = match pattern.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (pattern, false),
        };
        let anchored = dollar && !body.ends_with(b"*");
        let mut parts = body.split(|octet| *octet == b'*');
        let first = parts.next().unwrap_or_default();
        let rest: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
        let starting = |first| core::iter::once(first).chain(rest.iter().copied()).collect::<Vec<_>>();
        if !first.is_empty() {
            let segments = starting(first);
            return first.starts_with(b"/").then_some(Self { segments, anchored }).into_iter().collect();
        }
        if !body.starts_with(b"*") {
            return Vec::new();
        }
        // The star matches nothing, or at least the slash that every path starts with.
        let after_slash = Self { segments: starting(b"/"), anchored };
        let at_start = rest.first().is_some_and(|part| part.starts_with(b"/"));
        let at_start = at_start.then(|| Self { segments: rest.clone(), anchored });
        core::iter::once(after_slash).chain(at_start).collect()
    }

    /// Returns the pattern that a word represents: each filler octet of the word becomes a star. The module `overlay`
    /// explains words.
    pub(crate) fn of_word(word: &'a [u8], filler: u8) -> Self {
        let segments = word.split(|octet| *octet == filler).filter(|segment| !segment.is_empty()).collect();
        Self { segments, anchored: word.last() != Some(&filler) }
    }

    /// Returns the literal that every matching path starts with.
    pub(crate) fn stem(&self) -> &'a [u8] {
        self.segments.first().copied().unwrap_or_default()
    }

    /// Returns true if the pattern is a literal, without stars.
    pub(crate) fn is_literal(&self) -> bool {
        self.segments.len() == 1
    }

    /// Returns true if the pattern matches a path. Matching each segment at its first occurrence leaves the most room
    /// for the following ones.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        let Some((first, rest)) = self.segments.split_first() else { return false };
        let Some(mut tail) = path.strip_prefix(*first) else { return false };
        let Some((last, middle)) = rest.split_last() else { return !self.anchored || tail.is_empty() };
        for segment in middle {
            match find(tail, segment) {
                Some(after) => tail = after,
                None => return false,
            }
        }
        if self.anchored { tail.ends_with(last) } else { find(tail, last).is_some() }
    }
}

/// Returns the octets after the first occurrence of `segment`.
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
        readings.map(|reading| (reading.segments.into_iter().map(text).collect(), reading.anchored)).collect()
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
