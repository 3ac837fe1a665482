//! The lease protocol: obtains the state of an origin from memory, from the store, or from the site.
//!
//! Like [`Site`], it is a state machine without I/O and without a clock: [`LeaseProtocol::step`] takes the result of the
//! last action and the time, and returns the next action. The client performs the actions in `obtain.rs`. So each path,
//! also those that need a crash or an outage at a certain moment, is a script of a few lines in `testdata/leases.toml`.
//!
//! It is in this crate and not in comity-policy, because its inputs are the answers of a [`Store`](crate::store::Store):
//! leases, late results, damage. A program that uses comity-policy with an HTTP client of its own has no store of this kind.
//! Beside `HeldLease`, it is half of one idea: the protocol decides when a lease is needed, and `HeldLease` returns it.

use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_policy::{Policy, Site, StoredRecord, Time};

use super::records::{accepts, ended, good_ruling, may_be_stale, supersedes};
use crate::cached_site::CachedSite;
use crate::error::{CheckError, Kind};
use crate::store::{FetchKind, Lease, Saved, StoreError, Stored};

#[cfg(test)]
mod properties;
#[cfg(test)]
mod scripts;

/// The difference between the span of a lease and the maximum time of an attempt.
const LEASE_MARGIN: Duration = Duration::from_secs(5);
/// The maximum time to wait for another client's lease, even if the store states a longer one. The client's own span is
/// added to it.
const MAX_LEASE_WAIT: Duration = Duration::from_secs(10 * 60);
/// The time until the store is asked again for a lease that another client holds. It doubles up to the maximum.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(50);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(400);
/// The number of fetches for one question, if each one's lease passes to a client that saves nothing.
const MAX_LOST_LEASES: usize = 3;

/// The result of an action.
#[derive(Debug)]
pub(crate) enum Input<'a> {
    /// The question was asked.
    Start,
    /// The stored record was read.
    Loaded(Result<Option<Stored>, StoreError>),
    /// A lease was requested. The client keeps it until it requests the next one, or the question is answered.
    Begun(Result<Lease, StoreError>),
    /// The time to wait has passed.
    Waited,
    /// The file was fetched, or the change was made.
    Fetched(&'a StoredRecord),
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
    /// Fetch the file, starting from this record.
    Fetch(StoredRecord),
    /// Add the caller's report to this record. The host is not contacted, so this needs no permit.
    Change { record: StoredRecord, answers: bool },
    /// Save the result with the ticket of the lease.
    Save,
    /// Answer the question.
    Answer(Answer),
}

/// The record that answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The one in memory.
    Remembered(Arc<CachedSite>),
    /// A stored one that is good.
    Stored(StoredRecord),
    /// A stored one that is due, while another client fetches.
    Stale(StoredRecord),
    /// The result of another client, which fetched the file during this question.
    Other(StoredRecord),
    /// The result of this client.
    Own { is_saved: bool },
}

/// The settings of a client that the protocol depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) policy: Policy,
    pub(crate) seed: u64,
    pub(crate) max_age: Option<Duration>,
    pub(crate) has_store: bool,
    pub(crate) requires_store: bool,
}

impl Terms {
    /// Returns the time for which leases are requested: an attempt ends within it.
    pub(crate) fn lease_span(&self) -> Duration {
        self.policy.deadline + LEASE_MARGIN
    }
}

/// The time of an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    /// The client's clock, which may be wrong or set back.
    pub(crate) clock: Time,
    /// The time since the question was asked, by a clock that cannot be set.
    pub(crate) elapsed: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    /// The record is read before a lease is requested: most questions end here.
    Reading,
    /// A lease is requested, for the fetch or the change.
    Requesting,
    /// The record is read again under the lease. No other client changes it now, so the fetch starts from this one.
    ReadingBase,
    FetchingUnderLease,
    /// The file is fetched without a lease, because the store failed.
    Fetching,
    /// A lease is requested for a result that was fetched without one, so that it does not replace a later result of
    /// another client.
    RequestingToSave,
    /// The record is read under that lease.
    ReadingToSave,
    Saving,
}

