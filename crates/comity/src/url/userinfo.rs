//! Removes user names and passwords from URLs.

use alloc::borrow::Cow;
use alloc::string::String;

/// Returns a URL without its user name and password, for messages and logs.
///
/// The text need not be a valid URL. Text without an `@` before its path is returned unchanged.
///
/// ```
/// use comity::url::without_userinfo;
///
/// assert_eq!(without_userinfo("https://user:password@shop.example/a@b"), "https://shop.example/a@b");
/// assert_eq!(without_userinfo("https://shop.example/?mail=a@b"), "https://shop.example/?mail=a@b");
/// assert_eq!(without_userinfo("mailto:me@shop.example"), "mailto:me@shop.example");
/// ```
pub fn without_userinfo(url: &str) -> Cow<'_, str> {
    if !url.contains('@') {
        return Cow::Borrowed(url);
    }
    // URL parsers ignore tabs and line ends, and take a backslash for a slash (URL Standard, basic URL parser).
    let slashes = ['/', '\\', '\t', '\n', '\r'];
    let colon = url.find([':', '/', '\\', '?', '#', '@']);
    let Some((scheme, rest)) = colon.and_then(|at| Some((&url[..at], url[at..].strip_prefix(':')?))) else {
        return Cow::Borrowed(url);
    };
    let authority = rest.trim_start_matches(slashes);
    let scheme: String = scheme.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let is_special = ["http", "https", "ftp", "ws", "wss"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    if rest.len() - authority.len() < 2 && !is_special {
        return Cow::Borrowed(url);
    }
    let ends = |c: char| matches!(c, '/' | '?' | '#') || (is_special && c == '\\');
    let end = authority.find(ends).unwrap_or(authority.len());
    match authority[..end].rfind('@') {
        Some(at) => Cow::Owned(alloc::format!("{}{}", &url[..url.len() - authority.len()], &authority[at + 1..])),
        None => Cow::Borrowed(url),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use url::Url;

    use super::*;
    use crate::origin::Origin;

    #[test]
    fn no_user_name_and_no_password_stay() {
        for url in [
            "https://user:s3cret@shop.example/a@b?c@d#e@f",
            "HTTPS://s3cret@shop.example",
            "https://user:s3cret@@shop.example:8443/",
            "https:/user:s3cret@shop.example/",
            "https:user:s3cret@shop.example/",
            "https:\\\\user:s3cret@shop.example\\a@b",
            " https://user:s3cret@shop.example/",
            "ht\ntps:/\t/user:s3cret@shop.example/",
            "https://us\ner:s3cret@shop.example/",
            "ftp://user:s3cret@shop.example/",
            "other://user:s3\\cret@shop.example/a@b",
            "https://%75ser:s3cret%40@shop.example/",
        ] {
            let (with, without) = (Url::parse(url).unwrap(), Url::parse(&without_userinfo(url)).unwrap());
            assert!(!with.username().is_empty(), "{url}");
            assert!(without.username().is_empty() && without.password().is_none(), "{url}: {without}");
            let rest = |url: &Url| {
                [url.host_str(), Some(url.path()), url.query(), url.fragment()]
                    .map(|part| part.map(ToString::to_string))
            };
            assert_eq!((rest(&with), with.port()), (rest(&without), without.port()), "{url}");
            assert!(!without_userinfo(url).contains("s3"), "{url}");
        }
        for url in [
            "",
            "@",
            "/a@b",
            "?a@b",
            "https://shop.example/a@b",
            "mailto:me@shop.example",
            "x:y@z",
            "https:",
            "//a@b/c",
        ] {
            assert_eq!(without_userinfo(url), url);
        }
        for url in ["https://user:s3cret@", "https://user:s3cret@shop.example:99999/"] {
            assert!(!without_userinfo(url).contains("s3cret"), "{url}");
            assert!(!Origin::of(url).unwrap_err().to_string().contains("s3cret"), "{url}");
        }
    }
}
