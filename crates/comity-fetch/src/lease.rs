//! The client's side of a lease: the protocol that requests and uses it, and the guard that gives it back.

pub(crate) mod protocol;
pub(crate) mod records;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Waker};

use comity_policy::StoredRecord;
use tokio::runtime::Handle;

use crate::store::{Saved, Store, StoreError, Ticket};

/// A lease that this client holds. It is given back on drop, unless its fetch was completed.
pub(crate) struct HeldLease {
    store: Arc<dyn Store>,
    ticket: Option<Ticket>,
}

impl HeldLease {
    pub(crate) fn new(store: &Arc<dyn Store>, ticket: Ticket) -> Self {
        Self { store: Arc::clone(store), ticket: Some(ticket) }
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
                tracing::warn!(origin = %ticket.origin(), %error, "a lease could not be given back");
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
