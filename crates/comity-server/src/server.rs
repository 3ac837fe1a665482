//! The server: listens, accepts connections, and serves them.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use comity::Crawlers;
use comity_fetch::{Client, IpRange};
use comity_watch::WatchStatus;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;

use crate::api;
use crate::client_addr::{ClientAddr, Proxies, ProxyHeader};
use crate::connection::Connection;
use crate::connection::set::{Connections, Listed, NewClient};
use crate::connection::stream::Stream;
use crate::connection::tls::Tls;
use crate::limits::{RESERVED_CONNECTIONS, ServerLimits};
use crate::metrics::routes::Routes;
use crate::openapi;
use crate::page;
use crate::pipeline::access::{Access, BearerToken};
#[cfg(feature = "axum")]
use crate::pipeline::mounted;
use crate::pipeline::{self, ConnectionService, RequestPipeline};
use crate::state::State;

/// Builds a [`Server`].
///
/// ```no_run
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let client = comity_fetch::Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let server = comity_server::Server::builder(client)
///     .host("robots.example.com")
///     .trust_proxies(["10.0.0.0/8".parse()?])
///     .bind("0.0.0.0:9309".parse()?)
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use]
pub struct ServerBuilder {
    client: Client,
    crawlers: Crawlers,
    limits: ServerLimits,
    access: Access,
    proxies: Proxies,
    tls: Option<Tls>,
    watch: Option<WatchStatus>,
}

impl ServerBuilder {
    /// Maximum number of connections that the system queues until they are accepted.
    const BACKLOG: u32 = 1024;

    /// Sets the table of crawlers in which names are looked up. Defaults to the built-in table.
    pub fn crawlers(mut self, crawlers: Crawlers) -> Self {
        self.crawlers = crawlers;
        self
    }

    /// Shows the state of a watcher and its alerts, at `/v1/watch` and in metrics. Defaults to none. The caller runs the
    /// watcher.
    pub fn watch(mut self, status: WatchStatus) -> Self {
        self.watch = Some(status);
        self
    }

    /// Sets the limits. Defaults to those of [`ServerLimits`].
    pub fn limits(mut self, limits: ServerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds a host name, without a port, for which requests are accepted; `*` is any name. Defaults to the loopback
    /// names and the address of the listener. Requests for other names are refused, because a web page of a stranger
    /// can make its own name resolve to this service (DNS rebinding).
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.access.hosts.push(name.into());
        self
    }

