//! Obtains the cached state of an origin: performs the actions of the lease protocol.

use std::sync::Arc;

use comity::Origin;
use comity_policy::{Input as SiteInput, Site, StoredRecord};
use tokio::time::Instant;

use crate::budget::{Egress, Unsent};
use crate::cached_site::CachedSite;
use crate::client::Shared;
use crate::driver::{self, Exchange};
use crate::error::{CheckError, Kind};
use crate::lease::HeldLease;
use crate::lease::protocol::{Action, Answer, Input, LeaseProtocol};
use crate::shared_fetch::{Fetched, Source};
use crate::stats::Counters;
use crate::store::{FetchKind, Saved, StoreError};

impl Shared {
    /// Returns the state of an origin, after the fetch or the change that `kind` requests.
    pub(crate) async fn obtain(
        &self,
        origin: &Origin,
        kind: FetchKind,
        mut egress: Egress<'_>,
    ) -> Result<Fetched, CheckError> {
        let lost = || CheckError::new(Kind::Lost(origin.clone()));
        let store = || self.store.clone().ok_or_else(lost);
        let remembered = self.cache.entry(origin);
        let mut protocol =
            LeaseProtocol::new(origin, kind, &self.settings, self.store.is_some(), remembered.as_deref());
        let (mut lease, mut result) = (None::<HeldLease>, None);
        let mut patience = self.store_patience.question(self.store.as_ref());
        let (asked, mut input) = (Instant::now(), Input::Start);
        let answer = loop {
            let action = protocol.step(input, self.clock.now(), asked.elapsed());
            if let Some((error, what)) = protocol.failure.take() {
                self.count_store_error(origin, &error, what);
            }
            let is_contact = matches!(action, Action::Begin(_) | Action::Fetch(_)) && kind.is_fetch();
            if is_contact && !egress.enter(origin.host()).await {
                return Err(lost());
            }
            input = match action {
                Action::Load => {
                    let (store, origin_of_load) = (store()?, origin.clone());
                    let load = async move { store.load(&origin_of_load).await };
                    let loaded = patience.wait(load).await.map(|stored| stored.map(|stored| stored.record));
                    // Under a lease, it is read for the second time.
                    if let (None, Ok(stored)) = (&lease, &loaded) {
                        self.count_missing_body(origin, stored.as_ref());
                    }
                    Input::Loaded(loaded)
                }
                Action::Begin(requested) => {
                    lease = None;
                    let begun = patience.wait(HeldLease::begin(store()?, origin.clone(), requested)).await;
                    Input::Begun(begun.map(|(begun, held)| {
                        lease = held;
                        begun
                    }))
                }
                Action::Wait(time) => {
                    egress.leave();
                    tokio::time::sleep(time).await;
                    Input::Waited
                }
                Action::Fetch(base) => {
                    let mut site = self.settings.site(base);
                    let exchanges = if let FetchKind::SiteAnswers(answers) = kind {
                        site.handle(SiteInput::SiteAnswers(answers), self.clock.now());
                        remembered.as_ref().map(|own| own.exchanges.clone()).unwrap_or_default()
                    } else {
                        let fetch = self.fetch_file(origin, kind, &mut site, &mut egress);
                        let fetched = match &lease {
                            Some(lease) => lease.renew_during(fetch).await,
                            None => fetch.await,
                        };
                        // The lease is given back, and nothing is saved: this is no answer of the site.
                        fetched.map_err(|unsent| CheckError::new(Kind::Unsent { origin: origin.clone(), unsent }))?
                    };
                    let (site, _) = result.insert((site, exchanges));
                    Input::Fetched(site.record().clone())
                }
                Action::Save => {
                    let (held, (site, _)) = lease.take().zip(result.as_ref()).ok_or_else(lost)?;
                    let record = site.record().clone();
                    let saved = patience.wait(async move { held.complete(&record).await }).await;
                    if saved.is_ok() {
                        self.store_patience.note_saved();
                    }
                    if let Ok(Saved::Late(_)) = saved {
                        tracing::warn!(%origin, "another client has taken over the fetch: the own result is discarded");
                    }
                    Input::Completed(saved)
                }
                Action::Answer(answer) => break answer,
                Action::Fail(error) => {
                    if error.is_store() {
                        self.store_patience.note_failed();
                    }
                    return Err(error);
                }
            };
        };
        let is_saved = !matches!(answer, Answer::Own { is_saved: false });
        let stored = |record| (self.settings.site(record), Vec::new());
        let ((site, exchanges), source) = match answer {
            Answer::Remembered => {
                return Ok(Fetched { entry: remembered.ok_or_else(lost)?, source: Source::Memory });
            }
            Answer::Stored(record) => {
                Counters::count(&self.counters.store_hits_total);
                (stored(record), Source::Memory)
            }
            Answer::Stale(record) => (stored(record), Source::Memory),
            Answer::Other(record) => (stored(record), Source::Site),
            Answer::Own { .. } if kind.is_fetch() => (result.ok_or_else(lost)?, Source::Site),
            Answer::Own { .. } => (result.ok_or_else(lost)?, Source::Caller),
        };
        Ok(Fetched { entry: self.remember(origin, site, exchanges, is_saved), source })
    }

    /// Fetches the file, and returns the exchanges.
    async fn fetch_file(
        &self,
        origin: &Origin,
        kind: FetchKind,
        site: &mut Site,
        egress: &mut Egress<'_>,
    ) -> Result<Vec<Exchange>, Unsent> {
        site.refresh();
        Counters::count(&self.counters.fetches_total);
        let began = Instant::now();
        let mut exchanges = driver::drive(site, origin, self, egress).await?;
        self.counters.took(began.elapsed());
        if kind == FetchKind::Due {
            // Nobody requested the exchanges, and the header fields may be most of the memory. An unknown coding is said with
            // each answer.
            exchanges.iter_mut().for_each(Exchange::keep_unknown_coding);
        }
        if let Some(last) = &site.record().last {
            tracing::debug!(%origin, event = %last.event, hops = last.hops.len(), "fetched");
        }
        if site.record().failing_since.is_some() {
            Counters::count(&self.counters.unreachable_total);
        }
        Ok(exchanges)
    }

    /// Counts an error of the store. Logs a warning, at most one a minute.
    pub(crate) fn count_store_error(&self, origin: &Origin, error: &StoreError, what: &str) {
        Counters::count(&self.counters.store_errors_total);
        if let Some(unlogged) = self.store_warnings.count() {
            tracing::warn!(%origin, %error, unlogged, "the store {what}");
        }
    }

    /// Counts a copy with a body that the store has lost, so that the copy has no effect.
    pub(crate) fn count_missing_body(&self, origin: &Origin, record: Option<&StoredRecord>) {
        if record.is_some_and(|record| record.copy.is_some() && record.whole_copy().is_none()) {
            Counters::count(&self.counters.store_errors_total);
            if let Some(unlogged) = self.store_warnings.count() {
                let what = "the store returned a copy without its body: nothing is allowed until it is fetched";
                tracing::warn!(%origin, unlogged, "{what}");
            }
        }
    }

    pub(crate) fn remember(
        &self,
        origin: &Origin,
        site: Site,
        exchanges: Vec<Exchange>,
        is_saved: bool,
    ) -> Arc<CachedSite> {
        let mut entry = CachedSite::new(origin.clone(), Arc::new(site), &self.settings.dialect, exchanges);
        entry.is_saved = is_saved;
        let entry = Arc::new(entry);
        self.cache.insert(entry.origin.clone(), Arc::clone(&entry));
        entry
    }
}
