//! Admission of requests: limits their number in progress, in queues and in batches, in total and per client.

pub(crate) mod keyed;
pub(crate) mod memory;
pub(crate) mod scheduler;
pub(crate) mod site_fetches;

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use comity::Origin;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::admission::keyed::{KeyedLimiter, KeyedPermit};
use crate::admission::memory::{Grant, Memory};
use crate::client_addr::ClientAddr;
use crate::connection::{AwaitingBody, Connection};
use crate::egress::Account;
use crate::limits::ServerLimits;
use crate::problem::Problem;

/// A set of semaphores for requests that are processed, are queued, or wait for sites.
#[derive(Clone, Debug)]
pub(crate) struct Admission(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    in_flight: usize,
    working: Arc<Semaphore>,
    queued: AtomicUsize,
    queue: usize,
    queue_wait: Duration,
    most_waiting: usize,
    waiting: Semaphore,
    /// Requests that wait for a site, by site.
    sites: KeyedLimiter<Origin>,
    /// Requests that wait for a site, by client.
    visitors: KeyedLimiter<IpAddr>,
    bodies: Arc<Semaphore>,
    /// Requests that wait for their bodies, by client.
    senders: KeyedLimiter<IpAddr>,
    most_batches: usize,
    batches: Arc<Semaphore>,
    /// Batches, by client.
    batch_clients: KeyedLimiter<IpAddr>,
}

impl Admission {
    pub(crate) fn new(limits: &ServerLimits) -> Self {
        let bounded = |permits: usize| permits.clamp(1, Semaphore::MAX_PERMITS);
        Self(Arc::new(Shared {
            in_flight: bounded(limits.in_flight),
            working: Arc::new(Semaphore::new(bounded(limits.in_flight))),
            queued: AtomicUsize::new(0),
            queue: limits.queue,
            queue_wait: limits.queue_wait,
            most_waiting: bounded(limits.waiting),
            waiting: Semaphore::new(bounded(limits.waiting)),
            sites: KeyedLimiter::new(limits.waiting.div_ceil(8)),
            visitors: KeyedLimiter::new(limits.waiting.div_ceil(4)),
            bodies: Arc::new(Semaphore::new(bounded(limits.waiting))),
            senders: KeyedLimiter::new(limits.waiting.div_ceil(4)),
            most_batches: bounded(limits.batches),
            batches: Arc::new(Semaphore::new(bounded(limits.batches))),
            batch_clients: KeyedLimiter::new(limits.batches.div_ceil(4)),
        }))
    }

    /// Returns true if one more request would be refused.
    pub(crate) fn is_full(&self) -> bool {
        self.0.working.available_permits() == 0 && self.queued() >= self.0.queue
    }

    /// Returns the number of requests in the queue.
    pub(crate) fn queued(&self) -> usize {
        self.0.queued.load(Ordering::Relaxed)
    }

    /// Returns the number of requests that are processed.
    pub(crate) fn working(&self) -> usize {
        self.0.in_flight - self.0.working.available_permits().min(self.0.in_flight)
    }

    /// Returns the number of requests that wait for sites.
    pub(crate) fn waiting(&self) -> usize {
        self.0.most_waiting - self.0.waiting.available_permits().min(self.0.most_waiting)
    }

    /// Returns the number of requests that wait for their bodies.
    pub(crate) fn arriving(&self) -> usize {
        self.0.most_waiting - self.0.bodies.available_permits().min(self.0.most_waiting)
    }

    /// Returns the number of batches in progress.
    pub(crate) fn batches(&self) -> usize {
        self.0.most_batches - self.0.batches.available_permits().min(self.0.most_batches)
    }

    /// Acquires a slot for a batch, which is answered while its questions still arrive. Batches have slots of their
    /// own, because their clients decide how long they last.
    pub(crate) fn batch(&self, client: ClientAddr) -> Result<BatchSlot, Problem> {
        let full = |whose| Problem::overloaded(format!("too many batches {whose} run: ask again when one has ended"));
        let of_client = self.0.batch_clients.enter(&client.key()).ok_or_else(|| full("of this client"))?;
        let slot = Arc::clone(&self.0.batches).try_acquire_owned().map_err(|_| full("of all clients"))?;
        Ok(BatchSlot { _of_client: of_client, _slot: slot })
    }

    /// Waits for a slot to process a request.
    async fn take(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let shared = &self.0;
        if let Ok(permit) = Arc::clone(&shared.working).try_acquire_owned() {
            return Ok(permit);
        }
        let Some(_queued) = Queued::new(&shared.queued, shared.queue) else {
            return Err(Problem::overloaded("too many requests are waiting: ask again later"));
        };
        match timeout(shared.queue_wait, Arc::clone(&shared.working).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Problem::overloaded("too many requests are being processed: ask again later")),
        }
    }
}

