//! Paths that are made from patterns, to compare the verdicts of two files.

use crate::budget::Halt;

/// A list of paths to check. Its memory is reused.
#[derive(Default)]
pub(crate) struct Paths {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// Returns the part of a pattern before its first star; none if there is no star.
pub(crate) fn stem(pattern: &[u8]) -> Option<&[u8]> {
    pattern.iter().position(|byte| *byte == b'*').map(|star| &pattern[..star])
}

impl Paths {
    /// Calls `ask` with each path, until it returns an error. Removes all paths.
    pub(crate) fn take(&mut self, mut ask: impl FnMut(&[u8]) -> Result<(), Halt>) -> Result<(), Halt> {
        let mut start = 0;
        let asked = self.ends.iter().try_for_each(|end| ask(&self.bytes[std::mem::replace(&mut start, *end)..*end]));
        self.bytes.clear();
        self.ends.clear();
        asked
    }

    /// Adds the path that consists of these parts, without the bytes for which `keeps` returns false. Inserts a slash
    /// at the start if there is none.
    fn add(&mut self, parts: &[&[u8]], keeps: impl Fn(u8) -> bool) {
        let start = self.bytes.len();
        self.bytes.push(b'/');
        for part in parts {
            self.bytes.extend(part.iter().copied().filter(|byte| keeps(*byte)));
        }
        if self.bytes.get(start + 1) == Some(&b'/') {
            self.bytes.remove(start);
        }
        self.ends.push(self.bytes.len());
    }

    /// Adds paths at the edges of the set that a pattern matches: several texts replace its stars, and several texts
    /// follow the pattern.
    pub(crate) fn edges(&mut self, pattern: &[u8]) {
        let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
        // Stars at the end are removed, since texts are added after the pattern anyway.
        let body = &body[..body.iter().rposition(|byte| *byte != b'*').map_or(0, |last| last + 1)];
        // A fix may have removed or changed the operators at the end.
        let bare = body.iter().rposition(|byte| !matches!(byte, b'*' | b'$')).map_or(&b""[..], |last| &body[..=last]);
        self.add(&[bare], |byte| byte != b'*');
        for star in [&b""[..], b"x", b"/x/y"] {
            let mut path = Vec::with_capacity(body.len() + 8);
            for byte in body {
                if *byte == b'*' { path.extend_from_slice(star) } else { path.push(*byte) }
            }
            for tail in [&b""[..], b"x", b"/", b"/x.html", b"?q=1", b"$"] {
                self.add(&[&path, tail], |_| true);
            }
            // In Google's parser, an `Allow` of an index page also allows its directory.
            if let Some(page) = path.windows(10).position(|part| part == b"/index.htm") {
                self.add(&[&path[..=page]], |_| true);
            }
            self.add(&[&path[..path.len().saturating_sub(1)]], |_| true);
            if !body.contains(&b'*') {
                break;
            }
        }
    }

    /// Adds paths that both of two patterns probably match: the narrow pattern, followed by the part of the wide
    /// pattern after its first star.
    pub(crate) fn crossing(&mut self, wide: &[u8], narrow: &[u8]) {
        let Some(stem) = stem(wide) else { return };
        let rest = &wide[stem.len() + 1..];
        let rest = rest.strip_suffix(b"$").unwrap_or(rest);
        let start = narrow.strip_suffix(b"$").unwrap_or(narrow);
        for between in [&b""[..], b"x"] {
            self.add(&[start, between, rest], |byte| byte != b'*');
        }
        if narrow.len() > start.len() {
            self.add(&[narrow, rest], |byte| byte != b'*');
        }
        if start.contains(&b'$') || rest.contains(&b'$') {
            self.add(&[start, rest], |byte| !matches!(byte, b'*' | b'$'));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(paths: &mut Paths) -> Vec<String> {
        let mut all = Vec::new();
        paths
            .take(|path| {
                all.push(String::from_utf8_lossy(path).into_owned());
                Ok(())
            })
            .unwrap();
        all
    }

    #[test]
    fn crossings_are_matched_by_both() {
        let mut paths = Paths::default();
        paths.crossing(b"/*b$", b"/a");
        assert_eq!(all(&mut paths), ["/ab", "/axb"]);
        paths.crossing(b"*.gif", b"/a*/c$");
        assert_eq!(all(&mut paths), ["/a/c.gif", "/a/cx.gif", "/a/c$.gif"]);
        assert!(all(&mut paths).is_empty());
    }

    #[test]
    fn edges_start_with_a_slash() {
        let mut paths = Paths::default();
        paths.edges(b"*.php$");
        let all = all(&mut paths);
        assert!(all.iter().all(|path| path.starts_with('/')), "{all:?}");
        assert!(["/.php", "/x.php", "/x/y.phpx", "/.ph"].iter().all(|path| all.iter().any(|is| is == path)), "{all:?}");
    }
}
