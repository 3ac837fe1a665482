//! Properties of the protocol, whatever the store answers and in whatever order its clients ask.

use std::collections::BTreeSet;

use comity_policy::{Action as SiteAction, Policy};

use super::scripts::{START, attempt, change, error, origin, stored, transition};
use super::*;
use crate::store::{Stored, Ticket};

const RESULTS: [&str; 4] = ["found", "brief", "missing", "failed"];
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
/// More than the longest wait has polls, for each of three leases.
const MAX_STEPS: usize = 3 * 2000;

fn kind(random: &mut fastrand::Rng) -> FetchKind {
    [FetchKind::Due, FetchKind::Due, FetchKind::Forced, FetchKind::SiteAnswers(true)][random.usize(..4)]
}

fn remembered(record: StoredRecord, is_saved: bool) -> CachedSite {
    let site = Site::resume(record, Policy::STANDARD);
    let mut own = CachedSite::new(origin(), site.into(), &comity::Dialect::STANDARD, Vec::new());
    own.is_saved = is_saved;
    own
}

/// The progress of a question, and checks of what the client of `obtain.rs` relies on.
#[derive(Debug, Default)]
struct Question {
    steps: usize,
    has_lease: bool,
    fetches: usize,
}

impl Question {
    /// Checks an action, before it is performed.
    fn check(&mut self, action: &Action, remembered: Option<&CachedSite>) {
        self.steps += 1;
        assert!(self.steps < MAX_STEPS, "no end");
        match action {
            Action::Fetch(_) => self.fetches += 1,
            Action::Save => assert!(self.has_lease && self.fetches > 0, "a result is saved with a ticket"),
            Action::Answer(Answer::Remembered) => assert!(remembered.is_some()),
            Action::Answer(Answer::Own { .. }) => assert!(self.fetches > 0),
            _ => {}
        }
        assert!(self.fetches <= MAX_LOST_LEASES, "{} fetches", self.fetches);
    }
}

/// Answers questions at random, as no good store would, and returns the transitions. Each question ends, with the fetches
/// that it may have.
pub(super) fn random_transitions() -> BTreeSet<String> {
    let mut random = fastrand::Rng::with_seed(1);
    let pool: Vec<StoredRecord> = (0..400).map(|_| some_record(&mut random)).collect();
    let mut taken = BTreeSet::new();
    for _ in 0..40_000 {
        let max_age = random.bool().then_some(HOUR);
        let (has_store, requires_store) = (random.u8(..20) > 0, random.u8(..4) == 0);
        let settings = Settings { requires_store, max_age, ..Settings::default() };
        let some = |random: &mut fastrand::Rng| pool[random.usize(..pool.len())].clone();
        let memory = random.bool().then(|| remembered(some(&mut random), random.bool()));
        let (origin, kind, mut question) = (origin(), kind(&mut random), Question::default());
        let mut protocol = LeaseProtocol::new(&origin, kind, &settings, has_store, memory.as_ref());
        let (mut elapsed, mut input) = (Duration::ZERO, Input::Start);
        loop {
            let (words, action) = transition(&mut protocol, input, START + elapsed, elapsed);
            taken.insert(words);
            question.check(&action, memory.as_ref());
            // Once a lease is held, it usually stays so until its end.
            let fault = random.u8(..8);
            let is_again = matches!(protocol.state, State::Requesting(_)) && protocol.wait_end.is_some();
            input = match action {
                Action::Load if fault == 0 => Input::Loaded(Err(error("down"))),
                Action::Load if fault == 1 => Input::Loaded(Err(error("damaged"))),
                Action::Load => Input::Loaded(Ok(random.bool().then(|| some(&mut random)))),
                Action::Begin(_) => {
                    question.has_lease = false;
                    Input::Begun(match fault {
                        _ if is_again && random.u8(..10) > 0 => Ok(Lease::Held { until: HOUR }),
                        0 => Err(error("down")),
                        1 => Err(error("damaged")),
                        2 | 3 => Ok(Lease::Held { until: Duration::from_millis(random.u64(50..1_000_000)) }),
                        4 => Ok(Lease::Fresh(stored(some(&mut random)))),
                        _ => {
                            question.has_lease = true;
                            Ok(Lease::Granted(Ticket::random(&origin)))
                        }
                    })
                }
                Action::Wait(time) => {
                    elapsed += time * random.u32(1..40);
                    Input::Waited
                }
                Action::Fetch(base) if kind.is_fetch() => {
                    Input::Fetched(attempt(base, RESULTS[random.usize(..4)], START + elapsed))
                }
                Action::Fetch(base) => Input::Fetched(change(base, START + elapsed)),
                Action::Save => {
                    question.has_lease = false;
                    Input::Completed(match fault {
                        0 => Err(error("down")),
                        1 => Err(error("damaged")),
                        2 => Ok(Saved::Kept),
                        3 => Ok(Saved::Late(Stored::empty(&origin))),
                        // The stored record is often the one that is known: the client that took over is still fetching.
                        4 | 5 => Ok(Saved::Late(stored(some(&mut random)))),
                        _ => {
                            let known = protocol.stored.clone().unwrap_or_else(|| StoredRecord::new(&origin));
                            Ok(Saved::Late(stored(known)))
                        }
                    })
                }
                Action::Answer(_) | Action::Fail(_) => break,
            };
        }
    }
    taken
}

