//! The decision service: may this crawler fetch this URL, and exactly why? Over HTTP, as JSON.
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
//! What can be asked is described by the service itself, at `/openapi.json`.

mod access;
mod api;
mod asker;
mod body;
mod connection;
mod connections;
mod cors;
mod extract;
mod frames;
mod gate;
mod health;
mod limits;
mod memory;
mod metrics;
mod openapi;
mod page;
mod place;
mod problem;
mod query;
mod routes;
mod scheduler;
mod server;
mod state;
mod stream;
mod tally;
#[cfg(test)]
mod tests;
mod tls;

pub use access::{Token, TokenError};
pub use asker::ProxyHeader;
pub use limits::Limits;
pub use openapi::openapi;
pub use server::{Handle, Server, ServerBuilder};
pub use tls::{Tls, TlsError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
