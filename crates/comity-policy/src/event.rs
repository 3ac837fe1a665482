//! How an attempt to fetch a robots.txt can end.

use std::fmt;

/// How an attempt ended. What follows from it is the policy's business: see [`Row`](crate::Row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Event {
    /// An answer of 2xx, but 206, or a file by FTP: read to its end, or as far as counts.
    Found,
    /// The copy that was asked about is still the right one (304, asked for).
    NotModified,
    /// Any other HTTP status as the last word.
    Status(u16),
    /// An FTP reply other than success.
    Ftp(u16),
    /// More redirects than are followed.
    RedirectLimit,
    /// A redirect to where the attempt had been.
    RedirectLoop,
    /// This status, on a site that answers 5xx for missing pages as the probe showed.
    ErrorForMissing(u16),
    /// No usable answer.
    Failed(Failure),
}

/// Why there was no usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Failure {
    /// The host's name could not be resolved.
    Dns,
    /// We may not connect there: the address, the port or the scheme is refused by the caller's rules.
    Refused,
    /// No connection: nobody listens, no route, reset while connecting.
    Connect,
    /// No secure connection: certificate, protocol, handshake.
    Tls,
    /// Nothing within the time that there was.
    Timeout,
    /// The connection broke off before the answer's head was there.
    Reset,
    /// The connection broke off in the body, or its length or chunks were wrong.
    Truncated,
    /// What came is not HTTP, or not FTP, or more of a head than is taken.
    InvalidResponse,
    /// The body can't be decoded as its `Content-Encoding` says.
    Encoding,
    /// A redirect that leads nowhere: without `Location`, or with one that is no URL, or of a scheme that can't be
    /// followed.
    BadRedirect,
    /// Anything else.
    Other,
}

impl Event {
    /// Whether the site gave a robots.txt, or said that ours is still good.
    pub fn is_found(self) -> bool {
        matches!(self, Self::Found | Self::NotModified)
    }
}

impl fmt::Display for Event {
    /// A clause without subject: `answered 503`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found => f.write_str("sent a robots.txt"),
            Self::NotModified => f.write_str("answered that the copy is still good"),
            Self::Status(status) => write!(f, "answered {status}"),
            Self::Ftp(code) => write!(f, "answered {code} by FTP"),
            Self::RedirectLimit => f.write_str("redirected too often"),
            Self::RedirectLoop => f.write_str("redirected in a circle"),
            Self::ErrorForMissing(status) => write!(f, "answered {status}, as it does for any missing page"),
            Self::Failed(failure) => failure.fmt(f),
        }
    }
}

impl fmt::Display for Failure {
    /// A clause without subject: `gave no answer in time`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns => "had a name that could not be resolved",
            Self::Refused => "led to where comity may not connect",
            Self::Connect => "could not be connected to",
            Self::Tls => "gave no secure connection",
            Self::Timeout => "gave no answer in time",
            Self::Reset => "broke off the connection",
            Self::Truncated => "broke off in the middle of the file",
            Self::InvalidResponse => "gave an answer that is not valid",
            Self::Encoding => "sent a body that can't be decoded",
            Self::BadRedirect => "redirected to nowhere",
            Self::Other => "gave no usable answer",
        })
    }
}
