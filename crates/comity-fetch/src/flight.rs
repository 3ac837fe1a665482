//! One fetch an origin at a time, however many wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use comity::Origin;
use tokio::sync::watch;

use crate::entry::Entry;
use crate::error::CheckError;

/// What a flight is made for, and what somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Whatever is still good.
    Good,
    /// The result of an attempt made now.
    Now,
    /// That it is remembered whether the site's pages answer.
    Word(bool),
}

/// What is known when a flight is over.
#[derive(Clone, Debug)]
pub(crate) struct Landed {
    pub(crate) entry: Arc<Entry>,
    pub(crate) by: By,
}

/// How it came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The site was asked.
    Fetch,
    /// What was remembered is still good.
    Memory,
    /// Something was added to what was remembered, good or not.
    Word,
}

impl Want {
    /// Whether a flight that another one began brings what is wanted.
    pub(crate) fn is_met(self, by: By) -> bool {
        match self {
            Self::Good => by != By::Word,
            Self::Now => by == By::Fetch,
            Self::Word(_) => false,
        }
    }
}

/// A flight under way, for those who wait: what is known when it is over, or what went wrong.
pub(crate) type Flight = watch::Receiver<Option<Result<Landed, CheckError>>>;

/// The flights under way.
#[derive(Debug, Default)]
pub(crate) struct Flights(Mutex<HashMap<Origin, Flight>>);

/// Where a flight ends. It is off the list before anybody hears of its end, and also if it breaks down.
pub(crate) struct Landing {
    flights: Arc<Flights>,
    origin: Option<Origin>,
    sender: watch::Sender<Option<Result<Landed, CheckError>>>,
}

impl Flights {
    /// The flight to an origin; and if there was none, where it is to end.
    pub(crate) fn board(self: &Arc<Self>, origin: &Origin) -> (Flight, Option<Landing>) {
        let mut flights = self.list();
        if let Some(flight) = flights.get(origin) {
            return (flight.clone(), None);
        }
        let (sender, flight) = watch::channel(None);
        flights.insert(origin.clone(), flight.clone());
        (flight, Some(Landing { flights: Arc::clone(self), origin: Some(origin.clone()), sender }))
    }

    fn list(&self) -> MutexGuard<'_, HashMap<Origin, Flight>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Landing {
    /// Tells all who wait. Whoever comes after that finds what is known in memory, or wants another flight.
    pub(crate) fn land(mut self, landed: Result<Landed, CheckError>) {
        self.leave();
        self.sender.send_replace(Some(landed));
    }

    fn leave(&mut self) {
        if let Some(origin) = self.origin.take() {
            self.flights.list().remove(&origin);
        }
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        self.leave();
    }
}
