//! URLs of which only some bytes must be escaped, without parsing. This takes a fraction of the time of parsing.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use memchr::memchr;

use super::plain::{is_plain_path, parts};
use crate::normal_form::sent::dots;

/// The way in which the URL parser takes a byte.
#[derive(Clone, Copy, PartialEq)]
enum Octet {
    Kept,
    Escaped,
    /// Dropped or replaced, or the end of this part of a URL.
    Other,
}

/// The treatment of each byte of a path, and of a query (URL Standard, path and special-query percent-encode sets).
static PATH: [Octet; 256] = octets(b" \"<>`{}", b"#?\\");
static QUERY: [Octet; 256] = octets(b" \"'<>", b"#");

const fn octets(escaped: &[u8], other: &[u8]) -> [Octet; 256] {
    let mut table = [Octet::Kept; 256];
    let mut at = 0;
    while at < 256 {
        if at >= 0x80 {
            table[at] = Octet::Escaped;
        } else if at < b' ' as usize || at == 0x7F {
            table[at] = Octet::Other;
        }
        at += 1;
    }
    let mut at = 0;
    while at < escaped.len() {
        table[escaped[at] as usize] = Octet::Escaped;
        at += 1;
    }
    let mut at = 0;
    while at < other.len() {
        table[other[at] as usize] = Octet::Other;
        at += 1;
    }
    table
}

/// Returns a URL in the form that a browser sends, if that needs no more than escapes, a host in lower case, or a slash
/// after the host. False negatives are possible; parse the URL with [`parse_url`](super::parse_url) then.
///
/// ```
/// use comity::url::sent_url;
///
/// assert_eq!(sent_url("https://example.com/ü b?c#d").as_deref(), Some("https://example.com/%C3%BC%20b?c#d"));
/// assert_eq!(sent_url("https://Example.com").as_deref(), Some("https://example.com/"));
/// assert_eq!(sent_url("https://example.com/a/../b"), None);
/// ```
pub fn sent_url(url: &str) -> Option<Cow<'_, str>> {
    let host = memchr(b':', url.as_bytes())? + "://".len();
    let end = memchr(b'/', url.as_bytes().get(host..)?).map_or(url.len(), |slash| host + slash);
    let (site, path) = url.split_at(end);
    let is_lower = parts(site).is_some();
    if is_lower && is_plain_path(path) {
        return Some(Cow::Borrowed(url));
    }
    let mut escaped = Vec::with_capacity(url.len() + 32);
    escaped.extend_from_slice(site.as_bytes());
    if !is_lower {
        escaped.make_ascii_lowercase();
        parts(core::str::from_utf8(&escaped).ok()?)?;
    }
    escape(if path.is_empty() { "/" } else { path }, &mut escaped)?;
    String::from_utf8(escaped).ok().map(Cow::Owned)
}

/// Appends a path, with its query and fragment, in the form that a browser sends, if that needs no more than escapes.
pub(super) fn escape(path: &str, escaped: &mut Vec<u8>) -> Option<()> {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let (sent, fragment) = path.split_at(memchr(b'#', path.as_bytes()).unwrap_or(path.len()));
    let is_plain_fragment = fragment.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"#-_./=".contains(&octet));
    // The parser drops spaces at the ends.
    if !is_plain_fragment || fragment.is_empty() && sent.ends_with(' ') {
        return None;
    }
    let octets = sent.as_bytes();
    let (mut table, mut is_path, mut copied) = (&PATH, true, 0);
    for (at, octet) in octets.iter().enumerate() {
        match (table[usize::from(*octet)], octet) {
            (Octet::Kept, b'/') if is_path && is_dots(&octets[at + 1..]) => return None,
            (Octet::Kept, _) => {}
            (Octet::Escaped, _) => {
                escaped.extend_from_slice(&octets[copied..at]);
                escaped.extend([b'%', HEX[usize::from(octet >> 4)], HEX[usize::from(octet & 0xF)]]);
                copied = at + 1;
            }
            (Octet::Other, b'?') => (table, is_path) = (&QUERY, false),
            (Octet::Other, _) => return None,
        }
    }
    escaped.extend_from_slice(&octets[copied..]);
    escaped.extend_from_slice(fragment.as_bytes());
    Some(())
}

