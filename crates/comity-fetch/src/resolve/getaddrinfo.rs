//! A resolver that uses the system's library.
//!
//! A resolver in the process was in the command until it was measured. With a name server on loopback that answers after
//! 20 ms, hickory-resolver took 5 to 7 seconds for 10,000 names, and 64 threads of `getaddrinfo` took 4; if every
//! hundredth name has no answer, 20 against 24 seconds. It needed seven times the processor time, and 22 more crates.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::{Resolve, ResolveError, Resolving};

/// The most lookups at once. Each keeps a thread until the system gives up, long after its caller did, and the threads are
/// needed for stores as well.
const MAX_LOOKUPS: usize = 64;

/// Resolves names as the system does: by its library (`getaddrinfo`), on threads of the runtime. The system decides whether
/// answers are cached.
#[derive(Debug)]
pub struct SystemResolver {
    lookups: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self { lookups: Arc::new(Semaphore::new(MAX_LOOKUPS)) }
    }
}

impl SystemResolver {
    /// Returns the name of an address, by a reverse look-up (`getnameinfo`); `None` if it has none. Anybody can give any name to
    /// an address of their own, so a name proves something only if it has the address as well.
    ///
    /// Fails if there was no answer.
    pub async fn name_of(&self, address: IpAddr) -> Result<Option<String>, ResolveError> {
        let permit = Arc::clone(&self.lookups).acquire_owned().await.map_err(ResolveError::failed)?;
        let lookup = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            dns_lookup::lookup_addr(&address)
        });
        match lookup.await.map_err(ResolveError::failed)? {
            Ok(name) => Ok(Some(name)),
            Err(error) if matches!(error.kind(), dns_lookup::LookupErrorKind::NoName) => Ok(None),
            Err(error) => Err(ResolveError::failed(std::io::Error::from(error))),
        }
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a> {
        Box::pin(async move {
            let permit = Arc::clone(&self.lookups).acquire_owned().await.map_err(ResolveError::failed)?;
            let host = host.to_owned();
            let lookup = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                (host, port).to_socket_addrs().map(Vec::<SocketAddr>::from_iter)
            });
            lookup.await.map_err(ResolveError::failed)?.map_err(ResolveError::failed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn localhost_is_here() {
        let found = SystemResolver::default().resolve("localhost", 8080).await.expect("every machine knows it");
        assert!(!found.is_empty());
        for address in found {
            assert!(address.ip().is_loopback() && address.port() == 8080, "{address}");
        }
    }

    #[tokio::test]
    async fn an_address_has_a_name_or_none() {
        let resolver = SystemResolver::default();
        let found = resolver.name_of("127.0.0.1".parse().unwrap()).await;
        // It depends on the machine, which may have no name server.
        assert!(found.as_ref().map_or(true, |name| name.as_deref() != Some("127.0.0.1")), "{found:?}");
    }

    #[tokio::test]
    async fn text_that_is_no_name_is_an_error() {
        assert!(SystemResolver::default().resolve("a\0b", 80).await.is_err());
    }
}
