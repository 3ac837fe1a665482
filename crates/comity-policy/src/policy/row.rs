//! The rows of the policy table: kinds of results.

use crate::event::{Event, Failure};

/// A row of the policy table: a kind of result that policies distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Row {
    /// 2xx, and 304 in response to a conditional request.
    Found,
    /// 206, a final 1xx, 300, a 304 without a conditional request, 3xx without a usable `Location`, or an invalid
    /// response.
    OddAnswer,
    /// Too many redirects, or a redirect loop.
    RedirectsEnd,
    /// The caller's address rules refuse the site, or the target of its redirect.
    Refused,
    /// 401, 403.
    Forbidden,
    /// 407.
    ProxyRefused,
    /// 429.
    TooManyRequests,
    /// 408, 421, 425.
    RequestFailed,
    /// Other 4xx.
    ClientError,
    /// 5xx, and every network failure: DNS, connection, TLS, timeout, truncated body.
    ServerError,
    /// 5xx on a site that answers every missing page with 5xx.
    ErrorForMissing,
    /// FTP 550.
    FtpMissing,
    /// Any other FTP reply that is not a success.
    FtpError,
}

comity::__names! {
    Row is "a row of the policy table" {
        Found = "found",
        OddAnswer = "odd-answer",
        RedirectsEnd = "redirects-end",
        Refused = "refused",
        Forbidden = "forbidden",
        ProxyRefused = "proxy-refused",
        TooManyRequests = "too-many-requests",
        RequestFailed = "request-failed",
        ClientError = "client-error",
        ServerError = "server-error",
        ErrorForMissing = "error-for-missing",
        FtpMissing = "ftp-missing",
        FtpError = "ftp-error",
    }, Display
}

impl Row {
    /// Returns the row of an event.
    pub fn of(event: Event) -> Self {
        match event {
            Event::Found | Event::NotModified => Self::Found,
            Event::Status(401 | 403) => Self::Forbidden,
            Event::Status(407) => Self::ProxyRefused,
            Event::Status(429) => Self::TooManyRequests,
            Event::Status(408 | 421 | 425) => Self::RequestFailed,
            Event::Status(400..=499) => Self::ClientError,
            Event::Status(500..=599) => Self::ServerError,
            Event::RedirectLimit | Event::RedirectLoop => Self::RedirectsEnd,
            Event::ErrorForMissing(_) => Self::ErrorForMissing,
            Event::Ftp(550) => Self::FtpMissing,
            Event::Ftp(_) => Self::FtpError,
            Event::Failed(Failure::Refused) => Self::Refused,
            Event::Status(_) | Event::Failed(Failure::BadRedirect | Failure::InvalidResponse) => Self::OddAnswer,
            Event::Failed(_) => Self::ServerError,
        }
    }

    /// Returns the title of the row in the table.
    pub fn title(self) -> &'static str {
        match self {
            Self::Found => "2xx",
            Self::OddAnswer => "206, 1xx, 300, 304 to an unconditional request, 3xx without Location, invalid response",
            Self::RedirectsEnd => "too many redirects, or a redirect loop",
            Self::Refused => "refused by the address rules",
            Self::Forbidden => "401, 403",
            Self::ProxyRefused => "407",
            Self::TooManyRequests => "429",
            Self::RequestFailed => "408, 421, 425",
            Self::ClientError => "other 4xx",
            Self::ServerError => "5xx, DNS, TLS, connection, timeout, truncated body",
            Self::ErrorForMissing => "5xx for every missing page (probed)",
            Self::FtpMissing => "FTP 550",
            Self::FtpError => "other FTP replies",
        }
    }

    /// Returns the specification or documentation that the row is based on.
    pub fn source(self) -> &'static str {
        match self {
            Self::Found => "RFC 9309 §2.3.1.1; Google: 2xx is processed, with any content",
            Self::OddAnswer => "not in RFC 9309; Google: an invalid response is a server error",
            Self::RedirectsEnd => "RFC 9309 §2.3.1.2: beyond five, may be taken as unavailable; Google: as 404",
            Self::Refused => "RFC 9309 §2.3.1.4: unreachable; our refusal is no answer of the site",
            Self::Forbidden => "RFC 9309 §2.3.1.3: unavailable; Google: 401 and 403 as 404",
            Self::ProxyRefused => "RFC 9110 §15.5.8: only a proxy answers so; the site was not asked",
            Self::TooManyRequests => {
                "RFC 9309 §2.3.1.3 as any 4xx; Google in 2019: the same; Google in 2026: a server error"
            }
            Self::RequestFailed => {
                "RFC 9309 §2.3.1.3 as any 4xx; RFC 9110 §15.5.9, §15.5.20, RFC 8470 §5.2: this request failed, try again"
            }
            Self::ClientError => "RFC 9309 §2.3.1.3: unavailable",
            Self::ServerError => "RFC 9309 §2.3.1.4: unreachable; Google: network errors as server errors",
            Self::ErrorForMissing => "Google in 2018 and 2019, no longer in 2026: such a 5xx is taken as 404",
            Self::FtpMissing => "RFC 959 §4.2: 550, no such file; Google: FTP is supported",
            Self::FtpError => "RFC 9309 §2.3.1.4: unreachable",
        }
    }
}
