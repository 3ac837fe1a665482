//! The state of a watcher, for metrics, the API and people.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use comity_fetch::Time;
use serde::Serialize;

use crate::alert::{Alert, AlertKind};
use crate::outbox::Outbox;

/// The result of [`Watcher::once`](super::Watcher::once).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WatchSummary {
    /// The number of sites.
    pub sites: usize,
    /// The number of sites that were looked at.
    pub asked: usize,
    /// The number of sites that were not due.
    pub waiting: usize,
    /// The time when the next site is due.
    pub next: Option<Time>,
    /// The last problem that kept sites from being judged.
    pub problem: Option<String>,
}

/// The state of a watcher that runs. Clones share it.
#[derive(Clone, Debug)]
pub struct WatchStatus {
    pub(super) board: Arc<Board>,
    pub(super) outbox: Outbox,
}

/// The values that tasks write and readers read.
#[derive(Debug)]
pub(super) struct Board(Mutex<Facts>);

/// The facts about a watcher at a moment.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct WatchFacts {
    /// The number of watched sites.
    pub sites: usize,
    /// The number of sites that are due.
    pub due: usize,
    /// The time for which the first of them has been due, in seconds.
    pub late_seconds: f64,
    /// The number of sites for which each condition holds.
    pub open: BTreeMap<AlertKind, usize>,
    /// The number of alerts of each kind since the start.
    pub alerts: BTreeMap<AlertKind, u64>,
    /// The number of alerts that each receiver did not accept yet.
    pub undelivered: BTreeMap<String, u64>,
    /// The reason why each receiver did not accept them.
    pub failures: BTreeMap<String, String>,
    /// True if the watcher's own network is down, so that nothing is judged.
    pub network_down: bool,
    /// The problem that keeps the watcher from judging, such as a full disk.
    pub problem: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) shown: WatchFacts,
    open: HashMap<u32, Vec<AlertKind>>,
}

impl WatchStatus {
    /// Returns the facts at this moment.
    pub fn facts(&self) -> WatchFacts {
        self.board.lock().shown.clone()
    }

    /// Returns the store of the alerts.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }
}

impl Board {
    pub(super) fn new(sites: usize) -> Self {
        let shown = WatchFacts { sites, ..WatchFacts::default() };
        Self(Mutex::new(Facts { shown, ..Facts::default() }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Facts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the conditions that hold for a site.
    pub(super) fn opened(&self, site: u32, open: Vec<AlertKind>) {
        let mut facts = self.lock();
        let before = if open.is_empty() { facts.open.remove(&site) } else { facts.open.insert(site, open.clone()) };
        for kind in before.into_iter().flatten() {
            if let Some(count) = facts.shown.open.get_mut(&kind) {
                *count = count.saturating_sub(1);
            }
        }
        for kind in open {
            *facts.shown.open.entry(kind).or_default() += 1;
        }
        facts.shown.open.retain(|_, count| *count > 0);
    }

    pub(super) fn count(&self, alerts: &[Alert]) {
        let mut facts = self.lock();
        for alert in alerts {
            *facts.shown.alerts.entry(alert.kind).or_default() += 1;
        }
    }

    pub(super) fn set_due(&self, (due, late): (usize, Duration)) {
        let mut facts = self.lock();
        (facts.shown.due, facts.shown.late_seconds) = (due, late.as_secs_f64());
    }

    pub(super) fn set_left(&self, receiver: &str, left: u64, failure: Option<String>) {
        let mut facts = self.lock();
        facts.shown.undelivered.insert(receiver.to_owned(), left);
        match failure {
            Some(failure) => facts.shown.failures.insert(receiver.to_owned(), failure),
            None => facts.shown.failures.remove(receiver),
        };
    }

    /// Notes and logs a problem of the watcher itself.
    pub(super) fn trouble(&self, problem: &(impl Display + ?Sized)) {
        tracing::error!(%problem, "sites could not be judged, and will be later");
        self.lock().shown.problem = Some(problem.to_string());
    }
}
