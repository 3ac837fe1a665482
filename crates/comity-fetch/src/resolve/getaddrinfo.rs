//! A resolver that uses the system's library.
//!
//! A resolver in the process was in the command until it was measured. With a name server on loopback that answers after
//! 20 ms, hickory-resolver took 5 to 7 seconds for 10,000 names, and 64 threads of `getaddrinfo` took 4; if every
//! hundredth name has no answer, 20 against 24 seconds. It needed seven times the processor time, and 22 more crates.

use std::net::{SocketAddr, ToSocketAddrs as _};
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
    async fn text_that_is_no_name_is_an_error() {
        assert!(SystemResolver::default().resolve("a\0b", 80).await.is_err());
    }
}