/// Returns a record of up to three attempts and reports within two days, of which the last may be in the future.
fn some_record(random: &mut fastrand::Rng) -> StoredRecord {
    let mut record = StoredRecord::new(&origin());
    let mut now = Time::from_unix_seconds(START.as_unix_millis() / 1000 - 2 * 24 * 60 * 60);
    for _ in 0..random.u8(..4) {
        now = now + MINUTE * random.u32(1..24 * 60);
        record =
            if random.u8(..8) == 0 { change(record, now) } else { attempt(record, RESULTS[random.usize(..4)], now) };
    }
    record
}

/// A store that several clients share. Its clock is that of the clients.
struct Model {
    random: fastrand::Rng,
    now: Time,
    record: Option<StoredRecord>,
    is_damaged: bool,
    saved: Time,
    lease: Option<(Ticket, Time)>,
    /// The percentage of calls that fail.
    faults: u8,
}

impl Model {
    fn fails(&mut self) -> bool {
        self.random.u8(..100) < self.faults
    }

    fn load(&mut self) -> Result<Option<StoredRecord>, StoreError> {
        if self.fails() {
            return Err(error("down"));
        }
        if self.is_damaged { Err(error("damaged")) } else { Ok(self.record.clone()) }
    }

    fn begin(&mut self, span: Duration, kind: FetchKind) -> Result<Lease, StoreError> {
        if self.fails() {
            return Err(error("down"));
        }
        if let (FetchKind::Due, false, Some(record)) = (kind, self.is_damaged, &self.record)
            && self.now < self.saved + record.fresh_for.unwrap_or_default()
        {
            return Ok(Lease::Fresh(stored(record.clone())));
        }
        if let Some((_, end)) = &self.lease
            && self.now < *end
        {
            return Ok(Lease::Held { until: end.since(self.now) });
        }
        let ticket = Ticket::random(&origin());
        self.lease = Some((ticket.clone(), self.now + span));
        Ok(Lease::Granted(ticket))
    }

    /// Saves a record. `unsaved` is the one in the client's memory, if it could not be saved.
    fn complete(
        &mut self,
        record: &StoredRecord,
        ticket: &Ticket,
        unsaved: Option<&StoredRecord>,
    ) -> Result<Saved, StoreError> {
        if self.fails() {
            return Err(error("down"));
        }
        if self.lease.as_ref().is_none_or(|(current, _)| current != ticket) {
            return Ok(Saved::Late(self.record.clone().map_or_else(|| Stored::empty(&origin()), stored)));
        }
        if let (false, Some(old)) = (self.is_damaged, &self.record) {
            assert!(ended(record) >= ended(old), "a record is replaced by an earlier one");
            let confirmed = |record: &StoredRecord| record.copy.as_ref().map(|copy| copy.confirmed);
            // A later answer of the site, which could not be saved, ends the stored copy.
            let is_known = unsaved.is_none_or(|own| own.failing_since.is_some() || ended(own) <= ended(old));
            if record.failing_since.is_some() && is_known {
                assert!(confirmed(record) >= confirmed(old), "a failure replaces a copy");
                let is_withdrawn = old.copy.is_none() && old.failing_since.is_none();
                assert!(!is_withdrawn || confirmed(record).is_none() || confirmed(record) > ended(old), "restored");
            }
        }
        (self.record, self.is_damaged, self.saved, self.lease) = (Some(record.clone()), false, self.now, None);
        Ok(Saved::Kept)
    }

    fn abandon(&mut self, ticket: Option<&Ticket>) {
        self.lease.take_if(|(current, _)| Some(&*current) == ticket);
    }
}

/// A question of one client.
struct Asking<'c> {
    protocol: LeaseProtocol<'c>,
    remembered: Option<&'c CachedSite>,
    question: Question,
    asked: Time,
    next: Option<Action>,
    not_before: Time,
    lease: Option<Ticket>,
    own: Option<StoredRecord>,
    /// The record that answers, and true if it is saved.
    answer: Option<(StoredRecord, bool)>,
}

impl<'c> Asking<'c> {
    fn new(
        origin: &'c Origin,
        kind: FetchKind,
        settings: &'c Settings,
        memory: Option<&'c CachedSite>,
        asked: Time,
    ) -> Self {
        Self {
            protocol: LeaseProtocol::new(origin, kind, settings, true, memory),
            remembered: memory,
            question: Question::default(),
            asked,
            next: None,
            not_before: asked,
            lease: None,
            own: None,
            answer: None,
        }
    }

