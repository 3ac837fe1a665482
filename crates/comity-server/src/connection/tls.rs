//! TLS certificates and settings.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate and its key, for `https:`. Supports TLS 1.2 and 1.3, with HTTP/2 and HTTP/1.1 (by ALPN, RFC 7301).
#[derive(Clone)]
pub struct Tls(pub(crate) TlsAcceptor);

impl Tls {
    /// Returns a certificate with its chain, and its key, both parsed from PEM.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let certificates: Vec<_> = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError::new("expected certificates in PEM", error))?;
        if certificates.is_empty() {
            return Err(TlsError { expected: "expected certificates in PEM, found none", source: None });
        }
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| TlsError::new("expected a private key in PEM", error))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(certificates, key))
            .map_err(|error| TlsError::new("the certificate and the key can't be used", error))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config).into()))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls(..)")
    }
}

/// A certificate or a key that cannot be used.
#[derive(Clone, Debug)]
pub struct TlsError {
    expected: &'static str,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl TlsError {
    fn new(expected: &'static str, source: impl Error + Send + Sync + 'static) -> Self {
        Self { expected, source: Some(Arc::new(source)) }
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl Error for TlsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
