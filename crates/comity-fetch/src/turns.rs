//! Who may ask a host now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bounds what runs at once: so many attempts in all, and one for each host, whatever its schemes and ports.
#[derive(Debug)]
pub(crate) struct Turns {
    all: Arc<Semaphore>,
    /// Of the hosts that somebody asks or waits for.
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// The right to ask a host, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'t> {
    turns: &'t Turns,
    host: String,
    // The host's first: who waits for a host must not hold a place of those that could go on.
    _host: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Turns {
    pub(crate) fn new(at_once: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(at_once)), hosts: Mutex::default() }
    }

    /// Waits until the host may be asked.
    pub(crate) async fn wait(&self, host: &str) -> Option<Turn<'_>> {
        let of_host = {
            let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(hosts.entry(host.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(1))))
        };
        // Neither is ever closed.
        let of_host = of_host.acquire_owned().await.ok()?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Turn { turns: self, host: host.to_owned(), _host: of_host, _all: of_all })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        /// The list's own, the permit's, and one for each who waits.
        const UNWANTED: usize = 2;
        let mut hosts = self.turns.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.get(&self.host).is_some_and(|host| Arc::strong_count(host) <= UNWANTED) {
            hosts.remove(&self.host);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_host_is_asked_by_one_and_others_are_not_held_up() {
        let turns = Turns::new(2);
        let first = turns.wait("a").await;
        let mut second = Box::pin(turns.wait("a"));
        let soon = Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, &mut second).await.is_err(), "one at a time");
        let other = turns.wait("b").await;
        assert!(tokio::time::timeout(soon, turns.wait("c")).await.is_err(), "two in all");
        drop(other);
        assert!(turns.wait("c").await.is_some());
        drop(first);
        assert!(second.await.is_some());
        assert!(turns.hosts.lock().unwrap().keys().all(|host| host == "c"), "what nobody waits for is forgotten");
    }
}
