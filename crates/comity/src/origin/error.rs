//! The error of a URL without an origin.

use alloc::string::String;
use core::fmt;

use super::Origin;
use crate::escape::Escaped;
use crate::url::without_userinfo;

/// The error of a URL that has no origin, or is not the URL of a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginError {
    kind: ErrorKind,
    url: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ErrorKind {
    NotAUrl(url::ParseError),
    NoHost,
    Misplaced,
    NotAnOrigin(Origin),
}

impl OriginError {
    pub(super) fn new(kind: ErrorKind, url: &str) -> Self {
        Self { kind, url: without_userinfo(url).into_owned() }
    }

    /// Returns true if the text is not an absolute URL.
    pub fn is_not_a_url(&self) -> bool {
        matches!(self.kind, ErrorKind::NotAUrl(_))
    }

    /// Returns true if the URL has no host, so that no robots.txt can govern it.
    pub fn is_without_host(&self) -> bool {
        self.kind == ErrorKind::NoHost
    }

    /// Returns true if the URL of a robots.txt was expected and the path is another one.
    pub fn is_misplaced(&self) -> bool {
        self.kind == ErrorKind::Misplaced
    }

    /// Returns true if an origin was expected and the URL has more than that.
    pub fn is_not_an_origin(&self) -> bool {
        matches!(self.kind, ErrorKind::NotAnOrigin(_))
    }
}

impl fmt::Display for OriginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = Escaped(self.url.as_bytes());
        match &self.kind {
            ErrorKind::NotAUrl(url::ParseError::RelativeUrlWithoutBase) => {
                write!(f, "expected an absolute URL such as https://example.com/page, found `{url}`")
            }
            ErrorKind::NotAUrl(e) => write!(f, "`{url}` is not a URL: {e}"),
            ErrorKind::NoHost => write!(f, "`{url}` has no host, so no robots.txt governs it"),
            ErrorKind::Misplaced => write!(
                f,
                "a robots.txt is valid only at the path `/robots.txt`, in lower case and without a query, found `{url}`"
            ),
            ErrorKind::NotAnOrigin(origin) => {
                write!(f, "expected an origin such as https://example.com, found `{url}`: its origin is {origin}")
            }
        }
    }
}

impl core::error::Error for OriginError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            // The message about relative URLs already covers it.
            ErrorKind::NotAUrl(error) if *error != url::ParseError::RelativeUrlWithoutBase => Some(error),
            ErrorKind::NotAUrl(_) | ErrorKind::NoHost | ErrorKind::Misplaced | ErrorKind::NotAnOrigin(_) => None,
        }
    }
}
