//! The client's side of a lease: the protocol that requests and uses it, and the guard that gives it back.

pub(crate) mod protocol;
pub(crate) mod records;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use comity::Origin;
use comity_policy::StoredRecord;
use tokio::runtime::Handle;

use crate::store::{FetchKind, Lease, Saved, Store, StoreError, Ticket};

/// The span of a lease. If its client is killed, other clients fetch after this time.
pub(crate) const LEASE_SPAN: Duration = Duration::from_secs(10);
/// The interval in which a lease is renewed while its client fetches.
const RENEW_INTERVAL: Duration = Duration::from_secs(3);

/// A lease that this client holds. It is given back on drop, unless its fetch was completed.
pub(crate) struct HeldLease {
    store: Arc<dyn Store>,
    ticket: Option<Ticket>,
}

impl HeldLease {
    /// Requests a lease. Returns the guard of one that is granted.
    pub(crate) async fn begin(
        store: Arc<dyn Store>,
        origin: Origin,
        kind: FetchKind,
    ) -> Result<(Lease, Option<Self>), StoreError> {
        let lease = store.begin(&origin, LEASE_SPAN, kind).await?;
        let held = match &lease {
            Lease::Granted(ticket) => Some(Self { store, ticket: Some(ticket.clone()) }),
            _ => None,
        };
        Ok((lease, held))
    }

    /// Waits for a fetch, and renews the lease meanwhile.
    pub(crate) async fn renew_during<T>(&self, fetch: impl Future<Output = T>) -> T {
        let renew = async {
            loop {
                tokio::time::sleep(RENEW_INTERVAL).await;
                let Some(ticket) = &self.ticket else { continue };
                // A store that is down for longer than the lease gives it to another client, if that one reaches it.
                if let Err(error) = self.store.renew(ticket, LEASE_SPAN).await {
                    tracing::debug!(origin = %ticket.origin(), %error, "a lease could not be renewed");
                }
            }
        };
        tokio::select! {
            biased;
            fetched = fetch => fetched,
            never = renew => never,
        }
    }

    /// Saves the result. The store ends the lease then, unless it fails.
    pub(crate) async fn complete(mut self, record: &StoredRecord) -> Result<Saved, StoreError> {
        let saved = self.store.complete(record, self.ticket.as_ref()).await?;
        self.ticket = None;
        Ok(saved)
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket.take() else { return };
        // Without a runtime the store cannot be asked, and the lease ends by itself.
        let Ok(runtime) = Handle::try_current() else { return };
        let store = Arc::clone(&self.store);
        let mut abandon = Box::pin(async move {
            if let Err(error) = store.abandon(&ticket).await {
                // It ends by itself, and the failure that came before has a warning.
                tracing::debug!(origin = %ticket.origin(), %error, "a lease could not be given back");
            }
        });
        // A runtime that is shutting down runs no new task, so it is tried here first. Timers and sockets panic then.
        let mut context = Context::from_waker(Waker::noop());
        let polled = catch_unwind(AssertUnwindSafe(|| abandon.as_mut().poll(&mut context)));
        if polled.is_ok_and(|polled| polled.is_pending()) {
            runtime.spawn(abandon);
        }
    }
}
