//! The state that all requests share.

use std::convert::Infallible;
use std::future::poll_fn;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use axum::extract::FromRequestParts;
use comity::{Crawlers, Origin};
use comity_fetch::{CheckError, Client, FetchedPage, PageError, PageRequest, SiteRobots};
use comity_report::OperatorAnswers;
use comity_watch::WatchStatus;
use http::request::Parts;
use url::Url;

use crate::admission::memory::Memory;
use crate::admission::scheduler::{Scheduler, Waiting};
use crate::admission::site_fetches::{FetchPermit, SiteFetches};
use crate::admission::{Admission, AdmissionPermit};
use crate::client_addr::ClientAddr;
use crate::egress::{Account, RequestBudgets};
use crate::fixed::FixedDocument;
use crate::limits::ServerLimits;
use crate::metrics::Metrics;
use crate::metrics::live::Live;
use crate::metrics::routes::Routes;
use crate::problem::Problem;

/// The state that all requests share. A handler takes it as an argument. Clones share the same state.
#[derive(Clone, Debug)]
pub(crate) struct State(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    /// Fetches and caches.
    pub(crate) client: Client,
    pub(crate) crawlers: Crawlers,
    pub(crate) limits: ServerLimits,
    pub(crate) admission: Admission,
    pub(crate) metrics: Metrics,
    /// The budgets of requests to sites, if they are limited.
    pub(crate) budgets: Option<RequestBudgets>,
    site_fetches: SiteFetches,
    /// The answers by the dialects of crawlers' operators.
    pub(crate) operators: OperatorAnswers,
    /// The memory for bodies of requests.
    pub(crate) bodies: Memory,
    pub(crate) answers: Memory,
    scheduler: Scheduler,
    /// The list of all known crawlers.
    pub(crate) crawler_list: FixedDocument,
    is_ending: AtomicBool,
    /// The state of the watcher, if the service watches sites.
    pub(crate) watch: Option<WatchStatus>,
    #[cfg(test)]
    pub(crate) checks: Arc<Checks>,
}

impl Deref for State {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// The number of times that work on documents checked if it should continue, and of those when it should not. Tests of
/// time limits count them, since the time that work takes depends on the machine.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Checks([std::sync::atomic::AtomicUsize; 2]);

#[cfg(test)]
impl Checks {
    pub(crate) fn count(&self, is_left: bool) {
        self.0[0].fetch_add(1, Ordering::Relaxed);
        self.0[1].fetch_add(usize::from(!is_left), Ordering::Relaxed);
    }

    /// Returns the numbers since the last call.
    pub(crate) fn take(&self) -> [usize; 2] {
        self.0.each_ref().map(|number| number.swap(0, Ordering::Relaxed))
    }
}

/// The minimum number of turns that one client may wait for, even if few requests are processed at the same time.
const MIN_QUEUED: usize = 4;

const JSON: &str = "application/json";

impl State {
    pub(crate) fn new(
        client: Client,
        crawlers: Crawlers,
        limits: ServerLimits,
        watch: Option<WatchStatus>,
        routes: &Routes,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let admission = Admission::new(&limits);
        let list = serde_json::to_vec(&crawlers.clone().into_iter().collect::<Vec<_>>()).unwrap_or_default();
        // A request that waits for a processor holds a slot, so these requests must not occupy all slots.
        let scheduler = Scheduler::new(cores, (limits.in_flight / 8).max(MIN_QUEUED));
        let budgets = limits.fetch_rate.map(RequestBudgets::per_minute);
        let live = Live {
            client: client.clone(),
            admission: admission.clone(),
            scheduler: scheduler.clone(),
            budgets: budgets.clone(),
            watch: watch.clone(),
        };
        Self(Arc::new(Shared {
            metrics: Metrics::new(routes.names(), live),
            budgets,
            site_fetches: SiteFetches::new(client.at_once(), limits.waiting),
            bodies: Memory::new(limits.bodies_bytes, limits.body_bytes, limits.queue_wait),
            answers: Memory::new(limits.answers_bytes, limits.answer_bytes, limits.queue_wait),
            operators: OperatorAnswers::default(),
            client,
            crawler_list: FixedDocument::new(JSON, list),
            crawlers,
            admission,
            limits,
            scheduler,
            is_ending: AtomicBool::new(false),
            watch,
            #[cfg(test)]
            checks: Arc::default(),
        }))
    }

