//! A door that replies wait behind, so that a test says when they go on, and not the time.

use std::sync::Arc;

use tokio::sync::watch;

/// A door that [`Reply::hold`](crate::Reply::hold) waits behind. It is closed at first; its clones are the same door.
#[derive(Clone, Debug)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    /// A closed one.
    #[allow(clippy::new_without_default)] // of a door, nobody knows whether by default it is open
    pub fn new() -> Self {
        Gate(Arc::new(watch::Sender::new(false)))
    }

    /// Lets everything through, from now on.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(crate) async fn pass(&self) {
        // The sender is in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}
