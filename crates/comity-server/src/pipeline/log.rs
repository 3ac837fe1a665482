//! Requests in the form in which they are logged.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use comity::Escaped;
use http::{Method, Request, Uri};

/// The most bytes of a request's target that are logged.
const MAX_TARGET_LEN: usize = 512;

/// A request for the log: at most one line, with control characters escaped and without passwords.
pub(super) struct LoggedRequest {
    method: Method,
    uri: Uri,
}

impl LoggedRequest {
    pub(super) fn new<B>(request: &Request<B>) -> Self {
        Self { method: request.method().clone(), uri: request.uri().clone() }
    }
}

impl fmt::Display for LoggedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = without_passwords(&self.uri);
        let target = target.as_bytes();
        write!(
            f,
            "{} {}",
            Escaped(self.method.as_str().as_bytes()),
            Escaped(&target[..target.len().min(MAX_TARGET_LEN)])
        )?;
        if target.len() > MAX_TARGET_LEN { write!(f, "... ({} bytes)", target.len()) } else { Ok(()) }
    }
}

/// Returns the path and the query of a request, without what may be a user name and a password: everything from the first
/// `:` or `//` to the last `@`.
///
/// URLs come here in many forms: as a value or a name in the query, in the query of another URL, as the path, if a client
/// takes the service for a proxy, and escaped once or more. Parsing each of them would be right only for those that were
/// thought of. This hides too much of a URL with an `@` in its path, which costs less than a password in the log.
fn without_passwords(uri: &Uri) -> Cow<'_, str> {
    let target = uri.path_and_query().map_or("", |target| target.as_str());
    let (mut start, mut end, mut last) = (None, None, b' ');
    let is_slash = |octet| matches!(octet, b'/' | b'\\');
    // URL parsers ignore tabs and line ends.
    for (place, octet) in octets(target.as_bytes()).filter(|(_, octet)| !matches!(octet, b'\t' | b'\n' | b'\r')) {
        if start.is_some() {
            end = if octet == b'@' { Some(place.start) } else { end };
        } else if octet == b':' || (is_slash(octet) && is_slash(last)) {
            start = Some(place.end);
        }
        last = octet;
    }
    match start.zip(end) {
        Some((start, end)) => Cow::Owned(format!("{}***{}", &target[..start], &target[end..])),
        None => Cow::Borrowed(target),
    }
}

/// Returns the bytes of a target with their places, unescaped however often they are escaped: `%40` and `%2540` are `@`.
fn octets(target: &[u8]) -> impl Iterator<Item = (Range<usize>, u8)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next;
        next += 1;
        let octet = *target.get(start)?;
        let mut digits = next;
        while octet == b'%' && target[digits..].starts_with(b"25") {
            digits += 2;
        }
        let escaped = target.get(digits..digits + 2).filter(|_| octet == b'%');
        let escaped = escaped.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
        if escaped.is_some() {
            next = digits + 2;
        }
        Some((start..next, escaped.unwrap_or(octet)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(target: &str) -> String {
        LoggedRequest::new(&Request::builder().uri(target).body(()).unwrap()).to_string()
    }

    #[test]
    fn no_password_is_logged_wherever_it_is() {
        for target in [
            // A proxy request by mistake, in the forms that clients and people send.
            "http://user:s3cret@shop.example/",
            "/http://user:s3cret@shop.example/",
            "/https:user:s3cret@shop.example/a",
            "//user:s3cret@shop.example/",
            "//s3cret@shop.example/",
            "/proxy/http://user:s3cret@shop.example/?a=b",
            "/http:%2F%2Fuser%3As3cret%40shop.example%2F",
            "/http%253A%252F%252Fuser%253As3cret%2540shop.example/",
            "/http://user:s3cret%2F@shop.example/",
            "/http://user:s3cret%40@shop.example/",
            "/http://user:a%2Fs3cret@shop.example/",
            // In the query, as a value or a name, and in the query of a URL there.
            "/v1/check?url=https://user:s3cret@shop.example/",
            "/v1/check?url=https%3A%2F%2Fuser%3As3cret%40shop.example%2F&agent=x",
            "/v1/check?https://user:s3cret@shop.example/",
            "/v1/check?url=https://user:s3cret&x@shop.example/",
            "/v1/check?url=https://user:a%2Fs3cret@shop.example/",
            "/v1/check?url=https://shop.example/?next=https://user:s3cret@other.example/",
            "/v1/check?url=https://shop.example/&origin=https://user:s3cret@shop.example",
        ] {
            let logged = logged(target);
            assert!(logged.starts_with("GET /") && !logged.contains("s3cret"), "{target}: {logged}");
        }
        // The authority form of CONNECT has no path at all.
        let request = Request::builder().method("CONNECT").uri("user:s3cret@shop.example:443").body(()).unwrap();
        assert_eq!(LoggedRequest::new(&request).to_string(), "CONNECT ");
    }

    #[test]
    fn other_targets_are_logged_as_they_were_sent() {
        for target in [
            "/",
            "/v1/check?url=https://shop.example/a&agent=x",
            "/v1/check?url=https%3A%2F%2Fshop.example%2F%3Fa%3Db",
            "/v1/crawlers/a@b",
            "/a%20b?c=%00",
        ] {
            assert_eq!(logged(target), format!("GET {target}"));
        }
        let kept = logged("/v1/check?url=https://user:s3cret@shop.example/a&agent=x");
        assert_eq!(kept, "GET /v1/check?url=https:***@shop.example/a&agent=x");
    }
}