/// A place in the queue, until it is dropped.
struct Queued<'c>(&'c AtomicUsize);

impl<'c> Queued<'c> {
    fn new(count: &'c AtomicUsize, most: usize) -> Option<Self> {
        let queued = Self(count);
        // Dropping it undoes the increment if there are too many.
        (count.fetch_add(1, Ordering::Relaxed) < most).then_some(queued)
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A permit to run a batch, until it is dropped.
#[derive(Debug)]
pub(crate) struct BatchSlot {
    _of_client: KeyedPermit<IpAddr>,
    _slot: OwnedSemaphorePermit,
}

/// A permit to process a request. A handler that may have to wait for a site waits with [`aside`](Self::aside).
#[derive(Clone, Debug)]
pub(crate) struct AdmissionPermit {
    admission: Admission,
    account: Account,
    connection: Option<Arc<Connection>>,
    held: Arc<Mutex<RequestResources>>,
}

/// A request that waits for its body, until it is dropped.
#[derive(Debug)]
pub(crate) struct BodyWaitPermit {
    _of_client: KeyedPermit<IpAddr>,
    _of_all: OwnedSemaphorePermit,
    _connection: Option<AwaitingBody>,
}

/// The resources of a request, which are released with its answer.
#[derive(Debug, Default)]
struct RequestResources {
    slot: Option<OwnedSemaphorePermit>,
    memory: Option<Grant>,
}

impl AdmissionPermit {
    /// Returns a permit without a slot yet, for a request of this client on this connection.
    pub(crate) fn new(admission: &Admission, client: ClientAddr, connection: Option<Arc<Connection>>) -> Self {
        Self { admission: admission.clone(), account: Account::new(client), connection, held: Arc::default() }
    }

    /// Marks the request as waiting for more of its body, until the result is dropped.
    ///
    /// # Errors
    ///
    /// If too many requests wait for their bodies already: of this client, or in total.
    pub(crate) fn await_body(&self) -> Result<BodyWaitPermit, Problem> {
        let shared = &self.admission.0;
        let full =
            |whose| Problem::overloaded(format!("too many requests {whose} wait for their bodies: ask again later"));
        let of_client = shared.senders.enter(&self.client().key()).ok_or_else(|| full("of this client"))?;
        let of_all = Arc::clone(&shared.bodies).try_acquire_owned().map_err(|_| full("of all clients"))?;
        let connection = self.connection.as_ref().map(Connection::await_body);
        Ok(BodyWaitPermit { _of_client: of_client, _of_all: of_all, _connection: connection })
    }

    /// Returns the client's address.
    pub(crate) fn client(&self) -> ClientAddr {
        self.account.client
    }

    /// Returns the account that the requests to sites are charged to. It holds none of the permit's resources, so a fetch
    /// may keep it after its caller has gone away.
    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    /// Waits for a free slot and acquires it. Does nothing if the request has one.
    pub(crate) async fn take(&self) -> Result<(), Problem> {
        if self.held().slot.is_none() {
            let permit = self.admission.take().await?;
            self.held().slot = Some(permit);
        }
        Ok(())
    }

    /// Waits for a site. Unless the result is ready at once, releases the slot meanwhile.
    ///
    /// # Errors
    ///
    /// If too many requests wait already: for this site, of this client, or in total.
    pub(crate) async fn aside<T>(&self, site: &Origin, wait: impl Future<Output = T>) -> Result<T, Problem> {
        let mut wait = pin!(wait);
        if let Poll::Ready(value) = poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await {
            return Ok(value);
        }
        let value = {
            let shared = &self.admission.0;
            let _waiting = shared.waiting.try_acquire().map_err(|_| {
                Problem::overloaded(
                    "too many requests are waiting for sites: ask again later, or about sites with cached files",
                )
            })?;
            let _of_client = shared.visitors.enter(&self.client().key()).ok_or_else(|| {
                Problem::overloaded("too many requests of this client wait for sites: ask again when some are answered")
            })?;
            let _of_site = shared.sites.enter(site).ok_or_else(|| {
                Problem::overloaded(format!("too many requests are waiting for {site}, which is slow: ask again later"))
            })?;
            let had_slot = self.held().slot.take().is_some();
            let value = wait.await;
            if !had_slot {
                return Ok(value);
            }
            value
        };
        self.take().await?;
        Ok(value)
    }

    /// Takes memory, and holds it until the request is answered.
    ///
    /// # Errors
    ///
    /// If there is not enough of it in time.
    pub(crate) async fn hold(&self, memory: &Memory, bytes: usize) -> Result<(), Problem> {
        let taken = memory.take(self.client(), bytes).await?;
        match &mut self.held().memory {
            Some(held) => held.merge(taken),
            none => *none = Some(taken),
        }
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, RequestResources> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
