//! Times, as passed by the caller.

use std::fmt;
use std::ops::Add;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment, in milliseconds since the start of 1970 in UTC.
///
/// This crate does not read a clock: the caller of a [`Site`](crate::Site) passes the current time.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use comity_policy::Time;
///
/// let noon = Time::from_unix_seconds(43_200);
/// assert_eq!((noon + Duration::from_secs(60)).since(noon), Duration::from_secs(60));
/// assert!(Time::from(SystemTime::now()) > noon);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Time(u64);

impl Time {
    /// Returns the time this many seconds after the start of 1970.
    pub const fn from_unix_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Returns the time this many milliseconds after the start of 1970.
    pub const fn from_unix_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since the start of 1970.
    pub const fn as_unix_millis(self) -> u64 {
        self.0
    }

    /// Returns the UTC day, in days since the start of 1970.
    pub(crate) const fn as_unix_day(self) -> u64 {
        self.0 / (24 * 60 * 60 * 1000)
    }

    /// Returns the duration since an earlier time, or zero if that time is not earlier.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    /// Adds a duration. Saturates at the latest time that can be represented.
    fn add(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(millis))
    }
}

impl From<SystemTime> for Time {
    /// Converts a system time. Times before 1970 become the start of 1970.
    fn from(time: SystemTime) -> Self {
        Self::default() + time.duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

impl From<Time> for SystemTime {
    fn from(time: Time) -> Self {
        UNIX_EPOCH + Duration::from_millis(time.0)
    }
}

impl fmt::Display for Time {
    /// Writes the format of HTTP headers, such as `Sat, 21 Nov 2026 09:30:00 GMT`, or `after the year 9999`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const END: u64 = 253_402_300_800;
        if self.0 / 1000 >= END {
            return f.write_str("after the year 9999");
        }
        httpdate::HttpDate::from(SystemTime::from(*self)).fmt(f)
    }
}