/// A state machine that answers one question about an origin, with as few fetches as possible among all clients that
/// share a store.
#[derive(Debug)]
pub(crate) struct LeaseProtocol {
    origin: Origin,
    kind: FetchKind,
    terms: Terms,
    remembered: Option<Arc<CachedSite>>,
    state: State,
    /// The record as the store had it when it was last read.
    stored: Option<StoredRecord>,
    /// The last read failed, so the stored record is not known.
    is_down: bool,
    /// The number of rounds: each begins with a request for a lease, and ends when the result is late.
    rounds: usize,
    /// The kind of the current request for a lease.
    requested: FetchKind,
    /// The time until the next request, and the time of the last one.
    interval: Duration,
    wait_end: Option<Duration>,
    /// The time when this client's own fetch ended.
    fetched: Option<Time>,
    /// The failure of the store that the last step found, to be counted and logged.
    pub(crate) failure: Option<(StoreError, &'static str)>,
}

type Next = Result<Action, CheckError>;

impl LeaseProtocol {
    pub(crate) fn new(origin: &Origin, kind: FetchKind, terms: Terms, remembered: Option<Arc<CachedSite>>) -> Self {
        Self {
            origin: origin.clone(),
            kind,
            terms,
            remembered,
            state: State::Start,
            stored: None,
            is_down: false,
            rounds: 0,
            requested: kind,
            interval: MIN_POLL_INTERVAL,
            wait_end: None,
            fetched: None,
            failure: None,
        }
    }

    /// Returns the next action. After an answer or an error, there is none.
    ///
    /// # Errors
    ///
    /// If the store fails and is required, and if too many leases were lost.
    pub(crate) fn step(&mut self, input: Input<'_>, now: Now) -> Next {
        use Input::{Begun, Completed, Fetched, Loaded, Start, Waited};
        use Lease::{Fresh, Granted, Held};
        let is_due = self.requested == FetchKind::Due;
        match (self.state, input) {
            (State::Start, Start) => self.start(now),
            (State::Reading, Loaded(Ok(stored))) => self.read(stored, now),

            (State::Requesting, Begun(Ok(Granted(_)))) => self.go(State::ReadingBase, Action::Load),
            (State::Requesting, Begun(Ok(Fresh(stored)))) if is_due => self.fresh(stored.record, now),
            (State::Requesting, Begun(Ok(Held { until }))) if self.wait_end.is_none_or(|end| now.elapsed < end) => {
                self.held(until, now)
            }
            (State::Requesting, Begun(Ok(_))) => {
                self.failed(StoreError::other("it grants no lease"), "granted no lease")
            }
            (State::Requesting, Waited) => Ok(Action::Begin(self.requested)),

            (State::ReadingBase, Loaded(Ok(stored))) => self.read_base(stored),
            (State::FetchingUnderLease, Fetched(record)) => self.fetched(record, true),
            (State::Fetching, Fetched(record)) => self.fetched(record, false),

            (State::RequestingToSave, Begun(Ok(Granted(_)))) => self.go(State::ReadingToSave, Action::Load),
            (State::RequestingToSave, Begun(Ok(Fresh(stored)))) if self.is_later(&stored) => self.later(stored, now),
            // The stored record is earlier, however long it may be fresh.
            (State::RequestingToSave, Begun(Ok(Fresh(_)))) if is_due => self.force(),
            (State::RequestingToSave, Begun(Ok(_))) => Self::own(false),
            (State::ReadingToSave, Loaded(Ok(Some(stored)))) if self.is_later(&stored) => self.later(stored, now),
            (State::ReadingToSave, Loaded(Ok(_))) => self.go(State::Saving, Action::Save),
            // The damaged record is replaced.
            (State::ReadingToSave, Loaded(Err(error))) if concerns_one_record(&error) => {
                self.go(State::Saving, Action::Save)
            }

            (State::Saving, Completed(Ok(Saved::Kept))) => Self::own(true),
            (State::Saving, Completed(Ok(Saved::Late(stored)))) => self.late(stored.record),

            (_, Loaded(Err(error))) => self.failed(error, "could not be read"),
            (_, Begun(Err(error))) => self.failed(error, "could not grant a lease"),
            (_, Completed(Err(error))) => self.failed(error, "could not be written"),
            _ => Err(self.lost()),
        }
    }

