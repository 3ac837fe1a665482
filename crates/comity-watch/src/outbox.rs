//! The states of sites and the alerts, in the journal of the store.

use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_fetch::Time;
use comity_fetch::store::{ContentHash, Journal, JournalChange, Store, StoreError};
use serde::de::DeserializeOwned;

use crate::alert::Alert;
use crate::judge::State;

/// The time for which alerts are kept.
const KEPT_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// The maximum number of alerts that are kept.
const MAX_KEPT: u64 = 1_000_000;

/// The states of sites and the alerts, in the journal of the store. Clones share the store.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<dyn Store>);

impl Outbox {
    /// Creates it; `None` if the store has no journal.
    pub fn new(store: Arc<dyn Store>) -> Option<Self> {
        store.journal().is_some().then_some(Self(store))
    }

    /// Returns the store.
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.0
    }

    fn journal(&self) -> Result<&dyn Journal, StoreError> {
        self.0.journal().ok_or_else(|| StoreError::other("it keeps no alerts: use a cache in a folder or a database"))
    }

    /// Returns the state of a site.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub async fn state(&self, origin: &Origin) -> Result<State, StoreError> {
        Ok(self.note(&of_site(origin)).await?.unwrap_or_default())
    }

    /// Replaces the state of a site and appends its alerts, in one transaction. Alerts whose id is known are skipped.
    ///
    /// # Errors
    ///
    /// If the store cannot be written. Nothing is written then.
    pub async fn save(&self, origin: &Origin, state: &State, alerts: &[Alert], now: Time) -> Result<(), StoreError> {
        self.write(&of_site(origin), state, alerts, now).await
    }

    /// Replaces a note and appends alerts, in one transaction.
    pub(crate) async fn write(
        &self,
        name: &str,
        note: &impl serde::Serialize,
        alerts: &[Alert],
        now: Time,
    ) -> Result<(), StoreError> {
        let note = serde_json::to_string(note).map_err(StoreError::other)?;
        let entries = alerts.iter().map(|alert| alert.entry(now)).collect::<Result<_, _>>()?;
        self.journal()?.write(JournalChange { notes: vec![(name.to_owned(), note)], entries }).await
    }

    pub(crate) async fn note<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let note = self.journal()?.notes(vec![name.to_owned()]).await?.pop().flatten();
        let damaged = |error| StoreError::damaged(format!("the note `{name}` can't be understood: {error}"));
        note.map(|note| serde_json::from_str(&note).map_err(damaged)).transpose()
    }

    /// Returns at most `max` alerts with numbers greater than `after`, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub async fn alerts(&self, after: u64, max: usize) -> Result<Vec<Alert>, StoreError> {
        self.journal()?.entries(after, max).await?.iter().map(Alert::of).collect()
    }

    /// Returns the number of the newest alert; 0 if there was none.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub async fn newest(&self) -> Result<u64, StoreError> {
        self.journal()?.newest().await
    }

    /// Returns the number of the last alert that a receiver got.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub async fn cursor(&self, receiver: &str) -> Result<u64, StoreError> {
        let stored: u64 = self.note(&of_receiver(receiver)).await?.unwrap_or_default();
        // A greater number is of alerts that the store has lost. Those of today must not wait until it is reached again.
        Ok(if stored > self.newest().await? { 0 } else { stored })
    }

    /// Sets the number of the last alert that a receiver got.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    pub async fn set_cursor(&self, receiver: &str, number: u64) -> Result<(), StoreError> {
        self.write(&of_receiver(receiver), &number, &[], Time::default()).await
    }

    /// Removes alerts that are older than 90 days, and the oldest ones beyond a million.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    pub async fn trim(&self, now: Time) -> Result<u64, StoreError> {
        let before = now.as_unix_millis().saturating_sub(KEPT_FOR.as_millis().try_into().unwrap_or(u64::MAX));
        self.journal()?.trim(Time::from_unix_millis(before), MAX_KEPT).await
    }
}

fn of_site(origin: &Origin) -> String {
    format!("site {origin}")
}

/// Returns the name of a receiver's note: a hash, since the address of a webhook may be a secret.
fn of_receiver(receiver: &str) -> String {
    format!("to {}", &ContentHash::of(receiver.as_bytes()).to_string()[..32])
}
