//! The lease protocol: obtains the state of an origin from memory, from the store, or from the site.
//!
//! Like [`Site`], it is a state machine without I/O and without a clock: [`LeaseProtocol::step`] takes the result of the
//! last action and the time, and returns the next action. The client performs the actions in `obtain.rs`. So each path,
//! also those that need a crash or an outage at a certain moment, is a script of a few lines in `testdata/leases.toml`.
//!
//! It is in this crate and not in comity-policy, because its inputs are the answers of a [`Store`](crate::store::Store):
//! leases, late results, damage. A program that uses comity-policy with an HTTP client of its own has no store of this kind.
//! Beside `HeldLease`, it is half of one idea: the protocol decides when a lease is needed, and `HeldLease` returns it.

use std::time::Duration;

use comity::Origin;
use comity_policy::{Site, StoredRecord, Time};

use super::records::{accepts, ended, good_ruling, may_be_stale, supersedes};
use crate::builder::Settings;
use crate::cached_site::CachedSite;
use crate::error::{CheckError, Kind};
use crate::store::{FetchKind, Lease, Saved, StoreError};

#[cfg(test)]
mod properties;
#[cfg(test)]
mod scripts;

/// The time until the store is asked again for a lease that another client holds. It doubles up to the maximum.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(50);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(400);
/// The number of fetches for one question, if each one's lease passes to a client that saves nothing.
const MAX_LOST_LEASES: usize = 3;

/// The result of an action.
#[derive(Debug)]
pub(crate) enum Input {
    /// The question was asked.
    Start,
    /// The stored record was read.
    Loaded(Result<Option<StoredRecord>, StoreError>),
    /// A lease was requested. The client keeps it until it requests the next one, or the question is answered.
    Begun(Result<Lease, StoreError>),
    /// The time to wait has passed.
    Waited,
    /// The file was fetched, or the caller's report was added.
    Fetched(StoredRecord),
    /// The result was saved.
    Completed(Result<Saved, StoreError>),
}

/// The next action for the client.
#[derive(Debug)]
pub(crate) enum Action {
    /// Read the stored record.
    Load,
    /// Request a lease. Give back the one of an earlier request first.
    Begin(FetchKind),
    /// Wait, without the permit to contact the host: a client that waits must not block other origins.
    Wait(Duration),
    /// Fetch the file, or add the caller's report, starting from this record.
    Fetch(StoredRecord),
    /// Save the result with the ticket of the lease.
    Save,
    /// Answer the question.
    Answer(Answer),
    /// Answer with an error: the store fails and is required, or too many leases were lost.
    Fail(CheckError),
}

/// The record that answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The one in memory.
    Remembered,
    /// A stored one that is good.
    Stored(StoredRecord),
    /// A stored one that is due, while another client fetches.
    Stale(StoredRecord),
    /// The result of another client, which fetched the file during this question.
    Other(StoredRecord),
    /// The result of this client.
    Own { is_saved: bool },
}

/// The awaited result. Beside it, `own` tells whether this client has a result already: then a lease is only requested to
/// save it, so that it does not replace a later one.
#[derive(Clone, Copy, Debug)]
enum State {
    Start,
    /// The record is read before a lease is requested: most questions end here.
    Reading,
    Requesting(FetchKind),
    /// The record is read again under the lease. No other client changes it now, so the fetch starts from this one.
    ReadingUnderLease,
    /// There is no store.
    FetchingAlone,
    /// The store failed before it granted a lease.
    FetchingWithoutLease,
    /// The store granted a lease, and could not be read.
    FetchingBlindly,
    FetchingUnderLease,
    Saving,
}

/// A state machine that answers one question about an origin, with as few fetches as possible among all clients that
/// share a store.
#[derive(Debug)]
pub(crate) struct LeaseProtocol<'c> {
    origin: &'c Origin,
    kind: FetchKind,
    settings: &'c Settings,
    has_store: bool,
    remembered: Option<&'c CachedSite>,
    state: State,
    /// The record as the store had it when it was last read.
    stored: Option<StoredRecord>,
    /// The result of this client.
    own: Option<StoredRecord>,
    fetches: usize,
    /// The time until the lease of another client is requested again, and the time when this client waits no longer.
    interval: Duration,
    wait_end: Option<Duration>,
    /// The failure of the store that the last step found, to be counted and logged.
    pub(crate) failure: Option<(StoreError, &'static str)>,
}

impl<'c> LeaseProtocol<'c> {
    pub(crate) fn new(
        origin: &'c Origin,
        kind: FetchKind,
        settings: &'c Settings,
        has_store: bool,
        remembered: Option<&'c CachedSite>,
    ) -> Self {
        let (state, interval) = (State::Start, MIN_POLL_INTERVAL);
        let (stored, own, fetches, wait_end, failure) = (None, None, 0, None, None);
        Self { origin, kind, settings, has_store, remembered, state, stored, own, fetches, interval, wait_end, failure }
    }

