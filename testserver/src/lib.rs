//! Servers on loopback that misbehave on request, for end-to-end tests of fetchers.
//!
//! They use real sockets, so a client under test cannot distinguish them from servers on the web. An answer is a
//! [`Reply`], which starts as the reply of a good server, and to which faults are added one by one. Servers bind free
//! ports of 127.0.0.1, and stop on drop.
//!
//! ```
//! use comity_testserver::{ANY, At, HttpServer, Reply};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//! use tokio::net::TcpStream;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let server = HttpServer::start().await;
//! server.serve("a.test", "/robots.txt", Reply::ok("User-agent: *\nDisallow: /\n").cut(At::Body(13)));
//! server.serve_in_turn("b.test", ANY, [Reply::status(503).header("Retry-After", "60"), Reply::ok("")]);
//!
//! let mut client = TcpStream::connect(server.addr()).await?;
//! client.write_all(b"GET /robots.txt HTTP/1.1\r\nHost: a.test\r\n\r\n").await?;
//! let mut response = String::new();
//! client.read_to_string(&mut response).await?;
//!
//! assert!(response.contains("Content-Length: 26\r\n"));
//! assert!(response.ends_with("\r\n\r\nUser-agent: *"));
//! assert_eq!(server.count("a.test", "/robots.txt"), 1);
//! # Ok(())
//! # }
//! ```
//!
//! All sites of a server share its address: the client under test needs a resolver that returns it. Requests are read
//! without a body.

mod coding;
mod frame;
mod ftp;
mod gate;
mod http;
mod http1;
mod http2;
mod log;
mod port;
#[cfg(unix)]
mod postgres;
mod render;
mod reply;
mod request;
mod sites;
mod tls;
mod transport;
mod trap;
mod wire;

pub use coding::Coding;
pub use frame::Frame;
pub use ftp::FtpServer;
pub use gate::Gate;
pub use http::{Accept, HttpServer};
pub use port::free_port;
#[cfg(unix)]
pub use postgres::Postgres;
pub use reply::{BadChunk, Flood, Reply};
pub use request::Request;
pub use sites::ANY;
pub use tls::{Certificate, Tls, ca_pem};
pub use trap::{ClosedPort, Trap, closed_port};
pub use wire::At;
