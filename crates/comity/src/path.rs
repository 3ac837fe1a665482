//! From what a caller asks about, a path or a whole URL, to the octets that rules are matched against.

use alloc::vec::Vec;

use memchr::{memchr, memchr2, memchr3};

use crate::dialect::{Dialect, Escapes, UrlPath};
use crate::pattern;

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
/// comparable form is longer than [`ON_STACK`] octets is allocated.
#[inline]
pub(crate) fn with_path<R>(url: &[u8], dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> R {
    let target = Target::of(url, dialect);
    if target.lacks_slash || !is_comparable(target.octets, dialect) {
        return copied(&target, dialect, f);
    }
    f(Path { octets: target.octets, is_robots_txt: target.is_robots_txt(target.octets, dialect) })
}

#[cold]
fn copied<R>(target: &Target<'_>, dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> R {
    let mut buffer = Buffer::new();
    if target.lacks_slash {
        buffer.push(b'/');
    }
    pattern::normalise_path(target.octets, dialect, &mut buffer);
    let octets = buffer.as_slice();
    f(Path { octets, is_robots_txt: target.is_robots_txt(octets, dialect) })
}

fn is_comparable(path: &[u8], dialect: &Dialect) -> bool {
    match dialect.escapes {
        Escapes::PatternOnly => true,
        Escapes::Decoded => memchr(b'%', path).is_none(),
        // Without stopping early, many octets are looked at at once.
        Escapes::Normalised => !path.iter().fold(false, |odd, b| odd | matches!(b, b'%' | b'*' | b'$' | 0x80..)),
    }
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
    if let Some(rest) = behind_scheme(url) {
        let path = &rest[memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len())..];
        return &path[..memchr(b'#', path).unwrap_or(path.len())];
    }
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
fn behind_scheme(url: &[u8]) -> Option<&[u8]> {
    url.strip_prefix(b"https://").or_else(|| url.strip_prefix(b"http://"))
}

/// Whatever Google's parser finds in any string.
fn reference(url: &[u8]) -> &[u8] {
    if let Some(rest) = behind_scheme(url)
        && memchr2(b'#', 0, rest).is_none()
    {
        return &rest[memchr3(b'/', b'?', b';', rest).unwrap_or(rest.len())..];
    }
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
pub(crate) const ON_STACK: usize = 8_192;

/// Octets, on the stack as long as they fit.
struct Buffer {
    stack: [u8; ON_STACK],
    len: usize,
    heap: Vec<u8>,
}

impl Buffer {
    const fn new() -> Self {
        Self { stack: [0; ON_STACK], len: 0, heap: Vec::new() }
    }

    fn as_slice(&self) -> &[u8] {
        if self.heap.is_empty() { &self.stack[..self.len] } else { &self.heap }
    }
}

impl pattern::Sink for Buffer {
    fn push(&mut self, octet: u8) {
        if !self.heap.is_empty() {
            self.heap.push(octet);
        } else if self.len < ON_STACK {
            self.stack[self.len] = octet;
            self.len += 1;
        } else {
            self.heap.reserve(2 * ON_STACK);
            self.heap.extend_from_slice(&self.stack);
            self.heap.push(octet);
        }
    }
}

use pattern::Sink as _;

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
        assert_eq!(path("http://h;a", &Dialect::GOOGLE), "/;a");
    }

    #[test]
    fn long_paths_are_whole() {
        for len in [ON_STACK - 1, ON_STACK, ON_STACK + 1, 3 * ON_STACK] {
            let mut url = alloc::string::String::from("/%7E");
            url.extend(core::iter::repeat_n('x', len));
            assert_eq!(path(&url, &Dialect::STANDARD).len(), len + 2);
        }
    }
}
