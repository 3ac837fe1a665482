//! Limits on concurrent attempts: one for each host, and a total.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A limit on the attempts that run at once: one for each host, regardless of scheme and port, and a total.
#[derive(Debug)]
pub(crate) struct HostLimiter {
    max_attempts: usize,
    all: Arc<Semaphore>,
    /// A semaphore for each host that is being fetched or waited for.
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A permit to send requests to a host, until it is dropped.
#[derive(Debug)]
pub(crate) struct HostPermit<'l> {
    limiter: &'l HostLimiter,
    host: String,
    // Acquired first: an attempt that waits for its host must not use up one of the total.
    _host: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl HostLimiter {
    /// Creates a limiter of `max_attempts` concurrent attempts.
    pub(crate) fn new(max_attempts: usize) -> Self {
        Self { max_attempts, all: Arc::new(Semaphore::new(max_attempts)), hosts: Mutex::default() }
    }

    pub(crate) fn max_attempts(&self) -> usize {
        self.max_attempts
    }

    /// Waits until requests may be sent to the host. Returns `None` only if a semaphore was closed, which never happens.
    pub(crate) async fn acquire(&self, host: &str) -> Option<HostPermit<'_>> {
        let of_host = {
            let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(hosts.entry(host.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(1))))
        };
        let of_host = of_host.acquire_owned().await.ok()?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(HostPermit { limiter: self, host: host.to_owned(), _host: of_host, _all: of_all })
    }
}

impl HostPermit<'_> {
    pub(crate) fn host(&self) -> &str {
        &self.host
    }
}

impl Drop for HostPermit<'_> {
    fn drop(&mut self) {
        /// The map's reference and the permit's. Each waiting task holds one more.
        const UNUSED_REFERENCES: usize = 2;
        let mut hosts = self.limiter.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.get(&self.host).is_some_and(|host| Arc::strong_count(host) <= UNUSED_REFERENCES) {
            hosts.remove(&self.host);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn one_attempt_per_host_does_not_block_other_hosts() {
        let limiter = HostLimiter::new(2);
        let first = limiter.acquire("a").await;
        let mut second = Box::pin(limiter.acquire("a"));
        let soon = Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, &mut second).await.is_err(), "one at a time");
        let other = limiter.acquire("b").await;
        assert!(tokio::time::timeout(soon, limiter.acquire("c")).await.is_err(), "two in all");
        drop(other);
        assert!(limiter.acquire("c").await.is_some());
        drop(first);
        assert!(second.await.is_some());
        assert!(limiter.hosts.lock().unwrap().keys().all(|host| host == "c"), "hosts without waiters are removed");
    }
}
