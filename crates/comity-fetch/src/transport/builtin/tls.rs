//! TLS connections with verified certificates.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use comity_policy::Failure;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig};
use tokio::sync::OnceCell;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use super::link::Link;
use crate::transport::error::{TransportError, cause, shown};
use crate::transport::options::{Kind, OptionsError};

const H2: &[u8] = b"h2";
const HTTP11: &[u8] = b"http/1.1";

/// The settings of TLS connections. The system's authorities are read for the first one.
#[derive(Clone, Debug)]
pub(super) struct Tls {
    extra_roots: Vec<CertificateDer<'static>>,
    config: Arc<OnceCell<Arc<ClientConfig>>>,
    timeout: Duration,
}

/// The protocols that are offered during the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlpnOffer {
    /// HTTP/2 and HTTP/1.1.
    Both,
    /// HTTP/1.1, for connections to proxies.
    Http11,
}

impl Tls {
    pub(super) fn new(extra_roots: &[u8], timeout: Duration) -> Result<Self, OptionsError> {
        let roots = CertificateDer::pem_slice_iter(extra_roots).collect::<Result<Vec<_>, _>>();
        let roots = roots.map_err(|e| OptionsError::new(Kind::Roots(Arc::new(e))))?;
        if roots.is_empty() && !extra_roots.is_empty() {
            return Err(OptionsError::new(Kind::NoRoots));
        }
        let mut store = rustls::RootCertStore::empty();
        for root in &roots {
            store.add(root.clone()).map_err(|e| OptionsError::new(Kind::Roots(Arc::new(e))))?;
        }
        Ok(Self { extra_roots: roots, config: Arc::default(), timeout })
    }

    /// Returns the timeout for the handshake.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns the TLS configuration, building it once. A build that has begun continues if its caller goes away:
    /// otherwise, callers with short timeouts would start it again and again, and never get it.
    async fn config(&self) -> Result<Arc<ClientConfig>, TransportError> {
        if let Some(config) = self.config.get() {
            return Ok(config.clone());
        }
        let (config, extra_roots) = (Arc::clone(&self.config), self.extra_roots.clone());
        let built = tokio::spawn(async move { config.get_or_try_init(|| build(extra_roots)).await.cloned() });
        built.await.unwrap_or_else(|e| Err(no_authorities(e.to_string())))
    }

    /// Makes a TLS connection to a host.
    pub(super) async fn connect(
        &self,
        stream: Link,
        host: &Host<&str>,
        offer: AlpnOffer,
    ) -> Result<TlsStream<Link>, TransportError> {
        let name = server_name(host)?;
        let config = self.config().await?;
        let protocols = match offer {
            AlpnOffer::Both => vec![H2.to_vec(), HTTP11.to_vec()],
            AlpnOffer::Http11 => vec![HTTP11.to_vec()],
        };
        let connector = TlsConnector::from(config);
        match timeout(self.timeout, connector.with_alpn(protocols).connect(name, stream)).await {
            Ok(Ok(secured)) => Ok(secured),
            Ok(Err(e)) => Err(broken(&e)),
            Err(_) => {
                Err(TransportError::new(Failure::Timeout, format!("no secure connection within {:?}", self.timeout)))
            }
        }
    }
}

/// Returns true if both sides agreed on HTTP/2.
pub(super) fn is_http2(stream: &TlsStream<Link>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(H2)
}

/// Builds the configuration, with the system's authorities, which are read from files.
async fn build(extra_roots: Vec<CertificateDer<'static>>) -> Result<Arc<ClientConfig>, TransportError> {
    let built = tokio::task::spawn_blocking(move || {
        // Named explicitly, not the process-wide default: crates that are linked in elsewhere must not change the
        // protocol here.
        let provider = Arc::new(ring::default_provider());
        let verifier = verifier(extra_roots, provider.clone())?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous() // the verifier is the platform's
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        Ok::<_, rustls::Error>(Arc::new(config))
    });
    built.await.map_err(|e| no_authorities(e.to_string()))?.map_err(|e| no_authorities(e.to_string()))
}

fn no_authorities(reason: String) -> TransportError {
    let text =
        format!("this system has no authorities to trust, such as the package ca-certificates: {}", shown(reason));
    TransportError::new(Failure::Tls, text)
}

