//! Connections: what each is at, and which of them must go.
//!
//! No connection has timers of its own. It notes what it is at and since when, and one watch looks at all of them a few
//! times a second.

use std::collections::HashMap;
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
use tokio::sync::Notify;

use crate::limits::Limits;

/// What a connection is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The head of a request is on its way, or TLS is being set up.
    Head = 0,
    /// Requests are worked on, or answers sent.
    Busy = 1,
    /// Nothing.
    Idle = 2,
}

/// What a connection was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    None = 0,
    /// End what began, and close.
    Finish = 1,
    /// Close now.
    Close = 2,
}

/// What time it is, as the watch saw it last: in milliseconds, never 0.
///
/// To look at the clock a few times for each request would cost more than it is worth. The watch acts no sooner anyway.
#[derive(Clone, Debug)]
struct Clock(Arc<AtomicU64>);

impl Clock {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, since: Instant) {
        let millis = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX >> 2);
        self.0.store(millis + 1, Ordering::Relaxed);
    }
}

/// A connection, as the watch and its own task see it.
#[derive(Debug)]
pub(crate) struct Connection {
    clock: Clock,
    /// A phase in the lowest two bits, and the time since which it is so.
    phase: AtomicU64,
    requests: AtomicUsize,
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
    fn new(clock: Clock) -> Self {
        let connection = Self {
            clock,
            phase: AtomicU64::new(0),
            requests: AtomicUsize::new(0),
            is_http2: AtomicBool::new(false),
            blocked: AtomicU64::new(0),
            parts: Mutex::default(),
            order: AtomicU8::new(Order::None as u8),
            waker: AtomicWaker::new(),
        };
        connection.enter(Phase::Head);
        connection
    }

    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn enter(&self, phase: Phase) {
        self.phase.store(self.now() << 2 | phase as u64, Ordering::Relaxed);
    }

