//! Statistics of a client.

use std::sync::atomic::{AtomicU64, Ordering};

/// Declares the counters once: as atomics, and as numbers in the public type.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Statistics of a client since it was built, and the size of its cache.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$doc])* pub $name: u64,)*
            /// The number of origins in memory.
            pub origins: u64,
            /// The approximate number of bytes that they and their compiled rules occupy.
            pub memory: u64,
        }

        #[derive(Debug, Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: AtomicU64,)*
        }

        impl Counters {
            pub(crate) fn read(&self) -> Stats {
                Stats { $($name: self.$name.load(Ordering::Relaxed),)* ..Stats::default() }
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
}
