//! The compiled rules of files.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use comity::{Crawler, Rules};

use crate::cache::Key;
use crate::cached_site::CachedSite;
use crate::client::Shared;
use crate::stats::Counters;

/// The compiled rules of files, and the counters of questions: those of a client, or those of one given file.
///
/// A trait, so that a program that only checks given files, such as the WebAssembly module, contains no client.
pub(crate) trait Compiled: fmt::Debug + Send + Sync {
    /// Returns the rules of the last good copy for a crawler, compiled once; `None` without a copy.
    fn rules(&self, cached: &CachedSite, crawler: &Crawler<'_>) -> Option<Arc<Rules>>;
    fn has_rules(&self, cached: &CachedSite, crawler: &Crawler<'_>) -> bool;
    fn counters(&self) -> &Counters;
    fn is_given(&self) -> bool;
}

impl Compiled for Shared {
    fn rules(&self, cached: &CachedSite, crawler: &Crawler<'_>) -> Option<Arc<Rules>> {
        self.cache.rules(cached, crawler)
    }

    fn has_rules(&self, cached: &CachedSite, crawler: &Crawler<'_>) -> bool {
        self.cache.has_rules(cached, crawler)
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn is_given(&self) -> bool {
        false
    }
}

/// The compiled rules of a given file, by crawler.
#[derive(Debug, Default)]
pub(crate) struct Given {
    rules: Mutex<HashMap<Key, Arc<Rules>>>,
    counters: Counters,
}

impl Compiled for Given {
    fn rules(&self, cached: &CachedSite, crawler: &Crawler<'_>) -> Option<Arc<Rules>> {
        let robots = cached.robots.as_ref()?;
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = rules.entry(Key::new(cached, crawler)).or_insert_with(|| Arc::new(robots.rules_for(crawler)));
        Some(Arc::clone(compiled))
    }

    fn has_rules(&self, cached: &CachedSite, crawler: &Crawler<'_>) -> bool {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        cached.robots.is_none() || rules.contains_key(&Key::new(cached, crawler))
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn is_given(&self) -> bool {
        true
    }
}
