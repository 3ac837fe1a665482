//! The form in which a client sends a URL: without backslashes, dot segments, and the bytes that URL parsers ignore.
//!
//! An answer about the text as written would be about another page: for `/a/../private/x`, a client requests
//! `/private/x`. The crate `url` could do this, but it needs an allocation and tables for IDN. Hosts and ports decide
//! nothing here, so they are not examined, except that a URL must have a host. Bytes that a client would escape, such
//! as spaces, remain as written: a rule with a raw space matches no URL that is sent, but the text that contains it.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use memchr::{memchr, memchr2, memchr3};

use crate::normal_form::path::{any_pair_marked, each};

/// Returns a URL, or a path with its query, as a client sends it. A URL has the form `scheme://authority`, and a path
/// starts with one slash. Returns `None` for other text, and for `//host/path`, which names another host.
pub(crate) fn sent(url: &[u8]) -> Option<Cow<'_, [u8]>> {
    let is_trimmed = |octet: &u8| *octet <= b' ';
    let start = url.iter().position(|octet| !is_trimmed(octet))?;
    let end = url.iter().rposition(|octet| !is_trimmed(octet))?;
    let url = &url[start..=end];
    if memchr3(b'\t', b'\n', b'\r', url).is_none() {
        return resolved(url);
    }
    let kept: Vec<u8> = url.iter().copied().filter(|octet| !matches!(octet, b'\t' | b'\n' | b'\r')).collect();
    resolved(&kept).map(|sent| Cow::Owned(sent.into_owned()))
}

/// Returns the positions of the bytes of a pattern that no URL contains, since clients escape them: white space, quotes,
/// angle brackets and controls, and before the query also braces, backticks and backslashes, which clients send as
/// slashes. A pattern with such a byte matches no URL that is sent.
///
/// A pattern is as written in a file. After a star, the query may have started. In the dialect of 1996, which decodes
/// URLs, such patterns can match.
///
/// ```
/// let octets = |pattern: &str| comity::unsent_octets(pattern.as_bytes()).collect::<Vec<_>>();
/// assert_eq!(octets("/my files/{id}"), [3, 10, 13]);
/// assert!(octets("/my%20files/?id={id}").is_empty());
/// ```
pub fn unsent_octets(pattern: &[u8]) -> impl Iterator<Item = usize> {
    let path = memchr2(b'?', b'*', pattern).unwrap_or(pattern.len());
    let is_unsent = move |(at, octet): (usize, &u8)| {
        matches!(octet, 0..=b' ' | b'"' | b'<' | b'>' | 0x7F)
            || at < path && matches!(octet, b'{' | b'}' | b'`' | b'\\')
    };
    pattern.iter().enumerate().filter(move |found| is_unsent(*found)).map(|(at, _)| at)
}

/// The parts of a URL before its path.
struct Start<'a> {
    /// Empty for a path alone.
    scheme: &'a [u8],
    authority: &'a [u8],
    /// True if a backslash is a slash.
    is_special: bool,
    /// True if two slashes are between scheme and authority.
    is_usual: bool,
}

fn resolved(url: &[u8]) -> Option<Cow<'_, [u8]>> {
    let (start, rest) = start(url)?;
    let (path, query) = rest.split_at(memchr2(b'?', b'#', rest).unwrap_or(rest.len()));
    if start.is_usual && !is_changed(path, start.is_special) {
        return Some(Cow::Borrowed(url));
    }
    let path = resolve_dots(path, start.is_special);
    let is_like_host = start.scheme.is_empty() && path.starts_with(b"//");
    // Google's parser reads a host after two slashes. A host before them prevents that.
    let (scheme, authority) =
        if is_like_host { (&b"http"[..], &b"path.invalid"[..]) } else { (start.scheme, start.authority) };
    let separator = if scheme.is_empty() { &b""[..] } else { b"://" };
    Some(Cow::Owned([scheme, separator, authority, &path, query].concat()))
}

/// Splits a URL before its path.
fn start(url: &[u8]) -> Option<(Start<'_>, &[u8])> {
    let is_slash = |octet: &u8| matches!(octet, b'/' | b'\\');
    if url.first().is_some_and(is_slash) {
        let names_host = url.get(1).is_some_and(is_slash);
        let start = Start { scheme: b"", authority: b"", is_special: true, is_usual: true };
        return (!names_host).then_some((start, url));
    }
    let scheme = &url[..memchr(b':', url)?];
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|octet| octet.is_ascii_alphanumeric() || b"+-.".contains(octet));
    let is = |name: &&str| scheme.eq_ignore_ascii_case(name.as_bytes());
    // No robots.txt is about files.
    if !is_scheme || is(&"file") {
        return None;
    }
    let is_special = ["https", "http", "ws", "wss", "ftp"].iter().any(is);
    let after = &url[scheme.len() + 1..];
    // After a scheme of the web, URL parsers accept any number of slashes.
    let slashes = if is_special { after.iter().take_while(|octet| is_slash(octet)).count() } else { 2 };
    let is_usual = after.starts_with(b"//") && slashes == 2;
    let rest = after.get(slashes..).filter(|_| is_special || is_usual)?;
    let ends = |octet: &u8| matches!(octet, b'/' | b'?' | b'#') || is_special && *octet == b'\\';
    let (authority, path) = rest.split_at(rest.iter().position(ends).unwrap_or(rest.len()));
    let host = authority.rsplit(|octet| *octet == b'@').next().unwrap_or_default();
    let has_host = !matches!(host, [] | [b':', ..]);
    has_host.then_some((Start { scheme, authority, is_special, is_usual }, path))
}