    /// Returns the robots.txt of a site from memory, or fetches it once the client has a permit. A fetch that has begun
    /// continues when its caller goes away, and keeps the permit until it has ended.
    pub(crate) async fn robots(&self, account: &Account, origin: &Origin) -> Result<SiteRobots, CheckError> {
        if let Some(site) = self.client.in_memory(origin) {
            return Ok(site);
        }
        let client = self.charging(account);
        // Joining a fetch starts none, so many questions about one slow site take one permit.
        if client.is_offline() || client.is_fetching(origin) {
            return client.robots(origin).await;
        }
        let permit = self.site_fetches.acquire(account.client.key(), origin.host()).await;
        if client.is_fetching(origin) {
            drop(permit);
            return client.robots(origin).await;
        }
        let origin = origin.clone();
        run_with(permit, async move { client.robots(&origin).await }).await
    }

    /// Fetches the robots.txt of a site even if it is cached, once the client has a permit. Like
    /// [`robots`](Self::robots), the fetch continues when its caller goes away.
    pub(crate) async fn fetch(&self, account: &Account, origin: &Origin) -> Result<SiteRobots, CheckError> {
        let permit = self.site_fetches.acquire(account.client.key(), origin.host()).await;
        let (client, origin) = (self.charging(account), origin.clone());
        run_with(permit, async move { client.fetch(origin.as_str()).await }).await
    }

    /// Returns the robots.txt of a URL's site, like [`robots`](Self::robots).
    pub(crate) async fn robots_of_url(&self, account: &Account, url: &str) -> Result<SiteRobots, CheckError> {
        match Origin::of(url) {
            Ok(origin) => self.robots(account, &origin).await,
            // The client's error names the problem with the URL.
            Err(_) => self.client.robots(url).await,
        }
    }

    /// Gets a page or a sitemap, once the client has a permit.
    pub(crate) async fn page(&self, account: &Account, url: Url, max_bytes: usize) -> Result<FetchedPage, PageError> {
        /// The maximum number of redirects, as of a robots.txt.
        const MAX_REDIRECTS: usize = 5;
        let _permit = self.site_fetches.acquire(account.client.key(), url.host_str().unwrap_or_default()).await;
        let request = PageRequest::new(url).max_redirects(MAX_REDIRECTS).max_bytes(max_bytes);
        self.charging(account).get_without_robots(&request).await
    }

    /// Returns a client that charges an account for each request that it sends.
    fn charging(&self, account: &Account) -> Client {
        match &self.budgets {
            Some(budgets) => self.client.with_budget(account.charging(budgets)),
            None => self.client.clone(),
        }
    }

    /// Returns true if the service shuts down.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    /// Runs work that takes milliseconds or more on a separate thread, when it is the client's turn. If the client goes
    /// away before that, the work does not start.
    ///
    /// # Errors
    ///
    /// If too much work of this client is waiting already, unless any number may wait.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        client: ClientAddr,
        waiting: Waiting,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = self.scheduler.turn(client, waiting).await?;
        let done = tokio::task::spawn_blocking(move || {
            // Held by the work and not by the caller: work that has begun continues after its client has gone away.
            let _turn = turn;
            work()
        });
        match done.await {
            Ok(value) => Ok(value),
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(Problem::shutting_down()),
        }
    }
}

/// Runs a fetch to its end, even if its caller goes away, and keeps the permit until then.
async fn run_with<T: Send + 'static>(permit: FetchPermit, fetch: impl Future<Output = T> + Send + 'static) -> T {
    let mut fetch = Box::pin(async move {
        let found = fetch.await;
        drop(permit);
        found
    });
    // The first poll begins the fetch, so that the next question joins it.
    if let Poll::Ready(found) = poll_fn(|context| Poll::Ready(fetch.as_mut().poll(context))).await {
        return found;
    }
    match tokio::spawn(fetch).await {
        Ok(found) => found,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The service has ended.
            Err(_) => std::future::pending().await,
        },
    }
}

impl FromRequestParts<Self> for State {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, state: &Self) -> Result<Self, Infallible> {
        Ok(state.clone())
    }
}

impl FromRequestParts<State> for AdmissionPermit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Infallible> {
        // The pipeline adds a permit to every request.
        let permit = parts.extensions.get::<Self>().cloned();
        Ok(permit.unwrap_or_else(|| Self::new(&state.admission, ClientAddr::nobody(), None)))
    }
}
