//! Limits the warnings about a store that fails.
//!
//! A store that is down or full fails for each question. With a line for each, the log grows with the rate of questions,
//! often on the disk that is full.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The time after a warning in which further ones are only counted.
const INTERVAL: Duration = Duration::from_secs(60);

/// The warnings about one store: the first one is logged, and then one a minute.
#[derive(Debug, Default)]
pub(crate) struct StoreWarnings(Mutex<Recent>);

#[derive(Debug, Default)]
struct Recent {
    /// The time of the next warning that is logged.
    next: Option<Instant>,
    /// The number of warnings since the last one that was logged.
    unlogged: u64,
}

impl StoreWarnings {
    /// Counts a warning. If it is to be logged, returns the number of those before it that were not.
    pub(crate) fn count(&self) -> Option<u64> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if recent.next.is_some_and(|next| now < next) {
            recent.unlogged += 1;
            return None;
        }
        recent.next = Some(now + INTERVAL);
        Some(std::mem::take(&mut recent.unlogged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_warning_and_then_one_a_minute() {
        let warnings = StoreWarnings::default();
        assert_eq!(warnings.count(), Some(0));
        for _ in 0..1000 {
            assert_eq!(warnings.count(), None);
        }
        tokio::time::advance(INTERVAL).await;
        assert_eq!(warnings.count(), Some(1000));
        assert_eq!(warnings.count(), None);
    }
}
