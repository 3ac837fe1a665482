//! Extraction of the path that rules are matched against, from a path or a whole URL in the form in which it is sent.

use alloc::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

use crate::dialect::{Dialect, Escapes, UrlPath};
use crate::inline_vec::InlineVec;
use crate::normal_form::normalize;
use crate::normal_form::sent::sent;

/// The path that rules are matched against, in normal form. It starts with `/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    pub(crate) octets: &'a [u8],
    /// True if it is the robots.txt itself and the dialect always allows that.
    pub(crate) is_robots_txt: bool,
}

/// Calls `f` with the path of `url` in normal form. Returns `None` without calling it if the text is neither a URL nor a
/// path.
///
/// Most paths are already in normal form and are not copied. The others are written to the stack. Allocations are made
/// only for a normal form that is longer than [`LARGE_BUFFER`] bytes, and for a URL that a client sends in another form.
#[inline]
pub(crate) fn with_path<R>(url: &[u8], dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> Option<R> {
    let plain = match (dialect.url_path, dialect.escapes) {
        (UrlPath::PathAndQuery, Escapes::Normalized) => plain_path(url),
        (UrlPath::Reference, Escapes::PatternOnly) => plain_reference(url),
        (UrlPath::Reference, Escapes::PatternAndNonAscii) => plain_path(url).filter(|path| !ends_early(url, path)),
        _ => None,
    };
    match plain.map(Target::new) {
        Some(target) => {
            Some(f(Path { octets: target.octets, is_robots_txt: target.is_robots_txt(target.octets, dialect) }))
        }
        None => odd(url, dialect, f),
    }
}

/// Does the work of [`with_path`] for URLs that are not recognized as plain.
#[inline(never)]
fn odd<R>(url: &[u8], dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> Option<R> {
    let url = match dialect.escapes {
        Escapes::PatternOnly => Cow::Borrowed(url),
        _ => sent(url)?,
    };
    Some(normalized(&Target::of(&url, dialect), dialect, f))
}

/// Calls `f` with a path and query in normal form, exactly as a request contains them. They are not parsed as a URL.
pub(crate) fn with_sent_path<R>(sent: &[u8], dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> R {
    normalized(&Target::of_sent(sent, dialect), dialect, f)
}

fn normalized<R>(target: &Target<'_>, dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> R {
    if target.lacks_slash || !normalize::is_normal_path(target.octets, dialect) {
        return copied(target, dialect, f);
    }
    f(Path { octets: target.octets, is_robots_txt: target.is_robots_txt(target.octets, dialect) })
}

#[inline(never)]
fn copied<R>(target: &Target<'_>, dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> R {
    // Clearing a large buffer takes longer than copying most paths.
    if target.octets.len() < SMALL_BUFFER / 3 {
        copied_to::<SMALL_BUFFER, _>(target, dialect, f)
    } else {
        copied_to::<LARGE_BUFFER, _>(target, dialect, f)
    }
}

fn copied_to<const N: usize, R>(target: &Target<'_>, dialect: &Dialect, f: impl FnOnce(Path<'_>) -> R) -> R {
    let mut buffer = InlineVec::<u8, N>::new(0, 2 * N);
    if target.lacks_slash {
        buffer.add(b"/");
    }
    normalize::normalize_path(target.octets, dialect, &mut buffer);
    let octets = buffer.as_slice();
    f(Path { octets, is_robots_txt: target.is_robots_txt(octets, dialect) })
}

/// Returns the path of a path or web URL if it is already in normal form, has no fragment, and is sent as written. This
/// takes one scan, and is the case for nearly all URLs.
fn plain_path(url: &[u8]) -> Option<&[u8]> {
    let (path, scanned) = match after_scheme(url) {
        Some(rest) => {
            // A host can only be missing before a port or after an `@`.
            let at = memchr3(b'/', b'?', b'@', rest).filter(|at| *at > 0 && rest[0] != b':')?;
            (&rest[at..], &url[url.len() - rest.len() - 1..])
        }
        None if url.starts_with(b"//") => return None,
        None => (url, url),
    };
    (path.first() == Some(&b'/') && !any_pair_marked(scanned, mark_odd)).then_some(path)
}

/// Returns true if Google's parser ends the authority of a URL before its path.
fn ends_early(url: &[u8], path: &[u8]) -> bool {
    memchr(b';', &url[..url.len() - path.len()]).is_some()
}

/// Returns the path of a web URL if [`reference()`] would cut nothing off.
fn plain_reference(url: &[u8]) -> Option<&[u8]> {
    let rest = after_scheme(url)?;
    let path = &rest[memchr3(b'/', b'?', b';', rest)?..];
    (path[0] == b'/' && !any_marked(rest, mark_end)).then_some(path)
}

/// Returns true if `mark` marks any byte. `mark` takes eight bytes at once and sets the highest bit of each that it
/// marks. It must not mark a slash, which is the padding. For texts as short as a URL, this is faster than `memchr`.
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

/// Returns true if `mark` marks any byte after the first, as [`any_marked`] does. `mark` also takes the byte before each
/// of the eight. It must not mark an `a` after an `a`, which is the padding.
#[inline]
pub(crate) fn any_pair_marked(text: &[u8], mark: impl Fn(u64, u64) -> u64 + Copy) -> bool {
    let Some((_, octets)) = text.split_first() else { return false };
    let before = &text[..octets.len()];
    let mark = |octets, before| mark(u64::from_ne_bytes(octets), u64::from_ne_bytes(before));
    let mut padded = [[b'a'; 8]; 2];
    let (last, last_before) = octets.last_chunk().zip(before.last_chunk()).unwrap_or_else(|| {
        padded[0][..octets.len()].copy_from_slice(octets);
        padded[1][..octets.len()].copy_from_slice(before);
        (&padded[0], &padded[1])
    });
    let pairs = octets.as_chunks().0.iter().zip(before.as_chunks().0);
    let marks = pairs.fold(mark(*last, *last_before), |marks, (octets, before)| marks | mark(*octets, *before));
    marks & each(0x80) != 0
}

/// Marks all bytes up to `%`, `*`, backslashes, bytes outside ASCII, and dots after a slash.
#[inline]
fn mark_odd(eight: u64, before: u64) -> u64 {
    // Only an octet outside ASCII can carry into the next one, and it is marked itself.
    let after_percent = eight.wrapping_add(each(0x80 - b'&'));
    let is_some = |difference: u64| difference.wrapping_add(each(0x7F));
    let [star, backslash, dot] = [b'*', b'\\', b'.'].map(|octet| eight ^ each(octet));
    let is_fine = after_percent & is_some(star) & is_some(backslash) & is_some(dot | before ^ each(b'/'));
    eight | !is_fine
}

/// Marks `#` and NUL.
#[inline]
fn mark_end(eight: u64) -> u64 {
    let ascii = eight & each(0x7F);
    !(eight | (ascii + each(0x7F)) & ((ascii ^ each(b'#')) + each(0x7F)))
}

/// Returns a word of eight equal bytes.
pub(crate) const fn each(octet: u8) -> u64 {
    u64::from_ne_bytes([octet; 8])
}

/// The part of a URL that is matched, before normalization.
#[derive(Clone, Copy, Debug)]
struct Target<'a> {
    octets: &'a [u8],
    /// True if the path is empty, so that the bytes start with `?` or `;`.
    lacks_slash: bool,
    /// True if a query was cut off.
    had_query: bool,
}

impl<'a> Target<'a> {
    fn of(url: &'a [u8], dialect: &Dialect) -> Self {
        match dialect.url_path {
            UrlPath::Reference => Self::new(reference(url)),
            UrlPath::PathAndQuery | UrlPath::PathOnly => Self::of_sent(path_and_query(url), dialect),
        }
    }

    /// Returns the part of a path and query that is matched.
    fn of_sent(sent: &'a [u8], dialect: &Dialect) -> Self {
        let query = if dialect.url_path == UrlPath::PathOnly { memchr(b'?', sent) } else { None };
        match query {
            Some(query) => Self { had_query: true, ..Self::new(&sent[..query]) },
            None => Self::new(sent),
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

/// Returns the path and the query. Text that starts with `/` is taken as a path; of other text, the scheme and the
/// authority are skipped if present.
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

/// Returns the rest of a web URL after its scheme. Nearly all URLs start with one of these two.
#[inline]
fn after_scheme(url: &[u8]) -> Option<&[u8]> {
    url.strip_prefix(b"https://").or_else(|| url.strip_prefix(b"http://"))
}

/// Returns the part of any string that Google's parser matches.
fn reference(url: &[u8]) -> &[u8] {
    let url = url.strip_prefix(b"//").unwrap_or(url);
    let first = url.iter().position(|b| matches!(b, b'/' | b'?' | b';')).unwrap_or(url.len());
    let mut path = &url[first..];
    // A scheme is recognized only if it ends right before the first of these octets, which then is its slash.
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
    &path[..memchr(0, path).unwrap_or(path.len())] // Google's parser works on C strings
}

/// The bytes of the larger stack buffer: four times the URL length that some servers refuse. Longer paths are
/// allocated.
pub(crate) const LARGE_BUFFER: usize = 8_192;

/// The bytes of the smaller stack buffer. A path shorter than a third of this fits even if each of its bytes is
/// escaped; most paths are that short.
const SMALL_BUFFER: usize = 512;

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn path(url: &str, dialect: &Dialect) -> alloc::string::String {
        let path = |path: Path<'_>| alloc::string::String::from_utf8_lossy(path.octets).into_owned();
        with_path(url.as_bytes(), dialect, path).unwrap()
    }

    #[test]
    fn path_of_urls_and_paths() {
        for (url, expected) in [
            ("http://example.com/a?b#c", "/a?b"),
            ("http://example.com", "/"),
            ("http://example.com?q", "/?q"),
            ("http://example.com#/f", "/"),
            ("/a//b", "/a//b"),
            ("http://h//a/b", "//a/b"),
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

    /// Tries all short suffixes over an alphabet of special bytes: the fast paths must give the same result as the
    /// general one.
    #[test]
    fn short_ways_lead_to_the_same_path() {
        let alphabet = b"/?#;:@.\\ %*$7eE\0a\xFF";
        let mut ends = alloc::vec![Vec::new()];
        for from in 0..alphabet.len() + 1 + alphabet.len().pow(2) {
            let longer: Vec<_> = alphabet.iter().map(|octet| [&*ends[from], &[*octet]].concat()).collect();
            ends.extend(longer);
        }
        let mixed = Dialect { url_path: UrlPath::Reference, ..Dialect::STANDARD };
        for dialect in Dialect::ALL.iter().chain([&mixed]) {
            for end in &ends {
                for start in ["", "/", "//", "http://", "http://h", "https://h/"] {
                    let url = [start.as_bytes(), end].concat();
                    let sent = match dialect.escapes {
                        Escapes::PatternOnly => Some(Cow::Borrowed(&*url)),
                        _ => sent(&url),
                    };
                    let expected = sent.map(|sent| {
                        let target = Target::of(&sent, dialect);
                        let mut expected = if target.lacks_slash { b"/".to_vec() } else { Vec::new() };
                        normalize::normalize_path(target.octets, dialect, &mut expected);
                        expected
                    });
                    let found = with_path(&url, dialect, |path| path.octets.to_vec());
                    assert_eq!(found, expected, "{} {:?}", dialect.name, url.escape_ascii());
                }
            }
        }
    }

    /// A sent path is that of its URL.
    #[test]
    fn sent_paths_are_normalized_like_urls() {
        for dialect in Dialect::ALL {
            for sent in
                ["/", "//a/b", "/?q", "/robots.txt", "/robots.txt?", "/a?b=/c", "/;%2f%7E*$%a%41\u{e9}", "/:a@b"]
            {
                let [url, sent] = [["https://h", sent].concat().into_bytes(), sent.as_bytes().to_vec()];
                let parts = |path: Path<'_>| (path.octets.to_vec(), path.is_robots_txt);
                assert_eq!(
                    Some(with_sent_path(&sent, dialect, parts)),
                    with_path(&url, dialect, parts),
                    "{}",
                    dialect.name
                );
            }
        }
    }

    #[test]
    fn octets_are_marked_wherever_they_are() {
        for len in 2..40 {
            for place in 1..len {
                for octet in 0..=u8::MAX {
                    let mut octets = alloc::vec![b'a'; len];
                    octets[place] = octet;
                    let is_odd = matches!(octet, 0..=b'%' | b'*' | b'\\' | 0x80..);
                    assert_eq!(any_pair_marked(&octets, mark_odd), is_odd, "{octets:?}");
                    assert_eq!(any_marked(&octets, mark_end), matches!(octet, b'#' | 0), "{octets:?}");
                    octets[place - 1] = b'/';
                    assert_eq!(any_pair_marked(&octets, mark_odd), is_odd || octet == b'.', "{octets:?}");
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
