//! TLS connections to the database.
//!
//! The adapter is small, and written here: the crate for it brings an X.509 parser along, for channel binding. Channel
//! binding protects passwords from servers whose certificate is not verified; here every certificate is.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::plain::Guarded;

/// A TLS connection.
type Secured<S> = Guarded<Box<TlsStream<S>>>;

/// Makes TLS connections with verified certificates.
#[derive(Clone)]
pub(crate) struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Trusts the authorities of the system, and these.
    pub(crate) fn new(extra_roots: &[CertificateDer<'static>]) -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        for root in extra_roots {
            roots.add(root.clone())?;
        }
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Secured<S>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Ok(Handshake { connector: TlsConnector::from(Arc::clone(&self.0)), name })
    }
}

/// A handshake that has not begun.
pub(crate) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Secured<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Secured<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { Ok(Guarded::trusted(Box::new(self.connector.connect(self.name, stream).await?))) })
    }
}
