//! The clock, as a value.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use comity_policy::Time;

/// The system's clock, or one that is set by hand, so that tests can let a month pass.
///
/// Policies use this clock. Timeouts of requests always use real time.
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
    /// Milliseconds since 1970, if the clock is set by hand.
    by_hand: Option<Arc<AtomicU64>>,
}

impl Clock {
    /// Returns the system's clock.
    pub fn system() -> Self {
        Self::default()
    }

    /// Returns a clock that does not move until it is [advanced](Self::advance). Its clones are the same clock.
    pub fn set_to(time: Time) -> Self {
        Self { by_hand: Some(Arc::new(AtomicU64::new(time.as_unix_millis()))) }
    }

    /// Returns the time.
    pub fn now(&self) -> Time {
        match &self.by_hand {
            Some(millis) => Time::from_unix_millis(millis.load(Ordering::Acquire)),
            None => SystemTime::now().into(),
        }
    }

    /// Advances a clock that is set by hand. Has no effect on the system's.
    pub fn advance(&self, by: Duration) {
        if let Some(millis) = &self.by_hand {
            let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
            millis.fetch_add(by, Ordering::AcqRel);
        }
    }
}
