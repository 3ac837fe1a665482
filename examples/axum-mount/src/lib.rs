//! An axum program with routes of its own, and the decision service under `/robots`.
//!
//! The service's router brings its checks and limits along. This program's listener does the rest: the documentation of
//! [`ServerBuilder::router`] lists what that is. Here a proxy before the program limits connections, and closes those of
//! clients that send no head or read no answer.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use axum::routing::get;
use comity_fetch::Client;
use comity_server::{BearerToken, Server, ServerBuilder, ServerLimits};
use tokio::net::TcpListener;

/// Returns the program's routes, with the service under `/robots`.
///
/// Clients are told apart by the address of their connection. If a reverse proxy forwards the requests, also call
/// [`ServerBuilder::trust_proxies`]: otherwise all clients share the limits of one.
///
/// Requests of the service need the token, and the host name `app.example.com` or a loopback name. Pages of
/// `https://tools.example.com` may send requests, too.
pub fn app(client: Client, limits: ServerLimits, token: BearerToken) -> Router {
    let service: ServerBuilder =
        Server::builder(client).limits(limits).host("app.example.com").origin("https://tools.example.com").token(token);
    Router::new().route("/", get(async || "the program's own page\n")).nest("/robots", service.router())
}

/// Serves the program.
pub async fn serve(listener: TcpListener, app: Router) -> io::Result<()> {
    // The service limits each client by its address, which it gets from here.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await
}
