//! HTTP/1.1 and HTTP/2 (RFC 9112, RFC 9113).
//!
//! A connection carries one request at a time, and is closed after it unless more are likely. A robots.txt is fetched
//! about once a day, so keeping its connections would mean thousands of idle ones.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use comity_policy::Failure;
use http::header::{self, HeaderValue};
use http::{Method, Request as HttpRequest, Response as HttpResponse, Uri, Version};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use url::{Host, Url};

use super::BuiltinOptions;
use super::connect::Dialer;
use super::incoming::IncomingBody;
use super::link::{Asking, Link};
use super::meter::{Meter, Metered};
use super::pool::Pool;
use super::proxy::{Proxy, ProxyConnection, Refusal};
use super::stall::StallTimeoutBody;
use super::tls::{self, AlpnOffer, Tls};
use crate::address::Addresses;
use crate::transport::error::{TransportError, cause, shown};
use crate::transport::exchange::{Protocol, TransportRequest, TransportResponse};
use crate::transport::options::OptionsError;
use crate::transport::sender::{MAX_FIELDS, MAX_HEAD};

/// The maximum number of buffered bytes of a connection.
pub(super) const BUFFER: usize = 64 * 1024;

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
    pool: Pool,
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

/// A connection for requests, one after the other. Dropping it drops the connection.
#[derive(Debug)]
pub(super) struct Connection {
    sender: RequestSender,
    task: AbortHandle,
    meter: Arc<Meter>,
    /// The site's address, if it is known.
    peer: Option<SocketAddr>,
}

#[derive(Debug)]
enum RequestSender {
    Http1(http1::SendRequest<String>),
    Http2(http2::SendRequest<String>),
}