    /// Adds an origin, such as `https://tools.example.com`, of pages that may send requests. Defaults to the service's
    /// own origin alone. Needed with a proxy that changes the `Host` header.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.access.origins.push(origin.into());
        self
    }

    /// Sets a secret that clients must send. Defaults to none. The page and the health of the service are available
    /// without it.
    pub fn token(mut self, token: BearerToken) -> Self {
        self.access.token = Some(token);
        self
    }

    /// Sets the networks of trusted proxies, which state the address of the client. Defaults to none.
    pub fn trust_proxies(mut self, networks: impl IntoIterator<Item = IpRange>) -> Self {
        self.proxies.networks.extend(networks);
        self
    }

    /// Sets the header in which trusted proxies state the address of the client. It must be the header that they write:
    /// the others, which they only forward, may be forged.
    pub fn proxy_header(mut self, header: ProxyHeader) -> Self {
        self.proxies.header = header;
        self
    }

    /// Serves `https:` instead of `http:`.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Returns the endpoints as a router for another axum program, which serves the connections. Mount it with
    /// [`Router::nest`] or [`Router::merge`]; the page at `/` works only if its paths stay as they are.
    ///
    /// Each request passes the same checks and limits as with [`bind`](Self::bind):
    ///
    /// - host names, the origins of pages with CORS, and the token. The host names default to the loopback names:
    ///   [`host`](Self::host) adds those of your program.
    /// - the rate limits of each client, and the limits on concurrent requests, the queue and batches;
    /// - the sizes of bodies and answers, and the memory for both;
    /// - the times for a body, for an answer, and for the whole request;
    /// - headers for browsers, request ids, the log, metrics, and an answer with 500 if a handler panics.
    ///
    /// The rest belongs to the listener of the program that serves the router: [TLS](Self::tls), the limits on
    /// connections and on HTTP/2 streams, the size of a request's head, [`head_timeout`](ServerLimits::head_timeout),
    /// [`idle_timeout`](ServerLimits::idle_timeout), [`write_timeout`](ServerLimits::write_timeout) and the
    /// [end](ServerLimits::grace) with requests in progress. A client that never reads its answer occupies memory of
    /// [`answers_bytes`](ServerLimits::answers_bytes), of which one client may have a quarter, until your listener
    /// closes its connection.
    ///
    /// The address of a client comes from [`ConnectInfo<SocketAddr>`](axum::extract::ConnectInfo), so serve your router
    /// with [`into_make_service_with_connect_info`](Router::into_make_service_with_connect_info). Without it all clients
    /// share the limits of a single one.
    #[cfg(feature = "axum")]
    pub fn router(self) -> Router {
        let (router, state, paths) = router(self.client, self.crawlers, self.limits, self.watch, routes());
        let access = self.access.named_locally();
        mounted::guard(router, RequestPipeline::new(state, paths, access, self.proxies))
    }

    /// Returns the handlers alone, without access checks and limits. Benchmarks use it to measure the cost of these.
    #[cfg(feature = "axum")]
    #[doc(hidden)]
    pub fn unguarded_router(self) -> Router {
        router(self.client, self.crawlers, self.limits, self.watch, routes()).0
    }

    /// Binds the address and starts to listen. Port 0 selects any free port.
    #[allow(clippy::unused_async, reason = "it needs a runtime around it")]
    pub async fn bind(self, address: SocketAddr) -> io::Result<Server> {
        self.bind_with(address, routes())
    }

    /// Binds the address as [`bind`](Self::bind) does, with these routes.
    pub(crate) fn bind_with(self, address: SocketAddr, handlers: Router<State>) -> io::Result<Server> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // Otherwise a service that restarts could not bind its port. On Windows the option has another meaning.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(Self::BACKLOG)?;
        let address = listener.local_addr()?;

        let (router, state, paths) = router(self.client, self.crawlers, self.limits, self.watch, handlers);
        let router = router.fallback(pipeline::not_found);
        let pipeline = RequestPipeline::new(state, paths, self.access.listening_on(address), self.proxies);
        let (stop, _) = watch::channel(Stop::No);
        Ok(Server {
            listener,
            address,
            acceptor: Arc::new(Acceptor { http: http(), tls: self.tls, router, pipeline: Arc::new(pipeline) }),
            handle: Handle(Arc::new(stop)),
        })
    }
}

/// Returns all routes: the endpoints, the page, and the description.
pub(crate) fn routes() -> Router<State> {
    api::routes().merge(page::routes()).merge(openapi::routes())
}

/// Returns the router, the state that all requests share, and the paths of the routes.
fn router(
    client: Client,
    crawlers: Crawlers,
    limits: ServerLimits,
    watch: Option<WatchStatus>,
    handlers: Router<State>,
) -> (Router, State, Routes) {
    let paths = Routes::new(api::endpoints().into_iter().map(|(path, _)| path).collect());
    let state = State::new(client, crawlers, limits, watch, &paths);
    let router = handlers.method_not_allowed_fallback(pipeline::method_not_allowed).with_state(state.clone());
    (router, state, paths)
}