    /// What it is at, and since when.
    fn phase(&self) -> (Phase, u64) {
        let bits = self.phase.load(Ordering::Relaxed);
        let phase = match bits & 3 {
            0 => Phase::Head,
            1 => Phase::Busy,
            _ => Phase::Idle,
        };
        // Of HTTP/2, the last request to end may have written its end over the next one's begin.
        (if self.requests.load(Ordering::Relaxed) > 0 { Phase::Busy } else { phase }, bits >> 2)
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

    /// Bytes came.
    pub(crate) fn heard(&self) {
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

    fn tell(&self, order: Order) {
        if self.order.fetch_max(order as u8, Ordering::Relaxed) < order as u8 {
            self.waker.wake();
        }
    }

    /// Tells it to end; who does not end in time is closed.
    fn tell_again(&self) {
        let had = self.order.load(Ordering::Relaxed);
        self.tell(if had == Order::None as u8 { Order::Finish } else { Order::Close });
    }

    /// Drives what serves the connection, and does as it is told meanwhile: once, it may have to `finish`.
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

/// All connections.
#[derive(Debug)]
pub(crate) struct Connections {
    epoch: Instant,
    clock: Clock,
    list: Mutex<List>,
    /// Told when the last one has gone.
    gone: Notify,
}

#[derive(Debug, Default)]
struct List {
    next: u64,
    open: HashMap<u64, Arc<Connection>>,
}

/// A connection on the list, until it is dropped.
#[derive(Debug)]
pub(crate) struct Listed {
    connections: Arc<Connections>,
    id: u64,
    pub(crate) connection: Arc<Connection>,
}

impl Connections {
    pub(crate) fn new() -> Arc<Self> {
        let clock = Clock(Arc::new(AtomicU64::new(1)));
        Arc::new(Self { epoch: Instant::now(), clock, list: Mutex::default(), gone: Notify::new() })
    }

    /// Puts a new connection on the list.
    pub(crate) fn add(self: &Arc<Self>) -> Listed {
        let connection = Arc::new(Connection::new(self.clock.clone()));
        let mut list = self.list();
        let id = list.next;
        list.next += 1;
        list.open.insert(id, Arc::clone(&connection));
        Listed { connections: Arc::clone(self), id, connection }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list().open.len()
    }

    /// Closes the connection on which nothing has happened for longest. False if something happens on all of them.
    pub(crate) fn evict(&self) -> bool {
        /// A head that takes longer is not being sent in earnest.
        const HEAD: u64 = 1000;
        let mut list = self.list();
        let oldest = list
            .open
            .iter()
            .map(|(&id, connection)| (id, connection.phase(), connection.now()))
            .filter(|&(_, (phase, since), now)| match phase {
                Phase::Idle => true,
                Phase::Head => now.saturating_sub(since) > HEAD,
                Phase::Busy => false,
            })
            .min_by_key(|&(_, (_, since), _)| since);
        let Some((id, ..)) = oldest else { return false };
        // Off the list at once, so that there is room.
        if let Some(connection) = list.open.remove(&id) {
            connection.tell(Order::Close);
        }
        true
    }

    /// Looks at all connections, again and again, and closes those that take too long for something.
    pub(crate) async fn watch(&self, limits: &Limits) {
        let shortest = limits.head_timeout.min(limits.idle_timeout).min(limits.write_timeout);
        let pause = (shortest / 8).clamp(Duration::from_millis(5), Duration::from_secs(1));
        loop {
            tokio::time::sleep(pause).await;
            self.clock.set(self.epoch);
            for connection in self.list().open.values() {
                if is_overdue(connection, limits) {
                    connection.tell_again();
                }
            }
        }
    }

    /// Tells all of them to end what began, and waits for that; closes what is left when the time is over, and says how
    /// many those were.
    pub(crate) async fn finish(&self, grace: Duration) -> usize {
        self.tell_all(Order::Finish);
        if tokio::time::timeout(grace, self.are_gone()).await.is_ok() {
            return 0;
        }
        let left = self.len();
        self.close().await;
        left
    }

    /// Closes all of them.
    pub(crate) async fn close(&self) {
        /// They only have to be told.
        const MOST: Duration = Duration::from_secs(1);
        self.tell_all(Order::Close);
        let _ = tokio::time::timeout(MOST, self.are_gone()).await;
    }

    fn tell_all(&self, order: Order) {
        self.list().open.values().for_each(|connection| connection.tell(order));
    }

    async fn are_gone(&self) {
        loop {
            let gone = self.gone.notified();
            if self.len() == 0 {
                return;
            }
            gone.await;
        }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        lock(&self.list)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_overdue(connection: &Connection, limits: &Limits) -> bool {
    let now = connection.now();
    let is_longer = |since: u64, limit: Duration| u128::from(now.saturating_sub(since)) > limit.as_millis();
    let (phase, since) = connection.phase();
    let blocked = connection.blocked.load(Ordering::Relaxed);
    let mut parts = lock(&connection.parts);
    parts.retain(|handed| handed.strong_count() > 0);
    let handed = parts.iter().filter_map(Weak::upgrade).map(|handed| handed.load(Ordering::Relaxed));
    iter::once(blocked).chain(handed).any(|since| since > 0 && is_longer(since, limits.write_timeout))
        || match phase {
            Phase::Head => is_longer(since, limits.head_timeout),
            Phase::Idle => is_longer(since, limits.idle_timeout),
            Phase::Busy => false,
        }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut list = self.connections.list();
        list.open.remove(&self.id);
        if list.open.is_empty() {
            self.connections.gone.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_reads_slowly_is_not_one_who_reads_nothing() {
        let connections = Connections::new();
        let connection = connections.add().connection.clone();
        let is_blocked = || connection.blocked.load(Ordering::Relaxed) != 0;
        connection.wrote(&Poll::Pending);
        assert!(is_blocked());
        connection.wrote(&Poll::Ready(Ok(0)));
        assert!(is_blocked());
        connection.wrote(&Poll::Ready(Ok(1)));
        assert!(!is_blocked());
    }
}
