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
//! # Table of contents
//!
//! - [Should I use this crate?](#should-i-use-this-crate)
//! - [What it does](#what-it-does)
//! - [Ways to ask](#ways-to-ask)
//! - [Options](#options)
//! - [Failures and errors](#failures-and-errors)
//! - [Examples](#examples)
//! - [Crate features](#crate-features)
//!
//! # Should I use this crate?
//!
//! Use it if your program requests pages and should obey the robots.txt files of their sites. It does everything between
//! a URL and the decision, and needs a tokio runtime. For parts of that:
//!
//! | you have | use |
//! |---|---|
//! | a robots.txt, and a question about it | [`comity`], the engine |
//! | an HTTP client without tokio | [`comity_policy`], a state machine without sockets and clock |
//! | an HTTP client with tokio, which should send the requests | this crate, with a [transport](transport::Transport) of yours |
//! | code that uses another library | [Coming from another library](_migrating), a table of calls and their replacements |
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
//! - **Visits pages.** [`Client::get`] and [`Visitor`] ask before each request and each redirect, keep the pace of each host
//!   ([`Pacer`]), and return the page with its permitted uses.
//! - **Explains.** A [`Decision`] names the deciding line, the source and the age of the rules, the time of the next
//!   fetch, and the row of the policy that decided; [`SiteRobots::exchanges`] lists the requests.
//!
//! The meaning of each result of a fetch is defined by [`comity_policy`].
//!
//! # Ways to ask
//!
//! | question | method | requests |
//! |---|---|---|
//! | one URL | [`Client::check`] | a fetch of the site's file, if no copy is cached or it is due |
//! | some URLs of a site | [`Client::robots`], then [`SiteRobots::check`] | the same |
//! | many URLs of a site | [`SiteRobots::rules_for`], then [`SiteRules::check`] | the same; the rules are compiled once |
//! | a URL, without any request | [`Client::cached`], then [`SiteRobots::check`] | none |
//! | a URL, by a new copy | [`Client::fetch`], then [`SiteRobots::check`] | always a fetch |
//! | one URL, and its page if it is allowed | [`Client::get`], or [`Visitor::visit`] | the same as for one URL, and the page |
//!
//! All of them follow what is in force: the file, or what the policy decides in its place. A URL of another site is
//! "out of scope" in each of them, and not allowed.
//!
//! ```no_run
//! # async fn example(client: comity_fetch::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let me = comity::Crawler::token("ExampleBot")?;
//! let site = client.robots("https://example.org/").await?;
//! let rules = site.rules_for(&me);
//! let links = ["https://example.org/a", "https://example.org/b", "https://example.net/"];
//! let allowed: Vec<&str> = links.into_iter().filter(|link| rules.check(link).is_allowed()).collect();
//! let pace = site.pace(&me); // `Crawl-delay`, `Request-rate` and `Visit-time`
//! # Ok(())
//! # }
//! ```
//!
//! # Options
//!
//! [`Client::builder`] takes the user agent; everything else has a default, which the documentation of its method
//! states:
//!
//! ```
//! use std::time::Duration;
//! use comity_fetch::{Client, Policy};
//!
//! let client = Client::builder("ExampleBot/1.0 (+https://example.com/bot)")
//!     .policy(Policy::GOOGLE)
//!     .timeout(Duration::from_secs(10))
//!     .memory(64 << 20)
//!     .build()?;
//! assert_eq!(client.policy().deadline, Duration::from_secs(10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Failures and errors
//!
//! A site that fails is not an error. The [`Policy`] turns each result of a fetch into a [`Ruling`]: the rules of the
//! file, those of the last good copy, everything allowed, or nothing allowed. [`SiteRobots::ruling`] returns it, and
//! [`SiteRobots::attempt`] the attempt with its [`Failure`], if it failed. Nothing has to be retried by the caller:
//! [`SiteRobots::due`] is the time of the next attempt.
//!
//! A [`CheckError`] means that there is no decision: the text is not a URL, its scheme cannot be fetched, or the client
//! is offline and knows nothing about the site. Treat it as "not allowed".
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = comity_fetch::Client::builder("ExampleBot/1.0").offline(true).build()?;
//! let me = comity::Crawler::token("ExampleBot")?;
//! assert!(client.check(&me, "no URL").await.unwrap_err().is_url());
//! assert!(client.check(&me, "https://example.org/").await.unwrap_err().is_nothing_known());
//! # Ok(())
//! # }
//! ```
//!
//! # Examples
//!
//! The package contains these programs, for `cargo run --example NAME -- URL`:
//!
//! - `polite`: one page, with its redirects, its pace and its permitted uses.
//! - `crawl`: many sites at once, each at its own pace.
//! - `training`: pages to train a model on, without those that a site reserves.
//!
//! # Crate features
//!
//! - `http` (default): the built-in transport, HTTP/1.1 and HTTP/2. Without it, the client needs a
//!   [transport](transport::Transport) of yours.
//! - `pages` (default): `VisitedPage::permissions`, with the crate `comity-page`.
//! - `sqlite` (default): the store in a file.
//! - `platform-verifier` (default): certificates are verified by the system, where it has a verifier (macOS, Windows,
//!   Android). Without it, and always on Linux, they are verified in the process, by the system's authorities.
//! - `ftp`: the built-in transport fetches `ftp:` URLs, anonymously.
//! - `store-suite`: `store::suite`, the contract tests for other implementations of stores.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod budget;
mod builder;
mod cache;
mod cached_site;
mod client;
mod clock;
mod compiled;
mod decision;
mod driver;
mod error;
mod host_limiter;
mod lease;
mod lines;
mod obtain;
mod pacer;
mod page;
mod resolve;
mod scope;
mod shared_fetch;
mod site_robots;
mod site_rules;
mod stats;
pub mod store;
mod store_patience;
mod store_warnings;
pub mod transport;
mod visitor;
mod write_back;

pub use address::{Addresses, AddressesError, IpRange, IpRangeError, NotAllowed, Special, Trust, is_public, special};
pub use budget::RequestBudget;
pub use builder::ClientBuilder;
pub use client::Client;
pub use clock::Clock;
pub use comity_policy::{
    Access, Attempt, Effect, Event, Failure, GoodCopy, Hop, Policy, Row, Ruling, Rung, StoredRecord, Time,
};
pub use decision::{CheckOutcome, Decision};
pub use driver::Exchange;
pub use error::CheckError;
pub use pacer::{Pacer, PagePermit};
pub use page::{FetchedPage, PageError, PageRequest};
#[cfg(feature = "http")]
pub use resolve::SystemResolver;
pub use resolve::{Fixed, OverrideError, Overrides, Resolve, ResolveError, Resolving};
pub use site_robots::SiteRobots;
pub use site_rules::SiteRules;
pub use stats::{FetchTimes, Stats};
pub use visitor::{Permit, Visit, VisitError, VisitedPage, Visitor};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(any(doc, doctest))]
#[doc = include_str!("../docs/migrating.md")]
pub mod _migrating {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/crawler-authors.md")]
struct CrawlerAuthors;
