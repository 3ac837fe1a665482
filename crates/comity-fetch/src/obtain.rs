//! Obtains the cached state of an origin: from memory, from the store, or from the site.

use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_policy::{Access, Attempt, Input, Ruling, Site, StoredRecord, Time};
use tokio::time::Instant;

use crate::cached_site::CachedSite;
use crate::client::Shared;
use crate::driver::{self, Exchange};
use crate::error::{CheckError, Kind};
use crate::host_limiter::HostPermit;
use crate::lease::HeldLease;
use crate::shared_fetch::{Fetched, Source};
use crate::stats::Counters;
use crate::store::{FetchKind, Lease, Saved, Store, StoreError, Stored};

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

/// The stored record of an origin, or the error of reading it.
type Loaded = Result<Option<StoredRecord>, StoreError>;

/// The next action for an origin.
enum NextAction<'c> {
    /// Fetch the file. There is no lease if the store failed.
    Fetch {
        lease: Option<HeldLease>,
        permit: Option<HostPermit<'c>>,
        /// Another client had the lease before.
        has_waited: bool,
    },
    /// Use the result of another client.
    Fetched(Box<Site>),
    /// Use the copy that is due: another client is fetching.
    Stale,
}

/// The answer of a store to a client that has a result to save, but no lease.
enum LeaseToSave {
    Granted(HeldLease),
    /// The stored record is later than the result.
    Later(Box<Stored>),
    /// The store failed, or another client is fetching.
    None,
}

impl Shared {
    /// Returns the state of an origin, after the fetch or the change that `kind` requests.
    pub(crate) async fn obtain(&self, origin: &Origin, kind: FetchKind) -> Result<Fetched, CheckError> {
        let remembered = self.cache.entry(origin);
        // Another caller's fetch may have ended since this one checked.
        if let Some(entry) = &remembered
            && kind == FetchKind::Due
            && self.good_ruling(&entry.site, self.clock.now()).is_some()
        {
            return Ok(Fetched { entry: Arc::clone(entry), source: Source::Memory });
        }
        if let Some(store) = &self.store {
            return self.obtain_shared(store, origin, kind, remembered.as_ref()).await;
        }
        let _permit = match kind {
            FetchKind::SiteAnswers(_) => None,
            _ => Some(self.permit(origin).await?),
        };
        let mut site = self.site(latest_record(origin, remembered.as_ref(), &Ok(None)));
        let (exchanges, source) = self.fetch_or_apply_change(origin, kind, &mut site, remembered.as_ref()).await;
        Ok(Fetched { entry: self.remember(origin, site, exchanges), source })
    }