/// Returns the HTTP settings: HTTP/1.1, and HTTP/2 for clients that start with it.
fn http() -> auto::Builder<TokioExecutor> {
    /// Maximum size of a request's head. With HTTP/1 this is also the buffer that everything else is read into. It
    /// belongs to the connection, and there may be thousands of connections.
    const MAX_HEAD: u32 = 16 << 10;
    const MAX_HEADERS: usize = 64;
    /// Maximum number of concurrent requests on an HTTP/2 connection.
    const MAX_STREAMS: u32 = 128;
    /// Flow-control window of an HTTP/2 connection, in bytes.
    const WINDOW: u32 = 256 << 10;
    /// Maximum number of bytes of an HTTP/2 answer that are buffered for writing.
    const MAX_SEND_BUFFER: usize = 64 << 10;
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1().max_buf_size(MAX_HEAD as usize).max_headers(MAX_HEADERS);
    http.http2()
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEAD)
        .max_send_buf_size(MAX_SEND_BUFFER)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        // Streams that are opened and reset, again and again, cost more than their number suggests (CVE-2023-44487).
        .max_pending_accept_reset_streams(20)
        .max_local_error_reset_streams(100);
    http
}

/// A service that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    acceptor: Arc<Acceptor>,
    handle: Handle,
}

/// A handle that ends a [`Server`].
#[derive(Clone, Debug)]
pub struct Handle(Arc<watch::Sender<Stop>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    No,
    /// Requests in progress may end.
    Gently,
    Now,
}

impl Stop {
    /// Waits for this order or a stronger one.
    async fn comes(self, orders: &mut watch::Receiver<Self>) {
        // The caller that runs a server holds the sender.
        let _ = orders.wait_for(|order| *order >= self).await;
    }
}

impl Handle {
    /// Accepts no more requests, and waits for those in progress, for at most [`ServerLimits::grace`].
    pub fn shut_down(&self) {
        self.order(Stop::Gently);
    }

    /// Ends at once, and aborts the requests in progress.
    pub fn abort(&self) {
        self.order(Stop::Now);
    }

    fn order(&self, order: Stop) {
        self.0.send_if_modified(|stop| {
            let is_more = *stop < order;
            *stop = order.max(*stop);
            is_more
        });
    }
}

impl Server {
    /// Returns a builder for a service that asks sites with this client, and answers by its dialect and policy.
    pub fn builder(client: Client) -> ServerBuilder {
        ServerBuilder {
            client,
            crawlers: Crawlers::builtin(),
            limits: ServerLimits::default(),
            access: Access::default(),
            proxies: Proxies::default(),
            tls: None,
            watch: None,
        }
    }

    /// Returns the address of the listener.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> String {
        let scheme = if self.acceptor.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}/", self.address)
    }

    /// Returns a handle that ends the service.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Serves requests until a [`Handle`] ends the service. Returns the number of connections that were closed with
    /// requests in progress.
    pub async fn run(self) -> usize {
        let Self { listener, acceptor, handle, .. } = self;
        let mut stop = handle.0.subscribe();
        let state = &acceptor.pipeline.state;
        let connections = Connections::new(state.limits.connections);
        let reserve = Connections::reserve(RESERVED_CONNECTIONS);
        let watch = async || tokio::join!(connections.watch(&state.limits), reserve.watch(&state.limits));
        {
            let accepting = acceptor.accept(&listener, &connections, &reserve);
            let watching = watch();
            let forgetting = RequestPipeline::forget(Arc::downgrade(&acceptor.pipeline));
            tokio::select! {
                () = accepting => {}
                _ = watching => {}
                () = forgetting => {}
                () = Stop::Gently.comes(&mut stop) => {}
            }
        }
        // From here on the system refuses new connections, so clients can try elsewhere.
        drop(listener);
        state.end();
        reserve.close().await;
        tokio::select! {
            left = connections.finish(state.limits.grace) => left,
            // What takes too long now does not delay the end, but stuck connections are still closed.
            _ = watch() => 0,
            () = Stop::Now.comes(&mut stop) => {
                let left = connections.len();
                connections.close().await;
                left
            }
        }
    }
}

