//! Writes results to the store that were fetched while it could not be written.
//!
//! Without this, a client that is not asked again keeps them for itself, and every other client fetches the same files once
//! more after the store has returned.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use comity::Origin;

use crate::client::Shared;
use crate::lease::HeldLease;
use crate::lease::records::{ended, supersedes};
use crate::store::{FetchKind, Store, StoreError};

/// The maximum number of origins that wait. The results themselves are in the client's memory: one that is evicted, or that
/// is not among these, is not written.
const MAX_ORIGINS: usize = 10_000;
/// The time until a store that fails is tried again. It doubles up to the maximum.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
const MAX_INTERVAL: Duration = Duration::from_secs(16);

/// The origins with results in memory that the store does not have.
#[derive(Debug, Default)]
pub(crate) struct WriteBack(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    origins: VecDeque<Origin>,
    /// True while a task writes them.
    is_running: bool,
}

impl WriteBack {
    /// Adds an origin. Its result is written when the store can be written, unless the client is dropped before.
    pub(crate) fn add(client: &Arc<Shared>, origin: &Origin) {
        let mut queue = client.write_back.lock();
        if queue.origins.len() < MAX_ORIGINS {
            queue.origins.push_back(origin.clone());
        }
        if !std::mem::replace(&mut queue.is_running, true) {
            tokio::spawn(run(Running { client: Arc::downgrade(client), is_over: false }));
        }
    }

    fn next(&self) -> Option<Origin> {
        let mut queue = self.lock();
        let next = queue.origins.front().cloned();
        queue.is_running = next.is_some();
        next
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that writes. A runtime that ends drops it, and the next result of another runtime starts the next one.
struct Running {
    client: Weak<Shared>,
    /// True after the mark of the queue was removed.
    is_over: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(client) = self.client.upgrade()
            && !self.is_over
        {
            client.write_back.lock().is_running = false;
        }
    }
}

async fn run(mut running: Running) {
    let mut interval = MIN_INTERVAL;
    loop {
        tokio::time::sleep(interval).await;
        loop {
            // It keeps no client alive while it waits.
            let Some(client) = running.client.upgrade() else { return };
            let Some(origin) = client.write_back.next() else {
                // From now on, the next result starts another task.
                running.is_over = true;
                return;
            };
            if let Err(error) = client.write(&origin).await {
                tracing::debug!(%origin, %error, "the store could not be written, and is tried again");
                interval = (2 * interval).min(MAX_INTERVAL);
                break;
            }
            client.write_back.lock().origins.pop_front();
            interval = MIN_INTERVAL;
        }
    }
}

impl Shared {
    /// Writes the result in memory, if it is later than the stored one.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written, so that this is to be repeated.
    async fn write(&self, origin: &Origin) -> Result<(), StoreError> {
        let (Some(store), Some(entry)) = (&self.store, self.cache.entry(origin)) else { return Ok(()) };
        if entry.is_saved {
            return Ok(());
        }
        let store: &Arc<dyn Store> = store;
        // The lease of another client means that a later result is on its way.
        let (_, held) = HeldLease::begin(Arc::clone(store), origin.clone(), FetchKind::Forced).await?;
        let Some(held) = held else { return Ok(()) };
        let own = entry.site.record();
        let is_later = match store.load(origin).await {
            Ok(stored) => stored.is_none_or(|stored| supersedes(own, &stored.record)),
            // The result replaces a record that cannot be read.
            Err(error) if error.is_one_damaged() => true,
            Err(error) => return Err(error),
        };
        if is_later {
            let mut record = own.clone();
            // The store counts this from now on.
            let age = ended(own).map_or(Duration::ZERO, |ended| self.clock.now().since(ended));
            record.fresh_for = record.fresh_for.map(|span| span.saturating_sub(age));
            held.complete(&record).await?;
            self.store_patience.note_saved();
        }
        Ok(())
    }
}
