//! From what a caller asks about, a path or a whole URL, to the octets that rules are matched against.

use alloc::vec::Vec;

use memchr::{memchr, memchr2, memchr3};

use crate::dialect::{Dialect, Escapes, UrlPath};
use crate::normal_form::normalize;

/// What rules are matched against: starts with `/`, in the dialect's comparable form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    pub(crate) octets: &'a [u8],
    /// It is the robots.txt itself, which this dialect always allows.
    pub(crate) is_robots_txt: bool,
}

/// Hands the path of `url` to `f`.
///
/// Most paths are their own comparable form and are not copied. The others are written to the stack; only one whose
/// comparable form is longer than [`LARGE_BUFFER`] octets is allocated.
#[inline]
pub(crate) fn with_path<R>(url: &[u8], dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> R {
    let plain = match (dialect.url_path, dialect.escapes) {
        (UrlPath::PathAndQuery, Escapes::Normalized) => plain_path(url),
        (UrlPath::Reference, Escapes::PatternOnly) => plain_reference(url, mark_end),
        (UrlPath::Reference, Escapes::PatternAndNonAscii) => plain_reference(url, mark_end_or_wide),
        _ => None,
    };
    let target = plain.map_or_else(|| Target::of(url, dialect), Target::new);
    if plain.is_none() && (target.lacks_slash || !normalize::is_normal_path(target.octets, dialect)) {
        return copied(&target, dialect, f);
    }
    f(Path { octets: target.octets, is_robots_txt: target.is_robots_txt(target.octets, dialect) })
}

#[inline(never)]
fn copied<R>(target: &Target<'_>, dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> R {
    // A large buffer takes longer to clear than most paths to copy.
    if target.octets.len() < SMALL_BUFFER / 3 {
        copied_to(Buffer::<SMALL_BUFFER>::new(), target, dialect, f)
    } else {
        copied_to(Buffer::<LARGE_BUFFER>::new(), target, dialect, f)
    }
}

fn copied_to<const STACK: usize, R>(
    mut buffer: Buffer<STACK>,
    target: &Target<'_>,
    dialect: &Dialect,
    f: impl FnOnce(Path<'_>) -> R,
) -> R {
    if target.lacks_slash {
        buffer.put(b"/");
    }
    normalize::normalize_path(target.octets, dialect, &mut buffer);
    let octets = buffer.as_slice();
    f(Path { octets, is_robots_txt: target.is_robots_txt(octets, dialect) })
}

/// A path or the one of a web URL, if it is its own comparable form and nothing has to be cut off: one scan tells, and
/// nearly all that are asked about are so.
fn plain_path(url: &[u8]) -> Option<&[u8]> {
    let path = match after_scheme(url) {
        Some(rest) => &rest[memchr3(b'/', b'?', b'#', rest)?..],
        None => url,
    };
    (path.first() == Some(&b'/') && !any_marked(path, mark_odd)).then_some(path)
}

/// The path of a web URL, if [`reference()`] has nothing to cut off and `mark` marks none of its octets.
fn plain_reference(url: &[u8], mark: impl Fn(u64) -> u64 + Copy) -> Option<&[u8]> {
    let rest = after_scheme(url)?;
    let path = &rest[memchr3(b'/', b'?', b';', rest)?..];
    (path[0] == b'/' && !any_marked(rest, mark)).then_some(path)
}

/// Whether an octet is marked by its highest bit, where `mark` looks at eight of them at once, and does not mark a
/// slash: in what is as short as a URL, that is quicker than searching.
#[inline]
fn any_marked(octets: &[u8], mark: impl Fn(u64) -> u64 + Copy) -> bool {
    let mark = |eight: &[u8; 8]| mark(u64::from_ne_bytes(*eight));
    let mut padded = [b'/'; 8];
    let last = octets.last_chunk().unwrap_or_else(|| {
        padded[..octets.len()].copy_from_slice(octets);
        &padded
    });
    let marks = octets.as_chunks().0.iter().fold(mark(last), |marks, eight| marks | mark(eight));
    marks & each(0x80) != 0
}

/// Marks `#`, `$`, `%`, `*`, and what is not ASCII.
#[inline]
fn mark_odd(eight: u64) -> u64 {
    let ascii = eight & each(0x7F); // so that nothing is carried
    let from_hash = ascii + each(0x80 - b'#');
    let after_percent = ascii + each(0x80 - b'&');
    eight | from_hash & !after_percent | !((ascii ^ each(b'*')) + each(0x7F))
}

/// Marks `#` and NUL.
#[inline]
fn mark_end(eight: u64) -> u64 {
    let ascii = eight & each(0x7F);
    !(eight | (ascii + each(0x7F)) & ((ascii ^ each(b'#')) + each(0x7F)))
}

/// Marks `#`, NUL, and what is not ASCII.
#[inline]
fn mark_end_or_wide(eight: u64) -> u64 {
    eight | mark_end(eight)
}

/// An octet, eight times.
const fn each(octet: u8) -> u64 {
    u64::from_ne_bytes([octet; 8])
}

/// The part of a URL that counts, as it stands.
#[derive(Clone, Copy, Debug)]
struct Target<'a> {
    octets: &'a [u8],
    /// The path is empty, and what there is starts with `?` or `;`.
    lacks_slash: bool,
    /// A query was cut off.
    had_query: bool,
}

impl<'a> Target<'a> {
    fn of(url: &'a [u8], dialect: &Dialect) -> Self {
        match dialect.url_path {
            UrlPath::Reference => Self::new(reference(url)),
            UrlPath::PathAndQuery => Self::new(path_and_query(url)),
            UrlPath::PathOnly => {
                let whole = path_and_query(url);
                match memchr(b'?', whole) {
                    Some(query) => Self { had_query: true, ..Self::new(&whole[..query]) },
                    None => Self::new(whole),
                }
            }
        }
    }

    fn new(octets: &'a [u8]) -> Self {
        match octets.first() {
            None => Self { octets: b"/", lacks_slash: false, had_query: false },
            Some(first) => Self { octets, lacks_slash: *first != b'/', had_query: false },
        }
    }

    fn is_robots_txt(&self, comparable: &[u8], dialect: &Dialect) -> bool {
        dialect.robots_txt_allowed && comparable == b"/robots.txt" && !self.had_query
    }
}

/// What starts with `/` is a path; of anything else, the scheme and the authority are skipped if they are there.
fn path_and_query(url: &[u8]) -> &[u8] {
    let first = url.iter().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(url.len());
    let mut path = &url[first..];
    if url[..first].ends_with(b":")
        && let Some(authority) = path.strip_prefix(b"//")
    {
        path = &authority[memchr3(b'/', b'?', b'#', authority).unwrap_or(authority.len())..];
    }
    &path[..memchr(b'#', path).unwrap_or(path.len())]
}

/// What is behind the scheme of a web URL: nearly all that are asked about begin so.
#[inline]
fn after_scheme(url: &[u8]) -> Option<&[u8]> {
    url.strip_prefix(b"https://").or_else(|| url.strip_prefix(b"http://"))
}

/// Whatever Google's parser finds in any string.
fn reference(url: &[u8]) -> &[u8] {
    let url = url.strip_prefix(b"//").unwrap_or(url);
    let first = url.iter().position(|b| matches!(b, b'/' | b'?' | b';')).unwrap_or(url.len());
    let mut path = &url[first..];
    // A scheme only counts if it ends before the first of those, which then is its slash.
    if url[..first].ends_with(b":")
        && let Some(authority) = path.strip_prefix(b"//")
    {
        path = &authority[memchr3(b'/', b'?', b';', authority).unwrap_or(authority.len())..];
    }
    if memchr2(b'#', 0, url).is_none() {
        return path;
    }
    let hash = memchr(b'#', url).unwrap_or(url.len());
    let path = url.get(url.len() - path.len()..hash).unwrap_or_default();
    &path[..memchr(0, path).unwrap_or(path.len())] // it works on C strings
}

/// Octets that fit without an allocation: four times the URL length that some servers refuse.
pub(crate) const LARGE_BUFFER: usize = 8_192;

/// What is shorter than a third of this fits in it, even if each octet is escaped; most paths are.
const SMALL_BUFFER: usize = 512;

/// Octets, on the stack as long as they fit.
struct Buffer<const STACK: usize> {
    stack: [u8; STACK],
    len: usize,
    heap: Vec<u8>,
}

impl<const STACK: usize> Buffer<STACK> {
    const fn new() -> Self {
        Self { stack: [0; STACK], len: 0, heap: Vec::new() }
    }

    fn as_slice(&self) -> &[u8] {
        if self.heap.is_empty() { &self.stack[..self.len] } else { &self.heap }
    }
}

impl<const STACK: usize> normalize::Sink for Buffer<STACK> {
    fn put(&mut self, octets: &[u8]) {
        if self.heap.is_empty()
            && let Some(free) = self.stack.get_mut(self.len..self.len + octets.len())
        {
            free.copy_from_slice(octets);
            self.len += octets.len();
            return;
        }
        if self.heap.is_empty() {
            self.heap.reserve(2 * STACK + octets.len());
            self.heap.extend_from_slice(&self.stack[..self.len]);
        }
        self.heap.extend_from_slice(octets);
    }
}

use normalize::Sink as _;

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str, dialect: &Dialect) -> alloc::string::String {
        with_path(url.as_bytes(), dialect, |path| alloc::string::String::from_utf8_lossy(path.octets).into_owned())
    }

    #[test]
    fn of_urls_and_paths() {
        for (url, expected) in [
            ("http://example.com/a?b#c", "/a?b"),
            ("http://example.com", "/"),
            ("http://example.com?q", "/?q"),
            ("http://example.com#/f", "/"),
            ("/a//b", "/a//b"),
            ("//a/b", "//a/b"),
            ("", "/"),
            ("http://user:p@h:8080/x", "/x"),
            ("/a?u=http://b/c", "/a?u=http://b/c"),
            ("http://h/%7Ea%2f*$", "/~a%2F%2A%24"),
        ] {
            assert_eq!(path(url, &Dialect::STANDARD), expected, "{url}");
        }
        assert_eq!(path("http://h/a?b", &Dialect::NOROBOTS_1996), "/a");
        assert_eq!(path("http://h;a", &Dialect::GOOGLE_PARSER), "/;a");
        assert_eq!(path("http://h/\u{e9}%e9#\u{e9}", &Dialect::GOOGLE_PARSER), "/\u{e9}%e9");
        assert_eq!(path("http://h/\u{e9}%e9#\u{e9}", &Dialect::GOOGLE), "/%C3%A9%e9");
    }

    /// All short ends over an alphabet of what matters: what is found in one scan, or need not be copied, is what
    /// taking all steps leads to.
    #[test]
    fn short_ways_lead_to_the_same_path() {
        let alphabet = b"/?#;:%*$7eE\0a\xFF";
        let mut ends = alloc::vec![Vec::new()];
        for from in 0..alphabet.len() + 1 + alphabet.len().pow(2) {
            let longer: Vec<_> = alphabet.iter().map(|octet| [&*ends[from], &[*octet]].concat()).collect();
            ends.extend(longer);
        }
        let mixed = Dialect { url_path: UrlPath::Reference, ..Dialect::STANDARD };
        for dialect in Dialect::ALL.iter().chain([&mixed]) {
            for end in &ends {
                for start in ["", "/", "//", "http://", "https://h/"] {
                    let url = [start.as_bytes(), end].concat();
                    let target = Target::of(&url, dialect);
                    let mut expected = if target.lacks_slash { b"/".to_vec() } else { Vec::new() };
                    normalize::normalize_path(target.octets, dialect, &mut expected);
                    with_path(&url, dialect, |path| {
                        assert_eq!(path.octets, expected, "{} {:?}", dialect.name, url.escape_ascii());
                    });
                }
            }
        }
    }

    #[test]
    fn octets_are_marked_wherever_they_stand() {
        for len in 1..40 {
            for place in 0..len {
                for octet in 0..=u8::MAX {
                    let mut octets = alloc::vec![b'a'; len];
                    octets[place] = octet;
                    let is_odd = matches!(octet, b'#' | b'$' | b'%' | b'*' | 0x80..);
                    assert_eq!(any_marked(&octets, mark_odd), is_odd, "{octets:?}");
                    assert_eq!(any_marked(&octets, mark_end), matches!(octet, b'#' | 0), "{octets:?}");
                    let is_end_or_wide = matches!(octet, b'#' | 0 | 0x80..);
                    assert_eq!(any_marked(&octets, mark_end_or_wide), is_end_or_wide, "{octets:?}");
                }
            }
        }
    }

    #[test]
    fn long_paths_are_whole() {
        for start in ["", "%7E", "\u{e9}"] {
            for len in [SMALL_BUFFER / 3, SMALL_BUFFER, LARGE_BUFFER / 3, LARGE_BUFFER]
                .into_iter()
                .flat_map(|len| len - 3..len + 3)
            {
                for middle in ["x", "\u{e9}", "%"] {
                    let url =
                        alloc::format!("/{start}{}{}{start}", middle.repeat(len / middle.len()), "y".repeat(len % 7));
                    let mut expected = Vec::new();
                    normalize::normalize_path(url.as_bytes(), &Dialect::STANDARD, &mut expected);
                    assert_eq!(path(&url, &Dialect::STANDARD).as_bytes(), expected, "{start:?} {middle:?} {len}");
                }
            }
        }
    }
}
