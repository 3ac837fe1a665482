//! The HTTP server: its sites, its log, and its handling of connections.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, RwLock};

use bytes::Bytes;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::http1;
use crate::http2;
use crate::log::Log;
use crate::reply::Reply;
use crate::request::Request;
use crate::sites::{Answer, Sites};
use crate::tls::Tls;
use crate::transport::{Listening, gone};

/// The treatment of a new connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Accept {
    /// It is served.
    Serve,
    /// It is closed at once.
    Close,
    /// It is reset at once.
    Reset,
    /// It gets no bytes until the client closes it. A TLS handshake never continues.
    Stall,
    /// It gets these bytes, regardless of the request, and then the end. They are plain text, even on a TLS server.
    Say(Bytes),
}

/// An HTTP server on loopback with any number of sites, distinguished by the host of the request.
///
/// It stops on drop, with all its connections.
#[derive(Debug)]
pub struct HttpServer {
    listening: Listening,
    scheme: &'static str,
    shared: Arc<Shared>,
}

/// The state that the connections of a server share.
pub(crate) struct Shared {
    sites: Sites,
    pub(crate) log: Log,
    accept: RwLock<Accept>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    /// Logs a request and returns its reply.
    pub(crate) fn answer(&self, request: Request) -> Arc<Reply> {
        let request = Arc::new(request);
        // Before the reply is created: a client that has the reply finds the request in the log.
        self.log.add(request.clone());
        self.sites.reply(&request).answering(&request)
    }

    fn accept(&self) -> Accept {
        self.accept.read().expect("nothing panics under this lock").clone()
    }

    fn set_accept(&self, accept: Accept) {
        *self.accept.write().expect("nothing panics under this lock") = accept;
    }
}

impl HttpServer {
    /// Starts a server on a free port of 127.0.0.1. It answers 404 to all requests until replies are set.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub async fn start() -> Self {
        Self::start_at((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on 127.0.0.1")
    }

    /// Starts a server on another address of the loopback interface, such as `([127, 0, 0, 2], 0)` or
    /// `(Ipv6Addr::LOCALHOST, 0)`. Port 0 means a free one.
    #[expect(clippy::unused_async, reason = "it needs a runtime")]
    pub async fn start_at(addr: impl Into<SocketAddr>) -> io::Result<Self> {
        Self::listen(addr.into(), None)
    }

    /// Starts a server with TLS on a free port of 127.0.0.1.
    ///
    /// # Panics
    ///
    /// If there is no free port, or a name is invalid.
    #[expect(clippy::unused_async, reason = "it needs a runtime")]
    pub async fn start_tls(tls: Tls) -> Self {
        Self::listen((Ipv4Addr::LOCALHOST, 0).into(), Some(&tls)).expect("a free port on 127.0.0.1")
    }

    fn listen(addr: SocketAddr, tls: Option<&Tls>) -> io::Result<Self> {
        let shared =
            Arc::new(Shared { sites: Sites::default(), log: Log::default(), accept: RwLock::new(Accept::Serve) });
        let scheme = if tls.is_some() { "https" } else { "http" };
        let acceptor = tls.map(Tls::acceptor);
        let listening = Listening::at(addr, {
            let shared = shared.clone();
            move |stream, peer| connection(stream, peer, acceptor.clone(), shared.clone())
        })?;
        Ok(HttpServer { listening, scheme, shared })
    }

    /// Returns the address of the listener.
    pub fn addr(&self) -> SocketAddr {
        self.listening.addr
    }

    /// Returns the URL of a path, with the address as the host.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.addr())
    }

    /// Returns the URL of a path of one of the sites. The client must resolve the host to [`addr`](Self::addr).
    pub fn url_of(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.addr().port())
    }

    /// Sets the reply at this path of this host. Either may be [`ANY`](crate::ANY). Replies for a host take precedence
    /// over those for any host, then those for a path over those for any path. The path includes the query.
    pub fn serve(&self, host: &str, path: &str, reply: Reply) {
        self.serve_in_turn(host, path, [reply]);
    }

    /// Sets replies that are sent one after the other; the last one repeats.
    ///
    /// # Panics
    ///
    /// If `replies` is empty.
    pub fn serve_in_turn(&self, host: &str, path: &str, replies: impl IntoIterator<Item = Reply>) {
        self.shared.sites.set(host, path, Answer::in_turn(replies));
    }

    /// Sets a function that creates the reply from the request.
    pub fn serve_with(&self, host: &str, path: &str, reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) {
        self.shared.sites.set(host, path, Answer::With(Arc::new(reply)));
    }

    /// Sets the treatment of new connections.
    pub fn accept(&self, accept: Accept) {
        self.shared.set_accept(accept);
    }

    /// Returns all requests in the order in which they arrived.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.shared.log.requests()
    }

    /// Returns the number of requests for a path of a host. Either may be [`ANY`](crate::ANY), which counts all.
    pub fn count(&self, host: &str, path: &str) -> usize {
        self.shared.log.count(host, path)
    }

    /// Removes the requests so far from the log.
    pub fn clear_requests(&self) {
        self.shared.log.clear();
    }

    /// Returns the number of connections so far, successful or not.
    pub fn connections(&self) -> usize {
        self.shared.log.connections()
    }

    /// Returns the number of open connections.
    pub fn open_connections(&self) -> usize {
        self.shared.log.open_connections()
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    let open = shared.log.connected();
    // A client that closes the connection early is expected in many tests, and not an error.
    let _ = serve(stream, peer, open.number, tls, &shared).await;
}

async fn serve(
    mut stream: TcpStream,
    peer: SocketAddr,
    number: usize,
    tls: Option<TlsAcceptor>,
    shared: &Arc<Shared>,
) -> io::Result<()> {
    match shared.accept() {
        Accept::Serve => {}
        Accept::Close => return Ok(()),
        Accept::Reset => return stream.set_zero_linger(),
        Accept::Stall => {
            gone(&mut stream).await;
            return Ok(());
        }
        Accept::Say(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await?;
            // Closing while the client still sends would be a reset, which destroys sent bytes.
            gone(&mut stream).await;
            return Ok(());
        }
    }
    let Some(tls) = tls else { return http1::serve(stream, shared, peer, number).await };
    let stream = tls.accept(stream).await?;
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        http2::serve(stream, shared, peer, number).await
    } else {
        http1::serve(stream, shared, peer, number).await
    }
}