impl Connection {
    async fn http1(link: Link, peer: Option<SocketAddr>) -> Result<Self, TransportError> {
        let meter = Arc::new(Meter::default());
        let mut builder = http1::Builder::new();
        // A user agent replaces the line ends within a field by spaces (RFC 9112 §5.2), and may remove white space before
        // the colon, as a proxy must (§5.1). Lines that are no field are not ignored, although the library could: the
        // length of the body could be in one of them.
        builder
            .max_buf_size(BUFFER)
            .max_headers(MAX_FIELDS)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true);
        let link = Metered::http1(Asking::new(link), meter.clone());
        let (sender, connection) = builder.handshake(TokioIo::new(link)).await.map_err(|e| before_head(&e))?;
        let task = tokio::spawn(connection).abort_handle();
        Ok(Self { sender: RequestSender::Http1(sender), task, meter, peer })
    }

    async fn http2(link: Link, peer: Option<SocketAddr>) -> Result<Self, TransportError> {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .max_header_list_size(MAX_HEAD as u32)
            .initial_stream_window_size(BUFFER as u32)
            .initial_connection_window_size(CONNECTION_WINDOW);
        let meter = Arc::new(Meter::default());
        let link = Metered::http2(link, meter.clone());
        let (sender, connection) = builder.handshake(TokioIo::new(link)).await.map_err(|e| before_head(&e))?;
        let task = tokio::spawn(connection).abort_handle();
        Ok(Self { sender: RequestSender::Http2(sender), task, meter, peer })
    }

    pub(super) fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    fn is_http2(&self) -> bool {
        matches!(self.sender, RequestSender::Http2(_))
    }

    /// Returns true if the connection was closed, as far as that was noticed.
    pub(super) fn is_closed(&self) -> bool {
        match &self.sender {
            RequestSender::Http1(sender) => sender.is_closed(),
            RequestSender::Http2(sender) => sender.is_closed(),
        }
    }

    /// Returns the error, if the connection was ended because the server kept sending without progress.
    pub(super) fn problem(&self) -> Option<TransportError> {
        self.meter.problem()
    }

    /// Sends a request and waits for the head of its response.
    async fn exchange(&mut self, mut request: HttpRequest<String>) -> Result<HttpResponse<Incoming>, TransportError> {
        let response = match &mut self.sender {
            RequestSender::Http1(sender) => {
                let heads = self.meter.clone();
                hyper::ext::on_informational(&mut request, move |_| heads.count_head());
                sender.send_request(request).await
            }
            RequestSender::Http2(sender) => {
                *request.version_mut() = Version::HTTP_2;
                sender.send_request(request).await
            }
        };
        match response {
            Ok(response) => {
                self.meter.received().end_head();
                Ok(response)
            }
            Err(e) => Err(self.problem().unwrap_or_else(|| self.before_head(&e))),
        }
    }

    /// Returns the error of an exchange that failed before the head, with the line that was refused.
    fn before_head(&self, error: &hyper::Error) -> TransportError {
        let mut problem = before_head(error);
        if error.is_parse()
            && let Some(line) = self.meter.received().refused_line()
        {
            problem.detail = format!("{}, in {line}", problem.detail);
        }
        problem
    }

    /// Returns true if the body came to its last chunk, although the connection ended before the empty line after it.
    pub(super) fn ends_in_last_chunk(&self, data_end: &[u8]) -> bool {
        !self.is_http2() && self.meter.received().ends_in_last_chunk(data_end)
    }

    /// Sends another request.
    async fn exchange_again(&mut self, request: HttpRequest<String>) -> Result<HttpResponse<Incoming>, TransportError> {
        let is_ready = match &mut self.sender {
            RequestSender::Http1(sender) => sender.ready().await,
            RequestSender::Http2(sender) => sender.ready().await,
        };
        is_ready.map_err(|e| before_head(&e))?;
        self.meter.begin();
        self.exchange(request).await
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Http {
    pub(super) fn new(options: &BuiltinOptions) -> Result<Self, OptionsError> {
        Ok(Self {
            tls: Tls::new(&options.extra_roots, options.connect_timeout)?,
            proxy: options.proxy.clone(),
            pool: Pool::default(),
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
        let kept = if request.keeps_alive { self.pool.take(url, request.addresses) } else { None };
        if let Some(mut connection) = kept {
            let http_request = Self::http_request(request, connection.is_http2(), None)?;
            let exchange = timeout(self.stall_timeout, connection.exchange_again(http_request));
            match exchange.await.unwrap_or_else(|_| Err(self.late())) {
                Ok(response) => return self.response(response, connection, request, true),
                Err(error) if error.failure != Failure::Reset => return Err(error),
                // The server closed the connection while it was idle, which says nothing about the site.
                Err(_) => {}
            }
        }
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
            let connection =
                if is_http2 { Connection::http2(link, peer).await } else { Connection::http1(link, peer).await };
            let mut connection = connection?;
            Ok((connection.exchange(http_request).await?, connection))
        };
        let (response, connection) =
            timeout(self.stall_timeout, exchange).await.unwrap_or_else(|_| Err(self.late()))?;
        // The addresses of a request are compared with that of a connection that is kept. A tunnel has none.
        let is_kept = forwarder.is_none() && (peer.is_some() || self.proxy.is_some());
        if let Some((proxy, refusal)) = forwarder {
            refusal.check(response.status().as_u16(), response.headers(), proxy, port)?;
        }
        self.response(response, connection, request, is_kept)
    }

    fn late(&self) -> TransportError {
        TransportError::new(Failure::Timeout, format!("no answer within {:?}", self.stall_timeout))
    }

    /// Returns a response whose body puts the connection into the pool at its end, if it is to be kept.
    fn response(
        &self,
        response: HttpResponse<Incoming>,
        connection: Connection,
        request: &TransportRequest<'_>,
        is_kept: bool,
    ) -> Result<TransportResponse, TransportError> {
        let protocol = protocol(response.version())?;
        let peer = connection.peer;
        let pool = (is_kept && request.keeps_alive).then(|| (self.pool.clone(), request.url.origin()));
        let (parts, incoming) = response.into_parts();
        let body = IncomingBody::new(incoming, &parts, request.url.scheme() == "https", connection, pool);
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
        let mut sent = HttpRequest::new(request.text.unwrap_or_default().to_owned());
        if request.text.is_some() {
            *sent.method_mut() = Method::POST;
        }
        *sent.uri_mut() = target;
        let fields = sent.headers_mut();
        if !is_http2 {
            fields.insert(header::HOST, HeaderValue::try_from(authority(url)).map_err(|e| unsendable(&e))?);
        }
        fields.extend(request.headers.clone());
        if let Some(authorization) = forwarder.and_then(Proxy::authorization) {
            fields.insert(header::PROXY_AUTHORIZATION, authorization);
        }
        if !is_http2 && !request.keeps_alive {
            fields.insert(header::CONNECTION, CLOSE);
        }
        Ok(sent)
    }
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
    // The library tells this kind of error apart by its text only.
    if error.is_parse() && error.to_string().contains("too large") {
        invalid(format!("the head of the answer is too large: more than {MAX_FIELDS} header fields or {BUFFER} bytes"))
    } else if error.is_parse() {
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