    /// Continues without what the store should have done. A failure is an error if the store is required, unless only one
    /// value is damaged.
    fn failed(&mut self, error: StoreError, what: &'static str) -> Next {
        let is_damaged = concerns_one_record(&error);
        self.failure = Some((error.clone(), what));
        if self.terms.requires_store && !is_damaged {
            return Err(CheckError::new(Kind::StoreRequired { origin: self.origin.clone(), error }));
        }
        if matches!(self.state, State::Reading | State::ReadingBase) {
            // A damaged record is as good as none, since it may be replaced.
            (self.stored, self.is_down) = (None, !is_damaged);
        }
        match self.state {
            State::Reading => self.begin_round(),
            State::Requesting => self.fetch(State::Fetching),
            State::ReadingBase => self.fetch(State::FetchingUnderLease),
            State::RequestingToSave | State::ReadingToSave | State::Saving => Self::own(false),
            State::Start | State::Fetching | State::FetchingUnderLease => Err(self.lost()),
        }
    }

    fn start(&mut self, now: Now) -> Next {
        // Another caller's fetch may have ended since this one checked.
        if let (FetchKind::Due, Some(own)) = (self.kind, &self.remembered)
            && good_ruling(&own.site, self.terms.max_age, now.clock).is_some()
        {
            return Ok(Action::Answer(Answer::Remembered(Arc::clone(own))));
        }
        if self.terms.has_store { self.go(State::Reading, Action::Load) } else { self.fetch(State::Fetching) }
    }

    fn read(&mut self, stored: Option<Stored>, now: Now) -> Next {
        self.stored = stored.map(|stored| stored.record);
        if let (FetchKind::Due, Some(stored)) = (self.kind, &self.stored)
            && !self.is_superseded(stored)
            && good_ruling(&self.site(stored.clone()), self.terms.max_age, now.clock).is_some()
        {
            return Ok(Action::Answer(Answer::Stored(stored.clone())));
        }
        self.begin_round()
    }

    fn begin_round(&mut self) -> Next {
        self.rounds += 1;
        if self.rounds > MAX_LOST_LEASES {
            return Err(self.lost());
        }
        (self.requested, self.interval, self.wait_end) = (self.kind, MIN_POLL_INTERVAL, None);
        // A store that is down is tried once before the fetch, and once after it.
        if self.is_down { self.fetch(State::Fetching) } else { self.go(State::Requesting, Action::Begin(self.kind)) }
    }

    fn fresh(&mut self, record: StoredRecord, now: Now) -> Next {
        let site = self.site(record);
        if accepts(&site, self.terms.max_age, now.clock) && !self.is_superseded(site.record()) {
            return Ok(Action::Answer(Answer::Stored(site.into_record())));
        }
        // This client needs a later result than the stored one.
        self.force()
    }

    fn force(&mut self) -> Next {
        self.requested = FetchKind::Forced;
        Ok(Action::Begin(FetchKind::Forced))
    }

    fn held(&mut self, until: Duration, now: Now) -> Next {
        if self.kind == FetchKind::Due {
            let known = self.site(self.latest());
            if may_be_stale(&known, self.terms.max_age, now.clock) {
                let same = self.remembered.as_ref().filter(|own| own.site.record() == known.record()).cloned();
                return Ok(Action::Answer(same.map_or(Answer::Stale(known.into_record()), Answer::Remembered)));
            }
        }
        let span = self.terms.lease_span();
        self.wait_end.get_or_insert(now.elapsed + until.min(MAX_LEASE_WAIT) + span);
        let wait = self.interval.min(until.max(Duration::from_millis(1)));
        self.interval = (2 * self.interval).min(MAX_POLL_INTERVAL);
        Ok(Action::Wait(wait))
    }