/// Returns true if a path has a backslash that is a slash, or a dot segment.
fn is_changed(path: &[u8], is_special: bool) -> bool {
    // The first octet is not examined.
    let may_be = path.first() == Some(&b'\\') || any_pair_marked(path, mark_changed);
    may_be
        && (is_special && memchr(b'\\', path).is_some()
            || path.split(|octet| *octet == b'/').any(|part| dots(part) > 0))
}

/// Marks backslashes, and `.` and `%` after a slash, which may start a dot segment.
#[inline]
fn mark_changed(eight: u64, before: u64) -> u64 {
    let (ascii, before) = (eight & each(0x7F), before & each(0x7F));
    let equal = |ascii: u64, octet: u8| !((ascii ^ each(octet)) + each(0x7F));
    let marks = equal(ascii, b'\\') | equal(before, b'/') & (equal(ascii, b'.') | equal(ascii, b'%'));
    // An octet outside ASCII looks like one inside it without its highest bit.
    marks & !eight
}

/// Returns a path without backslashes and dot segments.
fn resolve_dots(path: &[u8], is_special: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    // Each segment is written with the slash before it.
    while let Some((_, after)) = rest.split_first() {
        let ends = |octet: &u8| *octet == b'/' || is_special && *octet == b'\\';
        let (segment, next) = after.split_at(after.iter().position(ends).unwrap_or(after.len()));
        match dots(segment) {
            0 => {
                out.push(b'/');
                out.extend_from_slice(segment);
            }
            dots => {
                if dots == 2 {
                    out.truncate(out.iter().rposition(|octet| *octet == b'/').unwrap_or(0));
                }
                // The path ends with a slash if its last segment is removed.
                if next.is_empty() {
                    out.push(b'/');
                }
            }
        }
        rest = next;
    }
    out
}

