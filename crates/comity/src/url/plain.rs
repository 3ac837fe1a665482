//! Recognition of URLs that are already in the form that a browser sends, without parsing and eight bytes at a time.
//! This takes a fraction of the time of parsing. Requires the feature `url`.

use memchr::memchr;
#[cfg(doc)]
use url::Url;

use crate::normal_form::path::{any_pair_marked, each};

/// Returns true if a path, with or without a query, is in the form that a browser sends: it has no byte that would be
/// escaped or dropped, and no segment that may be `.` or `..`. False negatives are possible; parse the URL with
/// [`Url::parse`] then.
///
/// ```
/// assert!(comity::url::is_plain_path("/a/b.html?c=%20"));
/// assert!(!comity::url::is_plain_path("/a/../b") && !comity::url::is_plain_path("/ü"));
/// ```
pub fn is_plain_path(path: &str) -> bool {
    path.starts_with('/') && !any_pair_marked(path.as_bytes(), mark)
}

/// Takes eight bytes and the one before each of them. Sets the highest bit of each byte that the URL parser may change
/// in a path or a query: those that are not printable, ``"#'<>[\]^`{|}``, and after a slash `.` and `%`, which may start
/// a segment `.` or `..`.
#[inline]
fn mark(octets: u64, before: u64) -> u64 {
    // Without the highest bit, no sum carries into the next octet.
    let (ascii, before) = (octets & each(0x7F), before & each(0x7F));
    let from = |ascii: u64, least: u8| ascii + each(0x80 - least);
    let equal = |ascii: u64, octet: u8| !((ascii ^ each(octet)) + each(0x7F));
    let unprintable = !from(ascii, b'!') | from(ascii, 0x7F);
    let quote = equal(ascii | each(1), b'#') | equal(ascii, b'\'') | equal(ascii, b'`');
    let lower = ascii | each(0x20);
    let bracket = from(lower, b'{') & !from(lower, b'~') | equal(ascii | each(2), b'>') | equal(ascii, b'^');
    let dots = equal(before, b'/') & (equal(ascii, b'.') | equal(ascii, b'%'));
    octets | unprintable | quote | bracket | dots
}

/// Returns true if a URL is in the form that a browser sends: a plain host in lower case, without a default port, and a
/// [plain path](is_plain_path). False negatives are possible; parse the URL with [`Url::parse`] then.
///
/// ```
/// assert!(comity::url::is_plain_url("https://example.com/a?b=c"));
/// assert!(!comity::url::is_plain_url("https://Example.com/") && !comity::url::is_plain_url("https://example.com/a/../b"));
/// ```
pub fn is_plain_url(url: &str) -> bool {
    parts(url).is_some_and(|parts| parts.has_path)
}

/// The parts of a URL.
pub(crate) struct Parts<'u> {
    pub(crate) scheme: &'u str,
    pub(crate) host: &'u str,
    pub(crate) port: Option<u16>,
    /// False for a bare origin, to which [`Url::parse`] would add a slash.
    pub(crate) has_path: bool,
}

/// Returns the parts of a URL that [`Url::parse`] would keep unchanged, or of a bare origin. Returns `None` if parsing
/// might change it.
pub(crate) fn parts(url: &str) -> Option<Parts<'_>> {
    let (scheme, rest, default) = match url.strip_prefix("https://") {
        Some(rest) => ("https", rest, 443),
        None => ("http", url.strip_prefix("http://")?, 80),
    };
    let (authority, path) = rest.split_at(memchr(b'/', rest.as_bytes()).unwrap_or(rest.len()));
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port_of(port).filter(|port| *port != default)?)),
        None => (authority, None),
    };
    let has_path = !path.is_empty();
    let is_plain = is_plain_host(host) && (!has_path || is_plain_path(path));
    is_plain.then_some(Parts { scheme, host, port, has_path })
}

/// Returns true for a name in lower case whose last label starts with a letter, so that it is not an IP address, and
/// that has no label that may be punycode.
fn is_plain_host(host: &str) -> bool {
    let (mut last, mut first) = (b'.', 0);
    let is_fine = host.bytes().all(|octet| {
        if last == b'.' {
            first = octet;
        }
        let is_fine = match octet {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => true,
            // A name with `xn--` has two hyphens in a row.
            b'-' => last != b'-',
            b'.' => last != b'.',
            _ => false,
        };
        last = octet;
        is_fine
    });
    is_fine && last != b'.' && first.is_ascii_lowercase()
}

