//! Statistics of a client.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A histogram of the times of attempts to fetch a robots.txt, from the first request to the end of the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FetchTimes {
    counts: [u64; Self::BOUNDS.len() + 1],
    /// The sum of all times.
    pub sum: Duration,
}

impl FetchTimes {
    /// The upper bounds of the buckets.
    const BOUNDS: [Duration; 10] = [
        Duration::from_millis(10),
        Duration::from_millis(25),
        Duration::from_millis(50),
        Duration::from_millis(100),
        Duration::from_millis(250),
        Duration::from_millis(500),
        Duration::from_secs(1),
        Duration::from_millis(2500),
        Duration::from_secs(10),
        Duration::from_secs(30),
    ];

    /// Returns the upper bound of each bucket, in ascending order, and the number of times above the bound before it. The
    /// last bucket has no bound.
    pub fn buckets(&self) -> impl Iterator<Item = (Option<Duration>, u64)> {
        Self::BOUNDS.into_iter().map(Some).chain([None]).zip(self.counts)
    }

    /// Returns the number of all times.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Declares the counters once: as atomics, and as numbers in the public type.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Statistics of a client since it was built, and the size of its cache.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$doc])* pub $name: u64,)*
            /// The times of the attempts.
            pub fetch_times: FetchTimes,
            /// The number of origins in memory.
            pub origins: u64,
            /// The approximate number of bytes that they and their compiled rules occupy.
            pub memory: u64,
        }

        #[derive(Debug, Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: AtomicU64,)*
            fetch_times: [AtomicU64; FetchTimes::BOUNDS.len() + 1],
            fetch_micros: AtomicU64,
        }

        impl Counters {
            pub(crate) fn read(&self) -> Stats {
                Stats {
                    $($name: self.$name.load(Ordering::Relaxed),)*
                    fetch_times: FetchTimes {
                        counts: self.fetch_times.each_ref().map(|count| count.load(Ordering::Relaxed)),
                        sum: Duration::from_micros(self.fetch_micros.load(Ordering::Relaxed)),
                    },
                    ..Stats::default()
                }
            }
        }
    };
}

counters! {
    /// The number of questions.
    questions_total,
    /// The number of attempts to fetch a robots.txt.
    fetches_total,
    /// The number of requests, including redirects and probes.
    requests_total,
    /// The number of bytes of all bodies, after decoding.
    body_bytes_total,
    /// The number of questions that were answered from memory.
    memory_hits_total,
    /// The number of origins that were found in the store and were still good.
    store_hits_total,
    /// The number of questions that waited for a fetch that another question had begun.
    shared_fetches_total,
    /// The number of attempts that left the file unreachable.
    unreachable_total,
    /// The number of times that the store could not be read or written; the answers were still correct.
    store_errors_total,
    /// The number of questions that were answered "allowed" because a step of the policy turned a failure into
    /// permission.
    allowed_by_policy_after_failure_total,
    /// The number of questions that would have been answered "allowed" without rules, without a definite answer of the
    /// site and without a step of the policy. It stays 0: anything else is a bug, and such a question is answered
    /// "disallowed".
    fail_open_total,
}

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, by: u64) {
        counter.fetch_add(by, Ordering::Relaxed);
    }

    pub(crate) fn count(counter: &AtomicU64) {
        Self::add(counter, 1);
    }

    /// Counts an attempt that took this time.
    pub(crate) fn took(&self, time: Duration) {
        let bucket = FetchTimes::BOUNDS.partition_point(|bound| *bound < time);
        Self::count(&self.fetch_times[bucket]);
        Self::add(&self.fetch_micros, u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_fall_into_buckets() {
        let counters = Counters::default();
        for millis in [0, 10, 11, 30_000, 30_001] {
            counters.took(Duration::from_millis(millis));
        }
        let times = counters.read().fetch_times;
        let bounded =
            |millis| times.buckets().find(|(bound, _)| *bound == Some(Duration::from_millis(millis))).unwrap().1;
        assert_eq!((bounded(10), bounded(25), bounded(30_000)), (2, 1, 1));
        assert_eq!(times.buckets().last(), Some((None, 1)));
        assert_eq!((times.count(), times.sum), (5, Duration::from_millis(60_022)));
    }
}
