//! A request's place among those that are worked on.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use axum::extract::FromRequestParts;
use comity::Origin;
use http::request::Parts;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::Limits;
use crate::problem::Problem;

/// Who is worked on, who waits for that, and who waits for sites.
#[derive(Clone, Debug)]
pub(crate) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    working: Arc<Semaphore>,
    queued: AtomicUsize,
    queue: usize,
    queue_wait: Duration,
    waiting: Semaphore,
    /// Of the sites that somebody waits for: how many do.
    sites: Mutex<HashMap<Origin, usize>>,
    of_a_site: usize,
}

impl Places {
    pub(crate) fn new(limits: &Limits) -> Self {
        let bounded = |permits: usize| permits.clamp(1, Semaphore::MAX_PERMITS);
        Self(Arc::new(Shared {
            working: Arc::new(Semaphore::new(bounded(limits.in_flight))),
            queued: AtomicUsize::new(0),
            queue: limits.queue,
            queue_wait: limits.queue_wait,
            waiting: Semaphore::new(bounded(limits.waiting)),
            sites: Mutex::default(),
            of_a_site: limits.waiting.div_ceil(8).max(1),
        }))
    }

    /// Whether one more request would be sent away.
    pub(crate) fn are_taken(&self) -> bool {
        self.0.working.available_permits() == 0 && self.queued() >= self.0.queue
    }

    /// How many wait until they are worked on.
    pub(crate) fn queued(&self) -> usize {
        self.0.queued.load(Ordering::Relaxed)
    }

    /// A place among those that are worked on, when it is free.
    async fn take(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let shared = &self.0;
        if let Ok(permit) = Arc::clone(&shared.working).try_acquire_owned() {
            return Ok(permit);
        }
        let Some(_queued) = Counted::new(&shared.queued, shared.queue) else {
            return Err(Problem::overloaded("too many requests are waiting: ask again later"));
        };
        match timeout(shared.queue_wait, Arc::clone(&shared.working).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Problem::overloaded("too many requests are worked on: ask again later")),
        }
    }
}

/// One of a bounded number, until it is dropped.
struct Counted<'c>(&'c AtomicUsize);

impl<'c> Counted<'c> {
    fn new(count: &'c AtomicUsize, most: usize) -> Option<Self> {
        let counted = Self(count);
        // If it is too many, dropping it takes it back.
        (count.fetch_add(1, Ordering::Relaxed) < most).then_some(counted)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request's place among those that are worked on. A handler that may have to wait for a site takes it as an
/// argument, and waits [aside](Self::aside).
#[derive(Clone, Debug)]
pub(crate) struct Place {
    places: Places,
    held: Arc<Mutex<Held>>,
}

/// What is given back when the answer has been sent.
#[derive(Debug, Default)]
pub(crate) struct Held {
    place: Option<OwnedSemaphorePermit>,
    memory: Option<OwnedSemaphorePermit>,
}

impl Place {
    /// One that is not taken yet.
    pub(crate) fn new(places: &Places) -> Self {
        Self { places: places.clone(), held: Arc::default() }
    }

    /// Takes it, as soon as it is free. Does nothing if it was taken before.
    pub(crate) async fn take(&self) -> Result<(), Problem> {
        if self.held().place.is_none() {
            let permit = self.places.take().await?;
            self.held().place = Some(permit);
        }
        Ok(())
    }

    /// Waits for a site; if that takes time at all, the place is free for others meanwhile. Fails if too many wait
    /// already, for this site or for any.
    #[allow(dead_code, reason = "for handlers")]
    pub(crate) async fn aside<T>(&self, site: &Origin, wait: impl Future<Output = T>) -> Result<T, Problem> {
        let mut wait = pin!(wait);
        if let Poll::Ready(value) = poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await {
            return Ok(value);
        }
        let value = {
            let shared = &self.places.0;
            let _waiting = shared.waiting.try_acquire().map_err(|_| {
                Problem::overloaded("too many requests wait for sites: ask again later, or about sites that are known")
            })?;
            let _of_site = Visitor::new(shared, site).ok_or_else(|| {
                Problem::overloaded(format!("too many requests wait for {site}, which is slow: ask again later"))
            })?;
            let had_place = self.held().place.take().is_some();
            let value = wait.await;
            if !had_place {
                return Ok(value);
            }
            value
        };
        self.take().await?;
        Ok(value)
    }

    /// Keeps the right to memory until the answer has been sent.
    #[allow(dead_code, reason = "not yet")]
    pub(crate) fn keep(&self, memory: OwnedSemaphorePermit) {
        match &mut self.held().memory {
            Some(held) => held.merge(memory),
            none => *none = Some(memory),
        }
    }

    /// All that is held, to be given back later.
    pub(crate) fn hand_over(&self) -> Held {
        std::mem::take(&mut *self.held())
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Sync> FromRequestParts<S> for Place {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // The gate puts one into every request.
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_else(|| Self::new(&Places::new(&Limits::default()))))
    }
}

/// One who waits for a site.
struct Visitor<'p> {
    shared: &'p Shared,
    site: &'p Origin,
}

impl<'p> Visitor<'p> {
    fn new(shared: &'p Shared, site: &'p Origin) -> Option<Self> {
        let mut sites = shared.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let visitors = sites.entry(site.clone()).or_default();
        if *visitors >= shared.of_a_site {
            return None;
        }
        *visitors += 1;
        Some(Self { shared, site })
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        let mut sites = self.shared.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(visitors) = sites.get_mut(self.site) {
            *visitors -= 1;
            if *visitors == 0 {
                sites.remove(self.site);
            }
        }
    }
}
