//! The cached state of an origin.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use comity::dialect::SizeLimit;
use comity::{Dialect, Origin, Robots, SIZE_LIMIT};
use comity_policy::Site;

use crate::driver::Exchange;
use crate::lines::Marks;
use crate::store::ContentHash;

/// The cached state of an origin: shared by all callers, and replaced as a whole by the next fetch.
#[derive(Debug)]
pub(crate) struct CachedSite {
    /// Distinguishes the compiled rules of one copy from those of the next.
    pub(crate) id: u64,
    pub(crate) origin: Origin,
    pub(crate) site: Arc<Site>,
    /// The last good copy, parsed.
    pub(crate) robots: Option<Robots>,
    /// The hash of the copy, computed on first use.
    pub(crate) hash: OnceLock<ContentHash>,
    /// The positions of its lines, computed on first use.
    pub(crate) marks: OnceLock<Marks>,
    /// The exchanges of the last attempt, if this client made it.
    pub(crate) exchanges: Vec<Exchange>,
    /// False if the store could not be written.
    pub(crate) is_saved: bool,
    /// The number of questions that were answered without compiled rules, up to [`UNCOMPILED_QUESTIONS`].
    questions: AtomicU32,
}

/// The number of questions about a file that are answered without compiling rules. Compiling takes as long as a few
/// questions, and a crawl of many sites asks about one page of most.
const UNCOMPILED_QUESTIONS: u32 = 2;

impl CachedSite {
    pub(crate) fn new(origin: Origin, site: Arc<Site>, dialect: &Dialect, exchanges: Vec<Exchange>) -> Self {
        let robots = site.record().whole_copy().map(|copy| Robots::parse_with(counted(&copy.body, dialect), dialect));
        Self::with_robots(origin, site, robots, exchanges)
    }

    /// Creates the state of an origin whose copy is parsed already.
    pub(crate) fn with_robots(
        origin: Origin,
        site: Arc<Site>,
        robots: Option<Robots>,
        exchanges: Vec<Exchange>,
    ) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (hash, marks, questions) = (OnceLock::new(), OnceLock::new(), AtomicU32::new(0));
        Self { id, origin, site, robots, hash, marks, exchanges, is_saved: true, questions }
    }

    /// Returns true for the first questions about the file, which are answered without compiling rules.
    pub(crate) fn is_new(&self) -> bool {
        self.questions.load(Ordering::Relaxed) < UNCOMPILED_QUESTIONS
            && self.questions.fetch_add(1, Ordering::Relaxed) < UNCOMPILED_QUESTIONS
    }

    /// Returns the approximate size in bytes.
    pub(crate) fn memory(&self) -> usize {
        /// The approximate number of bytes of everything but the file: texts of the record, exchanges of the last attempt,
        /// and the entry of the hash map.
        const OVERHEAD: usize = 1024;
        let record = self.site.record();
        let body = record.copy.as_ref().map_or(0, |copy| copy.body.len());
        let exchanges =
            self.exchanges.iter().flat_map(|exchange| &exchange.fields).map(|(name, value)| name.len() + value.len());
        size_of::<Self>() + OVERHEAD + body + self.robots.as_ref().map_or(0, Robots::memory) + exchanges.sum::<usize>()
    }
}

/// Returns the part of a fetched body that is parsed. A dialect without a limit of its own reads [`SIZE_LIMIT`] bytes
/// of it: the bytes after those only show whether the last line was cut.
fn counted<'b>(body: &'b [u8], dialect: &Dialect) -> &'b [u8] {
    if dialect.size_limit == SizeLimit::None { &body[..body.len().min(SIZE_LIMIT)] } else { body }
}
