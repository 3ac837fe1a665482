//! The HTTP server: its sites, its log, and the door.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, RwLock};

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::http1;
use crate::log::Log;
use crate::reply::Reply;
use crate::request::Request;
use crate::sites::{Answer, Sites};

/// Thousands of clients may knock at once.
const BACKLOG: u32 = 4096;

/// What happens to a new connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Accept {
    /// It is served.
    Serve,
    /// It is closed at once.
    Close,
    /// It is reset at once.
    Reset,
    /// It hears nothing, until the client goes. Within TLS, this is a handshake that never goes on.
    Stall,
}

/// An HTTP server on loopback with any number of sites, told apart by the host that is asked for.
///
/// It stops when it is dropped, with all its connections.
#[derive(Debug)]
pub struct HttpServer {
    addr: SocketAddr,
    shared: Arc<Shared>,
    // Dropping it ends all tasks.
    _tasks: JoinSet<()>,
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
        *self.accept.read().expect("nothing panics under this lock")
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
        let listener = listen(addr.into())?;
        let addr = listener.local_addr()?;
        let shared =
            Arc::new(Shared { sites: Sites::default(), log: Log::default(), accept: RwLock::new(Accept::Serve) });
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, shared.clone()));
        Ok(HttpServer { addr, shared, _tasks: tasks })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The URL of a path here, with the address as the host.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// The URL of a path of one of the sites here. The client must be told that the site is at [`addr`](Self::addr).
    pub fn url_of(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.addr.port())
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

pub(crate) fn listen(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = if addr.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A client that went before it was served is none of our trouble.
                if let Ok((stream, peer)) = accepted {
                    connections.spawn(connection(stream, peer, shared.clone()));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(mut stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>) {
    let open = shared.log.connected();
    // A client that breaks off is what many tests are about: no error.
    let _ = match shared.accept() {
        Accept::Serve => {
            let _ = stream.set_nodelay(true);
            http1::serve(stream, &shared, peer, open.number).await
        }
        Accept::Close => Ok(()),
        Accept::Reset => stream.set_zero_linger(),
        Accept::Stall => {
            http1::gone(&mut stream).await;
            Ok(())
        }
    };
}
