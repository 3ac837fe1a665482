//! The settings of an audit, and what its auditors share.

use std::collections::HashSet;
use std::hash::BuildHasher as _;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;

use comity::{Crawlers, Origin};
use foldhash::fast::RandomState;

use crate::identity::DnsAnswers;
use crate::ranges::RangeLists;
use crate::timeline::Timeline;

/// The maximum number of violations whose lines are remembered.
const MAX_DUPLICATES: usize = 4 << 20;
/// The parts of the set of violations, each with a lock of its own.
const SHARDS: usize = 64;

/// All times of requests, also those of lines without a time.
pub const ALL_TIMES: Range<i64> = i64::MIN..i64::MAX;

/// The files, crawlers and limits of an audit.
#[derive(Debug)]
pub struct Audit {
    pub(crate) timeline: Timeline,
    pub(crate) table: Crawlers,
    /// The site. Requests of other hosts, schemes and ports are not of it, if the log states them. Defaults to the one host
    /// of the log.
    pub site: Option<Origin>,
    /// The operators' lists of addresses. Defaults to none.
    pub ranges: RangeLists,
    /// The answers of the DNS about addresses. Defaults to none.
    pub dns: DnsAnswers,
    /// The number of addresses to collect of crawlers with documented DNS names, the smallest. If it is not 0, their requests
    /// are not judged. Defaults to 0.
    pub claimants: usize,
    /// The time of the requests that count, in seconds since 1970. Defaults to [`ALL_TIMES`].
    pub time: Range<i64>,
    /// The crawler of which up to 100 violations are kept. Defaults to none.
    pub shown: Option<String>,
    /// The only crawlers that are judged and reported. Defaults to all.
    pub agents: Vec<String>,
    /// The number of auditors that share the limits of memory. Defaults to 1.
    pub threads: NonZeroUsize,
    /// The hashes of the lines that are violations: a log that was copied may have them twice.
    violations: Vec<Mutex<HashSet<u64>>>,
    hasher: RandomState,
}

impl Audit {
    /// Creates an audit of a site with these files. `table` has the crawlers.
    pub fn new(timeline: Timeline, table: Crawlers) -> Self {
        Self {
            timeline,
            table,
            site: None,
            ranges: RangeLists::default(),
            dns: DnsAnswers::default(),
            claimants: 0,
            time: ALL_TIMES,
            shown: None,
            agents: Vec::new(),
            threads: NonZeroUsize::MIN,
            violations: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::default(),
        }
    }

    /// Returns the means by which requests of a crawler were verified.
    pub(crate) fn sources(&self, profile: &comity::Profile) -> Vec<String> {
        let stated = &profile.verification;
        let lists =
            stated.ranges.iter().filter_map(|url| Some(format!("https://{url}{}", self.ranges.get(&**url)?.dated())));
        let dns = self.dns.date().filter(|_| !stated.hosts.is_empty()).map(|date| format!("DNS of {date}"));
        lists.chain(dns).collect()
    }

    /// Returns false for a line that was a violation already.
    pub(crate) fn is_new(&self, line: &[u8]) -> bool {
        let hash = self.hasher.hash_one(line);
        let mut seen =
            self.violations[hash as usize % SHARDS].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if seen.len() < MAX_DUPLICATES / SHARDS { seen.insert(hash) } else { !seen.contains(&hash) }
    }
}
