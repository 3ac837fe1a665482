//! The log of requests, for tests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::request::Request;
use crate::sites::ANY;

#[derive(Default)]
pub(crate) struct Log {
    seen: Mutex<Seen>,
    connections: AtomicUsize,
    open: AtomicUsize,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Arc<Request>>,
    /// By host, then by path, so that counting does not iterate over all requests.
    counts: HashMap<String, HashMap<String, usize>>,
}

/// Counts a connection as open until it is dropped.
pub(crate) struct Open<'a> {
    log: &'a Log,
    pub(crate) number: usize,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.log.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Log {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("nothing panics under this lock")
    }

    pub(crate) fn connected(&self) -> Open<'_> {
        self.open.fetch_add(1, Ordering::Relaxed);
        Open { log: self, number: self.connections.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    pub(crate) fn add(&self, request: Arc<Request>) {
        let mut seen = self.seen();
        if !seen.counts.contains_key(&request.host) {
            seen.counts.insert(request.host.clone(), HashMap::new());
        }
        if let Some(paths) = seen.counts.get_mut(&request.host) {
            match paths.get_mut(&request.path) {
                Some(count) => *count += 1,
                None => drop(paths.insert(request.path.clone(), 1)),
            }
        }
        seen.requests.push(request);
    }

    pub(crate) fn requests(&self) -> Vec<Arc<Request>> {
        self.seen().requests.clone()
    }

    pub(crate) fn count(&self, host: &str, path: &str) -> usize {
        let seen = self.seen();
        let of_host = |paths: &HashMap<String, usize>| {
            if path == ANY { paths.values().sum() } else { paths.get(path).copied().unwrap_or(0) }
        };
        if host == ANY { seen.counts.values().map(of_host).sum() } else { seen.counts.get(host).map_or(0, of_host) }
    }

    pub(crate) fn clear(&self) {
        *self.seen() = Seen::default();
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn open_connections(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}
