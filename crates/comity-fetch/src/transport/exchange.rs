//! The transport trait and its types: a request, the head of its response, and the chunks of its body.

use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;

use ::http::HeaderMap;
use url::Url;

use super::error::TransportError;
use crate::address::Addresses;

/// The future of a response.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<TransportResponse, TransportError>> + Send + 'a>>;

/// The future of the next part of a body.
pub type NextChunk<'a> = Pin<Box<dyn Future<Output = Result<Chunk, TransportError>> + Send + 'a>>;

/// Carries out one exchange at a time: sends a request and returns its response.
///
/// A transport has these duties:
///
/// - **One request, one response.** It does not follow redirects, does not retry, and has no cookies and no cache. A
///   status is never an error.
/// - **Addresses.** It connects only to addresses that [`TransportRequest::addresses`] allows. It checks each address
///   of a name after resolving it, at the moment of connecting, and connects to the address that it checked. A
///   transport that uses a proxy cannot check what the proxy resolves.
/// - **Fields.** It sends the fields of the request and those that its protocol needs (`Host`, `Connection`), and
///   returns those of the response unchanged.
/// - **Bytes.** It undoes the transfer coding, not the content coding. A transport that always decodes must remove
///   `Content-Encoding` and `Content-Length` from the response, and must fail for a body that ends before its coding
///   does.
/// - **The end.** It states for each body how it ended: see [`End`]. A body that breaks off is an error.
/// - **Limits.** It limits its buffers. The client's deadline drops the future of an exchange that takes too long, and
///   the transport then closes the connection. Shorter timeouts, for connecting or for the next bytes, are its own.
///
/// The client is responsible for the rest: which URL is requested and when, redirects, retries, the deadline of an
/// attempt, the address rules for URLs and ports, the size of the head and of the body, the length of the body, content
/// codings, and what a failure means. `examples/reqwest-transport` in the repository is a whole transport, on reqwest.
///
/// ```
/// use comity_fetch::transport::{TransportRequest, TransportResponse, Sending, Transport, TransportError};
/// use comity_fetch::{Client, Failure};
///
/// #[derive(Debug)]
/// struct Unplugged;
///
/// impl Transport for Unplugged {
///     fn send<'a>(&'a self, _: &'a TransportRequest<'a>) -> Sending<'a> {
///         Box::pin(async { Err(TransportError::new(Failure::Connect, "there is no network")) })
///     }
/// }
///
/// let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)")
///     .transport(std::sync::Arc::new(Unplugged))
///     .build()?;
/// # Ok::<(), comity_fetch::transport::OptionsError>(())
/// ```
pub trait Transport: fmt::Debug + Send + Sync {
    /// Sends a request and waits for the head of its response.
    ///
    /// # Errors
    ///
    /// If no head of a final response arrives. The [`Failure`](comity_policy::Failure) states the reason, as far as it
    /// is known.
    fn send<'a>(&'a self, request: &'a TransportRequest<'a>) -> Sending<'a>;

    /// Returns true if the transport sends requests for URLs of a scheme. Defaults to `http` and `https`. Other
    /// requests are not passed to it.
    fn has_scheme(&self, scheme: &str) -> bool {
        matches!(scheme, "http" | "https")
    }

    /// Returns true if the transport sends the [text](TransportRequest::text) of a request by `POST`. Defaults to false.
    /// Requests with a text are not passed to other transports.
    fn can_post(&self) -> bool {
        false
    }
}

/// A request: `GET` without a body, or `POST` with a text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TransportRequest<'a> {
    /// The absolute URL. It may have a user and a password, which are not sent.
    pub url: &'a Url,
    /// The fields: `User-Agent`, `Accept`, `Accept-Encoding`, for revalidation `If-None-Match` and `If-Modified-Since`,
    /// and for pages those that the caller adds.
    pub headers: &'a HeaderMap,
    /// The addresses that may be connected to. They apply to a connection that is used again, too: other requests to
    /// the host may have had wider ones.
    pub addresses: &'a Addresses,
    /// True if more requests to the host are likely, so that its connection is worth keeping. Defaults to false.
    pub keeps_alive: bool,
    /// The body of a `POST` request. Defaults to `None`, which is a `GET` request.
    pub text: Option<&'a str>,
}

impl<'a> TransportRequest<'a> {
    /// Returns a request.
    pub fn new(url: &'a Url, headers: &'a HeaderMap, addresses: &'a Addresses) -> Self {
        Self { url, headers, addresses, keeps_alive: false, text: None }
    }
}

/// The head of a response, and its body to come.
#[derive(Debug)]
#[non_exhaustive]
pub struct TransportResponse {
    /// The status of HTTP, or the reply code of FTP.
    pub status: u16,
    /// The fields; none for FTP.
    pub headers: HeaderMap,
    /// The protocol of the response, if it is known.
    pub protocol: Option<Protocol>,
    /// The address of the server, or of the proxy if it is the one that answered; `None` if it is not known.
    pub peer: Option<SocketAddr>,
    /// The body. Dropping it drops the connection.
    pub body: Box<dyn ResponseBody>,
}

impl TransportResponse {
    /// Returns a response without protocol and peer.
    pub fn new(status: u16, headers: HeaderMap, body: impl ResponseBody + 'static) -> Self {
        Self { status, headers, protocol: None, peer: None, body: Box::new(body) }
    }

    /// Sets the protocol.
    #[must_use]
    pub fn with_protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = Some(protocol);
        self
    }

    /// Sets the address of the server.
    #[must_use]
    pub fn with_peer(mut self, peer: SocketAddr) -> Self {
        self.peer = Some(peer);
        self
    }
}

/// The body of a response, in the content coding that its `Content-Encoding` names.
pub trait ResponseBody: Send {
    /// Returns the next bytes, or the end. It is not called again after the end, after an error, or after its future was
    /// dropped.
    ///
    /// # Errors
    ///
    /// If the body breaks off.
    fn next_chunk(&mut self) -> NextChunk<'_>;
}

impl fmt::Debug for dyn ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseBody")
    }
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "there is nothing else in a body")]
pub enum Chunk {
    /// The next bytes. They may be empty.
    Bytes(Vec<u8>),
    /// The end of the body.
    End(End),
}

/// The evidence for the end of a body. Half a robots.txt may allow what the other half forbids, so a body without evidence
/// counts as truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// The protocol marked the end, and the transport saw the mark: the length was reached, the last chunk came, `END_STREAM`
    /// was set, `close_notify` was received for a body that ends with a TLS connection, or 226 was replied by FTP.
    ///
    /// In HTTP/2, it is no evidence that a library has no further chunk: some end a body that was broken off without an
    /// error. Ask `http_body::Body::is_end_stream`, or state [`Unverified`](Self::Unverified).
    Verified,
    /// The server closed a plain TCP connection, which is the only end that a body of HTTP/1 without length and chunks has
    /// (RFC 9112 §6.3). The body is accepted, since nothing could show that there was more.
    Closed,
    /// The transport cannot tell. The body is accepted if it has the length that `Content-Length` states, and counts as
    /// truncated if it has another one, or if there is no such field.
    Unverified,
}

/// The protocol of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2.
    Http2,
    /// HTTP/3.
    Http3,
    /// FTP.
    Ftp,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http10 => "HTTP/1.0",
            Self::Http11 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
            Self::Http3 => "HTTP/3",
            Self::Ftp => "FTP",
        })
    }
}
