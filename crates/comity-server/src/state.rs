//! What all requests share.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::FromRequestParts;
use bytes::Bytes;
use comity::{Crawlers, Dialect};
use comity_fetch::{Client, Policy};
use http::request::Parts;
use tokio::sync::Semaphore;

use crate::limits::Limits;
use crate::place::Places;
use crate::problem::Problem;

/// What all requests share. A handler takes it as an argument; clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct State(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    client: Client,
    crawlers: Crawlers,
    dialect: Dialect,
    fetches: bool,
    limits: Limits,
    places: Places,
    computing: Arc<Semaphore>,
    openapi: Bytes,
    is_ending: AtomicBool,
}

impl State {
    pub(crate) fn new(client: Client, crawlers: Crawlers, limits: Limits, openapi: Bytes) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let (dialect, fetches) = (*client.dialect(), !client.is_offline());
        Self(Arc::new(Shared {
            client,
            crawlers,
            dialect,
            fetches,
            places: Places::new(&limits),
            limits,
            // One core is left to those who ask for little.
            computing: Arc::new(Semaphore::new((cores - 1).max(1))),
            openapi,
            is_ending: AtomicBool::new(false),
        }))
    }

    /// Who asks sites, and remembers.
    #[allow(dead_code, reason = "for handlers")]
    pub(crate) fn client(&self) -> &Client {
        &self.0.client
    }

    /// The crawlers that are known.
    pub(crate) fn crawlers(&self) -> &Crawlers {
        &self.0.crawlers
    }

    /// How files of live sites are read, unless a request says otherwise.
    pub(crate) fn dialect(&self) -> &Dialect {
        &self.0.dialect
    }

    /// What the results of fetches mean.
    pub(crate) fn policy(&self) -> &Policy {
        self.0.client.policy()
    }

    /// Whether sites are asked; else answers rest on what is remembered.
    pub(crate) fn fetches(&self) -> bool {
        self.0.fetches
    }

    /// How much is taken on.
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Who is worked on.
    pub(crate) fn places(&self) -> &Places {
        &self.0.places
    }

    /// The description of the service.
    pub(crate) fn openapi(&self) -> Bytes {
        self.0.openapi.clone()
    }

    /// Whether the service shuts down.
    pub(crate) fn is_ending(&self) -> bool {
        self.0.is_ending.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        self.0.is_ending.store(true, Ordering::Relaxed);
    }

    /// Does work that takes a processor for milliseconds, on a thread where it holds up nobody. No more of it runs at
    /// once than leaves a processor free. If the client goes away while it waits for its turn, it is never begun.
    #[allow(dead_code, reason = "for handlers")]
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        // Never closed.
        let turn = Arc::clone(&self.0.computing).acquire_owned().await.map_err(|_| Problem::internal())?;
        let done = tokio::task::spawn_blocking(move || {
            // Here, not in the caller: who went away does not end what was begun.
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

impl FromRequestParts<Self> for State {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, state: &Self) -> Result<Self, Infallible> {
        Ok(state.clone())
    }
}
