//! What is known of an origin, ready to answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use comity::dialect::SizeLimit;
use comity::{Dialect, Origin, Robots, SIZE_LIMIT};
use comity_policy::Site;

use crate::driver::Exchange;
use crate::lines::Marks;
use crate::store::ContentHash;

/// What is known of an origin: shared by all who ask, replaced as a whole by the next fetch.
#[derive(Debug)]
pub(crate) struct CachedSite {
    /// Tells the compiled rules of one copy from those of the next.
    pub(crate) id: u64,
    pub(crate) origin: Origin,
    pub(crate) site: Arc<Site>,
    /// The last good copy, parsed.
    pub(crate) robots: Option<Robots>,
    /// Its hash, once somebody wants it.
    pub(crate) hash: OnceLock<ContentHash>,
    /// Where its lines are, once somebody wants one.
    pub(crate) marks: OnceLock<Marks>,
    /// Of the last attempt, if it was made by this client.
    pub(crate) exchanges: Vec<Exchange>,
    /// False if the store could not be written.
    pub(crate) is_saved: bool,
}

impl CachedSite {
    pub(crate) fn new(origin: Origin, site: Arc<Site>, dialect: &Dialect, exchanges: Vec<Exchange>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let robots = site.record().whole_copy().map(|copy| Robots::parse_with(counted(&copy.body, dialect), dialect));
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { id, origin, site, robots, hash: OnceLock::new(), marks: OnceLock::new(), exchanges, is_saved: true }
    }

    pub(crate) fn unsaved(self) -> Self {
        Self { is_saved: false, ..self }
    }

    /// About how many bytes of memory it holds.
    pub(crate) fn memory(&self) -> usize {
        /// What a record's texts, an attempt's exchanges and a map's slot come to, about.
        const OVERHEAD: usize = 1024;
        let record = self.site.record();
        let body = record.copy.as_ref().map_or(0, |copy| copy.body.len());
        let exchanges =
            self.exchanges.iter().flat_map(|exchange| &exchange.fields).map(|(name, value)| name.len() + value.len());
        size_of::<Self>() + OVERHEAD + body + self.robots.as_ref().map_or(0, Robots::memory) + exchanges.sum::<usize>()
    }
}

/// Returns the part of a fetched body that counts. A dialect without a limit of its own reads [`SIZE_LIMIT`] bytes of it: the
/// octets after those are kept only to tell whether the last line was cut.
fn counted<'b>(body: &'b [u8], dialect: &Dialect) -> &'b [u8] {
    if dialect.size_limit == SizeLimit::None { &body[..body.len().min(SIZE_LIMIT)] } else { body }
}
