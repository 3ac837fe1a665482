//! URLs as clients send them, by the crate `url` and the engine's own resolution of dot segments.
//!
//! In any scheme, the crate `url` takes a segment such as `C:` for the drive of a file, which `..` does not leave. Other
//! clients do not (URL Standard, shorten a URL's path): for `/C:/../private`, they request `/private`. The answer would
//! be about another page, so the dot segments are resolved before the crate finds them.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use url::{ParseError, Position, Url};

use crate::normal_form::sent::sent;

/// Parses a URL as clients read it. Unlike [`Url::parse`], `..` removes a segment such as `C:` in URLs of the web, as
/// the URL Standard requires.
///
/// ```
/// assert_eq!(comity::url::parse_url("http://a.example/C:/../b")?.as_str(), "http://a.example/b");
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn parse_url(url: &str) -> Result<Url, ParseError> {
    let is_path = url.trim_start_matches(|c| c <= ' ').starts_with(['/', '\\']);
    match sent(url.as_bytes()) {
        Some(Cow::Owned(resolved)) if !is_path => match core::str::from_utf8(&resolved) {
            Ok(resolved) => Url::parse(resolved),
            Err(_) => Url::parse(url),
        },
        _ => Url::parse(url),
    }
}

/// Resolves a reference against a URL as clients do. Unlike [`Url::join`], `..` removes a segment such as `C:`, as in
/// [`parse_url`].
///
/// ```
/// let base = comity::url::parse_url("http://a.example/b/c")?;
/// assert_eq!(comity::url::join_url(&base, "C:/../d")?.scheme(), "c");
/// assert_eq!(comity::url::join_url(&base, "./C:/../d")?.as_str(), "http://a.example/b/d");
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn join_url(base: &Url, reference: &str) -> Result<Url, ParseError> {
    if !base.is_special() || base.scheme() == "file" {
        return base.join(reference);
    }
    let kept = without_ignored(reference);
    // After the scheme of the base, a reference without two slashes is relative, too.
    let own_scheme = kept.get(..base.scheme().len()).filter(|scheme| scheme.eq_ignore_ascii_case(base.scheme()));
    let after_scheme = own_scheme.and_then(|scheme| kept[scheme.len()..].strip_prefix(':'));
    let relative = after_scheme.unwrap_or(&kept);
    let is_absolute = after_scheme.is_none() && Url::parse(&kept) != Err(ParseError::RelativeUrlWithoutBase);
    if names_host(relative) || relative.starts_with("\\\\") || relative.starts_with("\\/") {
        parse_url(&format!("{}:{relative}", base.scheme()))
    } else if is_absolute {
        parse_url(&kept)
    } else if relative.starts_with(['/', '\\']) {
        parse_url(&format!("{}{relative}", &base[..Position::BeforePath]))
    } else if relative.is_empty() || relative.starts_with(['?', '#']) {
        base.join(relative)
    } else {
        let start = &base[..Position::AfterPath];
        let folder = start.rfind('/').map_or(start, |at| &start[..=at]);
        parse_url(&format!("{folder}{relative}"))
    }
}

/// Returns true if clients read a host in text that begins with a slash: `//host`, and also `/\host` or `/` and `/host`
/// with a tab between them, since clients ignore tabs and line ends and take a backslash for a slash.
///
/// ```
/// assert!(comity::url::names_host("//a.example/") && comity::url::names_host("/\\a.example/") && comity::url::names_host("/\t/a.example/"));
/// assert!(!comity::url::names_host("/a.example//") && !comity::url::names_host("/\ta"));
/// ```
pub fn names_host(path: &str) -> bool {
    let second = path.strip_prefix('/').map(|rest| rest.trim_start_matches(['\t', '\n', '\r']));
    second.is_some_and(|second| second.starts_with(['/', '\\']))
}

/// Returns text without the bytes that URL parsers ignore.
fn without_ignored(text: &str) -> String {
    text.trim_matches(|c| c <= ' ').chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect()
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use url::{ParseError, Url};

    use super::{join_url, parse_url};

    const PIECES: &[&str] = &[
        "http:", "https:", "HTTP:", "ftp:", "other:", "mailto:a", "/", "/", "\\", ".", "..", "%2e", "a", "b.", "?",
        "#", ":", "@", ":80", "h", "é", "\t", "\r\n", " ", "//", "/..", "",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 20_000, ..ProptestConfig::with_cases(20_000) })]

        #[test]
        fn other_urls_are_those_of_the_crate_url(
            base in select(&["http://u@h:81/a/b?c#d", "https://h.test", "http://h/C/"][..]),
            pieces in vec(select(PIECES), 0..8),
        ) {
            let text: String = pieces.concat();
            // The crate takes `a:` for a drive, and ends an authority of other schemes elsewhere.
            let kept = text.replace(['\t', '\r', '\n'], "");
            prop_assume!(!kept.contains("a:") && !kept.contains("h:") && !kept.contains("other:"));
            prop_assert_eq!(parse_url(&text), Url::parse(&text), "{:?}", text);
            let base = Url::parse(base).unwrap();
            // The crate finds no host after four slashes.
            let expected = base.join(&text);
            if expected != Err(ParseError::EmptyHost) {
                prop_assert_eq!(join_url(&base, &text), expected, "{:?}", text);
            }
        }
    }

    #[test]
    fn no_segment_is_a_drive() {
        let base = Url::parse("http://h/p/q").unwrap();
        for (text, url) in [
            ("http://h/C:/../x", "http://h/x"),
            ("http://h/C|/../x?y#z", "http://h/x?y#z"),
            ("http://h/a/C:/../../x", "http://h/x"),
            ("http:\\h\\C:\\..\\x", "http://h/x"),
            ("other://h/C:/../x", "other://h/x"),
        ] {
            assert_eq!(parse_url(text).unwrap().as_str(), url);
        }
        for (text, url) in [
            ("/C:/../x", "http://h/x"),
            ("/.//C:/../x", "http://h//x"),
            ("a/C|/../../x", "http://h/p/x"),
            ("http:C:/../x", "http://h/p/x"),
            ("//g/C:/../x", "http://g/x"),
            ("https://g/C:/../x", "https://g/x"),
        ] {
            assert_eq!(join_url(&base, text).unwrap().as_str(), url);
        }
    }
}
