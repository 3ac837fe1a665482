//! Gates that hold replies back, so that a test controls when they continue.

use std::sync::Arc;

use tokio::sync::watch;

/// A gate that holds a reply back at [`Reply::hold`](crate::Reply::hold). It is closed at first. Clones are the same
/// gate.
#[derive(Clone, Debug)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    /// Returns a closed gate.
    #[expect(clippy::new_without_default, reason = "the default state of a gate is not obvious")]
    pub fn new() -> Self {
        Gate(Arc::new(watch::Sender::new(false)))
    }

    /// Opens the gate for good.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(crate) async fn pass(&self) {
        // The sender is in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}
