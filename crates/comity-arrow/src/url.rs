//! URLs in the form in which a browser sends them.

use std::borrow::Cow;

use comity::Origin;
use comity::url::{is_plain_path, sent_path, sent_url};

/// The form in which URLs are compared with the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlForm {
    /// The URLs that a browser sends: `/a/../b` becomes `/b`. Text that is no URL has no verdict, and neither has a URL
    /// of another site, if the site of the file is known.
    #[default]
    AsSent,
    /// Unchanged, of any site. Only dot segments and backslashes are resolved, and text that is neither a URL nor a path is
    /// out of scope; in the dialect `google-parser`, any bytes are a URL.
    Unchanged,
}

/// A URL or a path, as a browser would read it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sent<'u> {
    /// The URL or the path to compare with the rules.
    Url(Cow<'u, str>),
    /// The URL belongs to another site than the file.
    OtherSite,
    /// The text is neither a URL nor a path.
    Invalid,
}

/// Returns a URL or a path as it is sent. The origin is that of the file, if it is known.
#[inline]
pub(crate) fn sent<'u>(url: &'u [u8], origin: Option<&str>) -> Sent<'u> {
    let Ok(url) = std::str::from_utf8(url) else { return Sent::Invalid };
    // Nearly all URLs are in that form, and need not be parsed.
    let is_sent = match origin {
        _ if url.starts_with('/') => !url.starts_with("//") && is_plain_path(url),
        Some(origin) => url.strip_prefix(origin).is_some_and(is_plain_path),
        None => false,
    };
    if is_sent { Sent::Url(Cow::Borrowed(url)) } else { other(url, origin) }
}

fn other<'u>(url: &'u str, origin: Option<&str>) -> Sent<'u> {
    if url.starts_with('/') {
        return sent_path(url).map_or(Sent::Invalid, |path| Sent::Url(Cow::Owned(path)));
    }
    if let Some(sent) = sent_url(url) {
        let is_within = |origin| sent.strip_prefix(origin).is_some_and(|path| path.starts_with('/'));
        return if origin.is_none_or(is_within) { Sent::Url(sent) } else { Sent::OtherSite };
    }
    match Origin::parse_url(url) {
        Ok((_, found)) if origin.is_some_and(|origin| origin != found.as_str()) => Sent::OtherSite,
        Ok((url, _)) => Sent::Url(url),
        Err(_) => Sent::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_normalized_and_belong_to_a_site() {
        let url = |text| Sent::Url(Cow::Borrowed(text));
        assert_eq!(sent(b"/a/../b?c", None), url("/b?c"));
        assert_eq!(sent(b"https://A.test/a/../b", None), url("https://a.test/b"));
        assert_eq!(sent(b"https://A.test:443/", Some("https://a.test")), url("https://a.test/"));
        assert_eq!(sent(b"https://b.test/", Some("https://a.test")), Sent::OtherSite);
        assert_eq!(sent(b"https://a.test.b.test/", Some("https://a.test")), Sent::OtherSite);
        assert_eq!(sent(b"https://a.test:8443/", Some("https://a.test")), Sent::OtherSite);
        // A dialect could read a host in the path alone.
        for text in [&b"/.//b.test/a"[..], b"/a/..//b.test/a", b"/%2e//b.test/a"] {
            for origin in [None, Some("https://a.test")] {
                assert_eq!(sent(text, origin), url("http://path.invalid//b.test/a"), "{text:?}");
            }
        }
        for text in [&b""[..], b"a", b"/\\b.test/a", b"//b.test/a", b"http://", b"mailto:a@b.test", b"/\xff"] {
            assert_eq!(sent(text, None), Sent::Invalid, "{text:?}");
        }
    }
}