pub(crate) fn port_of(text: &str) -> Option<u16> {
    let is_canonical = !text.starts_with('0') && text.bytes().all(|octet| octet.is_ascii_digit());
    text.parse().ok().filter(|_| is_canonical)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use proptest::prelude::*;
    use url::Url;

    use super::*;

    proptest! {
        /// Paths that are called plain are not changed by the URL parser.
        #[test]
        fn plain_path_stays(path in "/([a-z.%/?#&='\"|^`{}<> \\\\\\[\\]é2eE;:@~!$*+,()-]|%2[eE]|/\\.\\.?){0,12}") {
            let url = format!("https://a.test{path}");
            if is_plain_path(&path) {
                let sent = Url::parse(&url).unwrap();
                prop_assert_eq!(sent.as_str(), url);
            }
        }

        #[test]
        fn any_octet(path in "/[\\x00-\\x7f]{0,8}") {
            let url = format!("https://a.test{path}");
            if is_plain_path(&path) {
                let sent = Url::parse(&url).unwrap();
                prop_assert_eq!(sent.as_str(), url);
            }
        }
    }

    proptest! {
        /// The parts that are found without parsing are the ones that parsing finds.
        #[test]
        fn plain_urls_stay(
            scheme in "(https?|HTTP|ftp)(://|:/|:)",
            authority in "([a-c.]|xn-|-|_|0x?|[1-9]|A|é|%|@|:80|:443|:0?[0-9]{1,6}|\\[::1\\]){1,8}",
            path in "(/[a-c?#]{0,3}){0,2}",
        ) {
            let url = [scheme, authority, path].concat();
            if let Some(found) = parts(&url) {
                let parsed = Url::parse(&url).unwrap();
                let slash = if found.has_path { "" } else { "/" };
                prop_assert_eq!(parsed.as_str(), format!("{url}{slash}"));
                prop_assert_eq!(parsed.scheme(), found.scheme);
                prop_assert_eq!(parsed.host_str(), Some(found.host));
                prop_assert_eq!(parsed.port(), found.port);
            }
        }
    }

    #[test]
    fn ordinary_urls_are_plain() {
        for (url, has_path) in [
            ("http://a.test/", true),
            ("https://www.example-1.com:8443/a?b", true),
            ("http://localhost:8080/", true),
            ("http://1.2.de/", true),
            ("https://a.test:8443", false),
        ] {
            assert_eq!(parts(url).map(|parts| parts.has_path), Some(has_path), "{url}");
            assert_eq!(is_plain_url(url), has_path, "{url}");
        }
        for url in [
            "http://",
            "http:///",
            "http://a.test?b",
            "http://a.test:80/",
            "http://1.2.3.4/",
            "http://0x1",
            "http://a.test:/",
            "https://é.de/",
        ] {
            assert!(parts(url).is_none(), "{url}");
        }
    }

    #[test]
    fn octets_are_examined_wherever_they_are() {
        let kept = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+,;=:@/%?";
        for len in 2..50 {
            for place in 1..len {
                for octet in 0..=0x7F {
                    let mut octets = alloc::vec![b'a'; len];
                    octets[0] = b'/';
                    octets[place] = octet;
                    let is_first = place == 1 && matches!(octet, b'.' | b'%');
                    let path = alloc::string::String::from_utf8(octets).unwrap();
                    assert_eq!(is_plain_path(&path), kept.contains(&octet) && !is_first, "{path:?}");
                    let wide = format!("{}é{}", &path[..place], &path[place..]);
                    assert!(!is_plain_path(&wide), "{wide:?}");
                    for dots in ["/.", "/%"] {
                        let path = format!("{}{dots}{}", &path[..place], &path[place..]);
                        assert!(!is_plain_path(&path), "{path:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn ordinary_paths_are_plain() {
        for path in ["/", "/a/b.html", "/a?b=c&d=%20", "/caf%C3%A9/", "/a/b..c/x.y"] {
            assert!(is_plain_path(path), "{path}");
        }
        for path in ["", "a", "/a/../b", "/a/%2e%2e/b", "/.well-known", "/a b", "/ü", "/a#b", "/a'b"] {
            assert!(!is_plain_path(path), "{path}");
        }
    }
}
