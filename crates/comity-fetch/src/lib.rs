//! Fetches robots.txt files as a polite crawler does, caches them, and decides by them.
//!
//! ```no_run
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let client = comity_fetch::Client::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
//!     let me = comity::Crawler::token("ExampleBot")?;
//!     let decision = client.check(&me, "https://example.org/page").await?;
//!     println!("{decision}");
//!     Ok(())
//! }
//! ```
//!
//! # What it does
//!
//! - **Fetches once.** Concurrent questions about an origin share one fetch. Its result, even a failure, is cached for
//!   as long as the [`Policy`] says. A caller that goes away does not cancel a fetch that others wait for.
//! - **Never fails open by accident.** After a timeout, a DNS failure, an invalid certificate or a truncated file, the
//!   last good copy decides, or nothing is allowed. If a policy turns a failure into permission, the decision says so,
//!   and [`Stats`] count it.
//! - **Connects only to allowed addresses.** Addresses are checked when the connection is made, on every hop: see
//!   [`Addresses`]. By default, only public addresses are allowed.
//! - **Caches.** In memory, limited by bytes, and in a [`store`] if there is one, which also keeps earlier versions of
//!   a file.
//! - **Explains.** A [`Decision`] names the deciding line, the source and the age of the rules, the time of the next
//!   fetch, and the row of the policy that decided; [`SiteRobots::exchanges`] lists the requests.
//!
//! The meaning of each result of a fetch is defined by [`comity_policy`].
//!
//! # Features
//!
//! - `http` (default): the built-in transport, HTTP/1.1 and HTTP/2. Without it, the client needs a
//!   [transport](transport::Transport) of yours.
//! - `redb` (default): the store in a file.
//! - `brotli`, `zstd` (default): content codings in addition to gzip and deflate, with any transport.
//! - `platform-verifier` (default): certificates are verified by the system, where it has a verifier (macOS, Windows,
//!   Android). Without it, and always on Linux, they are verified in the process, by the system's authorities.
//! - `hickory`: the built-in transport queries the system's name servers itself, without a thread for each lookup.
//!   Without it, the system's library resolves names (`getaddrinfo`).
//! - `ftp`: the built-in transport fetches `ftp:` URLs, anonymously.
//! - `store-suite`: [`store::suite`], the contract tests for other implementations of stores.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod builder;
mod cache;
mod cached_site;
mod client;
mod clock;
mod decision;
mod driver;
mod error;
mod flight;
mod host_limiter;
mod lease;
mod lines;
mod obtain;
mod page;
mod resolve;
mod scope;
mod site_robots;
mod site_rules;
mod stats;
pub mod store;
pub mod transport;

pub use address::{Addresses, AddressesError, IpRange, IpRangeError, NotAllowed, Special, Trust, is_public, special};
pub use builder::ClientBuilder;
pub use client::Client;
pub use clock::Clock;
pub use comity_policy::{
    Access, Attempt, Event, Failure, GoodCopy, Hop, Policy, Row, Ruling, Rung, StoredRecord, Time,
};
pub use decision::{CheckOutcome, Decision};
pub use driver::Exchange;
pub use error::CheckError;
pub use page::{FetchedPage, PageError};
#[cfg(feature = "http")]
pub use resolve::SystemResolver;
pub use resolve::{Fixed, OverrideError, Overrides, Resolve, ResolveError, Resolving};
pub use site_robots::SiteRobots;
pub use site_rules::SiteRules;
pub use stats::{FetchTimes, Stats};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/migrating.md")]
struct Migrating;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/crawler-authors.md")]
struct CrawlerAuthors;
