//! URLs of which only some bytes must be escaped, without parsing. This takes a fraction of the time of parsing.

use alloc::string::String;

use super::plain::parts;

/// Returns a URL in the form that a browser sends, if that needs no more than escapes of spaces, `"<>` and letters
/// outside ASCII, or a slash after the host. False negatives are possible; parse the URL with
/// [`parse_url`](super::parse_url) then.
///
/// ```
/// use comity::url::escaped_url;
///
/// assert_eq!(escaped_url("https://example.com/ü b?c#d").as_deref(), Some("https://example.com/%C3%BC%20b?c#d"));
/// assert_eq!(escaped_url("https://example.com").as_deref(), Some("https://example.com/"));
/// assert_eq!(escaped_url("https://example.com/a/../b"), None);
/// ```
pub fn escaped_url(url: &str) -> Option<String> {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let (url, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
    let is_plain_fragment = fragment.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"#-_./=".contains(&octet));
    // The parser drops spaces at the ends.
    if !is_plain_fragment || fragment.is_empty() && url.ends_with(' ') {
        return None;
    }
    let mut escaped = String::with_capacity(url.len() + 32);
    // The URL with letters in place of what is escaped. Neither can be a part of a segment `.` or `..`.
    let mut masked = String::with_capacity(url.len());
    let octets = url.as_bytes();
    for (at, octet) in octets.iter().enumerate() {
        match octet {
            b' ' | b'"' | b'<' | b'>' | 0x80.. => {
                for part in [b'%', HEX[usize::from(octet >> 4)], HEX[usize::from(octet & 0xF)]] {
                    escaped.push(char::from(part));
                }
                // Not a letter that a host may have.
                masked.push('A');
            }
            b'%' if !matches!(octets.get(at + 1..at + 3), Some([b'2', b'e' | b'E'])) => {
                escaped.push('%');
                masked.push('A');
            }
            octet => {
                escaped.push(char::from(*octet));
                masked.push(char::from(*octet));
            }
        }
    }
    let parts = parts(&masked)?;
    if !parts.has_path {
        escaped.push('/');
    }
    escaped.push_str(fragment);
    Some(escaped)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use proptest::prelude::*;

    use super::*;
    use crate::url::parse_url;

    proptest! {
        /// Parsing finds the same.
        #[test]
        fn it_is_what_the_parser_sends(
            start in "(https?|ftp)://(a|b-c|a\\.b|é|A|%61|u@|a:80|a:81|[1-9]|[ <]){1,3}",
            path in "(/([a-z.%/?&='\"|^`{}<> \\\\\\[\\]é2eE;:@~!$*+,()\t\u{7f}-]|%2[eE]|%c3|/\\.\\.?){0,12})?",
            fragment in "(#[a-zé#?<> %/-]{0,4})?",
        ) {
            let url = format!("{start}{path}{fragment}");
            if let Some(escaped) = escaped_url(&url) {
                let parsed = parse_url(&url).unwrap();
                prop_assert_eq!(parsed.as_str(), escaped);
            }
        }

        #[test]
        fn any_text(path in "/\\PC{0,8}", octets in "[\\x00-\\x7f]{0,8}") {
            for url in [format!("https://a.test{path}"), format!("https://a.test/{octets}"), path, octets] {
                if let Some(escaped) = escaped_url(&url) {
                    let parsed = parse_url(&url).unwrap();
                    prop_assert_eq!(parsed.as_str(), escaped);
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
        ] {
            assert_eq!(escaped_url(url).as_deref(), Some(escaped));
        }
        for url in
            ["http://é.test/", "http://a.test/%2e/", "http://a.test/a ", "http://a.test/{}", "/é", "http://a.test#b c"]
        {
            assert_eq!(escaped_url(url), None, "{url}");
        }
    }
}
