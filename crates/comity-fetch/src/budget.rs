//! Limits on what is sent to hosts: a budget of requests, and one fetch per host.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use comity::Origin;
use comity_policy::Failure;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::host_limiter::{HostLimiter, HostPermit};
use crate::transport::TransportError;

/// A budget of requests, which a client [asks](crate::Client::with_budget) before it sends one.
///
/// A service that fetches for others limits by it what each of them can make it send to a third party.
pub trait RequestBudget: fmt::Debug + Send + Sync {
    /// Counts a request that is about to be sent: one for a robots.txt, a probe, a page or a sitemap, or for the target of
    /// a redirect. `is_due_file` is true for all requests of an attempt to fetch a robots.txt that is due.
    ///
    /// # Errors
    ///
    /// If the request is not to be sent: the time after which one may be.
    fn take(&self, url: &Url, is_due_file: bool) -> Result<(), Duration>;
}

/// A request that was not sent, so that it says nothing about its site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsent {
    host: String,
    /// The time after which it may be sent.
    pub(crate) after: Duration,
}

impl Unsent {
    /// The time after which a busy host may be tried again.
    const BUSY: Duration = Duration::from_secs(1);

    pub(crate) fn into_transport_error(self) -> TransportError {
        TransportError::new(Failure::Other, self.to_string())
    }
}

impl fmt::Display for Unsent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.after.as_secs() + u64::from(self.after.subsec_nanos() > 0);
        write!(
            f,
            "the limit of requests to the site of {} is reached, so nothing was sent: ask again after {} s",
            self.host,
            seconds.max(1)
        )
    }
}

/// The permits for the requests of one fetch, one after the other.
#[derive(Debug)]
pub(crate) struct Egress<'c> {
    hosts: &'c HostLimiter,
    budget: Option<&'c Arc<dyn RequestBudget>>,
    is_due_file: bool,
    permit: Option<HostPermit<'c>>,
}

impl<'c> Egress<'c> {
    pub(crate) fn new(hosts: &'c HostLimiter, budget: Option<&'c Arc<dyn RequestBudget>>, is_due_file: bool) -> Self {
        Self { hosts, budget, is_due_file, permit: None }
    }

    /// Waits until requests may be sent to a host. Returns false only if a semaphore was closed, which never happens.
    pub(crate) async fn enter(&mut self, host: &str) -> bool {
        if self.permit.as_ref().is_none_or(|permit| permit.host() != host) {
            // Returned first: two fetches that redirect to each other's host would wait for each other.
            self.permit = None;
            self.permit = self.hosts.acquire(host).await;
        }
        self.permit.is_some()
    }

    /// Lets others send requests to the host.
    pub(crate) fn leave(&mut self) {
        self.permit = None;
    }

    /// Waits until a request may be sent, at most until `end`, and counts it.
    ///
    /// Without a budget, it is sent at once. Only fetches of a robots.txt are limited per host then, by the host of their
    /// site: many sites may redirect to one host that can bear it, and a crawler must not wait for each of them in turn.
    pub(crate) async fn pass(&mut self, url: &Url, end: Option<Instant>) -> Result<(), Unsent> {
        let Some(budget) = self.budget else { return Ok(()) };
        // The sender refuses URLs without a host.
        let Some(origin) = Origin::of_url(url) else { return Ok(()) };
        let unsent = |after| Unsent { host: origin.host().to_owned(), after };
        let entered = match end {
            Some(end) => timeout_at(end, self.enter(origin.host())).await.unwrap_or(false),
            None => self.enter(origin.host()).await,
        };
        if !entered {
            return Err(unsent(Unsent::BUSY));
        }
        // Last of all: a request that was counted is sent now, and not after a wait.
        budget.take(url, self.is_due_file).map_err(unsent)
    }
}
