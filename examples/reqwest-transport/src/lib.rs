//! A transport over reqwest: how a [`Transport`] is written, and what another HTTP library reports of
//! a response.

mod error;
mod names;

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use comity_fetch::transport::{
    Chunk, End, NextChunk, Protocol, ResponseBody, Sending, Transport, TransportError, TransportRequest,
    TransportResponse,
};
use comity_fetch::{Failure, Resolve};
use http::{Version, header};
use http_body::Body as _;
use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::names::Names;

/// A transport that sends each request by a reqwest client of its own: the addresses that are allowed may differ.
#[derive(Debug)]
pub struct ReqwestTransport {
    resolver: Arc<dyn Resolve>,
    tls: rustls::ClientConfig,
    connect_timeout: Duration,
    read_timeout: Duration,
    checks_end_stream: bool,
}

impl ReqwestTransport {
    /// Returns a transport that trusts these certificates alone, with timeouts of 5 and 10 seconds.
    ///
    /// # Panics
    ///
    /// If `roots` are not certificates in PEM.
    pub fn new(resolver: Arc<dyn Resolve>, roots: &str) -> Self {
        let mut store = RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(roots.as_bytes()) {
            store.add(root.expect("PEM")).expect("a certificate");
        }
        let mut tls = rustls::ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions that the provider has")
            .with_root_certificates(store)
            .with_no_client_auth();
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let (connect_timeout, read_timeout) = (Duration::from_secs(5), Duration::from_secs(10));
        Self { resolver, tls, connect_timeout, read_timeout, checks_end_stream: true }
    }

    /// Sets the timeouts for connecting and for the next bytes.
    #[must_use]
    pub fn with_timeouts(mut self, connect: Duration, read: Duration) -> Self {
        (self.connect_timeout, self.read_timeout) = (connect, read);
        self
    }

    /// Stops asking whether a stream of HTTP/2 ended with `END_STREAM`, as programs do that read
    /// [`reqwest::Response::chunk`]. Such a body has no evidence for its end.
    #[must_use]
    pub fn without_end_stream(mut self) -> Self {
        self.checks_end_stream = false;
        self
    }

    async fn exchange(&self, request: &TransportRequest<'_>) -> Result<TransportResponse, TransportError> {
        // What reqwest takes for credentials is not to be sent.
        let mut url = request.url.clone();
        let _ = (url.set_username(""), url.set_password(None));
        // reqwest asks no resolver about these.
        let literal = url.host_str().and_then(|host| host.trim_matches(['[', ']']).parse::<IpAddr>().ok());
        if let Some(refused) = literal.and_then(|address| request.addresses.check(address).err()) {
            return Err(TransportError::new(Failure::Refused, refused.to_string()));
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let names = Arc::new(Names::new(self.resolver.clone(), request.addresses.clone(), port));
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .dns_resolver(names.clone())
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .no_proxy()
            .pool_max_idle_per_host(0)
            .connect_timeout(self.connect_timeout)
            .read_timeout(self.read_timeout)
            .build()
            .map_err(|e| TransportError::new(Failure::Other, e.to_string()))?;
        let sent = client.get(url.clone()).headers(request.headers.clone()).send().await;
        let response = sent.map_err(|e| names.error().unwrap_or_else(|| error::before_head(&e)))?;
        let peer = response.remote_addr();
        let (parts, body) = http::Response::<reqwest::Body>::from(response).into_parts();
        let marks_end = url.scheme() == "https"
            || parts.headers.contains_key(header::CONTENT_LENGTH)
            || parts.headers.contains_key(header::TRANSFER_ENCODING);
        let (protocol, end) = match parts.version {
            Version::HTTP_2 if self.checks_end_stream => (Protocol::Http2, End::Verified),
            Version::HTTP_2 => (Protocol::Http2, End::Unverified),
            Version::HTTP_10 => (Protocol::Http10, if marks_end { End::Verified } else { End::Closed }),
            _ => (Protocol::Http11, if marks_end { End::Verified } else { End::Closed }),
        };
        let needs_end_stream = protocol == Protocol::Http2 && self.checks_end_stream;
        let body = Body { frames: body, end, needs_end_stream };
        let response = TransportResponse::new(parts.status.as_u16(), parts.headers, body).with_protocol(protocol);
        Ok(match peer {
            Some(peer) => response.with_peer(peer),
            None => response,
        })
    }
}

impl Transport for ReqwestTransport {
    fn send<'a>(&'a self, request: &'a TransportRequest<'a>) -> Sending<'a> {
        Box::pin(self.exchange(request))
    }
}

/// A body as reqwest returns it.
struct Body {
    frames: reqwest::Body,
    /// The evidence for the end, if there is no error before it.
    end: End,
    needs_end_stream: bool,
}

impl ResponseBody for Body {
    fn next_chunk(&mut self) -> NextChunk<'_> {
        Box::pin(async {
            loop {
                return match poll_fn(|context| Pin::new(&mut self.frames).poll_frame(context)).await {
                    Some(Ok(frame)) => match frame.into_data() {
                        Ok(bytes) => Ok(Chunk::Bytes(bytes.into())),
                        Err(_trailers) => continue,
                    },
                    Some(Err(e)) => Err(error::in_body(&e)),
                    // A stream that was reset may end the same way as one that is whole.
                    None if self.needs_end_stream && !self.frames.is_end_stream() => Err(error::early_end()),
                    None => Ok(Chunk::End(self.end)),
                };
            }
        })
    }
}
