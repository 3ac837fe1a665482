//! The HTTP server: its sites, its log, and the door.

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

/// What happens to a new connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Accept {
    /// It is served.
    Serve,
    /// It is closed at once.
    Close,
    /// It is reset at once.
    Reset,
    /// It hears nothing, until the client goes. A TLS handshake never goes on.
    Stall,
    /// It hears these bytes, whatever it asks, and then the end. Instead of a TLS handshake, that is plain text.
    Say(Bytes),
}

/// An HTTP server on loopback with any number of sites, told apart by the host that is asked for.
///
/// It stops when it is dropped, with all its connections.
#[derive(Debug)]
pub struct HttpServer {
    listening: Listening,
    scheme: &'static str,
    shared: Arc<Shared>,
}

/// What the connections of a server share.
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
    /// The reply to a request, which is logged.
    pub(crate) fn answer(&self, request: Request) -> Arc<Reply> {
        let request = Arc::new(request);
        // Before the reply is made: whoever has the reply finds the request in the log.
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
    /// A server at a free port of 127.0.0.1. Whatever is asked, it answers 404 until told otherwise.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub async fn start() -> Self {
        Self::start_at((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on 127.0.0.1")
    }

    /// A server at another address of the loopback interface, as `([127, 0, 0, 2], 0)` or `(Ipv6Addr::LOCALHOST, 0)`.
    /// Port 0 means a free one.
    #[allow(clippy::unused_async)] // needs a runtime, and says so
    pub async fn start_at(addr: impl Into<SocketAddr>) -> io::Result<Self> {
        Self::listen(addr.into(), None)
    }

    /// A server at a free port of 127.0.0.1 that speaks TLS.
    ///
    /// # Panics
    ///
    /// If there is no free port, or a name is none.
    #[allow(clippy::unused_async)] // as above
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

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.listening.addr
    }

    /// The URL of a path here, with the address as the host.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.addr())
    }

    /// The URL of a path of one of the sites here. The client must be told that the site is at [`addr`](Self::addr).
    pub fn url_of(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.addr().port())
    }

    /// From now on, this reply at this path of this host. Either may be [`ANY`](crate::ANY); what is said for a host
    /// counts before what is said for any host, then what is said for a path before what is said for any path. The
    /// path includes the query.
    pub fn serve(&self, host: &str, path: &str, reply: Reply) {
        self.serve_in_turn(host, path, [reply]);
    }

    /// From now on, these replies one after the other, and the last one for ever.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn serve_in_turn(&self, host: &str, path: &str, replies: impl IntoIterator<Item = Reply>) {
        self.shared.sites.set(host, path, Answer::in_turn(replies));
    }

    /// From now on, what this function makes of the request.
    pub fn serve_with(&self, host: &str, path: &str, reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) {
        self.shared.sites.set(host, path, Answer::With(Arc::new(reply)));
    }

    /// What happens to new connections from now on.
    pub fn accept(&self, accept: Accept) {
        self.shared.set_accept(accept);
    }

    /// All requests in the order in which they came.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.shared.log.requests()
    }

    /// How often a path of a host was asked for. Either may be [`ANY`](crate::ANY), which counts all.
    pub fn count(&self, host: &str, path: &str) -> usize {
        self.shared.log.count(host, path)
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        self.shared.log.clear();
    }

    /// How many connections there have been, whatever became of them.
    pub fn connections(&self) -> usize {
        self.shared.log.connections()
    }

    /// How many connections there are now.
    pub fn open_connections(&self) -> usize {
        self.shared.log.open_connections()
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    let open = shared.log.connected();
    // A client that breaks off is what many tests are about: no error.
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
            // Closing while the client still talks would be a reset, which destroys what was said.
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
