//! Connections without a request in progress, for the next request to their site.
//!
//! Written here, because the pool of `hyper-util` connects by itself: it knows neither the address rules, which differ
//! between requests, nor what the server sent without progress.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use url::{Origin, Url};

use super::http::Connection;
use crate::address::Addresses;

/// The maximum number of connections. The ones that wait for the longest time are closed first.
const MAX_IDLE: usize = 100;

/// The time after which a connection is not used again, and is closed by the next request that looks for one. Most
/// servers close it sooner.
const MAX_IDLE_TIME: Duration = Duration::from_secs(60);

/// Connections without a request in progress. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool(Arc<Mutex<VecDeque<Idle>>>);

#[derive(Debug)]
struct Idle {
    site: Origin,
    since: Instant,
    connection: Connection,
}

impl Pool {
    /// Takes a connection to the site of a URL whose address is allowed. It may have been closed since.
    pub(super) fn take(&self, url: &Url, addresses: &Addresses) -> Option<Connection> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|idle| idle.since.elapsed() < MAX_IDLE_TIME && !idle.connection.is_closed());
        let is_allowed = |address: IpAddr| addresses.check(address).is_ok();
        let site = url.origin();
        let found = idle
            .iter()
            .rposition(|idle| idle.site == site && idle.connection.peer().is_none_or(|peer| is_allowed(peer.ip())))?;
        Some(idle.remove(found)?.connection)
    }

    /// Keeps a connection after its response was read to the end.
    pub(super) fn put(&self, site: Origin, connection: Connection) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= MAX_IDLE {
            idle.pop_front();
        }
        idle.push_back(Idle { site, since: Instant::now(), connection });
    }
}
