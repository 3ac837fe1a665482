//! What time it is, as a value.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use comity_policy::Time;

/// What time it is: the system's clock, or one that is set by hand, so that tests can let a month pass.
///
/// Policies live by this clock. The seconds that a server may take to answer are always real ones.
///
/// ```
/// use std::time::Duration;
/// use comity_fetch::{Clock, Time};
///
/// let clock = Clock::set_to(Time::from_unix_seconds(1_800_000_000));
/// let hers = clock.clone();
/// clock.advance(Duration::from_secs(12 * 60 * 60));
/// assert_eq!(hers.now(), Time::from_unix_seconds(1_800_043_200));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Milliseconds since 1970, where it is set by hand.
    by_hand: Option<Arc<AtomicU64>>,
}

impl Clock {
    /// The system's.
    pub fn system() -> Self {
        Self::default()
    }

    /// One that stands still until it is [advanced](Self::advance). Its clones are the same clock.
    pub fn set_to(time: Time) -> Self {
        Self { by_hand: Some(Arc::new(AtomicU64::new(time.as_unix_millis()))) }
    }

    /// The time.
    pub fn now(&self) -> Time {
        match &self.by_hand {
            Some(millis) => Time::from_unix_millis(millis.load(Ordering::Acquire)),
            None => SystemTime::now().into(),
        }
    }

    /// Lets time pass on a clock that is set by hand; nothing does so for the system's.
    pub fn advance(&self, by: Duration) {
        if let Some(millis) = &self.by_hand {
            let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
            millis.fetch_add(by, Ordering::AcqRel);
        }
    }
}
