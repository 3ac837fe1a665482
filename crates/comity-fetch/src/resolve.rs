//! From names to addresses.

#[cfg(all(feature = "http", not(feature = "hickory")))]
mod getaddrinfo;
#[cfg(feature = "hickory")]
mod hickory;
mod overrides;

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(all(feature = "http", not(feature = "hickory")))]
pub use getaddrinfo::SystemResolver;
#[cfg(feature = "hickory")]
pub use hickory::SystemResolver;
pub use overrides::{OverrideError, Overrides};

/// Addresses to come.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = Result<Vec<SocketAddr>, ResolveError>> + Send + 'a>>;

/// Finds the addresses of a host.
///
/// It need not judge them: whoever connects checks each of them against the [`Addresses`](crate::Addresses) that are
/// allowed, every time, and connects to those that were checked.
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Where to connect to for this host and port, best first. The port is as a rule the one that was asked for.
    ///
    /// The host is a domain name as URLs have it: in lower case, ASCII, maybe with a dot at its end. Addresses are not
    /// asked about.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a>;
}

/// Why a name could not be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolveError(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    NoAddress,
    Failed(String),
}

impl ResolveError {
    /// There is no such name, or it has no address.
    pub fn no_address() -> Self {
        Self(Kind::NoAddress)
    }

    /// Nobody could be asked, or nobody knew; with the reason.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self(Kind::Failed(reason.into()))
    }

    /// Whether it is known that there is no address, which asking again won't change soon.
    pub fn is_no_address(&self) -> bool {
        self.0 == Kind::NoAddress
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::NoAddress => f.write_str("the name does not exist, or has no address"),
            Kind::Failed(reason) => write!(f, "the name could not be looked up: {reason}"),
        }
    }
}

impl std::error::Error for ResolveError {}

/// Gives the same addresses for every name, or one answer after the other: for tests.
///
/// A port of 0 stands for the one that was asked for.
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
    /// In turn; the last one repeats.
    answers: Mutex<Vec<Result<Vec<SocketAddr>, ResolveError>>>,
    calls: AtomicUsize,
}

impl Fixed {
    /// These addresses, always.
    pub fn new(addresses: impl IntoIterator<Item = SocketAddr>) -> Self {
        Self::in_turn([Ok(addresses.into_iter().collect())])
    }

    /// One answer a call; the last one repeats. Without any, there is no address.
    pub fn in_turn(answers: impl IntoIterator<Item = Result<Vec<SocketAddr>, ResolveError>>) -> Self {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Self { answers: Mutex::new(answers), calls: AtomicUsize::new(0) }
    }

    /// How often it was asked.
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
