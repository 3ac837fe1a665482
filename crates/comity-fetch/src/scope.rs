//! Checks that URLs are on an origin.

use std::borrow::Cow;

use comity::Origin;
use comity::url::{is_plain_path, join_url, parse_url};
use url::Url;

/// Returns true if a URL is on an origin, and is written so that the engine finds the path in it that a browser would
/// request.
///
/// True for a path, and for a URL with `://`. Other references, such as `a`, `?q`, `//host/a` or `https:a`, are refused,
/// even if a browser would resolve them to a URL of the origin: the engine takes none of them for a path, or reads
/// another path in them.
///
/// Paths and URLs that begin with the text of the origin, which are nearly all, are not parsed.
pub(crate) fn is_on(origin: &Origin, url: &str) -> bool {
    let bytes = url.as_bytes();
    let is_path = match bytes {
        [b'/'] => true,
        // Parsers take `//host`, `/\\host`, and both with tabs and line breaks in between, as another host.
        [b'/', next, ..] => !matches!(next, b'/' | b'\\' | b'\t' | b'\r' | b'\n'),
        _ => false,
    };
    let begins_as_origin = || {
        let rest = url.strip_prefix(origin.as_str());
        rest.is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'/' | b'?' | b'#', ..]))
    };
    is_path || begins_as_origin() || (is_read_alike(url) && resolves_to(origin, url))
}

/// Returns a URL or a path of an origin in the form in which a browser would send it; `None` for another origin, and
/// for text that is not a URL.
///
/// Text that begins with `/`, `?` or `#`, and empty text, is resolved against the origin. Other text without a scheme,
/// such as `shop.example/a`, is more likely a host name than a path, so it is not accepted.
pub(crate) fn sent_on<'u>(origin: &Origin, url: &'u str) -> Option<Cow<'u, str>> {
    if url.strip_prefix(origin.as_str()).is_some_and(is_plain_path) || (is_plain_path(url) && !url.starts_with("//")) {
        return Some(Cow::Borrowed(url));
    }
    let parsed = match url.as_bytes() {
        [] | [b'/' | b'?' | b'#', ..] => join(origin, url),
        _ => parse_url(url).ok(),
    };
    parsed.filter(|parsed| has_origin(parsed, origin)).map(|parsed| Cow::Owned(parsed.into()))
}

/// Returns true if the engine and a browser find the same path in a reference.
fn is_read_alike(url: &str) -> bool {
    let has_scheme = || {
        let (scheme, rest) = url.split_once("://")?;
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"+-.".contains(&octet));
        let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
        // Google's parser ends the authority at a semicolon, too: of a user name, it would read the rest as the path.
        (is_scheme && !authority.is_empty() && !authority.contains(['\\', '\t', '\r', '\n', ';'])).then_some(())
    };
    has_scheme().is_some()
}

fn resolves_to(origin: &Origin, url: &str) -> bool {
    join(origin, url).is_some_and(|resolved| has_origin(&resolved, origin))
}

/// Resolves a reference against the root of an origin, as a browser would.
fn join(origin: &Origin, url: &str) -> Option<Url> {
    Url::parse(origin.as_str()).and_then(|root| join_url(&root, url)).ok()
}

fn has_origin(url: &Url, origin: &Origin) -> bool {
    Origin::of_url(url).is_some_and(|found| found == *origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_of_other_sites_are_recognized() {
        let origin = Origin::of("https://shop.example/").unwrap();
        for url in [
            "/",
            "/a",
            "/a//b",
            "/http://other.example/",
            "https://shop.example",
            "https://shop.example/a",
            "https://shop.example?q",
            "https://shop.example#f",
            "HTTPS://Shop.Example/a",
            "https://shop.example:443/a",
            "https://shop.example./a",
            "https://user:word@shop.example/a",
        ] {
            assert!(is_on(&origin, url), "{url:?}");
        }
        for url in [
            "https://other.example/a",
            "http://shop.example/a",
            "https://shop.example:8443/a",
            "https://shop.example.other.example/a",
            "https://shop.example@other.example/a",
            "https://shop.example:443@other.example/a",
            "https://shop.examples/a",
            "https://www.shop.example/a",
            "//other.example/a",
            "/\\other.example/a",
            "\\\\other.example/a",
            "/\t/other.example/a",
            "/\n/other.example",
            " https://other.example/a",
            "\u{1}//other.example/a",
            "ht\ttps://other.example/a",
            "mailto:a@shop.example",
            "data:,a",
            "file:///a",
            "https://",
            "https://shop.example:x/",
            "",
            "?q",
            "#f",
            "shoes",
            "\\shoes",
            "//shop.example/a",
            "https:/a",
            "https:a",
            "https:\\\\shop.example\\a",
            "https:///shop.example/a",
            "https://shop.example\\a",
            "https://sh\top.example/a",
            "https://user;name@shop.example/a",
            " https://shop.example/a",
            // Relative references: a browser finds the path `/1://x/ok` in the first.
            "1://x/ok",
            "://x/ok",
        ] {
            assert!(!is_on(&origin, url), "{url:?}");
        }
    }

    #[test]
    fn sent_url_is_on_the_origin() {
        let origin = Origin::of("https://shop.example/").unwrap();
        for (url, sent) in [
            ("https://shop.example/a", "https://shop.example/a"),
            ("/a?b", "/a?b"),
            ("", "https://shop.example/"),
            ("https://shop.example", "https://shop.example/"),
            ("HTTPS://user:word@Shop.Example:443/a/../b", "https://user:word@shop.example/b"),
            ("https://shop.example./a", "https://shop.example./a"),
            (" https://shop.example/a", "https://shop.example/a"),
            ("https:\\\\shop.example\\a", "https://shop.example/a"),
            ("/a/../b", "https://shop.example/b"),
            ("/é", "https://shop.example/%C3%A9"),
            ("?q", "https://shop.example/?q"),
            ("//shop.example/a", "https://shop.example/a"),
        ] {
            assert_eq!(sent_on(&origin, url).as_deref(), Some(sent), "{url:?}");
        }
        for url in [
            "https://other.example/a",
            "http://shop.example/a",
            "https://shop.example:8443/a",
            "https://shop.example@other.example/a",
            "https://shop.example.other.example/a",
            "//other.example/a",
            "/\\other.example/a",
            "/\t/other.example/a",
            "shop.example/a",
            "a",
            "mailto:a@shop.example",
            "https://",
            "https://shop.example:x/",
        ] {
            assert_eq!(sent_on(&origin, url), None, "{url:?}");
        }
    }

    /// Every accepted reference resolves to the origin, and has the path that a browser requests.
    #[test]
    fn short_cuts_do_not_lie() {
        let origin = Origin::of("http://a.test:81/").unwrap();
        let pieces =
            ["", "/", "//", "\\", "\t", "a.test", ":81", "http:", "@", "?", "#", "b.test", ".", " ", "%2f", "x"];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    for fourth in pieces {
                        let url = [first, second, third, fourth].concat();
                        for url in [format!("http://a.test:81{url}"), url] {
                            assert!(!is_on(&origin, &url) || resolves_to(&origin, &url), "{url:?}");
                        }
                    }
                }
            }
        }
    }
}
