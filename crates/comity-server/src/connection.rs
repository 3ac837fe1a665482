//! The state of one connection, as its own task and the watch over all of them see it.
//!
//! No connection has timers of its own. It records its phase and when that began; [`Connections`](crate::connection::set)
//! looks at all of them a few times a second.

pub(crate) mod frames;
pub(crate) mod set;
pub(crate) mod stream;
pub(crate) mod tls;

use std::future::poll_fn;
use std::io;
use std::iter;
use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

use crate::limits::Limits;

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The head of a request is on its way, or TLS is being set up.
    Head = 0,
    /// Requests are worked on, or answers sent.
    Busy = 1,
    /// No request is under way.
    Idle = 2,
    /// All requests that are under way wait for more of their bodies. Never stored: it follows from the counts.
    Body = 3,
}

/// An order to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    None = 0,
    /// End what began, and close.
    Finish = 1,
    /// Close now.
    Close = 2,
}

/// The time when the watch looked last, in milliseconds; never 0.
///
/// To look at the system's clock a few times for each request would cost more than it is worth. The watch acts no sooner
/// anyway.
#[derive(Clone, Debug)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1)))
    }

    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, since: Instant) {
        let millis = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX >> 2);
        self.0.store(millis + 1, Ordering::Relaxed);
    }
}

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    clock: Clock,
    /// A connection of the reserve, for questions about health alone.
    is_reserve: bool,
    /// A phase in the lowest two bits, and the time when it began.
    phase: AtomicU64,
    requests: AtomicUsize,
    /// Those of the requests that wait for more of their bodies.
    awaiting: AtomicUsize,
    /// When bytes came last.
    heard: AtomicU64,
    is_http2: AtomicBool,
    /// Since when bytes wait to be taken by the client; 0 if none do.
    blocked: AtomicU64,
    /// Of each answer that is on its way in parts: since when the client has been at the last one; 0 if we are at the
    /// next one.
    parts: Mutex<Vec<Weak<AtomicU64>>>,
    order: AtomicU8,
    waker: AtomicWaker,
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

    /// Returns whether it is one of the reserve, for questions about health alone.
    pub(crate) fn is_reserve(&self) -> bool {
        self.is_reserve
    }

    fn enter(&self, phase: Phase) {
        self.phase.store(self.now() << 2 | phase as u64, Ordering::Relaxed);
    }

    /// Returns the phase, and the time since which nothing else has happened.
    pub(crate) fn phase(&self) -> (Phase, u64) {
        let bits = self.phase.load(Ordering::Relaxed);
        // Of HTTP/2, the last request to end may have written its end over the next one's begin.
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

    /// Whether HTTP/2 is spoken.
    fn is_http2(&self) -> bool {
        self.is_http2.load(Ordering::Relaxed)
    }

    /// A request's head is there.
    pub(crate) fn begin(self: &Arc<Self>, is_http2: bool) -> Request {
        if is_http2 {
            self.is_http2.store(true, Ordering::Relaxed);
        }
        if self.requests.fetch_add(1, Ordering::Relaxed) == 0 {
            self.enter(Phase::Busy);
        }
        Request(Arc::clone(self))
    }

    /// Counts a request as one that waits for more of its body, until the result is dropped. A connection of which all
    /// requests do is as good as idle.
    pub(crate) fn await_body(self: &Arc<Self>) -> AwaitingBody {
        self.awaiting.fetch_add(1, Ordering::Relaxed);
        AwaitingBody(Arc::clone(self))
    }

    /// Bytes came.
    pub(crate) fn heard(&self) {
        self.heard.store(self.now(), Ordering::Relaxed);
        // Of HTTP/2, they may be anything; of HTTP/1, the next head begins.
        if self.phase.load(Ordering::Relaxed) & 3 == Phase::Idle as u64 && !self.is_http2() {
            self.enter(Phase::Head);
        }
    }

    /// The client takes no more bytes for now.
    pub(crate) fn blocked(&self) {
        if self.blocked.load(Ordering::Relaxed) == 0 {
            self.blocked.store(self.now(), Ordering::Relaxed);
        }
    }

    /// Bytes are on their way.
    pub(crate) fn taken(&self) {
        if self.blocked.load(Ordering::Relaxed) != 0 {
            self.blocked.store(0, Ordering::Relaxed);
        }
    }

    /// What became of an attempt to write. Some bytes are enough: one who reads slowly does read.
    pub(crate) fn wrote(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Pending => self.blocked(),
            Poll::Ready(Ok(1..)) => self.taken(),
            Poll::Ready(_) => {}
        }
    }

    /// Whether it was told to end.
    pub(crate) fn is_told(&self) -> bool {
        self.order.load(Ordering::Relaxed) != Order::None as u8
    }

    /// Waits until it is told to end.
    pub(crate) async fn told(&self) {
        poll_fn(|context| {
            self.waker.register(context.waker());
            if self.is_told() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Orders it to end.
    pub(crate) fn tell(&self, order: Order) {
        if self.order.fetch_max(order as u8, Ordering::Relaxed) < order as u8 {
            self.waker.wake();
        }
    }

    /// Orders it to finish, or, if it has had that order before, to close.
    pub(crate) fn tell_again(&self) {
        let had = self.order.load(Ordering::Relaxed);
        self.tell(if had == Order::None as u8 { Order::Finish } else { Order::Close });
    }

    /// Returns whether something has taken longer than the limits allow.
    pub(crate) fn is_overdue(&self, limits: &Limits) -> bool {
        let now = self.now();
        let is_longer = |since: u64, limit: Duration| u128::from(now.saturating_sub(since)) > limit.as_millis();
        let (phase, since) = self.phase();
        let blocked = self.blocked.load(Ordering::Relaxed);
        let mut parts = lock(&self.parts);
        parts.retain(|handed| handed.strong_count() > 0);
        let handed = parts.iter().filter_map(Weak::upgrade).map(|handed| handed.load(Ordering::Relaxed));
        iter::once(blocked).chain(handed).any(|since| since > 0 && is_longer(since, limits.write_timeout))
            || match phase {
                Phase::Head => is_longer(since, limits.head_timeout),
                Phase::Idle => is_longer(since, limits.idle_timeout),
                // Those who wait for bodies have a limit of their own.
                Phase::Busy | Phase::Body => false,
            }
    }

    /// Drives the future that serves the connection, and follows orders meanwhile: `finish` is called at most once.
    pub(crate) async fn drive<S: Future>(&self, mut serve: Pin<&mut S>, finish: impl Fn(Pin<&mut S>)) {
        let mut is_told = false;
        poll_fn(|context| {
            self.waker.register(context.waker());
            match self.order.load(Ordering::Relaxed) {
                0 => {}
                1 => {
                    if !mem::replace(&mut is_told, true) {
                        finish(serve.as_mut());
                    }
                }
                _ => return Poll::Ready(()),
            }
            serve.as_mut().poll(context).map(drop)
        })
        .await;
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

/// A request that is worked on, or whose answer is sent, until it is dropped.
#[derive(Debug)]
pub(crate) struct Request(Arc<Connection>);

/// An answer on its way in parts. A client of HTTP/2 can stop one of many, and the connection goes on.
#[derive(Debug)]
pub(crate) struct Parts {
    connection: Arc<Connection>,
    handed: Arc<AtomicU64>,
}

impl Request {
    /// Whether it is one of many on its connection.
    pub(crate) fn is_http2(&self) -> bool {
        self.0.is_http2()
    }

    /// Returns its connection.
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.0
    }

    /// Has the watch look at how the client takes the answer.
    pub(crate) fn in_parts(&self) -> Parts {
        let handed = Arc::new(AtomicU64::new(0));
        lock(&self.0.parts).push(Arc::downgrade(&handed));
        Parts { connection: Arc::clone(&self.0), handed }
    }
}

impl Parts {
    /// A part is the client's to take.
    pub(crate) fn handed_over(&self) {
        self.handed.store(self.connection.now(), Ordering::Relaxed);
    }

    /// There is room for the next one.
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_reads_slowly_is_not_one_who_reads_nothing() {
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
