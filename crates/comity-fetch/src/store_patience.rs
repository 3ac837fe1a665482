//! Limits the time that questions wait for a slow store.
//!
//! A database that answers after a second is worse than none: each question waits for it several times, and the pool's
//! connections are busy meanwhile. Measured with 400 questions about 100 sites: half of them took more than 8 seconds,
//! and 0.3 seconds without a database.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::store::{Store, StoreError};

/// The number of waits in a row that are too long before the store counts as down.
const MAX_SLOW: u32 = 3;
/// The time until a store that counts as down is tried again, by one question.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The time for which a store counts as unusable after a failure. Then, a load balancer sends requests again, and the next
/// one shows if it works.
const FAILED_INTERVAL: Duration = Duration::from_secs(10);

/// The recent experience with a store, which all questions share.
#[derive(Debug, Default)]
pub(crate) struct StorePatience(Mutex<Recent>);

#[derive(Debug, Default)]
struct Recent {
    /// The number of waits that were too long, one after the other.
    in_a_row: u32,
    /// The time before which no question asks a store that counts as down.
    next: Option<Instant>,
    /// The time of the last question without an answer, if no result was saved since.
    failed: Option<Instant>,
}

impl StorePatience {
    /// Returns the patience of one question.
    pub(crate) fn question(&self, store: Option<&Arc<dyn Store>>) -> QuestionPatience<'_> {
        QuestionPatience { all: self, left: store.and_then(|store| store.patience()) }
    }

    /// Notes that a result was saved.
    pub(crate) fn note_saved(&self) {
        self.lock().failed = None;
    }

    /// Notes that a question had no answer, because the store failed and is required.
    pub(crate) fn note_failed(&self) {
        self.lock().failed = Some(Instant::now());
    }

    /// Returns true if a question had no answer a moment ago, and no result was saved since.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().failed.is_some_and(|failed| failed.elapsed() < FAILED_INTERVAL)
    }

    fn lock(&self) -> MutexGuard<'_, Recent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_ask(&self) -> bool {
        let mut recent = self.lock();
        let now = Instant::now();
        if recent.next.is_some_and(|next| now < next) {
            return false;
        }
        // The others wait for the experience of this one.
        recent.next = recent.next.map(|_| now + RETRY_INTERVAL);
        true
    }

    fn waited(&self, is_slow: bool) {
        let mut recent = self.lock();
        recent.in_a_row = if is_slow { recent.in_a_row.saturating_add(1) } else { 0 };
        recent.next = (recent.in_a_row >= MAX_SLOW).then(|| Instant::now() + RETRY_INTERVAL);
    }
}

/// The time for which one question still waits for the store.
pub(crate) struct QuestionPatience<'a> {
    all: &'a StorePatience,
    /// `None`: as long as the store takes.
    left: Option<Duration>,
}

impl QuestionPatience<'_> {
    /// Waits for an operation of the store. One that takes too long continues without the question: half of an operation
    /// may have left a lease or a transaction in the store, and what it saves is of use to others.
    ///
    /// # Errors
    ///
    /// Those of the operation, and if the store is too slow.
    pub(crate) async fn wait<T: Send + 'static>(
        &mut self,
        operation: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(left) = self.left else { return operation.await };
        if !self.all.may_ask() {
            return Err(StoreError::other("it was too slow a moment ago, and is tried again once a second"));
        }
        let mut operation = Box::pin(operation);
        let began = Instant::now();
        let result = timeout(left, &mut operation).await;
        self.left = Some(left.saturating_sub(began.elapsed()));
        self.all.waited(result.is_err());
        result.unwrap_or_else(|_| {
            tokio::spawn(operation);
            Err(StoreError::other("it is too slow: this question waits no longer"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ask(patience: &StorePatience, takes: u64) -> (bool, Duration) {
        let mut question = QuestionPatience { all: patience, left: Some(Duration::from_millis(250)) };
        let began = Instant::now();
        let asked = question.wait(async move {
            tokio::time::sleep(Duration::from_millis(takes)).await;
            Ok(())
        });
        (asked.await.is_ok(), began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_store_is_asked_once_a_second() {
        let (patience, limit, at_once) = (StorePatience::default(), Duration::from_millis(250), Duration::ZERO);
        assert_eq!(ask(&patience, 200).await, (true, Duration::from_millis(200)));
        assert_eq!(ask(&patience, 1000).await, (false, limit));
        assert_eq!(ask(&patience, 1000).await, (false, limit));
        assert!(ask(&patience, 200).await.0, "not three in a row");
        for _ in 0..3 {
            assert_eq!(ask(&patience, 1000).await, (false, limit));
        }
        assert_eq!(ask(&patience, 0).await, (false, at_once));
        tokio::time::advance(RETRY_INTERVAL).await;
        let (first, second) = tokio::join!(ask(&patience, 1000), ask(&patience, 0));
        assert_eq!((first, second), ((false, limit), (false, at_once)), "one tries");
        assert_eq!(ask(&patience, 0).await, (false, at_once));
        tokio::time::advance(RETRY_INTERVAL).await;
        assert!(ask(&patience, 100).await.0);
        assert!(ask(&patience, 100).await.0, "it works again");
    }

    #[tokio::test(start_paused = true)]
    async fn the_waits_of_one_question_add_up() {
        let patience = StorePatience::default();
        let mut question = QuestionPatience { all: &patience, left: Some(Duration::from_millis(250)) };
        let done = Arc::new(Mutex::new(0));
        let mut results = Vec::new();
        for _ in 0..3 {
            let done = Arc::clone(&done);
            let operation = async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                *done.lock().unwrap() += 1;
                Ok(())
            };
            results.push(question.wait(operation).await.is_ok());
        }
        assert_eq!(results, [true, true, false]);
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(*done.lock().unwrap(), 3, "the last one continued");
    }
}
