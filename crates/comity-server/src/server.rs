//! The server: from a client to sockets.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use comity::Crawlers;
use comity_fetch::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;

use crate::gate::{self, Gate};
use crate::limits::Limits;
use crate::openapi;
use crate::state::State;

/// Collects what a [`Server`] is to be like.
#[derive(Debug)]
#[must_use]
pub struct ServerBuilder {
    client: Client,
    crawlers: Crawlers,
    limits: Limits,
}

impl ServerBuilder {
    /// The crawlers that names are looked up among: the built-in table if nothing is said.
    pub fn crawlers(mut self, crawlers: Crawlers) -> Self {
        self.crawlers = crawlers;
        self
    }

    /// How much is taken on: see [`Limits`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Begins to listen. Port 0 is any that is free.
    #[allow(clippy::unused_async, reason = "it needs a runtime around it")]
    pub async fn bind(self, address: SocketAddr) -> io::Result<Server> {
        /// Connections that the system keeps while none is accepted.
        const BACKLOG: u32 = 1024;
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        let address = listener.local_addr()?;
        let (table, description) = openapi::routes().split_for_parts();
        let state = State::new(self.client, self.crawlers, self.limits, Bytes::from(openapi::to_json(&description)));
        let router = table
            .fallback(gate::not_found)
            .method_not_allowed_fallback(gate::method_not_allowed)
            .with_state(state.clone());
        let (stop, _) = watch::channel(Stop::No);
        Ok(Server { listener, address, state, router, handle: Handle(Arc::new(stop)) })
    }
}

/// The service, listening.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: State,
    router: Router,
    handle: Handle,
}

/// Ends a [`Server`] from elsewhere.
#[derive(Clone, Debug)]
pub struct Handle(Arc<watch::Sender<Stop>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    No,
    /// What began ends well.
    Gently,
    Now,
}

impl Handle {
    /// Takes no more requests, and lets those that began end, for as long as [`Limits::grace`] says.
    pub fn shut_down(&self) {
        self.0.send_if_modified(|stop| {
            *stop == Stop::No && {
                *stop = Stop::Gently;
                true
            }
        });
    }

    /// Ends at once, whatever is under way.
    pub fn abort(&self) {
        self.0.send_replace(Stop::Now);
    }
}

impl Server {
    /// A service to be, which asks sites with this client and answers by its dialect and its policy.
    pub fn builder(client: Client) -> ServerBuilder {
        ServerBuilder { client, crawlers: Crawlers::builtin(), limits: Limits::default() }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of its page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Ends it from elsewhere.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Answers, until [`Handle::shut_down`] ends it.
    pub async fn run(self) {
        let mut stop = self.handle.0.subscribe();
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop != Stop::No) => break,
            };
            if let Ok((stream, peer)) = accepted {
                tokio::spawn(self.serve(stream, peer));
            }
        }
        self.state.end();
    }

    fn serve(&self, stream: TcpStream, peer: SocketAddr) -> impl Future<Output = ()> + use<> {
        let gate = Gate::new(self.state.clone(), self.router.clone(), peer);
        async move {
            let _ = stream.set_nodelay(true);
            let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), gate).await;
        }
    }
}
