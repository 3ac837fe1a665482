//! Fetches of sites that questions cause, limited per client and in total.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// The fetches of sites that questions cause. Those of one client wait for each other, so that the sites of other
/// clients are fetched meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct SiteFetches(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The maximum number of concurrent fetches of one client.
    share: usize,
    all: Arc<Semaphore>,
    /// A semaphore for each client with a fetch in progress or waiting.
    clients: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

/// A permit for a fetch, until it is dropped. It moves into the fetch, which continues when its caller goes away.
#[derive(Debug)]
pub(crate) struct FetchPermit {
    // The semaphores are never closed. Dropped before `_client`, which counts the references to its semaphore.
    _of_client: Result<OwnedSemaphorePermit, AcquireError>,
    _of_all: Result<OwnedSemaphorePermit, AcquireError>,
    _client: Client,
}

/// A client's semaphore. The last one of a client removes it from the map.
#[derive(Debug)]
struct Client {
    fetches: SiteFetches,
    key: IpAddr,
    semaphore: Arc<Semaphore>,
}

impl SiteFetches {
    /// Returns limits for a service that fetches `at_once` sites at the same time, and has at most `max` fetches in
    /// progress or waiting. One client may have seven eighths of `at_once`.
    pub(crate) fn new(at_once: usize, max: usize) -> Self {
        let share = (at_once - at_once / 8).max(1);
        let all = Arc::new(Semaphore::new(max.clamp(share, Semaphore::MAX_PERMITS)));
        Self(Arc::new(Shared { share, all, clients: Mutex::default() }))
    }

    /// Waits until a client may have another site fetched.
    pub(crate) async fn acquire(&self, client: IpAddr) -> FetchPermit {
        let client = self.client(client);
        let of_client = Arc::clone(&client.semaphore).acquire_owned().await;
        let of_all = Arc::clone(&self.0.all).acquire_owned().await;
        FetchPermit { _of_client: of_client, _of_all: of_all, _client: client }
    }

    fn client(&self, key: IpAddr) -> Client {
        let mut clients = self.lock();
        let semaphore = clients.entry(key).or_insert_with(|| Arc::new(Semaphore::new(self.0.share)));
        Client { fetches: self.clone(), key, semaphore: Arc::clone(semaphore) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Arc<Semaphore>>> {
        self.0.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        /// The map's reference and this one.
        const UNUSED_REFERENCES: usize = 2;
        let mut clients = self.fetches.lock();
        if Arc::strong_count(&self.semaphore) <= UNUSED_REFERENCES {
            clients.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures_util::FutureExt as _;

    use super::*;

    const A: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
    const B: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

    #[test]
    fn one_client_has_seven_eighths() {
        let fetches = SiteFetches::new(16, 100);
        let acquire = |client| fetches.acquire(client).now_or_never();
        let mut permits: Vec<_> = (0..14).map(|_| acquire(A).unwrap()).collect();
        assert!(acquire(A).is_none());
        let others: Vec<_> = (0..14).map(|_| acquire(B).unwrap()).collect();
        permits.pop();
        let last = acquire(A).unwrap();
        assert!(acquire(A).is_none());
        drop((permits, last, others));
        assert!(fetches.lock().is_empty(), "clients without fetches take no memory");
    }

    #[test]
    fn waiting_clients_that_leave_take_no_memory() {
        let fetches = SiteFetches::new(1, 1);
        let permit = fetches.acquire(A).now_or_never().unwrap();
        let mut waiting = Box::pin(fetches.acquire(A));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(permit);
        drop(waiting);
        assert!(fetches.lock().is_empty());
    }

    #[test]
    fn all_clients_together_have_a_limit() {
        let fetches = SiteFetches::new(8, 10);
        let acquire = |client| fetches.acquire(client).now_or_never();
        let permits: Vec<_> = (0..7).map(|_| acquire(A).unwrap()).chain((0..3).map(|_| acquire(B).unwrap())).collect();
        assert!(acquire(B).is_none());
        drop(permits);
        assert!(acquire(B).is_some());
    }
}