/// Returns the number of dots of a dot segment. Returns 0 for other segments.
pub(crate) fn dots(mut segment: &[u8]) -> usize {
    let mut count = 0;
    while !segment.is_empty() {
        segment = match segment {
            [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => rest,
            _ => return 0,
        };
        count += 1;
    }
    if count > 2 { 0 } else { count }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use url::{ParseError, Position, Url};

    use crate::dialect::Dialect;
    use crate::normal_form::path::with_path;

    /// Returns the path that the engine compares with the rules.
    fn compared(text: &str, dialect: &Dialect) -> Option<String> {
        with_path(text.as_bytes(), dialect, |path| String::from_utf8_lossy(path.octets).into_owned())
    }

    /// Returns the path and the query that the crate `url` finds, as a URL that needs no changes. The error is that of the
    /// host or the port, which the engine does not examine.
    fn parsed(text: &str) -> Result<Option<String>, ParseError> {
        let base = Url::parse("http://base.invalid/").unwrap();
        let kept: String = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
        let is_path = kept.trim_matches(|c| c <= ' ').starts_with(['/', '\\']);
        let url = if is_path { base.join(text) } else { Url::parse(text) };
        match url {
            Ok(url) if is_path && url.host() != base.host() => Ok(None),
            Ok(url) if url.scheme() == "file" || url.host_str().is_none_or(str::is_empty) => Ok(None),
            Ok(url) => {
                let site = if url.is_special() { "http://h" } else { "other://h" };
                Ok(Some(alloc::format!("{site}{}", &url[Position::BeforePath..Position::AfterQuery])))
            }
            Err(ParseError::EmptyHost | ParseError::RelativeUrlWithoutBase) => Ok(None),
            Err(error) => Err(error),
        }
    }

    const STARTS: &[&str] = &[
        "",
        "/",
        "\\",
        "//",
        "http://h",
        "https://h.test/",
        "HTTP://h:8080",
        "http:",
        "https:/h",
        "ws:\\\\h",
        "ftp://u@h",
        "other://h",
        "other:/",
        "other:",
        "file:///",
        "file://h/",
        "mailto:a",
        "1:",
        "a+b://h/",
        "http://h\\",
        "http://@",
        "http://u@:80",
        "http://:80/",
        "h",
        "?",
        "#",
        " ",
        "\u{1}/",
        "/\t",
        "\n/",
        "ht\rtp://h/",
        "https:///h",
    ];
    const PIECES: &[&str] = &[
        "/", "/", "/", "\\", ".", "..", "%2e", "%2E", "a", "b.", ".c", "%", "%2", "%41", "*", "$", "?", "#", ":", "@",
        ";", "//", "/..", "/.", "\t", "\r\n", "é", "private",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

        #[test]
        fn path_is_the_one_that_the_crate_url_finds(
            start in select(STARTS),
            pieces in vec(select(PIECES), 0..10),
            end in select(&["", "", "", " ", "\0", "\n \t"][..]),
        ) {
            let text = [start, &pieces.concat(), end].concat();
            // Other than the URL Standard, `url` ends an authority with a port at a backslash if the scheme is not special,
            // and takes `/a:/` for a drive, which `..` does not leave.
            let kept = text.replace(['\t', '\n', '\r'], "");
            prop_assume!(!(kept.starts_with("other") && kept.contains(":\\") || kept.contains("a:")));
            if let Ok(sent) = parsed(&text) {
                // Google's parser ends the host at a semicolon, too.
                let is_like_url = |dialect: &&Dialect| match dialect.name {
                    "google-parser" => false,
                    "google" => !text.contains(';'),
                    _ => true,
                };
                for dialect in Dialect::ALL.iter().filter(is_like_url) {
                    let expected = sent.as_ref().map(|sent| compared(sent, dialect).unwrap());
                    prop_assert_eq!(compared(&text, dialect), expected, "{} {:?}", dialect, text);
                }
            }
        }
    }

    #[test]
    fn urls_are_checked_as_they_are_sent() {
        for (text, sent) in [
            ("/a/../private/x", Some("/private/x")),
            ("\\private\\x", Some("/private/x")),
            ("http://h\\private/x", Some("/private/x")),
            ("http:h/a/./b?c/../d#/../e", Some("/a/b?c/../d")),
            ("https://h/%2e%2E/a/%2E", Some("/a/")),
            ("/a//../..", Some("/")),
            ("/.//a", Some("//a")),
            ("/../..", Some("/")),
            ("/...", Some("/...")),
            ("/.well-known/x", Some("/.well-known/x")),
            (" /pri\tvate\n ", Some("/private")),
            ("other://h/a\\..\\b/..", Some("/")),
            ("http://h", Some("/")),
            ("//evil/x", None),
            ("/\\evil/x", None),
            ("\\\\evil\\x", None),
            ("/\t/evil/x", None),
            ("private/x", None),
            ("h.test/private", None),
            ("", None),
            (" ", None),
            ("?q", None),
            ("#/a", None),
            ("mailto:a@h.test", None),
            ("data:text/plain,/a", None),
            ("file:///private/x", None),
            ("http://", None),
            ("http:///", None),
            ("1://h/a", None),
            ("://h/a", None),
        ] {
            assert_eq!(compared(text, &Dialect::STANDARD).as_deref(), sent, "{text:?}");
            assert_eq!(compared(text, &Dialect::GOOGLE).as_deref(), sent, "{text:?}");
        }
    }

    /// Google's parser takes any text as a URL, and changes none.
    #[test]
    fn parser_of_google_changes_nothing() {
        for (text, path) in [
            ("/a/../private/x", "/a/../private/x"),
            ("\\private\\x", "/"),
            ("//evil/x", "/x"),
            ("private/x", "/x"),
            ("", "/"),
            ("mailto:a@h.test", "/"),
            (" /a\t", "/a\t"),
        ] {
            assert_eq!(compared(text, &Dialect::GOOGLE_PARSER).as_deref(), Some(path), "{text:?}");
        }
    }

    #[test]
    fn unsent_octets_are_those_that_the_crate_url_changes() {
        // Browsers escape an apostrophe in a query, but many other clients do not.
        for octet in (0..=0x7F_u8).filter(|octet| !matches!(octet, b'#' | b'?' | b'*' | b'\'')) {
            for before in ["/", "/a?b="] {
                let text = alloc::format!("{before}{}b", char::from(octet));
                let sent = Url::parse(&["http://h.test", &text].concat()).unwrap();
                let is_unsent = super::unsent_octets(text.as_bytes()).next().is_some();
                assert_eq!(is_unsent, &sent[Position::BeforePath..] != text.as_str(), "{text:?}");
            }
        }
    }

    #[test]
    fn octets_outside_ascii_are_no_slashes_or_dots() {
        for octets in [&b"/a\xDCb"[..], b"/\xAF\xAE/b", b"\xAF/b", b"/\xAE./b"] {
            let found = with_path(octets, &Dialect::GOOGLE, |path| path.octets.to_vec());
            let escape = |octet: &u8| match octet {
                0x80.. => alloc::format!("%{octet:02X}").into_bytes(),
                _ => [*octet].to_vec(),
            };
            let expected = (octets[0] == b'/').then(|| octets.iter().flat_map(escape).collect::<Vec<u8>>());
            assert_eq!(found, expected, "{octets:?}");
        }
    }
}