    /// Obtains the state from a store that other clients may share, or fetches the file and saves the result.
    async fn obtain_shared(
        &self,
        store: &Arc<dyn Store>,
        origin: &Origin,
        kind: FetchKind,
        remembered: Option<&Arc<CachedSite>>,
    ) -> Result<Fetched, CheckError> {
        let mut loaded = self.load(store, origin).await?;
        self.count_missing_body(origin, loaded.as_ref().ok().and_then(Option::as_ref));
        if let (FetchKind::Due, Ok(Some(record))) = (kind, &loaded)
            && !supersedes(remembered, record)
        {
            let site = self.site(record.clone());
            if self.good_ruling(&site, self.clock.now()).is_some() {
                return Ok(self.use_stored(origin, site));
            }
        }
        for _ in 0..MAX_LOST_LEASES {
            let seen = last_attempt(&loaded).cloned();
            let known = self.site(latest_record(origin, remembered, &loaded));
            let may_be_stale = kind == FetchKind::Due && self.may_be_stale(&known);
            let next = self.wait_for_lease(store, origin, kind, &loaded, remembered, may_be_stale).await?;
            let (lease, _permit) = match next {
                NextAction::Fetched(site) => return Ok(self.use_stored(origin, *site)),
                NextAction::Stale => {
                    let same = remembered.filter(|entry| entry.site.record() == known.record()).cloned();
                    let entry = same.unwrap_or_else(|| self.remember(origin, known, Vec::new()));
                    return Ok(Fetched { entry, source: Source::Memory });
                }
                NextAction::Fetch { lease, permit, has_waited } => {
                    if lease.is_some() {
                        // No other client changes it now, so the fetch is based on this record.
                        loaded = self.load(store, origin).await?;
                    }
                    let is_fetched = has_waited && !matches!(kind, FetchKind::SiteAnswers(_));
                    if let (true, Ok(Some(record))) = (is_fetched, &loaded)
                        && record.last != seen
                        && !supersedes(remembered, record)
                    {
                        // The client that held the lease before has fetched it. Dropping our lease returns it.
                        let entry = self.remember(origin, self.site(record.clone()), Vec::new());
                        return Ok(Fetched { entry, source: Source::Site });
                    }
                    (lease, permit)
                }
            };
            let mut site = self.site(latest_record(origin, remembered, &loaded));
            let (exchanges, source) = self.fetch_or_apply_change(origin, kind, &mut site, remembered).await;
            // A failure keeps the last good copy. Unless that copy is known, the record must not replace the stored
            // one.
            let is_base_known = lease.is_some() && loaded.as_ref().map_or_else(concerns_one_record, |_| true);
            let is_answer = source == Source::Site && site.record().failing_since.is_none();
            let saved =
                if is_base_known || is_answer { self.save(store, origin, kind, &site, lease).await? } else { None };
            match saved {
                Some(Saved::Kept) => return Ok(Fetched { entry: self.remember(origin, site, exchanges), source }),
                None => return Ok(Fetched { entry: self.remember_unsaved(origin, site, exchanges), source }),
                // This client's result is discarded, and that of the client that took over is used.
                Some(Saved::Late(stored))
                    if source == Source::Site && stored.record.last.as_ref() != last_attempt(&loaded) =>
                {
                    let entry = self.remember(origin, self.site(stored.record), Vec::new());
                    return Ok(Fetched { entry, source });
                }
                // A change is applied again, to the later record. A fetch that is in progress is awaited.
                Some(Saved::Late(stored)) => loaded = Ok(Some(stored.record)),
            }
        }
        Err(CheckError::new(Kind::Lost(origin.clone())))
    }

