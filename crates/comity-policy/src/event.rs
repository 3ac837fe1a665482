//! Events: the possible ends of an attempt to fetch a robots.txt.

use std::fmt;

/// The end of an attempt. The policy decides what follows from it: see [`Row`](crate::Row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Event {
    /// A 2xx response other than 206, or a file by FTP, which was read to its end or to the size limit.
    Found,
    /// The copy is still current (304 in response to a conditional request).
    NotModified,
    /// Any other final HTTP status.
    Status(u16),
    /// An FTP reply that is not a success.
    Ftp(u16),
    /// More redirects than the policy follows.
    RedirectLimit,
    /// A redirect to a URL that the attempt has already requested.
    RedirectLoop,
    /// This status, on a site that answers 5xx for missing pages according to a probe.
    ErrorForMissing(u16),
    /// No usable response.
    Failed(Failure),
}

/// The reason why there was no usable response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Failure {
    /// The host's name could not be resolved.
    Dns,
    /// The caller's rules refuse the address, the port or the scheme.
    Refused,
    /// No connection: nothing listens, there is no route, or the connection was reset while connecting.
    Connect,
    /// No secure connection: the certificate, the protocol or the handshake failed.
    Tls,
    /// No response within the time limit.
    Timeout,
    /// The connection was closed before the head of the response was complete.
    Reset,
    /// The connection was closed within the body, or its length or chunks were invalid.
    Truncated,
    /// The response is not valid HTTP or FTP, or its head is too large.
    InvalidResponse,
    /// The body cannot be decoded by its `Content-Encoding`.
    Encoding,
    /// A redirect that cannot be followed: its `Location` is missing, is not a URL, or has an unsupported scheme.
    BadRedirect,
    /// Anything else.
    Other,
}

impl Event {
    /// Returns true if the site sent a robots.txt, or confirmed that the copy is still current.
    pub fn is_found(self) -> bool {
        matches!(self, Self::Found | Self::NotModified)
    }
}

impl fmt::Display for Event {
    /// Writes a clause without a subject, such as `answered 503`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found => f.write_str("sent a robots.txt"),
            Self::NotModified => f.write_str("answered that the copy is still good"),
            Self::Status(status) => write!(f, "answered {status}"),
            Self::Ftp(code) => write!(f, "answered {code} by FTP"),
            Self::RedirectLimit => f.write_str("redirected too often"),
            Self::RedirectLoop => f.write_str("redirected in a loop"),
            Self::ErrorForMissing(status) => write!(f, "answered {status}, as it does for any missing page"),
            Self::Failed(failure) => failure.fmt(f),
        }
    }
}

impl fmt::Display for Failure {
    /// Writes a clause without a subject, such as `gave no answer in time`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns => "had a name that could not be resolved",
            Self::Refused => "has an address or a port that no connection is allowed to",
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
