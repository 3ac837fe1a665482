//! Watches robots.txt files, and reports when the meaning of one changes.
//!
//! - [`Judge`] decides which [`Alert`]s follow from the history of a site: a pure function.
//! - [`Outbox`] keeps the states of sites and the alerts in the store, and [`Delivery`] sends alerts to receivers.
//! - [`Watcher`] does all of that for many sites.
//! - [`WatchConfig`] is the section `[watch]` of `comity.toml`.

mod alert;
mod config;
mod deliver;
mod judge;
mod network;
mod outbox;
mod schedule;
mod watcher;

pub use alert::{Alert, AlertKind};
pub use config::{Address, Receiver, WatchConfig, WatchedSites};
pub use deliver::{Delivery, DeliveryError};
pub use judge::{DEFAULT_AFTER, Judge, Key, LastFile, Look, State};
pub use outbox::Outbox;
pub use schedule::{DEFAULT_EVERY, MIN_EVERY};
pub use watcher::{Expected, SiteGroup, WatchFacts, WatchStatus, WatchSummary, Watcher, other_watcher};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
