//! What a transport can be told.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::connector::{Connect, SystemConnector};
use super::proxy::Proxy;
use crate::address::{Addresses, Trust};
use crate::resolve::{Resolve, SystemResolver};

/// How to send, and where to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// What sites are told: who asks, truthfully, with an address where its operator can be reached
    /// (RFC 9309 §2.2.1). Anonymous FTP has it as the password.
    pub user_agent: String,
    /// Which addresses may be connected to: public ones, if nothing is said.
    pub addresses: Addresses,
    /// The hosts that may be connected to whatever their addresses are: none, if nothing is said.
    pub trust: Trust,
    /// Who knows the addresses of names: the system, if nothing is said.
    pub resolver: Option<Arc<dyn Resolve>>,
    /// Opens connections. Defaults to the system's.
    pub connector: Option<Arc<dyn Connect>>,
    /// Through what to connect: nothing, unless it is said here. Nothing is taken from the environment.
    pub proxy: Option<Proxy>,
    /// Certificates of authorities to be trusted beside the system's, in PEM.
    pub extra_roots: Vec<u8>,
    /// How long a name may take to be found, and then a connection to be made: 5 seconds each.
    pub connect_timeout: Duration,
    /// How long it may take to make the connection secure: 5 seconds.
    pub tls_timeout: Duration,
    /// How long the head of an answer may take: 10 seconds.
    pub head_timeout: Duration,
    /// How long the next bytes of a body may take: 10 seconds.
    pub stall_timeout: Duration,
}

impl Options {
    /// As a good crawler has them.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self {
            user_agent: user_agent.into(),
            addresses: Addresses::Public,
            trust: Trust::default(),
            resolver: None,
            connector: None,
            proxy: None,
            extra_roots: Vec::new(),
            connect_timeout: Duration::from_secs(5),
            tls_timeout: Duration::from_secs(5),
            head_timeout: Duration::from_secs(10),
            stall_timeout: Duration::from_secs(10),
        }
    }

    pub(super) fn connector(&self) -> Arc<dyn Connect> {
        self.connector.clone().unwrap_or_else(|| Arc::new(SystemConnector))
    }

    pub(super) fn resolver(&self) -> Arc<dyn Resolve> {
        self.resolver.clone().unwrap_or_else(|| Arc::new(SystemResolver::default()))
    }
}

/// Options that can't work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionsError(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    UserAgent,
    Roots(String),
}

impl OptionsError {
    pub(super) fn new(kind: Kind) -> Self {
        Self(kind)
    }

    /// Whether it is the user agent: it must be ASCII, not be empty, and have no control characters.
    pub fn is_user_agent(&self) -> bool {
        self.0 == Kind::UserAgent
    }

    /// Whether it is the extra roots: they must be certificates in PEM.
    pub fn is_extra_roots(&self) -> bool {
        matches!(self.0, Kind::Roots(_))
    }
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::UserAgent => f.write_str(
                "expected a user agent that says who asks, such as `ExampleBot/1.0 (+https://example.com/bot)`, \
                 in ASCII and without control characters",
            ),
            Kind::Roots(reason) => write!(f, "expected certificates in PEM as extra roots: {reason}"),
        }
    }
}

impl std::error::Error for OptionsError {}
