//! The connections that a client of a fleet uses.
//!
//! The clients of a fleet share the connections that the server has. A client that opens as many as it may in its first burst
//! leaves none for others, and these fetch for themselves what is stored already: with 60 connections for 8 clients, 268
//! fetches for 60 sites. So a pool begins with one connection, gets another one while operations wait, and closes those that
//! are idle. An operation takes about a millisecond; few clients need more than two or three connections.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Object, Pool};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::failure::{Failure, Kind};

/// The time that an operation waits for a connection before the pool grows, for each connection that it has.
const GROWTH_INTERVAL: Duration = Duration::from_millis(20);
/// The time after a refusal in which the pool does not grow.
const REFUSAL_INTERVAL: Duration = Duration::from_secs(60);
/// The interval of attempts of a client to which the server gives no connection at all.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// The time after which all idle connections but one are closed.
const MAX_IDLE: Duration = Duration::from_millis(250);

/// A connection, and the permit to use it.
pub(crate) struct Connection {
    pub(crate) client: Object,
    _permit: OwnedSemaphorePermit,
}

/// A pool that grows and shrinks.
#[derive(Clone)]
pub(crate) struct SharedPool {
    pool: Pool,
    permits: Arc<Semaphore>,
    max: usize,
    timeout: Duration,
    state: Arc<Mutex<State>>,
}

struct State {
    /// The number of permits, whether in use or not.
    size: usize,
    /// The time of the last growth, and of the last refusal.
    grown: Option<Instant>,
    refused: Option<Instant>,
    has_reaper: bool,
}

impl SharedPool {
    /// Creates a pool of at most `max` connections. `pool` must allow as many.
    pub(crate) fn new(pool: Pool, max: usize, timeout: Duration) -> Self {
        let state = State { size: 1, grown: None, refused: None, has_reaper: false };
        Self { pool, permits: Arc::new(Semaphore::new(1)), max, timeout, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns a connection: one that is idle, or a new one. If the server has no room, waits for one of the pool, or for room.
    ///
    /// `address` is that of the database, for the warning. Grows only if `may_grow`: while the tables are created, nothing
    /// would be faster with more connections.
    pub(crate) async fn get(&self, address: &Arc<str>, may_grow: bool) -> Result<Connection, Failure> {
        let end = Instant::now() + self.timeout;
        loop {
            let permit = timeout_at(end, self.permit(may_grow)).await.map_err(|_| {
                let advice = "raise pool_size, or find out why the database is slow";
                Failure::new(Kind::Down, "all connections of the pool were in use for too long", advice)
            })?;
            let failure = match self.pool.get().await {
                Ok(client) => return Ok(Connection { client, _permit: permit }),
                Err(error) => Failure::from(error),
            };
            if !failure.is_lack_of_connections() || Instant::now() >= end {
                return Err(failure);
            }
            if self.note_refusal(address, &failure) {
                permit.forget();
            } else {
                sleep(RETRY_INTERVAL).await;
            }
        }
    }

    /// Waits for the permit to use a connection.
    async fn permit(&self, may_grow: bool) -> OwnedSemaphorePermit {
        let mut permit = std::pin::pin!(Arc::clone(&self.permits).acquire_owned());
        loop {
            if let Ok(permit) = timeout(GROWTH_INTERVAL, permit.as_mut()).await {
                return permit.expect("the semaphore is never closed");
            }
            if may_grow {
                self.grow();
            }
        }
    }

    fn grow(&self) {
        let mut state = self.state();
        let is_recent = |time: Option<Instant>, limit| time.is_some_and(|time| time.elapsed() < limit);
        // All that wait for a connection ask for growth at the same time.
        let is_too_soon = is_recent(state.grown, GROWTH_INTERVAL * state.size as u32);
        if state.size == self.max || is_too_soon || is_recent(state.refused, REFUSAL_INTERVAL) {
            return;
        }
        state.grown = Some(Instant::now());
        state.size += 1;
        self.permits.add_permits(1);
        if !std::mem::replace(&mut state.has_reaper, true) {
            let pool = self.clone();
            tokio::spawn(async move {
                while pool.state().has_reaper {
                    sleep(MAX_IDLE).await;
                    pool.close_idle();
                }
            });
        }
    }

    /// Notes that the server refused a connection. Returns true if the pool is to go on with one permit less. Logs a warning,
    /// at most one a minute.
    fn note_refusal(&self, address: &Arc<str>, failure: &Failure) -> bool {
        let mut state = self.state();
        if state.refused.is_none_or(|refused| refused.elapsed() >= REFUSAL_INTERVAL) {
            let reason = failure.clone().at(address);
            tracing::warn!("this client waits for a connection of its own: {reason}");
        }
        state.refused = Some(Instant::now());
        let is_smaller = state.size > 1;
        state.size -= usize::from(is_smaller);
        is_smaller
    }

    /// Closes the connections that were not used for a while, except for one.
    fn close_idle(&self) {
        let mut kept = 0;
        self.pool.retain(|_, metrics| {
            let is_kept = kept == 0 || metrics.last_used() < MAX_IDLE;
            kept += usize::from(is_kept);
            is_kept
        });
        let mut state = self.state();
        let spare = state.size - self.pool.status().size.clamp(1, state.size);
        state.size -= self.permits.forget_permits(spare);
        state.has_reaper = state.size > 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