    fn read_base(&mut self, stored: Option<Stored>) -> Next {
        let before = std::mem::replace(&mut self.stored, stored.map(|stored| stored.record));
        if let Some(stored) = &self.stored
            && self.is_fetch()
            && self.wait_end.is_some()
            && stored.last != before.and_then(|record| record.last)
            && !self.is_superseded(stored)
        {
            // The client that held the lease before has fetched it.
            return Ok(Action::Answer(Answer::Other(stored.clone())));
        }
        self.fetch(State::FetchingUnderLease)
    }

    fn fetch(&mut self, state: State) -> Next {
        let record = self.latest();
        let action = match self.kind {
            FetchKind::SiteAnswers(answers) => Action::Change { record, answers },
            FetchKind::Due | FetchKind::Forced => Action::Fetch(record),
        };
        self.go(state, action)
    }

    fn fetched(&mut self, record: &StoredRecord, has_lease: bool) -> Next {
        self.fetched = ended(record);
        // A failure keeps the last good copy. Unless that copy is known, the record must not replace the stored one.
        let is_base_known = has_lease && !self.is_down;
        let is_answer = self.is_fetch() && record.failing_since.is_none();
        if !self.terms.has_store || !(is_base_known || is_answer) {
            return Self::own(!self.terms.has_store);
        }
        if has_lease {
            return self.go(State::Saving, Action::Save);
        }
        self.requested = self.kind;
        self.go(State::RequestingToSave, Action::Begin(self.kind))
    }

    /// Returns true if a stored record is no earlier than the result of this client.
    fn is_later(&self, stored: &Stored) -> bool {
        ended(&stored.record) >= self.fetched
    }

    fn later(&mut self, stored: Stored, now: Now) -> Next {
        let site = self.site(stored.record);
        if accepts(&site, self.terms.max_age, now.clock) { self.late(site.into_record()) } else { Self::own(false) }
    }

    fn late(&mut self, record: StoredRecord) -> Next {
        let known = self.stored.as_ref().and_then(|record| record.last.as_ref());
        // The result of the client that took over replaces this client's.
        if self.is_fetch() && record.last.as_ref() != known {
            return Ok(Action::Answer(Answer::Other(record)));
        }
        // A change is made again, to the later record. A fetch that is in progress is awaited.
        (self.stored, self.is_down) = (Some(record), false);
        self.begin_round()
    }

    fn own(is_saved: bool) -> Next {
        Ok(Action::Answer(Answer::Own { is_saved }))
    }

    fn go(&mut self, state: State, action: Action) -> Next {
        self.state = state;
        Ok(action)
    }

    fn lost(&self) -> CheckError {
        CheckError::new(Kind::Lost(self.origin.clone()))
    }

    fn is_fetch(&self) -> bool {
        !matches!(self.kind, FetchKind::SiteAnswers(_))
    }

    fn is_superseded(&self, stored: &StoredRecord) -> bool {
        self.remembered.as_ref().is_some_and(|own| !own.is_saved && supersedes(own.site.record(), stored))
    }

    /// Returns the record that an attempt starts from: the stored one, unless the one in memory supersedes it.
    fn latest(&self) -> StoredRecord {
        match (&self.remembered, &self.stored) {
            (_, Some(stored)) if !self.is_superseded(stored) => stored.clone(),
            (Some(own), _) => own.site.record().clone(),
            (None, _) => StoredRecord::new(&self.origin),
        }
    }

    fn site(&self, record: StoredRecord) -> Site {
        Site::resume(record, self.terms.policy).with_seed(self.terms.seed)
    }
}

/// Returns true if an error is about one record, while the store works.
fn concerns_one_record(error: &StoreError) -> bool {
    error.is_damaged() && !error.is_broken()
}