    /// Returns the next action, until the question is answered.
    ///
    /// `now` is by the client's clock, which may be wrong or set back. `elapsed` is the time since the question was asked,
    /// by a clock that cannot be set.
    pub(crate) fn step(&mut self, input: Input, now: Time, elapsed: Duration) -> Action {
        use Input::{Begun, Completed, Fetched, Loaded, Start, Waited};
        match (self.state, input) {
            (State::Start, Start) => self.start(now),
            (State::Reading, Loaded(Ok(stored))) => self.read(stored, now),
            (State::Requesting(_), Begun(Ok(Lease::Granted(_)))) => self.go(State::ReadingUnderLease, Action::Load),
            (State::Requesting(kind), Begun(Ok(Lease::Fresh(stored)))) => self.fresh(kind, stored.record, now),
            (State::Requesting(_), Begun(Ok(Lease::Held { until }))) => self.held(until, now, elapsed),
            (State::Requesting(kind), Waited) => self.request(kind),
            (State::ReadingUnderLease, Loaded(Ok(stored))) => self.read_under_lease(stored, now),
            (_, Fetched(own)) => self.fetched(own),
            (State::Saving, Completed(Ok(Saved::Kept))) => Self::own(true),
            (State::Saving, Completed(Ok(Saved::Late(stored)))) => self.late(stored.record),
            (_, Loaded(Err(error))) => self.failed(error, "could not be read"),
            (_, Begun(Err(error))) => self.failed(error, "could not grant a lease"),
            (_, Completed(Err(error))) => self.failed(error, "could not be written"),
            _ => self.lost(),
        }
    }

    fn start(&mut self, now: Time) -> Action {
        // Another caller's fetch may have ended since this one checked.
        if self.remembered.is_some_and(|own| self.is_good(&own.site, now)) {
            return Action::Answer(Answer::Remembered);
        }
        if self.has_store { self.go(State::Reading, Action::Load) } else { self.fetch(State::FetchingAlone) }
    }

    fn read(&mut self, stored: Option<StoredRecord>, now: Time) -> Action {
        self.stored = stored;
        match &self.stored {
            Some(stored) if !self.is_superseded(stored) && self.is_good(&self.settings.site(stored.clone()), now) => {
                Action::Answer(Answer::Stored(stored.clone()))
            }
            _ => self.request(self.kind),
        }
    }

    fn request(&mut self, kind: FetchKind) -> Action {
        self.go(State::Requesting(kind), Action::Begin(kind))
    }

    fn fresh(&mut self, requested: FetchKind, stored: StoredRecord, now: Time) -> Action {
        if self.is_overtaken_by(&stored) {
            return self.overtaken(stored, now);
        }
        if requested != FetchKind::Due {
            return self.refused();
        }
        if self.own.is_none() && self.accepts(&stored, now) && !self.is_superseded(&stored) {
            return Action::Answer(Answer::Stored(stored));
        }
        // This client needs, or has, a later result than the stored one.
        self.request(FetchKind::Forced)
    }

    fn held(&mut self, until: Duration, now: Time, elapsed: Duration) -> Action {
        if self.own.is_some() {
            return Self::own(false);
        }
        if self.wait_end.is_some_and(|end| elapsed >= end) {
            return self.refused();
        }
        let known = self.latest();
        if self.kind == FetchKind::Due && may_be_stale(&self.settings.site(known.clone()), self.settings.max_age, now) {
            let is_remembered = self.remembered.is_some_and(|own| *own.site.record() == known);
            return Action::Answer(if is_remembered { Answer::Remembered } else { Answer::Stale(known) });
        }
        // As long as a fetch of its own may take. The lease may be longer: of a client with another timeout, or by a clock of
        // the store that was set back.
        self.wait_end.get_or_insert(elapsed + self.settings.policy.deadline);
        let wait = self.interval.min(until.max(Duration::from_millis(1)));
        self.interval = (2 * self.interval).min(MAX_POLL_INTERVAL);
        Action::Wait(wait)
    }

    fn read_under_lease(&mut self, stored: Option<StoredRecord>, now: Time) -> Action {
        if self.own.is_some() {
            return match stored {
                Some(stored) if self.is_overtaken_by(&stored) => self.overtaken(stored, now),
                _ => self.go(State::Saving, Action::Save),
            };
        }
        let before = std::mem::replace(&mut self.stored, stored).and_then(|record| record.last);
        let has_waited = self.kind.is_fetch() && self.wait_end.is_some();
        match &self.stored {
            // The client that held the lease before has fetched it.
            Some(stored) if has_waited && stored.last != before && !self.is_superseded(stored) => {
                Action::Answer(Answer::Other(stored.clone()))
            }
            _ => self.fetch(State::FetchingUnderLease),
        }
    }

