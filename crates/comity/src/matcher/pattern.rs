//! Matches a pattern with operators against a path, both in normal form.

use memchr::memchr;

use crate::document::Rule;
use crate::matcher::search::Search;

/// Whether a pattern with operators, in its comparable form, matches a path in its comparable form.
pub(crate) fn matches(pattern: &[u8], search: &mut Search<'_>, wildcards: bool) -> bool {
    if !wildcards {
        return search.path().starts_with(pattern);
    }
    match pattern.split_last() {
        Some((b'$', body)) => matches_segments(body, true, 0, search),
        _ => matches_segments(pattern, false, 0, search),
    }
}

/// Returns whether the segments between the stars of `pattern` occur in the path one after the other, the first at `from`
/// and, if `anchored`, the last at the path's end.
///
/// Taking each segment where it occurs first leaves the most for the others, so nothing is ever tried twice.
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
        // The end is a quick look, and the other segments stand before it.
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

/// Whether `pattern` matches whatever `other` matches; both in comparable form.
///
/// A star of `other` matches anything, so only a star of `pattern` may match it. Literals hold no stars: read as a
/// path, `other` is matched just so.
pub(crate) fn covers(pattern: &[u8], other: &[u8], wildcards: bool) -> bool {
    if !wildcards {
        return other.starts_with(pattern);
    }
    let matches = |pattern, anchored, other| matches_segments(pattern, anchored, 0, &mut Search::new(other));
    match (pattern.split_last(), other.split_last()) {
        (Some((b'$', body)), Some((b'$', other))) => matches(body, true, other),
        // What has no end of its own is only covered up to an end if a star stands before that.
        (Some((b'$', body)), _) => body.ends_with(b"*") && matches(body, false, other),
        (_, Some((b'$', other))) => matches(pattern, false, other),
        _ => matches(pattern, false, other),
    }
}

impl Rule<'_> {
    /// Returns whether this pattern matches all that the other one matches, whatever the URL. Both rules belong to files of one
    /// dialect.
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

/// The directory that Google's parser takes an `Allow` of `…/index.htm…` to mean too: the length of the pattern up to
/// and with its last slash.
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

    /// All patterns of up to four octets over a small alphabet, and all paths of up to five: a pattern that covers
    /// another matches wherever that one does, and one that does not differs on some path.
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
