//! HTTP/1.1 and HTTP/2 (RFC 9112, RFC 9113).
//!
//! A connection carries one request. A robots.txt is fetched about once a day, so connection pools would hold thousands
//! of idle connections; and a server that closes one at the moment of its reuse would appear unreachable.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use comity_policy::Failure;
use http::header::{self, HeaderValue};
use http::{Request as HttpRequest, Response as HttpResponse, Uri, Version};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use url::{Host, Url};

use super::connect::Dialer;
use super::incoming::IncomingBody;
use super::link::{Asking, Link};
use super::meter::{Meter, Metered};
use super::proxy::{Proxy, ProxyConnection, Refusal};
use super::stall::StallTimeoutBody;
use super::tls::{self, AlpnOffer, Tls};
use crate::address::Addresses;
use crate::transport::error::{TransportError, cause, shown};
use crate::transport::exchange::{Protocol, TransportRequest, TransportResponse};
use crate::transport::options::{Options, OptionsError};
use crate::transport::sender::MAX_HEAD;

/// The maximum number of buffered bytes of a connection.
const BUFFER: usize = 64 * 1024;

/// The window of a whole HTTP/2 connection. The stream's window, which is smaller, bounds the buffered bytes of a body.
/// Half of this window bounds the overhead of buffered small `DATA` frames, which the library counts as 256 bytes each:
/// a server that sends line by line may send 2,048 lines at once.
const CONNECTION_WINDOW: u32 = 1024 * 1024;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// An HTTP client.
#[derive(Clone, Debug)]
pub(super) struct Http {
    tls: Tls,
    proxy: Option<Proxy>,
    head_timeout: Duration,
    stall_timeout: Duration,
}

/// A connection for one request.
struct Connected<'p> {
    link: Link,
    /// The site's address, if it is known.
    peer: Option<SocketAddr>,
    /// The proxy at the other end, if that is not the site, and why it made no tunnel.
    forwarder: Option<(&'p Proxy, Refusal)>,
}

/// A connection in use. Dropping it drops the connection.
#[derive(Debug)]
pub(super) struct Connection {
    task: AbortHandle,
    meter: Arc<Meter>,
}

impl Connection {
    /// Returns the error, if the connection was ended because the server kept sending without progress.
    pub(super) fn problem(&self) -> Option<TransportError> {
        self.meter.problem()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Http {
    pub(super) fn new(options: &Options) -> Result<Self, OptionsError> {
        Ok(Self {
            tls: Tls::new(&options.extra_roots, options.tls_timeout)?,
            proxy: options.proxy.clone(),
            head_timeout: options.head_timeout,
            stall_timeout: options.stall_timeout,
        })
    }

    pub(super) async fn send(
        &self,
        request: &TransportRequest<'_>,
        dialer: &Dialer,
    ) -> Result<TransportResponse, TransportError> {
        let url = request.url;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(TransportError::new(Failure::Refused, "the URL has no host to connect to"));
        };
        let is_secure = url.scheme() == "https";
        let Connected { mut link, peer, forwarder } =
            self.connect(&host, port, is_secure, dialer, request.addresses).await?;
        let mut is_http2 = false;
        if is_secure {
            let secured = self.tls.connect(link, &host, AlpnOffer::Both).await?;
            is_http2 = tls::is_http2(&secured);
            link = Box::new(secured);
        }
        let proxy = forwarder.as_ref().map(|(proxy, _)| *proxy);
        let http_request = Self::http_request(request, is_http2, proxy)?;
        let exchange = async {
            if is_http2 { exchange_http2(link, http_request).await } else { exchange_http1(link, http_request).await }
        };
        let Ok(exchanged) = timeout(self.head_timeout, exchange).await else {
            return Err(TransportError::new(Failure::Timeout, format!("no answer within {:?}", self.head_timeout)));
        };
        let (response, connection) = exchanged?;
        if let Some((proxy, refusal)) = forwarder {
            refusal.check(response.status().as_u16(), response.headers(), proxy, port)?;
        }
        let protocol = protocol(response.version())?;
        let (parts, incoming) = response.into_parts();
        let body = IncomingBody::new(incoming, &parts, is_secure, connection);
        let body = StallTimeoutBody { body, limit: self.stall_timeout };
        let response = TransportResponse::new(parts.status.as_u16(), parts.headers, body).with_protocol(protocol);
        Ok(TransportResponse { peer, ..response })
    }

    async fn connect(
        &self,
        host: &Host<&str>,
        port: u16,
        is_secure: bool,
        dialer: &Dialer,
        addresses: &Addresses,
    ) -> Result<Connected<'_>, TransportError> {
        let Some(proxy) = &self.proxy else {
            let stream = dialer.connect(host, port, addresses).await?;
            let peer = stream.peer_addr().ok();
            return Ok(Connected { link: Box::new(stream), peer, forwarder: None });
        };
        let literal = match host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some((*address).into()),
            Host::Ipv6(address) => Some((*address).into()),
        };
        if let Some(refusal) = literal.and_then(|literal| addresses.check(literal).err()) {
            return Err(TransportError::new(Failure::Refused, refusal.to_string()));
        }
        Ok(match proxy.connect(host, port, is_secure, dialer, &self.tls).await? {
            ProxyConnection::Tunnel(link) => Connected { link, peer: None, forwarder: None },
            ProxyConnection::Forward(link, refusal) => {
                Connected { link, peer: None, forwarder: Some((proxy, refusal)) }
            }
        })
    }

    fn http_request(
        request: &TransportRequest<'_>,
        is_http2: bool,
        forwarder: Option<&Proxy>,
    ) -> Result<HttpRequest<String>, TransportError> {
        let url = request.url;
        let target = if is_http2 || forwarder.is_some() { absolute(url) } else { path(url) };
        let unsendable = |e: &dyn Error| TransportError::new(Failure::Other, format!("the URL can't be sent: {e}"));
        let target: Uri = target.parse().map_err(|e| unsendable(&e))?;
        let mut sent = HttpRequest::new(String::new());
        *sent.uri_mut() = target;
        let fields = sent.headers_mut();
        if !is_http2 {
            fields.insert(header::HOST, HeaderValue::try_from(authority(url)).map_err(|e| unsendable(&e))?);
        }
        fields.extend(request.headers.clone());
        if let Some(authorization) = forwarder.and_then(Proxy::authorization) {
            fields.insert(header::PROXY_AUTHORIZATION, authorization);
        }
        if !is_http2 {
            fields.insert(header::CONNECTION, CLOSE);
        }
        Ok(sent)
    }
}

