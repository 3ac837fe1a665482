//! Matching of a pattern with operators against a path, both in normal form.

use memchr::memchr;

use crate::document::Rule;
use crate::matcher::search::Search;

/// Returns true if a pattern in normal form matches a path in normal form.
pub(crate) fn matches(pattern: &[u8], search: &mut Search<'_>, wildcards: bool) -> bool {
    if !wildcards {
        return search.path().starts_with(pattern);
    }
    match pattern.split_last() {
        Some((b'$', body)) => matches_segments(body, true, 0, search),
        _ => matches_segments(pattern, false, 0, search),
    }
}

/// Returns true if the segments between the stars of `pattern` occur in the path one after the other, the first at
/// `from` and, if `anchored`, the last at the end of the path.
///
/// Taking the first occurrence of each segment leaves the most bytes for the others, so there is no backtracking.
pub(crate) fn matches_segments(pattern: &[u8], anchored: bool, mut from: usize, search: &mut Search<'_>) -> bool {
    let path = search.path();
    let Some(star) = memchr(b'*', pattern) else {
        return if anchored { path[from..] == *pattern } else { path[from..].starts_with(pattern) };
    };
    let (first, mut pattern) = (&pattern[..star], &pattern[star + 1..]);
    if !path[from..].starts_with(first) {
        return false;
    }
    from += first.len();
    let mut end = path.len();
    if anchored {
        // The end is checked first, since that is fast. The other segments must occur before it.
        let (middle, last) = pattern.split_at(memchr::memrchr(b'*', pattern).map_or(0, |star| star + 1));
        if !path[from..].ends_with(last) {
            return false;
        }
        (pattern, end) = (middle, end - last.len());
    }
    for segment in pattern.split(|octet| *octet == b'*') {
        match search.find(segment, from) {
            Some(at) if at + segment.len() <= end => from = at + segment.len(),
            _ => return false,
        }
    }
    true
}

/// Returns true if `pattern` matches everything that `other` matches. Both are in normal form.
///
/// A star in `other` matches anything, so only a star in `pattern` may match it. Since literal segments contain no
/// stars, matching `other` as if it were a path gives exactly that.
pub(crate) fn covers(pattern: &[u8], other: &[u8], wildcards: bool) -> bool {
    if !wildcards {
        return other.starts_with(pattern);
    }
    let matches = |pattern, anchored, other| matches_segments(pattern, anchored, 0, &mut Search::new(other));
    match (pattern.split_last(), other.split_last()) {
        (Some((b'$', body)), Some((b'$', other))) => matches(body, true, other),
        // A pattern without an end anchor is covered by one with an end anchor only if that has a star before it.
        (Some((b'$', body)), _) => body.ends_with(b"*") && matches(body, false, other),
        (_, Some((b'$', other))) => matches(pattern, false, other),
        _ => matches(pattern, false, other),
    }
}

impl Rule<'_> {
    /// Returns true if this pattern matches every URL that the other one matches. Both rules must belong to files of
    /// the same dialect.
    ///
    /// ```
    /// let robots = comity::Robots::parse(b"User-agent: *\nDisallow: /*.pdf\nDisallow: /docs/*.pdf$\n");
    /// let rules: Vec<_> = robots.groups().next().unwrap().rules().collect();
    /// assert!(rules[0].covers(&rules[1]));
    /// assert!(!rules[1].covers(&rules[0]));
    /// ```
    pub fn covers(&self, other: &Rule<'_>) -> bool {
        covers(self.pattern(), other.pattern(), self.dialect().wildcards)
    }
}

/// Returns the length of the directory that Google's parser also allows for an `Allow` of `…/index.htm…`: the pattern
/// up to its last slash, inclusive.
pub(crate) fn directory_of_index(pattern: &[u8]) -> Option<usize> {
    let slash = memchr::memrchr(b'/', pattern)?;
    pattern[slash..].starts_with(b"/index.htm").then_some(slash + 1)
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::covers;
    use crate::matcher::search::Search;

    fn matches(pattern: &[u8], path: &[u8]) -> bool {
        super::matches(pattern, &mut Search::new(path), true)
    }

    /// Compares all patterns of up to four bytes over a small alphabet on all paths of up to five bytes: a pattern
    /// that covers another matches wherever that one does, and one that does not cover it fails on some path.
    #[test]
    fn covering_is_what_paths_say() {
        let words = |alphabet: &[u8], most: usize| {
            let mut all = vec![Vec::new()];
            let mut from = 0;
            for _ in 0..most {
                let until = all.len();
                for i in from..until {
                    for octet in alphabet {
                        let mut word: Vec<u8> = all[i].clone();
                        word.push(*octet);
                        all.push(word);
                    }
                }
                from = until;
            }
            all
        };
        let with_end = words(b"/a*", 3).into_iter().flat_map(|p| [[&*p, b"$"].concat(), p]);
        let patterns: Vec<Vec<u8>> = with_end.collect();
        // An octet that no pattern names represents all others.
        let paths = words(b"/ab", 5);
        for a in &patterns {
            for b in &patterns {
                let by_paths = paths.iter().all(|path| !matches(b, path) || matches(a, path));
                assert_eq!(covers(a, b, true), by_paths, "{} {}", a.escape_ascii(), b.escape_ascii());
            }
        }
    }
}