/// Returns the verifier of the platform.
#[cfg(feature = "platform-verifier")]
fn verifier(
    extra_roots: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, rustls::Error> {
    Ok(Arc::new(rustls_platform_verifier::Verifier::new_with_extra_roots(extra_roots, provider)?))
}

/// Returns a verifier with the system's authorities: the same files that the platform's verifier reads on Linux.
#[cfg(not(feature = "platform-verifier"))]
fn verifier(
    extra_roots: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, rustls::Error> {
    let found = rustls_native_certs::load_native_certs();
    let mut store = rustls::RootCertStore::empty();
    store.add_parsable_certificates(found.certs.into_iter().chain(extra_roots));
    if let Some(error) = found.errors.first().filter(|_| store.is_empty()) {
        return Err(rustls::Error::General(error.to_string()));
    }
    let verifier = rustls::client::WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider).build();
    Ok(verifier.map_err(|e| rustls::Error::General(e.to_string()))?)
}

fn server_name(host: &Host<&str>) -> Result<ServerName<'static>, TransportError> {
    match host {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            ServerName::try_from(name.to_owned())
                .map_err(|_| TransportError::new(Failure::Tls, format!("no certificate can be for `{}`", shown(name))))
        }
        Host::Ipv4(address) => Ok(ServerName::from(std::net::IpAddr::V4(*address))),
        Host::Ipv6(address) => Ok(ServerName::from(std::net::IpAddr::V6(*address))),
    }
}

/// Returns the error of a failed handshake.
fn broken(error: &io::Error) -> TransportError {
    match cause::<rustls::Error>(error) {
        Some(error) => refused(error),
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            TransportError::new(Failure::Tls, "the server hung up instead of making the connection secure")
        }
        None => TransportError::new(
            Failure::Tls,
            format!("the connection broke off before it was secure: {}", shown(error.to_string())),
        ),
    }
}

/// Returns the reason of a TLS error, in words for people.
pub(super) fn refused(error: &rustls::Error) -> TransportError {
    let detail = match error {
        rustls::Error::InvalidCertificate(error) => certificate(error),
        rustls::Error::InvalidMessage(_) => {
            "the server's answer is not TLS: maybe the server speaks plain HTTP on this port".to_owned()
        }
        rustls::Error::AlertReceived(alert) => format!("the server refused the secure connection: {alert:?}"),
        rustls::Error::PeerIncompatible(_) => {
            format!("the server speaks no version of TLS that is safe: {}", shown(error.to_string()))
        }
        other => format!("no secure connection: {}", shown(other.to_string())),
    };
    TransportError::new(Failure::Tls, detail)
}

fn certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::Expired => "the certificate has expired".to_owned(),
        CertificateError::ExpiredContext { not_after, .. } => {
            format!("the certificate expired at {}", date(not_after.as_secs()))
        }
        CertificateError::NotValidYet => "the certificate is not valid yet".to_owned(),
        CertificateError::NotValidYetContext { not_before, .. } => {
            format!("the certificate is not valid before {}", date(not_before.as_secs()))
        }
        CertificateError::UnknownIssuer => "the certificate was issued by nobody that is trusted here".to_owned(),
        CertificateError::Revoked => "the certificate was revoked".to_owned(),
        CertificateError::NotValidForName => "the certificate is for another host".to_owned(),
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names: Vec<_> = presented.iter().take(3).map(|name| shown(bare(name))).collect();
            let more = if presented.len() > 3 { " and others" } else { "" };
            let presented = if names.is_empty() { "no host".to_owned() } else { names.join(", ") };
            format!("the certificate is for {presented}{more}, not {}", shown(expected.to_str().as_ref()))
        }
        other => format!("the certificate is invalid: {}", shown(other.to_string())),
    }
}

/// Returns the name in `DnsName("example.org")`.
fn bare(name: &str) -> &str {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(name).trim_matches('"')
}

fn date(seconds: u64) -> String {
    let time = std::time::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    time.map_or_else(|| "a date out of reach".to_owned(), |time| httpdate::HttpDate::from(time).to_string())
}
