//! Leases: the right to fetch an origin's file, held by one client at a time.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use comity::Origin;
use comity_policy::{StoredRecord, Time};

use super::Stored;

/// Returns true if a record is not due yet. A due time that is further away than it can have been when it was written means
/// that the clock was set back since, and is ignored.
pub(super) fn is_fresh(record: &StoredRecord, due: Option<Time>, now: Time) -> bool {
    let is_possible = |due: &Time| due.since(now) <= record.fresh_for.unwrap_or_default();
    due.filter(is_possible).is_some_and(|due| now < due)
}

/// The reason for a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchKind {
    /// A question was asked. Nothing is fetched if the stored copy is still good.
    Due,
    /// An attempt was requested, even if the stored copy is still good.
    Forced,
    /// The caller reports whether the site's pages answer. The record is changed, and nothing is fetched.
    SiteAnswers(bool),
}

impl FetchKind {
    pub(crate) fn is_fetch(self) -> bool {
        !matches!(self, Self::SiteAnswers(_))
    }
}

/// The result of [`Store::begin`](super::Store::begin).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, clippy::large_enum_variant, reason = "a client handles each; it is not kept")]
pub enum Lease {
    /// The caller may fetch.
    Granted(Ticket),
    /// Another client has fetched meanwhile: this is its result.
    Fresh(Stored),
    /// Another client is fetching.
    Held {
        /// The time until the lease of that client ends.
        until: Duration,
    },
}

/// A granted lease. Tickets are compared for equality only, because they are not numbered in order: a store that loses
/// its last writes would give out the same number twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    origin: Origin,
    id: u128,
}

impl Ticket {
    /// Creates a ticket with an identifier of the store's own, such as a UUID.
    pub fn new(origin: &Origin, id: u128) -> Self {
        Self { origin: origin.clone(), id }
    }

    /// Creates a ticket with a random identifier.
    pub fn random(origin: &Origin) -> Self {
        let half = || u128::from(RandomState::new().hash_one(Instant::now()));
        Self::new(origin, half() << 64 | half())
    }

    /// Returns the origin.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the identifier.
    pub fn id(&self) -> u128 {
        self.id
    }
}

/// The leases of a store that is shared within one process.
#[derive(Debug, Default)]
pub(super) struct Leases {
    /// The leases by the texts of their origins.
    current: HashMap<String, Current>,
    /// The number of leases that triggers the removal of expired ones: twice the number after the last removal.
    max: usize,
}

#[derive(Debug)]
struct Current {
    ticket: Ticket,
    ends: Instant,
    /// The result is being written, so the lease cannot run out.
    is_completing: bool,
}

impl Leases {
    const MIN_PURGED: usize = 1024;
    /// The minimum time to wait for a lease that is about to end.
    const RETRY_INTERVAL: Duration = Duration::from_millis(50);

    /// Grants a lease, or returns the time until the present one ends.
    pub(super) fn begin(&mut self, origin: &Origin, span: Duration) -> Result<Ticket, Duration> {
        let now = Instant::now();
        let text = origin.to_string();
        if let Some(current) = self.current.get(&text) {
            let until = current.ends.saturating_duration_since(now);
            if current.is_completing {
                return Err(until.max(Self::RETRY_INTERVAL));
            }
            if !until.is_zero() {
                return Err(until);
            }
        }
        if self.current.len() >= self.max.max(Self::MIN_PURGED) {
            self.current.retain(|_, current| current.is_completing || current.ends > now);
            self.max = 2 * self.current.len();
        }
        let ticket = Ticket::random(origin);
        // A span beyond the range of the clock: use one that is long enough.
        let ends = now.checked_add(span).unwrap_or(now + Duration::from_secs(24 * 60 * 60));
        self.current.insert(text, Current { ticket: ticket.clone(), ends, is_completing: false });
        Ok(ticket)
    }

    /// Returns true if a ticket is current. If so, its lease does not run out until it is [ended](Self::end).
    pub(super) fn completing(&mut self, ticket: &Ticket) -> bool {
        let current = self.current.get_mut(&ticket.origin.to_string()).filter(|current| current.ticket == *ticket);
        current.map(|current| current.is_completing = true).is_some()
    }

    /// Renews the lease of a ticket, if it is current.
    pub(super) fn renew(&mut self, ticket: &Ticket, span: Duration) {
        let current = self.current.get_mut(&ticket.origin.to_string()).filter(|current| current.ticket == *ticket);
        if let (Some(current), Some(ends)) = (current, Instant::now().checked_add(span)) {
            current.ends = ends;
        }
    }

    /// Ends the lease of a ticket, if it is current.
    pub(super) fn end(&mut self, ticket: &Ticket) {
        let text = ticket.origin.to_string();
        if self.current.get(&text).is_some_and(|current| current.ticket == *ticket) {
            self.current.remove(&text);
        }
    }

    /// Ends the lease of an origin, no matter which client holds it.
    pub(super) fn end_all(&mut self, origin: &str) {
        self.current.remove(origin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_that_ran_out_are_removed() {
        let mut leases = Leases::default();
        let origin = |number: usize| Origin::of(&format!("https://site{number}.example/")).unwrap();
        for number in 0..10 * Leases::MIN_PURGED {
            leases.begin(&origin(number), Duration::ZERO).unwrap();
            assert!(leases.current.len() <= Leases::MIN_PURGED);
        }
        let ticket = leases.begin(&origin(0), Duration::MAX).unwrap();
        assert!(leases.begin(&origin(0), Duration::ZERO).is_err());
        leases.end(&Ticket::random(&origin(0)));
        assert!(leases.completing(&ticket));
        leases.end(&ticket);
        assert!(!leases.completing(&ticket));
    }
}