type Exchanged = Result<(HttpResponse<Incoming>, Connection), TransportError>;

async fn exchange_http1(link: Link, mut request: HttpRequest<String>) -> Exchanged {
    let meter = Arc::new(Meter::default());
    let heads = meter.clone();
    hyper::ext::on_informational(&mut request, move |_| heads.count_head());
    let mut builder = http1::Builder::new();
    builder.max_buf_size(BUFFER);
    let link = Metered::http1(Asking::new(link), meter.clone());
    let (mut sender, connection) = builder.handshake(TokioIo::new(link)).await.map_err(|e| before_head(&e))?;
    let connection = Connection { task: tokio::spawn(connection).abort_handle(), meter };
    let response = sender.send_request(request).await;
    Ok((response.map_err(|e| connection.problem().unwrap_or_else(|| before_head(&e)))?, connection))
}

async fn exchange_http2(link: Link, mut request: HttpRequest<String>) -> Exchanged {
    *request.version_mut() = Version::HTTP_2;
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .max_header_list_size(MAX_HEAD as u32)
        .initial_stream_window_size(BUFFER as u32)
        .initial_connection_window_size(CONNECTION_WINDOW);
    let meter = Arc::new(Meter::default());
    let link = Metered::http2(link, meter.clone());
    let (mut sender, connection) = builder.handshake(TokioIo::new(link)).await.map_err(|e| before_head(&e))?;
    let connection = Connection { task: tokio::spawn(connection).abort_handle(), meter };
    let response = sender.send_request(request).await;
    Ok((response.map_err(|e| connection.problem().unwrap_or_else(|| before_head(&e)))?, connection))
}

fn protocol(version: Version) -> Result<Protocol, TransportError> {
    match version {
        Version::HTTP_10 => Ok(Protocol::Http10),
        Version::HTTP_11 => Ok(Protocol::Http11),
        Version::HTTP_2 => Ok(Protocol::Http2),
        other => Err(invalid(format!("HTTP of a version that is not spoken here, {other:?}"))),
    }
}

fn invalid(detail: impl Into<String>) -> TransportError {
    TransportError::new(Failure::InvalidResponse, detail)
}

/// Returns the error of an exchange that failed before the head.
fn before_head(error: &hyper::Error) -> TransportError {
    if let Some(error) = cause::<rustls::Error>(error) {
        return tls::refused(error);
    }
    if let Some(error) = cause::<h2::Error>(error) {
        return if error.is_remote() || error.is_io() {
            TransportError::new(Failure::Reset, format!("the server broke off: {}", shown(error.to_string())))
        } else {
            invalid(format!("the server's answer is not HTTP/2: {}", shown(error.to_string())))
        };
    }
    if error.is_parse() {
        invalid(format!("the response is not an HTTP head: {}", shown(error.to_string())))
    } else if error.is_user() {
        TransportError::new(Failure::Other, format!("the request could not be sent: {error}"))
    } else {
        TransportError::new(Failure::Reset, "the server hung up before it had answered")
    }
}

/// Returns host and port, without the user.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn path(url: &Url) -> String {
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}{query}", url.path())
}

fn absolute(url: &Url) -> String {
    format!("{}://{}{}", url.scheme(), authority(url), path(url))
}