    /// Performs the next action, and asks what follows. Returns false after the answer.
    fn step(&mut self, store: &mut Model) -> bool {
        let input = match self.next.take() {
            None => Input::Start,
            Some(Action::Load) => Input::Loaded(store.load()),
            Some(Action::Begin(kind)) => {
                store.abandon(self.lease.take().as_ref());
                let begun = store.begin(crate::lease::LEASE_SPAN, kind);
                if let Ok(Lease::Granted(ticket)) = &begun {
                    self.lease = Some(ticket.clone());
                }
                Input::Begun(begun)
            }
            Some(Action::Wait(_)) => Input::Waited,
            Some(Action::Fetch(base)) => {
                let record = match self.protocol.kind {
                    FetchKind::SiteAnswers(_) => change(base, store.now),
                    _ => attempt(base, RESULTS[store.random.usize(..4)], store.now),
                };
                self.own = Some(record.clone());
                Input::Fetched(record)
            }
            Some(Action::Save) => {
                let unsaved = self.remembered.filter(|own| !own.is_saved).map(|own| own.site.record());
                let saved = store.complete(self.own.as_ref().unwrap(), self.lease.as_ref().unwrap(), unsaved);
                let ticket = self.lease.take();
                if saved.is_err() {
                    store.abandon(ticket.as_ref());
                }
                Input::Completed(saved)
            }
            Some(Action::Answer(_) | Action::Fail(_)) => unreachable!("the end"),
        };
        let next = self.protocol.step(input, store.now, store.now.since(self.asked));
        self.question.has_lease = self.lease.is_some();
        self.question.check(&next, self.remembered);
        self.answer = match next {
            Action::Answer(Answer::Remembered) | Action::Fail(_) => None,
            Action::Answer(Answer::Own { is_saved }) => self.own.take().map(|own| (own, is_saved)),
            Action::Answer(Answer::Stored(record) | Answer::Stale(record) | Answer::Other(record)) => {
                Some((record, true))
            }
            action => {
                if let Action::Wait(time) = &action {
                    self.not_before = store.now + *time;
                }
                self.next = Some(action);
                return true;
            }
        };
        store.abandon(self.lease.take().as_ref());
        false
    }
}

/// Lets two clients ask in turn, and returns the number of fetches for each round of two questions.
fn play(seed: u64, faults: u8, mut kind: impl FnMut(&mut fastrand::Rng) -> FetchKind) -> Vec<usize> {
    let (record, is_damaged, lease) = (None, false, None);
    let random = fastrand::Rng::with_seed(seed);
    let mut store = Model { random, now: START, record, is_damaged, saved: START, lease, faults };
    let mut memory: [Option<CachedSite>; 2] = [None, None];
    let (origin, settings) = (origin(), Settings::default());
    let mut fetches = Vec::new();
    for _ in 0..12 {
        store.now = store.now + MINUTE * store.random.u32(..30 * 60);
        let kinds = [kind(&mut store.random), kind(&mut store.random)];
        let mut asking = [0, 1].map(|nth| Asking::new(&origin, kinds[nth], &settings, memory[nth].as_ref(), store.now));
        let mut open = vec![0, 1];
        while !open.is_empty() {
            let at = store.random.usize(..open.len());
            let client = &mut asking[open[at]];
            // A client that is stopped for a minute loses its lease.
            let is_stopped = store.faults > 0 && store.random.u8(..20) == 0;
            store.now = store.now + if is_stopped { MINUTE } else { Duration::from_millis(store.random.u64(..200)) };
            store.now = store.now.max(client.not_before);
            store.is_damaged |= store.faults > 0 && store.random.u8(..40) == 0;
            if !client.step(&mut store) {
                open.remove(at);
            }
        }
        assert_eq!(store.lease, None, "a lease is given back");
        fetches.push(asking.iter().map(|client| client.question.fetches).sum());
        let answers = asking.map(|client| client.answer);
        for (own, answer) in memory.iter_mut().zip(answers) {
            if let Some((record, is_saved)) = answer {
                *own = Some(remembered(record, is_saved));
            }
        }
    }
    fetches
}

/// While the store works and no lease is lost, clients that need the file at the same time fetch it once.
#[test]
fn clients_of_a_good_store_fetch_once() {
    for seed in 0..1000 {
        let fetches = play(seed, 0, |_| FetchKind::Due);
        assert!(fetches[0] == 1 && fetches.iter().all(|fetches| *fetches <= 1), "seed {seed}: {fetches:?}");
    }
}

/// With failures, lost leases and damaged records, questions end, and no good record is replaced by an earlier one: see
/// [`Question::check`] and [`Model::complete`].
#[test]
fn a_bad_store_loses_no_later_record() {
    for seed in 0..2000 {
        for faults in [5, 30] {
            play(seed, faults, kind);
        }
    }
}

/// The outcomes that the tests choose from are what they are called.
#[test]
fn attempts_have_the_results_of_their_names() {
    let record = |result| attempt(StoredRecord::new(&origin()), result, START);
    let due = |result| Site::resume(record(result), Policy::STANDARD).due().since(START);
    assert_eq!((due("found"), due("brief"), due("missing")), (24 * HOUR, HOUR, 24 * HOUR));
    assert!(record("failed").failing_since.is_some() && record("missing").copy.is_none());
    assert_eq!(Site::resume(record("found"), Policy::STANDARD).poll(START), SiteAction::Wait(START + 24 * HOUR));
}
