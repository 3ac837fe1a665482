//! The state of one connection, as its own task sees it.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;

use futures_util::task::AtomicWaker;

use super::watch::{Clock, Order};

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The head of a request arrives, or TLS is being set up.
    Head = 0,
    /// Requests are processed, or answers sent.
    Busy = 1,
    /// No request is in progress.
    Idle = 2,
    /// All requests in progress wait for more of their bodies. Never stored: it follows from the counts.
    Body = 3,
}

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    clock: Clock,
    /// True for a connection of the reserve, for questions about health alone.
    is_reserve: bool,
    /// The phase in the lowest two bits, and the time when it began.
    phase: AtomicU64,
    requests: AtomicUsize,
    /// The number of requests that wait for more of their bodies.
    awaiting: AtomicUsize,
    /// The time when bytes last arrived.
    heard: AtomicU64,
    is_http2: AtomicBool,
    /// The time since which bytes wait for the client to accept them; 0 if none do.
    pub(super) blocked: AtomicU64,
    /// The answers that are sent in parts. Each has the time at which the client began to receive the last part, or 0
    /// while the next part is being prepared.
    parts: Mutex<Vec<Weak<AtomicU64>>>,
    pub(super) order: AtomicU8,
    pub(super) waker: AtomicWaker,
}

impl Connection {
    pub(crate) fn new(clock: Clock, is_reserve: bool) -> Self {
        let connection = Self {
            heard: AtomicU64::new(clock.now()),
            clock,
            is_reserve,
            phase: AtomicU64::new(0),
            requests: AtomicUsize::new(0),
            awaiting: AtomicUsize::new(0),
            is_http2: AtomicBool::new(false),
            blocked: AtomicU64::new(0),
            parts: Mutex::default(),
            order: AtomicU8::new(Order::None as u8),
            waker: AtomicWaker::new(),
        };
        connection.enter(Phase::Head);
        connection
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Returns true if it is one of the reserve, for questions about health alone.
    pub(crate) fn is_reserve(&self) -> bool {
        self.is_reserve
    }

    /// Locks the list of answers in parts.
    pub(super) fn parts(&self) -> MutexGuard<'_, Vec<Weak<AtomicU64>>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, phase: Phase) {
        self.phase.store(self.now() << 2 | phase as u64, Ordering::Relaxed);
    }

    /// Returns the phase, and the time since which nothing else has happened.
    pub(crate) fn phase(&self) -> (Phase, u64) {
        let bits = self.phase.load(Ordering::Relaxed);
        // With HTTP/2, the end of the last request may have overwritten the start of the next one.
        let requests = self.requests.load(Ordering::Relaxed);
        if requests > 0 && self.awaiting.load(Ordering::Relaxed) >= requests {
            return (Phase::Body, self.heard.load(Ordering::Relaxed));
        }
        let phase = match bits & 3 {
            _ if requests > 0 => Phase::Busy,
            0 => Phase::Head,
            1 => Phase::Busy,
            _ => Phase::Idle,
        };
        (phase, bits >> 2)
    }

    fn is_http2(&self) -> bool {
        self.is_http2.load(Ordering::Relaxed)
    }

    /// Counts a request whose head has arrived.
    pub(crate) fn begin(self: &Arc<Self>, is_http2: bool) -> Request {
        if is_http2 {
            self.is_http2.store(true, Ordering::Relaxed);
        }
        if self.requests.fetch_add(1, Ordering::Relaxed) == 0 {
            self.enter(Phase::Busy);
        }
        Request(Arc::clone(self))
    }

    /// Counts a request as waiting for more of its body, until the result is dropped. A connection is as good as idle
    /// if all its requests wait for their bodies.
    pub(crate) fn await_body(self: &Arc<Self>) -> AwaitingBody {
        self.awaiting.fetch_add(1, Ordering::Relaxed);
        AwaitingBody(Arc::clone(self))
    }

    /// Records that bytes have arrived.
    pub(crate) fn heard(&self) {
        self.heard.store(self.now(), Ordering::Relaxed);
        // With HTTP/2 they may be anything; with HTTP/1 the next head begins.
        if self.phase.load(Ordering::Relaxed) & 3 == Phase::Idle as u64 && !self.is_http2() {
            self.enter(Phase::Head);
        }
    }

    /// Records that the client accepts no more bytes for now.
    pub(crate) fn blocked(&self) {
        if self.blocked.load(Ordering::Relaxed) == 0 {
            self.blocked.store(self.now(), Ordering::Relaxed);
        }
    }

    /// Records that the client accepts bytes.
    pub(crate) fn taken(&self) {
        if self.blocked.load(Ordering::Relaxed) != 0 {
            self.blocked.store(0, Ordering::Relaxed);
        }
    }

    /// Records the result of an attempt to write. Some bytes are enough: a client that reads slowly does read.
    pub(crate) fn wrote(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Pending => self.blocked(),
            Poll::Ready(Ok(1..)) => self.taken(),
            Poll::Ready(_) => {}
        }
    }
}

/// A request that waits for more of its body, until it is dropped.
#[derive(Debug)]
pub(crate) struct AwaitingBody(Arc<Connection>);

impl Drop for AwaitingBody {
    fn drop(&mut self) {
        self.0.awaiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request that is processed, or whose answer is being sent, until it is dropped.
#[derive(Debug)]
pub(crate) struct Request(Arc<Connection>);

/// An answer that is sent in parts. A client can stop one HTTP/2 stream of many while the connection continues.
#[derive(Debug)]
pub(crate) struct Parts {
    connection: Arc<Connection>,
    handed: Arc<AtomicU64>,
}

impl Request {
    /// Returns true if it is an HTTP/2 request, one of many on its connection.
    pub(crate) fn is_http2(&self) -> bool {
        self.0.is_http2()
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.0
    }

    /// Makes the watch check how the client takes the answer.
    pub(crate) fn in_parts(&self) -> Parts {
        let handed = Arc::new(AtomicU64::new(0));
        self.0.parts().push(Arc::downgrade(&handed));
        Parts { connection: Arc::clone(&self.0), handed }
    }
}

impl Parts {
    /// Records that a part has been handed to the client.
    pub(crate) fn handed_over(&self) {
        self.handed.store(self.connection.now(), Ordering::Relaxed);
    }

    /// Records that the client has accepted the part.
    pub(crate) fn taken(&self) {
        self.handed.store(0, Ordering::Relaxed);
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.enter(Phase::Idle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_is_blocked_until_it_writes() {
        let connection = Connection::new(Clock::new(), false);
        let is_blocked = || connection.blocked.load(Ordering::Relaxed) != 0;
        connection.wrote(&Poll::Pending);
        assert!(is_blocked());
        connection.wrote(&Poll::Ready(Ok(0)));
        assert!(is_blocked());
        connection.wrote(&Poll::Ready(Ok(1)));
        assert!(!is_blocked());
    }

    #[test]
    fn a_connection_waits_for_bodies_if_all_its_requests_do() {
        let connection = Arc::new(Connection::new(Clock::new(), false));
        let phase = || connection.phase().0;
        assert_eq!(phase(), Phase::Head);
        let first = connection.begin(true);
        let awaiting = connection.await_body();
        assert_eq!(phase(), Phase::Body);
        let second = connection.begin(true);
        assert_eq!(phase(), Phase::Busy);
        drop(second);
        assert_eq!(phase(), Phase::Body);
        drop(awaiting);
        assert_eq!(phase(), Phase::Busy);
        drop(first);
        assert_eq!(phase(), Phase::Idle);
    }
}
