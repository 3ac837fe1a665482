//! What a client did, in numbers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Declares the counters once: as atomics, and as the numbers that are handed out.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What a client did since it was built, and what it holds.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$doc])* pub $name: u64,)*
            /// Origins in memory.
            pub origins: u64,
            /// Bytes of memory that they and their compiled rules hold, about.
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
    /// Questions that were asked.
    questions_total,
    /// Attempts to fetch a robots.txt.
    fetches_total,
    /// Requests that were sent, redirects and probes among them.
    requests_total,
    /// Bytes of bodies, decoded.
    body_bytes_total,
    /// Questions that were answered from memory.
    memory_hits_total,
    /// Origins that were found in the store, and still good.
    store_hits_total,
    /// Questions that waited for a fetch that another one had begun.
    shared_fetches_total,
    /// Attempts that left the file unreachable.
    unreachable_total,
    /// Times that the store could not be read or written; the answer was right all the same.
    store_errors_total,
    /// Questions that were answered "allowed" because a step of the policy turned a failure into permission.
    allowed_by_policy_after_failure_total,
    /// Questions that were answered "allowed" without rules, without a definite answer of the site and without a step
    /// of the policy. It stays 0: anything else is a bug, and such a question is answered "disallowed".
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
