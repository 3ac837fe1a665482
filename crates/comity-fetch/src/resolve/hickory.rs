//! A resolver that queries the system's name servers.

use std::fmt;
use std::net::SocketAddr;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, ResolveHosts};
use tokio::sync::OnceCell;

use super::{Resolve, ResolveError, Resolving};

/// Resolves names by the system's configuration: its hosts file, then its name servers. Answers are cached for their
/// time to live. Without the feature `hickory`, the system's library resolves them (`getaddrinfo`).
///
/// The configuration is read at the first lookup.
#[derive(Default)]
pub struct SystemResolver {
    resolver: OnceCell<TokioResolver>,
}

impl fmt::Debug for SystemResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemResolver").finish_non_exhaustive()
    }
}

impl SystemResolver {
    async fn resolver(&self) -> Result<&TokioResolver, ResolveError> {
        let build = || async {
            let mut builder = TokioResolver::builder_tokio()?;
            let options = builder.options_mut();
            options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
            options.use_hosts_file = ResolveHosts::Always;
            builder.build()
        };
        let resolver = self.resolver.get_or_try_init(build).await;
        resolver.map_err(ResolveError::configuration)
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a> {
        Box::pin(async move {
            // A name with a dot is complete: the search domains of this network are not for names of sites.
            let complete =
                if host.contains('.') && !host.ends_with('.') { format!("{host}.") } else { host.to_owned() };
            match self.resolver().await?.lookup_ip(complete).await {
                Ok(found) => Ok(found.iter().map(|address| SocketAddr::new(address, port)).collect()),
                Err(e) if e.is_nx_domain() || e.is_no_records_found() => Err(ResolveError::no_address()),
                Err(e) => Err(ResolveError::failed(e)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the one name that needs no name server.
    #[tokio::test]
    async fn localhost_is_here() {
        let resolver = SystemResolver::default();
        let found = resolver.resolve("localhost", 8080).await.expect("every machine knows it");
        assert!(!found.is_empty());
        for address in found {
            assert!(address.ip().is_loopback() && address.port() == 8080, "{address}");
        }
    }
}
