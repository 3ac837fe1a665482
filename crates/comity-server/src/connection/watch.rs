//! Orders to connections, and checks for overdue ones.
//!
//! Connections have no timers of their own. Each records its phase and the time when the phase began, and
//! [`Connections`](super::set) checks all connections a few times per second.

use std::future::poll_fn;
use std::iter;
use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use super::state::{Connection, Phase};
use crate::limits::ServerLimits;

/// An order to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    None = 0,
    /// Finish the requests in progress, and close.
    Finish = 1,
    /// Close now.
    Close = 2,
}

/// The time for which the service has run until the last scan, in milliseconds; never 0.
///
/// Reading the system clock several times per request would cost more than it is worth. The watch acts no sooner
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

    pub(crate) fn advance(&self, passed: Duration) {
        self.0.fetch_add(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX >> 2), Ordering::Relaxed);
    }
}

impl Connection {
    /// Returns true if it has an order to end.
    pub(crate) fn is_told(&self) -> bool {
        self.order.load(Ordering::Relaxed) != Order::None as u8
    }

    /// Waits for an order to end.
    pub(crate) async fn told(&self) {
        poll_fn(|context| {
            self.waker.register(context.waker());
            if self.is_told() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Gives an order. Has no effect if a stronger one has been given.
    pub(crate) fn tell(&self, order: Order) {
        if self.order.fetch_max(order as u8, Ordering::Relaxed) < order as u8 {
            self.waker.wake();
        }
    }

    /// Orders it to finish or, if it has had that order before, to close.
    pub(crate) fn tell_again(&self) {
        let had = self.order.load(Ordering::Relaxed);
        self.tell(if had == Order::None as u8 { Order::Finish } else { Order::Close });
    }

    /// Returns true if something has taken longer than the limits allow.
    pub(crate) fn is_overdue(&self, limits: &ServerLimits) -> bool {
        let now = self.now();
        let is_longer = |since: u64, limit: Duration| u128::from(now.saturating_sub(since)) > limit.as_millis();
        let (phase, since) = self.phase();
        let blocked = self.blocked.load(Ordering::Relaxed);
        let mut parts = self.parts();
        parts.retain(|handed| handed.strong_count() > 0);
        let handed = parts.iter().filter_map(Weak::upgrade).map(|handed| handed.load(Ordering::Relaxed));
        iter::once(blocked).chain(handed).any(|since| since > 0 && is_longer(since, limits.write_timeout))
            || match phase {
                Phase::Head => is_longer(since, limits.head_timeout),
                Phase::Idle => is_longer(since, limits.idle_timeout),
                // Requests that wait for bodies have a limit of their own.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_overdue_after_its_time() {
        let (clock, limits) = (Clock::new(), ServerLimits::default());
        clock.advance(Duration::from_secs(60));
        let connection = Connection::new(clock.clone(), false);
        clock.advance(limits.head_timeout);
        assert!(!connection.is_overdue(&limits));
        clock.advance(Duration::from_millis(1));
        assert!(connection.is_overdue(&limits));
    }
}
