//! The number of connections that a pool may use.
//!
//! A fleet of clients shares the connections that the server has. A client that opens as many as its `pool_size` in the
//! first burst leaves none for others, so a pool begins with one connection, and gets another one when an operation has
//! waited. Operations take about a millisecond, so few clients need more than two or three.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use comity_fetch::store::StoreError;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

/// The time that an operation waits for a connection before the pool grows.
const GROWTH_INTERVAL: Duration = Duration::from_millis(5);
/// The time after a refusal in which the pool does not grow.
const REFUSAL_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct PoolSize {
    permits: Semaphore,
    max: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The number of permits, whether in use or not.
    size: usize,
    /// The time from which on the pool may grow again.
    next_growth: Option<Instant>,
}

impl PoolSize {
    pub(crate) fn new(max: usize) -> Self {
        Self { permits: Semaphore::new(1), max, state: Mutex::new(State { size: 1, next_growth: None }) }
    }

    /// Waits for the permit to use a connection.
    pub(crate) async fn permit(&self) -> SemaphorePermit<'_> {
        let mut permit = pin!(self.permits.acquire());
        loop {
            if let Ok(permit) = timeout(GROWTH_INTERVAL, permit.as_mut()).await {
                return permit.expect("the semaphore is never closed");
            }
            self.grow();
        }
    }

    /// Takes back the permit of a connection that the server refused. Returns false if it is the last one.
    ///
    /// Logs a warning, at most one a minute.
    pub(crate) fn shrink(&self, permit: SemaphorePermit<'_>, refusal: &StoreError) -> bool {
        let mut state = self.state();
        if state.size == 1 {
            return false;
        }
        permit.forget();
        state.size -= 1;
        let now = Instant::now();
        if state.next_growth.is_none_or(|next| next <= now) {
            tracing::warn!(
                connections = state.size,
                "the database refuses another connection, so this client waits for its own: {refusal}"
            );
        }
        state.next_growth = Some(now + REFUSAL_INTERVAL);
        true
    }

    fn grow(&self) {
        let mut state = self.state();
        if state.size < self.max && state.next_growth.is_none_or(|next| next <= Instant::now()) {
            state.size += 1;
            self.permits.add_permits(1);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> StoreError {
        StoreError::other("no room")
    }

    #[tokio::test(start_paused = true)]
    async fn grows_by_one_for_each_wait_up_to_its_maximum() {
        let size = PoolSize::new(3);
        let first = size.permit().await;
        assert_eq!(size.state().size, 1);
        drop(first);
        let held = [size.permit().await, size.permit().await, size.permit().await];
        assert_eq!(size.state().size, 3);
        let more = timeout(Duration::from_secs(60), size.permit()).await;
        assert!(more.is_err());
        assert_eq!(size.state().size, 3);
        drop(held);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_ends_the_growth_for_a_while() {
        let size = PoolSize::new(3);
        let (first, second) = (size.permit().await, size.permit().await);
        assert!(size.shrink(second, &refused()));
        assert!(timeout(REFUSAL_INTERVAL / 2, size.permit()).await.is_err(), "one permit is left, and it is in use");
        assert!(!size.shrink(first, &refused()), "the last permit is kept");
        let again = size.permit().await;
        let later = timeout(REFUSAL_INTERVAL, size.permit()).await;
        assert!(later.is_ok(), "it grows again");
        drop(again);
    }
}
