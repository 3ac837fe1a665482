//! Asks sites for their robots.txt as a good crawler does, decides by it, and remembers it.
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
//! - **Asks once.** One fetch an origin at a time, however many ask; what came of it is remembered for as long as the
//!   [`Policy`] says, failures too. A caller that goes away does not end a fetch that others wait for.
//! - **Never fails open by accident.** A timeout, a name that can't be resolved, a broken certificate, half a file: the
//!   last good copy counts, or nothing is allowed. Where a policy turns a failure into permission, the decision says
//!   so, and [`Stats`] count it.
//! - **Connects only where it may.** Addresses are checked where the connection is made, on every hop: see
//!   [`Addresses`]. Without a word of the caller, only public ones are connected to.
//! - **Remembers.** In memory, bounded by bytes, and in a [`store`] if there is one; versions of a site's file are
//!   kept.
//! - **Explains.** A [`Decision`] knows the deciding line, where the rules came from, how old they are, when they are
//!   next due, and which row of the policy decided; [`SiteRobots::exchanges`] tells what happened on the wire.
//!
//! What each result of a fetch means is not decided here: see [`comity_policy`].
//!
//! # Features
//!
//! - `http` (default): the built-in transport, HTTP/1.1 and HTTP/2. Without it, give the client a
//!   [transport](transport::Transport) of your own.
//! - `redb` (default): the store in a file.
//! - `brotli`, `zstd` (default): content codings beside gzip and deflate, whatever the transport.
//! - `platform-verifier` (default): certificates are verified by the system, where it has a verifier (macOS, Windows,
//!   Android). Without it, and on Linux in any case, they are verified here by the system's authorities.
//! - `hickory`: the built-in transport asks the system's name servers itself, without a thread for each lookup. Without
//!   it, the system's library resolves names (`getaddrinfo`).
//! - `ftp`: the built-in transport fetches `ftp:` URLs, anonymously.
//! - `store-suite`: [`store::suite`], the contract tests for stores of your own.

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
pub use comity_policy::{Access, Attempt, Event, Failure, GoodCopy, Hop, Policy, Record, Row, Ruling, Rung, Time};
pub use decision::{CheckOutcome, Decision};
pub use driver::Exchange;
pub use error::CheckError;
pub use page::{FetchedPage, PageError};
#[cfg(feature = "http")]
pub use resolve::SystemResolver;
pub use resolve::{Fixed, OverrideError, Overrides, Resolve, ResolveError, Resolving};
pub use site_robots::SiteRobots;
pub use site_rules::SiteRules;
pub use stats::Stats;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/migrating.md")]
struct Migrating;