    /// Waits for the lease of an origin, and for the permit to contact its host.
    async fn wait_for_lease(
        &self,
        store: &Arc<dyn Store>,
        origin: &Origin,
        mut kind: FetchKind,
        loaded: &Loaded,
        remembered: Option<&Arc<CachedSite>>,
        may_be_stale: bool,
    ) -> Result<NextAction<'_>, CheckError> {
        let is_fetch = !matches!(kind, FetchKind::SiteAnswers(_));
        let mut interval = MIN_POLL_INTERVAL;
        let mut end: Option<Instant> = None;
        loop {
            // Acquired again each time: a caller that waits for a lease must not block other origins.
            let permit = if is_fetch { Some(self.permit(origin).await?) } else { None };
            let has_waited = end.is_some();
            if loaded.as_ref().is_err_and(|error| !concerns_one_record(error)) {
                // A store that is down is tried once before the fetch, and once after it.
                return Ok(NextAction::Fetch { lease: None, permit, has_waited });
            }
            let until = match store.begin(origin, self.lease_span(), kind).await {
                Ok(Lease::Granted(ticket)) => {
                    let lease = Some(HeldLease::new(store, ticket));
                    return Ok(NextAction::Fetch { lease, permit, has_waited });
                }
                Ok(Lease::Fresh(stored)) if kind == FetchKind::Due => {
                    let site = self.site(stored.record);
                    if self.accepts(&site) && !supersedes(remembered, site.record()) {
                        return Ok(NextAction::Fetched(Box::new(site)));
                    }
                    // This client needs a later result than the stored one.
                    kind = FetchKind::Forced;
                    continue;
                }
                Ok(Lease::Held { until }) if end.is_none_or(|end| Instant::now() < end) => until,
                Ok(Lease::Held { .. } | Lease::Fresh(_)) => {
                    self.store_failed(origin, &StoreError::other("it grants no lease"), "granted no lease")?;
                    return Ok(NextAction::Fetch { lease: None, permit, has_waited });
                }
                Err(error) => {
                    self.store_failed(origin, &error, "could not grant a lease")?;
                    return Ok(NextAction::Fetch { lease: None, permit, has_waited });
                }
            };
            drop(permit);
            if may_be_stale {
                return Ok(NextAction::Stale);
            }
            end.get_or_insert(Instant::now() + until.min(MAX_LEASE_WAIT) + self.lease_span());
            tokio::time::sleep(interval.min(until.max(Duration::from_millis(1)))).await;
            interval = (2 * interval).min(MAX_POLL_INTERVAL);
        }
    }

    /// Fetches, or makes the change that the caller requested.
    async fn fetch_or_apply_change(
        &self,
        origin: &Origin,
        kind: FetchKind,
        site: &mut Site,
        remembered: Option<&Arc<CachedSite>>,
    ) -> (Vec<Exchange>, Source) {
        if let FetchKind::SiteAnswers(answers) = kind {
            site.handle(Input::SiteAnswers(answers), self.clock.now());
            return (remembered.map(|entry| entry.exchanges.clone()).unwrap_or_default(), Source::Caller);
        }
        site.refresh();
        Counters::count(&self.counters.fetches_total);
        let began = Instant::now();
        let mut exchanges = driver::drive(site, origin, &self.sender, &self.clock, &self.counters).await;
        self.counters.took(began.elapsed());
        if kind == FetchKind::Due {
            // Nobody requested the exchanges, and the header fields may be most of the memory.
            for exchange in &mut exchanges {
                exchange.fields = Vec::new();
            }
        }
        if let Some(last) = &site.record().last {
            tracing::debug!(%origin, event = %last.event, hops = last.hops.len(), "fetched");
        }
        if site.record().failing_since.is_some() {
            Counters::count(&self.counters.unreachable_total);
        }
        (exchanges, Source::Site)
    }

    /// Saves a record. Returns `None` if the store fails, or another client is fetching. Without a lease, the store failed
    /// earlier: then a lease is requested now, so that a later result of another client is not replaced.
    async fn save(
        &self,
        store: &Arc<dyn Store>,
        origin: &Origin,
        kind: FetchKind,
        site: &Site,
        lease: Option<HeldLease>,
    ) -> Result<Option<Saved>, CheckError> {
        let lease = match lease {
            Some(lease) => lease,
            None => match self.lease_to_save(store, origin, kind, site).await? {
                LeaseToSave::Granted(lease) => lease,
                LeaseToSave::Later(stored) => return Ok(Some(Saved::Late(*stored))),
                LeaseToSave::None => return Ok(None),
            },
        };
        match store.complete(site.record(), lease.ticket()).await {
            Ok(saved) => {
                lease.completed();
                if let Saved::Late(_) = saved {
                    tracing::warn!(%origin, "another client has taken over the fetch: the own result is discarded");
                }
                Ok(Some(saved))
            }
            Err(error) => {
                self.store_failed(origin, &error, "could not be written")?;
                Ok(None)
            }
        }
    }

    /// Requests a lease for a result of a fetch that had none.
    async fn lease_to_save(
        &self,
        store: &Arc<dyn Store>,
        origin: &Origin,
        mut kind: FetchKind,
        site: &Site,
    ) -> Result<LeaseToSave, CheckError> {
        let is_later = |stored: &Stored| ended(&stored.record) >= ended(site.record());
        let later = |stored: Stored| {
            let is_accepted = self.accepts(&self.site(stored.record.clone()));
            if is_accepted { LeaseToSave::Later(Box::new(stored)) } else { LeaseToSave::None }
        };
        loop {
            match store.begin(origin, self.lease_span(), kind).await {
                Ok(Lease::Granted(ticket)) => {
                    let lease = HeldLease::new(store, ticket);
                    return match store.load(origin).await {
                        Ok(Some(stored)) if is_later(&stored) => Ok(later(stored)),
                        Err(error) if !concerns_one_record(&error) => {
                            self.store_failed(origin, &error, "could not be read")?;
                            Ok(LeaseToSave::None)
                        }
                        _ => Ok(LeaseToSave::Granted(lease)),
                    };
                }
                Ok(Lease::Fresh(stored)) if is_later(&stored) => return Ok(later(stored)),
                // The stored record is earlier, however long it may be fresh.
                Ok(Lease::Fresh(_)) if kind == FetchKind::Due => kind = FetchKind::Forced,
                Ok(Lease::Fresh(_) | Lease::Held { .. }) => return Ok(LeaseToSave::None),
                Err(error) => {
                    self.store_failed(origin, &error, "could not grant a lease")?;
                    return Ok(LeaseToSave::None);
                }
            }
        }
    }

    /// Reads the stored record of an origin. A failure is counted; it is an error if the store is required.
    async fn load(&self, store: &Arc<dyn Store>, origin: &Origin) -> Result<Loaded, CheckError> {
        let loaded = store.load(origin).await.map(|stored| stored.map(|stored| stored.record));
        if let Err(error) = &loaded {
            self.store_failed(origin, error, "could not be read")?;
        }
        Ok(loaded)
    }

    /// Counts a failure of the store. It is an error if the store is required, unless only one value is damaged.
    fn store_failed(&self, origin: &Origin, error: &StoreError, what: &str) -> Result<(), CheckError> {
        Counters::count(&self.counters.store_errors_total);
        tracing::warn!(%origin, %error, "the store {what}");
        if self.requires_store && !concerns_one_record(error) {
            return Err(CheckError::new(Kind::StoreRequired { origin: origin.clone(), error: error.clone() }));
        }
        Ok(())
    }

    /// Counts a copy with a body that the store has lost, so that the copy has no effect.
    pub(crate) fn count_missing_body(&self, origin: &Origin, record: Option<&StoredRecord>) {
        if record.is_some_and(|record| record.copy.is_some() && record.whole_copy().is_none()) {
            Counters::count(&self.counters.store_errors_total);
            tracing::warn!(%origin, "the store returned a copy without its body: nothing is allowed until it is fetched");
        }
    }

    async fn permit(&self, origin: &Origin) -> Result<HostPermit<'_>, CheckError> {
        self.hosts.acquire(origin.host()).await.ok_or_else(|| CheckError::new(Kind::Lost(origin.clone())))
    }

    /// Returns the time for which leases are requested: an attempt ends within it.
    fn lease_span(&self) -> Duration {
        self.policy.deadline + LEASE_MARGIN
    }

    /// Creates the state machine of a record.
    pub(crate) fn site(&self, record: StoredRecord) -> Site {
        let mut site = Site::resume(record, self.policy).with_seed(self.seed);
        if self.probes {
            site = site.with_probes();
        }
        if self.revalidates {
            site = site.with_revalidation();
        }
        site
    }

    /// Returns the ruling, if it is still good and no older than the caller accepts.
    pub(crate) fn good_ruling(&self, site: &Site, now: Time) -> Option<Ruling> {
        let ruling = site.ruling(now)?;
        let record = site.record();
        let since = match (record.whole_copy(), &record.last) {
            (Some(copy), Some(last)) if last.event.is_found() => copy.confirmed,
            (_, Some(last)) => last.ended,
            _ => return None,
        };
        self.max_age.is_none_or(|max_age| now.since(since) <= max_age).then_some(ruling)
    }

    /// Returns true if a record that the store calls fresh is good for this client as well: its policy accepts it for about
    /// as long as that of the client that saved it. The clocks of both do not matter, unless a maximum age is set.
    fn accepts(&self, site: &Site) -> bool {
        let Some(last) = &site.record().last else { return false };
        let (own, theirs) = (site.due().since(last.ended), site.record().fresh_for.unwrap_or(Duration::MAX));
        // The times between retries are spread by ± 20 %.
        let is_as_long = own.saturating_mul(3) / 2 >= theirs;
        let is_young = self.max_age.is_none() || self.good_ruling(site, self.clock.now()).is_some();
        is_as_long && is_young && site.ruling(last.ended).is_some()
    }

    /// Returns true if a copy that is due may answer while another client fetches: only the lifetime that the site gave it
    /// has passed, and not the maximum of the policy.
    fn may_be_stale(&self, site: &Site) -> bool {
        let (record, now) = (site.record(), self.clock.now());
        let (Some(copy), Some(last)) = (record.whole_copy(), &record.last) else { return false };
        let max_age = self.max_age.unwrap_or(Duration::MAX).min(self.policy.max_fresh);
        let is_rules = site.last_ruling(now).is_some_and(|ruling| ruling.access == Access::Rules);
        is_rules && last.event.is_found() && copy.confirmed <= now && now.since(copy.confirmed) < max_age
    }

    fn use_stored(&self, origin: &Origin, site: Site) -> Fetched {
        Counters::count(&self.counters.store_hits_total);
        Fetched { entry: self.remember(origin, site, Vec::new()), source: Source::Memory }
    }

    pub(crate) fn remember(&self, origin: &Origin, site: Site, exchanges: Vec<Exchange>) -> Arc<CachedSite> {
        self.insert(CachedSite::new(origin.clone(), Arc::new(site), &self.dialect, exchanges))
    }

    fn remember_unsaved(&self, origin: &Origin, site: Site, exchanges: Vec<Exchange>) -> Arc<CachedSite> {
        self.insert(CachedSite::new(origin.clone(), Arc::new(site), &self.dialect, exchanges).unsaved())
    }

    fn insert(&self, entry: CachedSite) -> Arc<CachedSite> {
        let entry = Arc::new(entry);
        self.cache.insert(entry.origin.clone(), Arc::clone(&entry));
        entry
    }
}

