//! The built-in transport: HTTP/1.1, HTTP/2 and FTP on connections of its own.
//!
//! Each fetch of a robots.txt has a new connection: it is fetched about once a day, and a connection that is kept might
//! just be closed by the server. Those for pages are kept for the next page of the site.

mod connect;
mod connector;
#[cfg(feature = "ftp")]
mod ftp;
mod http;
mod incoming;
mod link;
mod meter;
mod pool;
mod proxy;
mod received;
mod stall;
mod tls;

pub use connector::{Connect, Connecting, SystemConnector};
pub use proxy::{Proxy, ProxyError};

use std::sync::Arc;
use std::time::Duration;

use super::exchange::{Sending, Transport, TransportRequest};
use super::options::OptionsError;
use crate::resolve::{Resolve, SystemResolver};

/// The options of a [`BuiltinTransport`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuiltinOptions {
    /// The resolver of names. Defaults to the system's.
    pub resolver: Option<Arc<dyn Resolve>>,
    /// Opens connections. Defaults to the system's.
    pub connector: Option<Arc<dyn Connect>>,
    /// The proxy to connect through. Defaults to none; the environment is not read.
    pub proxy: Option<Proxy>,
    /// Certificates of authorities that are trusted in addition to the system's, in PEM. Defaults to none.
    pub extra_roots: Vec<u8>,
    /// The timeout for resolving a name, for connecting, and for the TLS handshake, each. Defaults to 5 seconds.
    pub connect_timeout: Duration,
    /// The timeout for the head of a response, and for the next bytes of its body. Defaults to 10 seconds.
    pub stall_timeout: Duration,
}

impl Default for BuiltinOptions {
    fn default() -> Self {
        Self {
            resolver: None,
            connector: None,
            proxy: None,
            extra_roots: Vec::new(),
            connect_timeout: Duration::from_secs(5),
            stall_timeout: Duration::from_secs(10),
        }
    }
}

impl BuiltinOptions {
    /// Returns the name of an option that does not have its default, if there is one.
    pub(super) fn changed(&self) -> Option<&'static str> {
        let default = Self::default();
        let options = [
            ("resolver", self.resolver.is_some()),
            ("connector", self.connector.is_some()),
            ("proxy", self.proxy.is_some()),
            ("extra_roots", !self.extra_roots.is_empty()),
            ("connect_timeout", self.connect_timeout != default.connect_timeout),
            ("stall_timeout", self.stall_timeout != default.stall_timeout),
        ];
        options.into_iter().find(|(_, is_changed)| *is_changed).map(|(name, _)| name)
    }
}

/// The built-in transport: HTTP/1.1, HTTP/2, and with the feature `ftp` anonymous FTP.
///
/// Creating one reads the extra roots; sending reads the system's certificates once. Clones share them.
#[derive(Clone, Debug)]
pub struct BuiltinTransport {
    dialer: connect::Dialer,
    http: http::Http,
    #[cfg(feature = "ftp")]
    ftp: ftp::Ftp,
}

impl BuiltinTransport {
    /// Returns a transport with these options.
    ///
    /// # Errors
    ///
    /// If the extra roots are not certificates in PEM.
    pub fn new(options: &BuiltinOptions) -> Result<Self, OptionsError> {
        let resolver = options.resolver.clone().unwrap_or_else(|| Arc::new(SystemResolver::default()));
        Ok(Self {
            dialer: connect::Dialer::new(resolver, options.connector.clone(), options.connect_timeout),
            http: http::Http::new(options)?,
            #[cfg(feature = "ftp")]
            ftp: ftp::Ftp::new(options),
        })
    }
}

impl Transport for BuiltinTransport {
    fn send<'a>(&'a self, request: &'a TransportRequest<'a>) -> Sending<'a> {
        Box::pin(async move {
            #[cfg(feature = "ftp")]
            if request.url.scheme() == "ftp" {
                return self.ftp.send(request, &self.dialer).await;
            }
            self.http.send(request, &self.dialer).await
        })
    }

    fn has_scheme(&self, scheme: &str) -> bool {
        matches!(scheme, "http" | "https") || (cfg!(feature = "ftp") && scheme == "ftp")
    }

    fn can_post(&self) -> bool {
        true
    }
}
