//! Resolvers of host names.

#[cfg(feature = "http")]
mod getaddrinfo;
mod overrides;

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use comity::Escaped;

#[cfg(feature = "http")]
pub use getaddrinfo::SystemResolver;
pub use overrides::{OverrideError, Overrides};

/// The future of a lookup.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = Result<Vec<SocketAddr>, ResolveError>> + Send + 'a>>;

/// Resolves host names.
///
/// A resolver need not filter its results: the transport checks each address by the rules of
/// [`Addresses`](crate::Addresses) before it connects, every time, and connects to the addresses that it checked.
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Returns the addresses to connect to for this host and port, best first. Their port is usually the requested one.
    ///
    /// The host is a domain name in the form of URLs: lower case, ASCII, possibly with a trailing dot. It is never an
    /// address.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a>;
}

/// An error of resolving a name. Its text is safe to print.
#[derive(Clone, Debug)]
pub struct ResolveError(Kind);

#[derive(Clone, Debug)]
enum Kind {
    NoAddress,
    Failed(Arc<dyn Error + Send + Sync>),
}

impl ResolveError {
    /// Returns the error for a name that does not exist, or has no address.
    pub fn no_address() -> Self {
        Self(Kind::NoAddress)
    }

    /// Wraps the error of a lookup: no name server was reached, or none had an answer.
    ///
    /// ```
    /// use std::error::Error;
    /// use comity_fetch::ResolveError;
    ///
    /// let error = ResolveError::failed("no name server answered");
    /// assert_eq!(error.to_string(), "the name could not be looked up: no name server answered");
    /// assert!(error.source().is_some() && !error.is_no_address());
    /// ```
    pub fn failed(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Kind::Failed(source.into().into()))
    }

    /// Returns true if the name is known to have no address, which another lookup will not change soon.
    pub fn is_no_address(&self) -> bool {
        matches!(self.0, Kind::NoAddress)
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::NoAddress => f.write_str("the name does not exist, or has no address"),
            Kind::Failed(error) => {
                write!(f, "the name could not be looked up: {}", Escaped(error.to_string().as_bytes()))
            }
        }
    }
}

impl Error for ResolveError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Kind::NoAddress => None,
            Kind::Failed(error) => Some(&**error),
        }
    }
}

/// A resolver for tests, which returns the same addresses for every name, or one answer after the other.
///
/// A port of 0 means the requested one.
///
/// ```
/// # async fn example() {
/// use comity_fetch::{Fixed, Resolve};
///
/// let resolver = Fixed::new(["127.0.0.1:8080".parse().unwrap()]);
/// assert_eq!(resolver.resolve("a.test", 80).await.unwrap()[0].port(), 8080);
/// assert_eq!(resolver.calls(), 1);
/// # }
/// ```
#[derive(Debug)]
pub struct Fixed {
    /// The answers in order; the last one repeats.
    answers: Mutex<Vec<Result<Vec<SocketAddr>, ResolveError>>>,
    calls: AtomicUsize,
}

impl Fixed {
    /// Returns a resolver that always returns these addresses.
    pub fn new(addresses: impl IntoIterator<Item = SocketAddr>) -> Self {
        Self::in_turn([Ok(addresses.into_iter().collect())])
    }

    /// Returns a resolver with one answer per call; the last one repeats. Without answers, names have no address.
    pub fn in_turn(answers: impl IntoIterator<Item = Result<Vec<SocketAddr>, ResolveError>>) -> Self {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Self { answers: Mutex::new(answers), calls: AtomicUsize::new(0) }
    }

    /// Returns the number of calls.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Resolve for Fixed {
    fn resolve<'a>(&'a self, _host: &'a str, port: u16) -> Resolving<'a> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut answers = self.answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let answer = if answers.len() > 1 { answers.pop() } else { answers.last().cloned() };
        let answer = answer.unwrap_or_else(|| Err(ResolveError::no_address())).map(|mut addresses| {
            for address in addresses.iter_mut().filter(|address| address.port() == 0) {
                address.set_port(port);
            }
            addresses
        });
        Box::pin(std::future::ready(answer))
    }
}