/// Returns the record that an attempt is based on: the stored one, unless the one in memory supersedes it.
fn latest_record(origin: &Origin, remembered: Option<&Arc<CachedSite>>, loaded: &Loaded) -> StoredRecord {
    match (remembered, loaded) {
        (Some(own), Ok(Some(stored))) if supersedes(remembered, stored) => own.site.record().clone(),
        (_, Ok(Some(stored))) => stored.clone(),
        (Some(own), _) => own.site.record().clone(),
        (None, _) => StoredRecord::new(origin),
    }
}

/// Returns true if the record in memory could not be saved and is later than the stored one. A later failure counts only
/// if the copy that it keeps is as recent as the last answer in the stored record: it may have begun while the store was
/// down, without the answer that another client has saved.
fn supersedes(remembered: Option<&Arc<CachedSite>>, stored: &StoredRecord) -> bool {
    let Some(own) = remembered.filter(|entry| !entry.is_saved).map(|entry| entry.site.record()) else { return false };
    let confirmed = |record: &StoredRecord| record.copy.as_ref().map(|copy| copy.confirmed);
    let keeps_last_answer = || match (confirmed(own), confirmed(stored)) {
        (Some(own), Some(stored)) => own >= stored,
        // There is no stored copy because the site answered that it has no file, or because all attempts failed.
        (Some(own), None) => Some(own) > ended(stored),
        (None, _) => false,
    };
    ended(own) > ended(stored) && (own.failing_since.is_none() || keeps_last_answer())
}

/// Returns the time when the last attempt ended.
fn ended(record: &StoredRecord) -> Option<Time> {
    record.last.as_ref().map(|last| last.ended)
}

fn last_attempt(loaded: &Loaded) -> Option<&Attempt> {
    loaded.as_ref().ok()?.as_ref()?.last.as_ref()
}

/// Returns true if an error is about one record, while the store works.
fn concerns_one_record(error: &StoreError) -> bool {
    error.is_damaged() && !error.is_broken()
}
