//! The decision service: answers over HTTP, as JSON, whether a crawler may fetch a URL, and why.
//!
//! ```no_run
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = comity_fetch::Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
//! let server = comity_server::Server::builder(client).bind("127.0.0.1:9309".parse()?).await?;
//! println!("Listening on {}", server.url());
//! server.run().await;
//! # Ok(())
//! # }
//! ```
//!
//! The service describes its endpoints at `/openapi.json`.
//!
//! With the feature `axum`, `ServerBuilder::router` returns the endpoints for another axum program. The checks and limits
//! of requests come with the router; those of connections, such as TLS and the timeout for a head, belong to the listener
//! of that program.

mod absent;
mod accept;
mod admission;
mod api;
mod client_addr;
mod compression;
mod connection;
mod egress;
mod fixed;
mod limits;
mod metrics;
mod openapi;
mod page;
mod pipeline;
mod problem;
mod processor_time;
mod rates;
mod server;
mod state;
#[cfg(test)]
mod tests;

pub use client_addr::ProxyHeader;
pub use connection::tls::{Tls, TlsError};
pub use limits::ServerLimits;
pub use openapi::OPENAPI;
pub use pipeline::access::{BearerToken, BearerTokenError};
pub use server::{Handle, Server, ServerBuilder};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
