//! The counts of an audit.
//!
//! Each count is a sum, a minimum, a maximum or a union, so tallies of parts of the logs can be merged in any order. Limits of
//! memory are the exception: what is beyond them is counted as such.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::IpAddr;

use comity_fetch::{Event, Policy};
use comity_policy::Effect;
use foldhash::fast::RandomState;

use crate::claims::Standing;
use crate::identity::Evidence;
use crate::judge::UnjudgedReason;
use crate::report::{AskedRow, ExampleRow, Totals};

/// The number of seconds of a day.
pub(crate) const DAY: i64 = 86_400;
/// The maximum number of hosts that are named.
pub(crate) const MAX_HOSTS: usize = 64;
/// The maximum number of requests that are shown of one crawler.
pub(crate) const MAX_EXAMPLES: usize = 100;
/// The maximum number of lines that are named because they could not be read.
pub(crate) const MAX_PROBLEMS: usize = 3;
/// The maximum number of addresses that show whether the clients are hidden.
pub(crate) const MAX_FEW_ADDRESSES: usize = 4;

/// A version of the file, from 1, a line of it, and a day.
pub(crate) type CellKey = (u16, Option<u32>, i64);

/// The violations of a line of a file on a day.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) count: u64,
    pub(crate) first: ExampleRow,
    pub(crate) last: i64,
}

/// The requests of a crawler with the same evidence of its identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) requests: u64,
    pub(crate) allowed: u64,
    pub(crate) in_grace: u64,
    pub(crate) unjudged: BTreeMap<UnjudgedReason, u64>,
    /// Requests that the server refused: 401, 403, 429 and 5xx.
    pub(crate) refused: u64,
    pub(crate) asked: AskedRow,
    pub(crate) cells: HashMap<CellKey, Cell, RandomState>,
    pub(crate) examples: BTreeSet<ExampleRow>,
    pub(crate) addresses: HashSet<IpAddr, RandomState>,
    /// A bit for each second with a request, by their 64ths, if a Crawl-delay applies.
    pub(crate) seconds: BTreeMap<i64, u64>,
}

/// The counts of some lines. [`merge`](Self::merge) adds those of others.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub(crate) totals: Totals,
    pub(crate) without_host: u64,
    /// The requests that a line of the file allows.
    pub(crate) decided: u64,
    /// The numbers of crawlers' requests with an address, with a public one, and with one of an anonymized log.
    pub(crate) addressed: u64,
    pub(crate) public: u64,
    pub(crate) anonymous: u64,
    /// The first different addresses, up to one more than [`MAX_FEW_ADDRESSES`].
    pub(crate) few: BTreeSet<IpAddr>,
    pub(crate) is_limited: bool,
    /// The addresses that the DNS can verify, if [`Audit::claimants`](crate::Audit::claimants) asks for them.
    pub claimants: BTreeSet<IpAddr>,
    /// By the names of crawlers in lower case, and the evidence.
    pub(crate) crawlers: BTreeMap<String, CrawlerTally>,
}

/// The counts of a crawler.
#[derive(Clone, Debug)]
pub(crate) struct CrawlerTally {
    pub(crate) name: String,
    pub(crate) standing: Standing,
    pub(crate) counts: [Counts; Evidence::ALL.len()],
}

impl CrawlerTally {
    pub(crate) fn new(name: &str, standing: Standing) -> Self {
        Self { name: name.to_owned(), standing, counts: Default::default() }
    }
}

impl AskedRow {
    pub(crate) fn count(&mut self, at: Option<i64>, status: Option<u16>) {
        self.requests += 1;
        if let Some(status) = status {
            *self.statuses.entry(status).or_default() += 1;
        }
        let Some(at) = at else { return };
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = self.last.max(Some(at));
        let (day, Some(status)) = (at.div_euclid(DAY), status) else { return };
        if status != 304 && Policy::STANDARD.effect(Event::Status(status)) == Effect::Absent {
            self.refused.insert(day);
        } else if matches!(status, 200..=299 | 304) {
            self.got.insert(day);
        }
    }

    fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.got.extend(other.got);
        self.refused.extend(other.refused);
    }
}

impl Cell {
    pub(crate) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.last = self.last.max(other.last);
        if other.first < self.first {
            self.first = other.first.clone();
        }
    }
}

impl Counts {
    pub(crate) fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.allowed += other.allowed;
        self.in_grace += other.in_grace;
        self.refused += other.refused;
        for (reason, count) in other.unjudged {
            *self.unjudged.entry(reason).or_default() += count;
        }
        self.asked.merge(other.asked);
        for (key, cell) in other.cells {
            self.cells.entry(key).and_modify(|known| known.add(&cell)).or_insert(cell);
        }
        keep_first(&mut self.examples, other.examples, MAX_EXAMPLES);
        self.addresses.extend(other.addresses);
        for (word, bits) in other.seconds {
            *self.seconds.entry(word).or_default() |= bits;
        }
    }
}

/// Adds values to a set, and keeps the first ones, whose choice does not depend on the order of additions.
pub(crate) fn keep_first<T: Ord>(set: &mut BTreeSet<T>, values: impl IntoIterator<Item = T>, max: usize) {
    set.extend(values);
    while set.len() > max {
        set.pop_last();
    }
}

impl Totals {
    fn merge(&mut self, other: Self) {
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        self.lines += other.lines;
        self.unread += other.unread;
        self.requests += other.requests;
        self.outside += other.outside;
        self.other_sites += other.other_sites;
        self.unnamed += other.unnamed;
        self.without_agent += other.without_agent;
        self.duplicates += other.duplicates;
        keep_first(&mut self.problems, other.problems, MAX_PROBLEMS);
        keep_first(&mut self.hosts, other.hosts, MAX_HOSTS);
    }
}

impl Tally {
    /// Adds the counts of other lines of the same audit.
    pub fn merge(&mut self, other: Self) {
        self.totals.merge(other.totals);
        self.without_host += other.without_host;
        self.decided += other.decided;
        self.addressed += other.addressed;
        self.public += other.public;
        self.anonymous += other.anonymous;
        self.is_limited |= other.is_limited;
        self.claimants.extend(other.claimants);
        keep_first(&mut self.few, other.few, MAX_FEW_ADDRESSES + 1);
        for (key, other) in other.crawlers {
            let known = self.crawlers.entry(key).or_insert_with(|| CrawlerTally::new(&other.name, other.standing));
            known.name = std::mem::take(&mut known.name).min(other.name);
            known.counts.iter_mut().zip(other.counts).for_each(|(counts, other)| counts.merge(other));
        }
    }
}
