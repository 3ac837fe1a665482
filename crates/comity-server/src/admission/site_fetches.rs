//! Fetches of sites that requests cause, limited per client and host, per client, and in total.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use crate::admission::keyed::lock;

/// The fetches of sites that requests cause. Those of one client wait for each other, so that the sites of other clients
/// are fetched meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct SiteFetches {
    /// The fetches of each client from each host, one at a time. The HTTP client fetches one site of a host at a time, in
    /// the order of the requests, so one client must not put a site for each port of a host before those of others.
    hosts: KeyedSemaphores<(IpAddr, String)>,
    clients: KeyedSemaphores<IpAddr>,
    all: Arc<Semaphore>,
}

/// A permit for a fetch, until it is dropped. It moves into the fetch, which continues when its caller goes away.
#[derive(Debug)]
pub(crate) struct FetchPermit {
    _host: KeyedSemaphorePermit<(IpAddr, String)>,
    _client: KeyedSemaphorePermit<IpAddr>,
    // The semaphore is never closed.
    _all: Result<OwnedSemaphorePermit, AcquireError>,
}

impl SiteFetches {
    /// Returns limits for a service that fetches `at_once` sites at the same time, and has at most `max` fetches in
    /// progress or waiting. One client may have seven eighths of `at_once`, and one per host.
    pub(crate) fn new(at_once: usize, max: usize) -> Self {
        let share = (at_once - at_once / 8).max(1);
        let all = Arc::new(Semaphore::new(max.clamp(share, Semaphore::MAX_PERMITS)));
        Self { hosts: KeyedSemaphores::new(1), clients: KeyedSemaphores::new(share), all }
    }

    /// Waits until a client may have another site of a host fetched.
    pub(crate) async fn acquire(&self, client: IpAddr, host: &str) -> FetchPermit {
        // In this order, a fetch that waits for its host is none of the client's share.
        let host = self.hosts.acquire((client, host.to_owned())).await;
        let of_client = self.clients.acquire(client).await;
        let all = Arc::clone(&self.all).acquire_owned().await;
        FetchPermit { _host: host, _client: of_client, _all: all }
    }
}

/// A semaphore per key, with the same number of permits for each. Unused keys take no memory.
#[derive(Clone, Debug)]
struct KeyedSemaphores<K> {
    permits: usize,
    used: Arc<Mutex<HashMap<K, Used>>>,
}

/// A semaphore, and the number of the tasks that have or await a permit of it.
#[derive(Debug)]
struct Used {
    semaphore: Arc<Semaphore>,
    tasks: usize,
}

/// A permit of a key's semaphore, until it is dropped.
#[derive(Debug)]
struct KeyedSemaphorePermit<K: Hash + Eq> {
    // The semaphore is never closed.
    _permit: Result<OwnedSemaphorePermit, AcquireError>,
    _task: Task<K>,
}

/// A task that has or awaits a permit. The last one of a key removes it.
#[derive(Debug)]
struct Task<K: Hash + Eq> {
    key: K,
    used: Arc<Mutex<HashMap<K, Used>>>,
}

impl<K: Hash + Eq + Clone> KeyedSemaphores<K> {
    fn new(permits: usize) -> Self {
        Self { permits, used: Arc::default() }
    }

    async fn acquire(&self, key: K) -> KeyedSemaphorePermit<K> {
        let (semaphore, task) = self.begin(key);
        KeyedSemaphorePermit { _permit: semaphore.acquire_owned().await, _task: task }
    }

    fn begin(&self, key: K) -> (Arc<Semaphore>, Task<K>) {
        let mut used = lock(&self.used);
        let new = || Used { semaphore: Arc::new(Semaphore::new(self.permits)), tasks: 0 };
        let entry = used.entry(key.clone()).or_insert_with(new);
        entry.tasks += 1;
        (Arc::clone(&entry.semaphore), Task { key, used: Arc::clone(&self.used) })
    }
}

impl<K: Hash + Eq> Drop for Task<K> {
    fn drop(&mut self) {
        let mut used = lock(&self.used);
        if let Some(entry) = used.get_mut(&self.key) {
            entry.tasks -= 1;
            if entry.tasks == 0 {
                used.remove(&self.key);
            }
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

    impl SiteFetches {
        fn is_empty(&self) -> bool {
            lock(&self.hosts.used).is_empty() && lock(&self.clients.used).is_empty()
        }

        /// Acquires permits of one client for as many hosts. Expects them to be available.
        fn acquire_many(&self, client: IpAddr, hosts: std::ops::Range<usize>) -> Vec<FetchPermit> {
            hosts.map(|host| self.acquire(client, &format!("host{host}.test")).now_or_never().unwrap()).collect()
        }
    }

    #[test]
    fn one_client_has_seven_eighths() {
        let fetches = SiteFetches::new(16, 100);
        let mut permits = fetches.acquire_many(A, 0..14);
        assert!(fetches.acquire(A, "other.test").now_or_never().is_none());
        let others = fetches.acquire_many(B, 0..14);
        permits.pop();
        let last = fetches.acquire(A, "other.test").now_or_never().unwrap();
        assert!(fetches.acquire(A, "another.test").now_or_never().is_none());
        drop((permits, last, others));
        assert!(fetches.is_empty(), "clients without fetches take no memory");
    }

    #[test]
    fn one_client_has_one_fetch_per_host() {
        let fetches = SiteFetches::new(16, 100);
        let first = fetches.acquire(A, "a.test").now_or_never().unwrap();
        let mut waiting: Vec<_> = (0..50).map(|_| Box::pin(fetches.acquire(A, "a.test"))).collect();
        assert!(waiting.iter_mut().all(|fetch| fetch.as_mut().now_or_never().is_none()));
        let other_client = fetches.acquire(B, "a.test").now_or_never();
        assert!(other_client.is_some(), "another client need not wait for those of the first");
        let other_hosts = fetches.acquire_many(A, 0..13);
        drop(first);
        assert!(waiting[0].as_mut().now_or_never().is_some());
        drop((other_hosts, other_client, waiting));
        assert!(fetches.is_empty());
    }

    #[test]
    fn waiting_clients_that_leave_take_no_memory() {
        let fetches = SiteFetches::new(1, 1);
        let permit = fetches.acquire(A, "a.test").now_or_never().unwrap();
        let mut waiting = ["a.test", "b.test"].map(|host| Box::pin(fetches.acquire(A, host)));
        assert!(waiting.iter_mut().all(|fetch| fetch.as_mut().now_or_never().is_none()));
        drop(permit);
        drop(waiting);
        assert!(fetches.is_empty());
    }

    #[test]
    fn all_clients_together_have_a_limit() {
        let fetches = SiteFetches::new(8, 10);
        let permits = (fetches.acquire_many(A, 0..7), fetches.acquire_many(B, 0..3));
        assert!(fetches.acquire(B, "other.test").now_or_never().is_none());
        drop(permits);
        assert!(fetches.acquire(B, "other.test").now_or_never().is_some());
    }
}
