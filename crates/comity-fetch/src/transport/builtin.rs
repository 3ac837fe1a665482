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

use super::exchange::{Sending, Transport, TransportRequest};
use super::options::{Options, OptionsError};

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
    /// Returns a transport with the resolver, the connector, the proxy, the extra roots and the timeouts of the
    /// options. The client handles the other options.
    ///
    /// # Errors
    ///
    /// If the extra roots are not certificates in PEM.
    pub fn new(options: &Options) -> Result<Self, OptionsError> {
        Ok(Self {
            dialer: connect::Dialer::new(options.resolver(), options.connector.clone(), options.connect_timeout),
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
