//! Shared fetches: one per origin at a time, no matter how many callers wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use comity::Origin;
use tokio::sync::watch;

use crate::cached_site::CachedSite;
use crate::error::CheckError;
use crate::store::FetchKind;

/// The result of a shared fetch.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    pub(crate) entry: Arc<CachedSite>,
    pub(crate) source: Source,
}

/// The source of a [`Fetched`] entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The site was fetched.
    Site,
    /// The cached entry had not expired.
    Memory,
    /// A caller changed the cached entry; nothing was fetched.
    Caller,
}

impl Source {
    /// Returns true if a caller that needs a result of this kind can use the result of another caller's fetch.
    pub(crate) fn meets(self, kind: FetchKind) -> bool {
        match kind {
            FetchKind::Due => self != Self::Caller,
            FetchKind::Forced => self == Self::Site,
            FetchKind::SiteAnswers(_) => false,
        }
    }
}

/// A fetch in progress, for the callers that wait for its result.
pub(crate) type SharedFetch = watch::Receiver<Option<Result<Fetched, CheckError>>>;

/// The fetches in progress.
#[derive(Debug, Default)]
pub(crate) struct SharedFetches(Mutex<HashMap<Origin, SharedFetch>>);

/// Completes a shared fetch. Removes it from the map first, also on drop.
pub(crate) struct Completer {
    fetches: Arc<SharedFetches>,
    origin: Option<Origin>,
    sender: watch::Sender<Option<Result<Fetched, CheckError>>>,
}

impl SharedFetches {
    /// Joins the fetch of an origin. If none is in progress, creates one, and returns its completer as well.
    pub(crate) fn join(self: &Arc<Self>, origin: &Origin) -> (SharedFetch, Option<Completer>) {
        let mut fetches = self.lock();
        if let Some(fetch) = fetches.get(origin) {
            return (fetch.clone(), None);
        }
        let (sender, fetch) = watch::channel(None);
        fetches.insert(origin.clone(), fetch.clone());
        (fetch, Some(Completer { fetches: Arc::clone(self), origin: Some(origin.clone()), sender }))
    }

    /// Returns true if a fetch of this origin is in progress.
    pub(crate) fn contains(&self, origin: &Origin) -> bool {
        self.lock().contains_key(origin)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Origin, SharedFetch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Completer {
    /// Sends the result to all callers. Later callers find it in memory, or begin another fetch.
    pub(crate) fn complete(mut self, result: Result<Fetched, CheckError>) {
        self.remove();
        self.sender.send_replace(Some(result));
    }

    fn remove(&mut self) {
        if let Some(origin) = self.origin.take() {
            self.fetches.lock().remove(&origin);
        }
    }
}

impl Drop for Completer {
    fn drop(&mut self) {
        self.remove();
    }
}