/// Serves connections.
struct Acceptor {
    http: auto::Builder<TokioExecutor>,
    tls: Option<Tls>,
    router: Router,
    pipeline: Arc<RequestPipeline>,
}

impl fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptor").field("tls", &self.tls).finish_non_exhaustive()
    }
}

impl Acceptor {
    /// Accepts connections, in an endless loop. If no other connection can be closed for a new one, the new one is one
    /// of the reserve.
    async fn accept(
        self: &Arc<Self>,
        listener: &TcpListener,
        connections: &Arc<Connections>,
        reserve: &Arc<Connections>,
    ) {
        /// Minimum time between log messages about connections that cannot be accepted.
        const LOG_INTERVAL: Duration = Duration::from_secs(60);
        let metrics = self.pipeline.state.metrics.counted();
        let (mut logged, mut failures) = (None::<Instant>, 0_u64);
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => {
                    metrics.connections_total.inc();
                    let client = ClientAddr { address: peer.ip().to_canonical() };
                    let newcomer =
                        NewClient { client: client.key(), has_share: !self.pipeline.proxies.is_proxy(client.address) };
                    let listed = connections.admit(newcomer).or_else(|| {
                        metrics.connections_refused_total.inc();
                        reserve.admit(newcomer)
                    });
                    // Otherwise the reserve is full of requests about health.
                    let Some(listed) = listed else { continue };
                    if listed.has_evicted {
                        metrics.connections_evicted_total.inc();
                    }
                    let acceptor = Arc::clone(self);
                    tokio::spawn(async move { acceptor.serve(stream, peer, listed).await });
                }
                // The client went away before it was accepted.
                Err(error) if is_of_connection(&error) => {}
                // The system has no more files or memory.
                Err(error) => {
                    failures += 1;
                    if logged.is_none_or(|logged| logged.elapsed() > LOG_INTERVAL) {
                        logged = Some(Instant::now());
                        let connections = connections.len();
                        tracing::warn!(%error, connections, failures, "no connection can be accepted");
                    }
                    if connections.make_room().await {
                        metrics.connections_evicted_total.inc();
                    }
                }
            }
        }
    }

    /// Serves a connection until it ends.
    async fn serve(&self, stream: TcpStream, peer: SocketAddr, listed: Listed) {
        let metrics = self.pipeline.state.metrics.counted();
        metrics.connections.inc();
        // Answers are small, and written as a whole.
        let _ = stream.set_nodelay(true);
        match &self.tls {
            None => self.speak(stream, peer, &listed.connection).await,
            Some(tls) => {
                let limit = self.pipeline.state.limits.head_timeout;
                let shaken = tokio::select! {
                    // A connection that must close needs no handshake.
                    () = listed.connection.told() => None,
                    shaken = tokio::time::timeout(limit, tls.0.accept(stream)) => Some(shaken),
                };
                match shaken {
                    Some(Ok(Ok(stream))) => self.speak(stream, peer, &listed.connection).await,
                    Some(Ok(Err(error))) => tracing::debug!(%peer, %error, "no TLS"),
                    Some(Err(_)) => tracing::debug!(%peer, "no TLS in time"),
                    None => {}
                }
            }
        }
        metrics.connections.dec();
    }

    async fn speak<S>(&self, stream: S, peer: SocketAddr, connection: &Arc<Connection>)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let service_of_connection =
            ConnectionService::new(Arc::clone(&self.pipeline), self.router.clone(), peer.ip(), Arc::clone(connection));
        let stream = TokioIo::new(Stream::new(stream, Arc::clone(connection)));
        // A closure, not a type with a boxed future: that way an HTTP/1 connection has one allocation for all its
        // requests.
        let service = service_fn(move |request| service_of_connection.clone().answer(request));
        let http = pin!(self.http.serve_connection(stream, service));
        connection.drive(http, auto::Connection::graceful_shutdown).await;
    }
}

/// Returns true if the error concerns one connection only, not the listener.
fn is_of_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
