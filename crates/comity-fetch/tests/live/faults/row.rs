//! The rows of the fault matrix, as data.

use comity_fetch::{Failure, Policy};
use comity_testserver::{Accept, Certificate, Reply};

use crate::stage::Place;
use crate::via;

/// A fault, and its expected result.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) over: Over,
    pub(super) does: Does,
    pub(super) then: Then,
    /// The policies under which it runs.
    pub(super) policies: &'static [Policy],
}

impl Row {
    pub(super) fn new(over: Over, name: impl Into<String>, does: impl Into<Does>, then: Then) -> Self {
        Self { name: name.into(), over, does: does.into(), then, policies: Policy::ALL }
    }

    /// Returns the expected result through the transport of these tests.
    pub(super) fn then_via(&self) -> Then {
        match via::exception(self.over.name(), &self.name) {
            None => self.then,
            Some("found") => Then::Found,
            Some("empty") => Then::Empty,
            Some("fails") => Then::Fails(&[]),
            Some(other) => panic!("{}: no row ends as `{other}`", self.name),
        }
    }

    /// Restricts the row to the standard policy, for one of many rows that differ in a number.
    pub(super) fn standard_only(mut self) -> Self {
        self.policies = &[Policy::STANDARD];
        self
    }

    /// Returns rows of one protocol.
    pub(super) fn all(over: Over, rows: Vec<(&str, Reply, Then)>) -> Vec<Self> {
        rows.into_iter().map(|(name, reply, then)| Self::new(over, name, reply, then)).collect()
    }
}

/// The protocol of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Over {
    /// HTTP/1.1.
    Http1,
    /// HTTP/1.1 within TLS.
    Tls,
    /// HTTP/2 within TLS.
    Http2,
    /// FTP.
    Ftp,
}

impl Over {
    pub(super) const ALL: [Self; 4] = [Self::Http1, Self::Tls, Self::Http2, Self::Ftp];

    /// Returns the name of the protocol in lists of rows.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Tls => "tls",
            Self::Http2 => "http2",
            Self::Ftp => "ftp",
        }
    }

    pub(super) fn scheme(self) -> &'static str {
        match self {
            Self::Http1 => "http",
            Self::Tls | Self::Http2 => "https",
            Self::Ftp => "ftp",
        }
    }
}

/// The behavior of the site.
#[derive(Clone, Debug)]
pub(super) enum Does {
    /// It sends a reply.
    Reply(Box<Reply>),
    /// It treats connections in another way.
    Accept(Accept),
    /// Its name does not resolve to a server.
    Name(Place),
    /// Its port is closed.
    Closed,
    /// It has this certificate.
    Certificate(Certificate),
    /// It is an FTP server without other faults.
    Ftp(Box<Ftp>),
}

/// The faults of an FTP server.
#[derive(Clone, Debug, Default)]
pub(super) struct Ftp {
    pub(super) greeting: Option<Reply>,
    pub(super) answers: Vec<(&'static str, Reply)>,
    pub(super) file: Option<Reply>,
    pub(super) finish: Option<Reply>,
}

impl From<Reply> for Does {
    fn from(reply: Reply) -> Self {
        Self::Reply(Box::new(reply))
    }
}

impl From<Accept> for Does {
    fn from(accept: Accept) -> Self {
        Self::Accept(accept)
    }
}

impl From<Place> for Does {
    fn from(place: Place) -> Self {
        Self::Name(place)
    }
}

impl From<Certificate> for Does {
    fn from(certificate: Certificate) -> Self {
        Self::Certificate(certificate)
    }
}

impl From<Ftp> for Does {
    fn from(ftp: Ftp) -> Self {
        Self::Ftp(Box::new(ftp))
    }
}

/// The expected result of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The file is unreachable, for one of these reasons, and the policy decides what that means. There are several
    /// reasons if the timing of the network decides.
    Fails(&'static [Failure]),
    /// The file is unreachable, because an FTP server sent this reply.
    FtpSays(u16),
    /// The address rules refuse it.
    Refused,
    /// The file does not exist.
    Missing,
    /// The file is found despite the fault.
    Found,
    /// The file is found, and empty.
    Empty,
}

impl Then {
    pub(super) const CONNECT: Self = Self::Fails(&[Failure::Connect]);
    pub(super) const DNS: Self = Self::Fails(&[Failure::Dns]);
    pub(super) const ENCODING: Self = Self::Fails(&[Failure::Encoding]);
    pub(super) const INVALID: Self = Self::Fails(&[Failure::InvalidResponse]);
    pub(super) const OTHER: Self = Self::Fails(&[Failure::Other]);
    pub(super) const RESET: Self = Self::Fails(&[Failure::Reset]);
    /// The timing of the network decides whether the head arrives before the end.
    pub(super) const RESET_OR_TRUNCATED: Self = Self::Fails(&[Failure::Reset, Failure::Truncated]);
    pub(super) const TIMEOUT: Self = Self::Fails(&[Failure::Timeout]);
    pub(super) const TLS: Self = Self::Fails(&[Failure::Tls]);
    pub(super) const TRUNCATED: Self = Self::Fails(&[Failure::Truncated]);
}