/// Returns true if a path goes on with a segment `.` or `..`.
fn is_dots(rest: &[u8]) -> bool {
    matches!(rest, [b'.' | b'%', ..])
        && dots(&rest[..rest.iter().position(|octet| b"/?".contains(octet)).unwrap_or(rest.len())]) > 0
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use proptest::prelude::*;

    use super::*;
    use crate::url::{parse_url, sent_path};

    proptest! {
        /// Parsing finds the same.
        #[test]
        fn it_is_what_the_parser_sends(
            start in "(https?|ftp)://(a|b-c|a\\.b|é|A|%61|u@|a:80|a:81|[1-9]|[ <]){1,3}",
            path in "(/([a-z.%/?&='\"|^`{}<> \\\\\\[\\]é2eE;:@~!$*+,()\t\u{7f}-]|%2[eE]|%c3|/\\.\\.?){0,12})?",
            fragment in "(#[a-zé#?<> %/-]{0,4})?",
        ) {
            let url = format!("{start}{path}{fragment}");
            if let Some(escaped) = sent_url(&url) {
                let parsed = parse_url(&url).unwrap();
                prop_assert_eq!(parsed.as_str(), escaped);
            }
        }

        #[test]
        fn any_text(path in "/\\PC{0,8}", octets in "[\\x00-\\x7f]{0,8}") {
            for url in [format!("https://a.test{path}"), format!("https://a.test/{octets}"), path, octets] {
                if let Some(escaped) = sent_url(&url) {
                    let parsed = parse_url(&url).unwrap();
                    prop_assert_eq!(parsed.as_str(), escaped);
                }
            }
        }
    }

    /// The parser finds the same for each byte, and is not needed for those that are only escaped.
    #[test]
    fn each_character_is_escaped() {
        for start in ["/", "/a?"] {
            for character in (' '..='~').chain(['é', '€', '🤖']) {
                let path = format!("{start}{character}b");
                let url = format!("https://a.test{path}");
                let escaped = sent_url(&url);
                assert_eq!(escaped.is_none(), path == "/\\b", "{path}");
                if let Some(escaped) = escaped {
                    assert_eq!(escaped, parse_url(&url).unwrap().as_str());
                    let sent = escaped.strip_prefix("https://a.test").filter(|_| !path.starts_with("//"));
                    assert_eq!(sent_path(&path).as_deref(), sent, "{path}");
                }
            }
        }
    }

    #[test]
    fn ordinary_urls_are_escaped() {
        for (url, escaped) in [
            ("http://a.test/é", "http://a.test/%C3%A9"),
            ("http://a.test/%c3%bc/b c?d=\"e\"", "http://a.test/%c3%bc/b%20c?d=%22e%22"),
            ("http://a.test/a?b=%2f#top", "http://a.test/a?b=%2f#top"),
            ("http://a.test:8080", "http://a.test:8080/"),
            ("HTTP://A.Test/{a}|[b]'?{c}|'", "http://a.test/%7Ba%7D|[b]'?{c}|%27"),
            ("http://a.test/.well-known/%2ea/...?/../%2e", "http://a.test/.well-known/%2ea/...?/../%2e"),
        ] {
            assert_eq!(sent_url(url).as_deref(), Some(escaped));
        }
        for url in [
            "http://é.test/",
            "http://a.test/%2e/",
            "http://a.test/a ",
            "http://a.test/a\\b",
            "/é",
            "http://a.test#b c",
        ] {
            assert_eq!(sent_url(url), None, "{url}");
        }
    }
}