    fn fetch(&mut self, state: State) -> Action {
        self.fetches += 1;
        let base = self.latest();
        self.go(state, Action::Fetch(base))
    }

    fn fetched(&mut self, own: StoredRecord) -> Action {
        let is_answer = self.kind.is_fetch() && own.failing_since.is_none();
        self.own = Some(own);
        match self.state {
            State::FetchingAlone => Self::own(true),
            State::FetchingUnderLease => self.go(State::Saving, Action::Save),
            // A failure keeps the last good copy. That copy is not known, so only an answer of the site may replace it.
            State::FetchingBlindly if is_answer => self.go(State::Saving, Action::Save),
            State::FetchingWithoutLease if is_answer => self.request(self.kind),
            _ => Self::own(false),
        }
    }

    /// Continues when the stored record is no earlier than this client's result, which was fetched without a lease.
    fn overtaken(&mut self, stored: StoredRecord, now: Time) -> Action {
        if self.accepts(&stored, now) { self.late(stored) } else { Self::own(false) }
    }

    /// Discards this client's result.
    fn late(&mut self, stored: StoredRecord) -> Action {
        if self.kind.is_fetch() && stored.last.as_ref() != self.stored.as_ref().and_then(|known| known.last.as_ref()) {
            return Action::Answer(Answer::Other(stored));
        }
        if self.fetches == MAX_LOST_LEASES {
            return self.lost();
        }
        // A change is made again, to the later record. A fetch that is in progress is awaited.
        (self.stored, self.own) = (Some(stored), None);
        (self.interval, self.wait_end) = (MIN_POLL_INTERVAL, None);
        self.request(self.kind)
    }

    fn refused(&mut self) -> Action {
        self.failed(StoreError::other("it grants no lease"), "granted no lease")
    }

    /// Continues without what the store should have done. A failure is an error if the store is required, unless only one
    /// value is damaged: that is as good as none, since it may be replaced.
    fn failed(&mut self, error: StoreError, what: &'static str) -> Action {
        let is_damaged = error.is_one_damaged();
        self.failure = Some((error.clone(), what));
        if self.settings.requires_store && !is_damaged {
            return Action::Fail(CheckError::new(Kind::StoreRequired { origin: self.origin.clone(), error }));
        }
        match self.state {
            State::ReadingUnderLease if self.own.is_some() && is_damaged => self.go(State::Saving, Action::Save),
            _ if self.own.is_some() => Self::own(false),
            State::Reading if is_damaged => self.request(self.kind),
            State::ReadingUnderLease => {
                self.stored = None;
                self.fetch(if is_damaged { State::FetchingUnderLease } else { State::FetchingBlindly })
            }
            // A store that is down is tried once before the fetch, and once after it.
            _ => self.fetch(State::FetchingWithoutLease),
        }
    }

    fn own(is_saved: bool) -> Action {
        Action::Answer(Answer::Own { is_saved })
    }

    fn go(&mut self, state: State, action: Action) -> Action {
        self.state = state;
        action
    }

    fn lost(&self) -> Action {
        Action::Fail(CheckError::new(Kind::Lost(self.origin.clone())))
    }

    /// Returns true if a record answers without a fetch.
    fn is_good(&self, site: &Site, now: Time) -> bool {
        self.kind == FetchKind::Due && good_ruling(site, self.settings.max_age, now).is_some()
    }

    fn accepts(&self, stored: &StoredRecord, now: Time) -> bool {
        accepts(&self.settings.site(stored.clone()), self.settings.max_age, now)
    }

    /// Returns true if this client has a result, and a stored record is no earlier.
    fn is_overtaken_by(&self, stored: &StoredRecord) -> bool {
        self.own.as_ref().is_some_and(|own| ended(stored) >= ended(own))
    }

    fn is_superseded(&self, stored: &StoredRecord) -> bool {
        self.remembered.is_some_and(|own| !own.is_saved && supersedes(own.site.record(), stored))
    }

    /// Returns the record that an attempt starts from: the stored one, unless the one in memory supersedes it.
    fn latest(&self) -> StoredRecord {
        match (self.remembered, &self.stored) {
            (_, Some(stored)) if !self.is_superseded(stored) => stored.clone(),
            (Some(own), _) => own.site.record().clone(),
            (None, _) => StoredRecord::new(self.origin),
        }
    }
}
