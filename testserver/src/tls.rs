//! Certificates, valid and invalid, and the handshake.

use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::server::TlsStream;

use crate::transport::Transport;

/// The TLS settings of a server: its certificate, and the protocols that it offers.
///
/// ```
/// use comity_testserver::{Certificate, HttpServer, Tls, ca_pem};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let server = HttpServer::start_tls(Tls::named(["a.test", "*.b.test", "127.0.0.1"])).await;
/// assert!(server.url("/").starts_with("https://127.0.0.1:"));
/// assert!(ca_pem().starts_with("-----BEGIN CERTIFICATE-----"));
///
/// let expired = HttpServer::start_tls(Tls::named(["a.test"]).certificate(Certificate::Expired)).await;
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Tls {
    names: Vec<String>,
    certificate: Certificate,
    protocols: &'static [&'static str],
}

/// A certificate, and its fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Certificate {
    /// Valid for clients that trust [`ca_pem`].
    Good,
    /// Valid until 2001.
    Expired,
    /// Valid from 3000.
    NotYetValid,
    /// Valid for `other.test`.
    OtherName,
    /// From an authority of the same name as that of [`ca_pem`], but another one.
    UnknownAuthority,
    /// Signed by itself.
    SelfSigned,
}

impl Tls {
    /// Returns a valid certificate for these names, which may be IP addresses and may have `*` as the first label.
    /// HTTP/2 and HTTP/1.1 are offered (RFC 7301), and the client chooses.
    pub fn named(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Tls { names, certificate: Certificate::Good, protocols: &["h2", "http/1.1"] }
    }

    /// Sets another certificate.
    pub fn certificate(mut self, certificate: Certificate) -> Self {
        self.certificate = certificate;
        self
    }

    /// Offers HTTP/1.1 only.
    pub fn http1(mut self) -> Self {
        self.protocols = &["http/1.1"];
        self
    }

    /// Offers HTTP/2 only.
    pub fn http2(mut self) -> Self {
        self.protocols = &["h2"];
        self
    }

    /// Returns the certificate and its key in PEM, for servers outside this crate.
    ///
    /// # Panics
    ///
    /// If a certificate cannot have these names.
    pub fn pem(&self) -> (String, String) {
        let (certificate, key) = self.issue().expect("names that a certificate can have");
        (certificate.pem(), key.serialize_pem())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let (certificate, key) = self.issue().expect("names that a certificate can have");
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                let key = PrivatePkcs8KeyDer::from(key.serialize_der());
                config.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key.into())
            })
            .expect("a key that fits its certificate");
        config.alpn_protocols = self.protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config).into()
    }

    fn issue(&self) -> Result<(rcgen::Certificate, KeyPair), rcgen::Error> {
        let mut names = self.names.clone();
        if self.certificate == Certificate::OtherName {
            names = vec!["other.test".to_owned()];
        }
        let mut params = CertificateParams::new(names)?;
        params.use_authority_key_identifier_extension = true;
        match self.certificate {
            Certificate::Expired => params.not_after = date_time_ymd(2001, 1, 1),
            Certificate::NotYetValid => params.not_before = date_time_ymd(3000, 1, 1),
            _ => {}
        }
        let key = KeyPair::generate()?;
        let certificate = match self.certificate {
            Certificate::SelfSigned => params.self_signed(&key)?,
            Certificate::UnknownAuthority => {
                let other = authority()?;
                params.signed_by(&key, &other)?
            }
            _ => params.signed_by(&key, &CA)?,
        };
        Ok((certificate, key))
    }
}

/// Returns the authority that a client must trust, in PEM. All servers of this process have the same one.
pub fn ca_pem() -> String {
    CA.pem()
}

static CA: LazyLock<CertifiedIssuer<'static, KeyPair>> =
    LazyLock::new(|| authority().expect("a certificate that is ours to make"));

fn authority() -> Result<CertifiedIssuer<'static, KeyPair>, rcgen::Error> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "test authority");
    CertifiedIssuer::self_signed(params, KeyPair::generate()?)
}

impl Transport for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}
