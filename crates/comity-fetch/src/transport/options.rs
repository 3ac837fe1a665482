//! The options of a sender and of the built-in transport.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use comity::Escaped;

#[cfg(feature = "http")]
use super::builtin::{BuiltinOptions, BuiltinTransport};
use super::exchange::Transport;
use crate::address::{Addresses, Trust};

/// The options of a [`Sender`](super::Sender). Those of the built-in transport cannot be combined with another transport.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The `User-Agent` that sites receive: the crawler's true name, with an address where its operator can be reached
    /// (RFC 9309 §2.2.1). Anonymous FTP sends it as the password.
    pub user_agent: String,
    /// The addresses that may be connected to. Defaults to public ones.
    pub addresses: Addresses,
    /// The hosts to which connections are allowed even if their addresses are not in `addresses`. Defaults to none.
    pub trust: Trust,
    /// The transport. Defaults to the built-in one, if the feature `http` is on.
    pub transport: Option<Arc<dyn Transport>>,
    /// The options of the built-in transport.
    #[cfg(feature = "http")]
    pub builtin: BuiltinOptions,
}

impl Options {
    /// Returns the default options.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self {
            user_agent: user_agent.into(),
            addresses: Addresses::Public,
            trust: Trust::default(),
            transport: None,
            #[cfg(feature = "http")]
            builtin: BuiltinOptions::default(),
        }
    }

    /// Returns the transport. Fails if an option would have no effect: an ignored proxy would be a surprise.
    #[cfg(feature = "http")]
    pub(super) fn transport(&self) -> Result<Arc<dyn Transport>, OptionsError> {
        let Some(transport) = &self.transport else { return Ok(Arc::new(BuiltinTransport::new(&self.builtin)?)) };
        match self.builtin.changed() {
            Some(option) => Err(OptionsError::new(Kind::Unused(option))),
            None => Ok(transport.clone()),
        }
    }

    /// Returns the transport.
    #[cfg(not(feature = "http"))]
    pub(super) fn transport(&self) -> Result<Arc<dyn Transport>, OptionsError> {
        self.transport.clone().ok_or_else(|| OptionsError::new(Kind::NoTransport))
    }
}

/// Options that cannot work: the error of [`ClientBuilder::build`](crate::ClientBuilder::build),
/// [`Sender::new`](super::Sender::new) and `BuiltinTransport::new`. The options are checked without any request, so an
/// unreachable proxy, for example, is not an error here.
///
/// Two causes have no predicate: an option of the built-in transport is set together with another
/// [transport](crate::ClientBuilder::transport), or there is no transport, without the feature `http`. The text names
/// the option and says what to do.
///
/// ```
/// use comity_fetch::Client;
///
/// let error = Client::builder("ExampleBot\r\nX-Field: 1").build().unwrap_err();
/// assert!(error.is_user_agent());
/// assert!(error.to_string().starts_with("expected a user agent"));
/// ```
#[derive(Clone, Debug)]
pub struct OptionsError(Kind);

#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "options of the built-in transport"))]
pub(super) enum Kind {
    UserAgent,
    NoRoots,
    Roots(Arc<dyn Error + Send + Sync>),
    Unused(&'static str),
    #[cfg(not(feature = "http"))]
    NoTransport,
}

impl OptionsError {
    pub(super) fn new(kind: Kind) -> Self {
        Self(kind)
    }

    /// Returns true if the user agent is refused: it must be ASCII, not empty, and without control characters.
    pub fn is_user_agent(&self) -> bool {
        matches!(self.0, Kind::UserAgent)
    }

    /// Returns true if the extra roots are refused: they must be certificates in PEM.
    pub fn is_extra_roots(&self) -> bool {
        matches!(self.0, Kind::NoRoots | Kind::Roots(_))
    }
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::UserAgent => f.write_str(
                "expected a user agent that says who asks, such as `ExampleBot/1.0 (+https://example.com/bot)`, \
                 in ASCII and without control characters",
            ),
            Kind::NoRoots => {
                f.write_str("expected certificates in PEM as extra roots: there is no `BEGIN CERTIFICATE` in it")
            }
            Kind::Roots(error) => {
                write!(f, "expected certificates in PEM as extra roots: {}", Escaped(error.to_string().as_bytes()))
            }
            Kind::Unused(option) => write!(
                f,
                "`{option}` is an option of the built-in transport, and has no effect on the one that was set: \
                 give it to that one instead"
            ),
            #[cfg(not(feature = "http"))]
            Kind::NoTransport => f.write_str("there is no transport: set one, or turn on the feature `http`"),
        }
    }
}

impl Error for OptionsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Kind::Roots(error) => Some(&**error),
            _ => None,
        }
    }
}
