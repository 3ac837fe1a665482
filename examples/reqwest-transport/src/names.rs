//! Resolves the names of one exchange, and checks their addresses: reqwest connects to what its resolver returns.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use comity_fetch::transport::TransportError;
use comity_fetch::{Addresses, Failure, Resolve};
use reqwest::dns::{Addrs, Name, Resolving};

#[derive(Debug)]
pub(crate) struct Names(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    resolver: Arc<dyn Resolve>,
    addresses: Addresses,
    port: u16,
    /// The last error, which reqwest would wrap.
    error: Mutex<Option<TransportError>>,
}

impl Names {
    pub(crate) fn new(resolver: Arc<dyn Resolve>, addresses: Addresses, port: u16) -> Self {
        Self(Arc::new(Inner { resolver, addresses, port, error: Mutex::default() }))
    }

    pub(crate) fn error(&self) -> Option<TransportError> {
        self.0.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Inner {
    async fn resolve(&self, name: &str) -> Result<Vec<SocketAddr>, TransportError> {
        let found = self.resolver.resolve(name, self.port).await;
        let found = found.map_err(|e| TransportError::new(Failure::Dns, e.to_string()))?;
        let mut refused = None;
        let mut allowed = Vec::new();
        for address in found {
            match self.addresses.check(address.ip()) {
                Ok(()) => allowed.push(address),
                Err(e) => refused = Some(TransportError::new(Failure::Refused, e.to_string())),
            }
        }
        match refused {
            Some(refused) if allowed.is_empty() => Err(refused),
            _ if allowed.is_empty() => Err(TransportError::new(Failure::Dns, "the name has no address")),
            _ => Ok(allowed),
        }
    }
}

impl reqwest::dns::Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let inner = self.0.clone();
        Box::pin(async move {
            match inner.resolve(name.as_str()).await {
                Ok(allowed) => Ok(Box::new(allowed.into_iter()) as Addrs),
                Err(error) => {
                    *inner.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
                    Err(error.into())
                }
            }
        })
    }
}
