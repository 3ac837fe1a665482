//! The counts of an audit.
//!
//! Each count is a sum, a minimum, a maximum or a union, so tallies of parts of the logs can be merged in any order. Limits of
//! memory are the exception: what is beyond them is counted as such.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::net::IpAddr;
use std::sync::Mutex;

use comity::{Crawlers, Origin};
use comity_fetch::{Event, Policy};
use comity_log::{LogClock, LogEntry, LogLine, LogText, TargetForm};
use comity_policy::Effect;
use foldhash::fast::RandomState;

use crate::claims::{Claimed, Claims, OTHERS, Standing};
use crate::identity::{DnsAnswers, Evidence, Verifier, is_anonymous, is_private};
use crate::judge::{Judge, Judgment, UnjudgedReason};
use crate::ranges::RangeLists;
use crate::timeline::Timeline;

/// The number of seconds of a day.
pub(crate) const DAY: i64 = 86_400;
/// The maximum number of hosts that are named.
const MAX_HOSTS: usize = 64;
/// The maximum number of requests that are shown of one crawler.
pub(crate) const MAX_EXAMPLES: usize = 100;
/// The maximum length of a target that is shown, in bytes.
const MAX_TARGET_BYTES: usize = 500;
/// The maximum number of lines that are named because they could not be read.
const MAX_PROBLEMS: usize = 3;
/// The maximum number of addresses that show whether the clients are hidden.
pub(crate) const MAX_FEW_ADDRESSES: usize = 4;
/// The maximum number of crawlers of which the pace is measured.
const MAX_PACED: usize = 64;

/// The limits of memory of all threads together.
const MAX_CELLS: usize = 65_536;
const MAX_ADDRESSES: usize = 500_000;
const MAX_PACED_DAYS: usize = 8_192;
const MAX_DUPLICATES: usize = 4 << 20;
/// The parts of the set of violations, each with a lock of its own.
const SHARDS: usize = 64;

/// The files, crawlers and limits of an audit.
#[derive(Debug)]
pub struct Audit {
    timeline: Timeline,
    table: Crawlers,
    ranges: RangeLists,
    dns: DnsAnswers,
    site: Option<Origin>,
    since: Option<i64>,
    until: Option<i64>,
    shown: Option<String>,
    agents: Vec<String>,
    threads: usize,
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
            ranges: RangeLists::default(),
            dns: DnsAnswers::default(),
            site: None,
            since: None,
            until: None,
            shown: None,
            agents: Vec::new(),
            threads: 1,
            violations: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::default(),
        }
    }

    /// Sets the site. Requests of other hosts, schemes and ports are not of it, if the log states them. Defaults to the one
    /// host of the log.
    #[must_use]
    pub fn site(mut self, site: Origin) -> Self {
        self.site = Some(site);
        self
    }

    /// Sets the operators' lists of addresses. Defaults to none.
    #[must_use]
    pub fn ranges(mut self, ranges: RangeLists) -> Self {
        self.ranges = ranges;
        self
    }

    /// Sets the answers of the DNS about addresses. Defaults to none.
    #[must_use]
    pub fn dns(mut self, dns: DnsAnswers) -> Self {
        self.dns = dns;
        self
    }

    /// Sets the first time of requests that count, in seconds since 1970. Defaults to none.
    #[must_use]
    pub fn since(mut self, seconds: Option<i64>) -> Self {
        self.since = seconds;
        self
    }

    /// Sets the time from which requests do not count any more. Defaults to none.
    #[must_use]
    pub fn until(mut self, seconds: Option<i64>) -> Self {
        self.until = seconds;
        self
    }

    /// Sets the crawler of which up to 100 violations are kept. Defaults to none.
    #[must_use]
    pub fn shown(mut self, crawler: Option<&str>) -> Self {
        self.shown = crawler.map(str::to_ascii_lowercase);
        self
    }

    /// Sets the only crawlers that are judged and reported. Defaults to all.
    #[must_use]
    pub fn agents<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.agents = names.into_iter().map(str::to_ascii_lowercase).collect();
        self
    }

    /// Sets the number of auditors that share the limits of memory. Defaults to 1.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    pub(crate) fn table(&self) -> &Crawlers {
        &self.table
    }

    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.site.as_ref()
    }

    /// Returns the means by which requests of a crawler were verified.
    pub(crate) fn sources(&self, profile: &comity::Profile) -> Vec<String> {
        let stated = &profile.verification;
        let lists =
            stated.ranges.iter().filter_map(|url| Some(format!("https://{url}{}", self.ranges.get(url)?.dated())));
        let dns = self.dns.date().filter(|_| !stated.hosts.is_empty()).map(|date| format!("DNS of {date}"));
        lists.chain(dns).collect()
    }

    /// Returns false for a line that was a violation already.
    fn is_new(&self, line: &[u8]) -> bool {
        let hash = self.hasher.hash_one(line);
        let mut seen =
            self.violations[hash as usize % SHARDS].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if seen.len() >= MAX_DUPLICATES / SHARDS {
            return !seen.contains(&hash);
        }
        seen.insert(hash)
    }
}

/// A request that violates the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Example {
    pub(crate) at: i64,
    pub(crate) target: Box<str>,
    pub(crate) address: Option<IpAddr>,
    pub(crate) status: Option<u16>,
    pub(crate) version: u16,
    pub(crate) line: u32,
}

/// The violations of a line of a file on a day.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) count: u64,
    pub(crate) first: Example,
    pub(crate) last: i64,
}

/// The requests of a crawler for robots.txt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) count: u64,
    pub(crate) first: Option<i64>,
    pub(crate) last: Option<i64>,
    pub(crate) statuses: BTreeMap<u16, u64>,
    /// The days on which it got the file, and those on which an answer allowed everything.
    pub(crate) got: BTreeSet<i64>,
    pub(crate) refused: BTreeSet<i64>,
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
    pub(crate) asked: Asked,
    pub(crate) cells: HashMap<(u16, u32, i64), Cell, RandomState>,
    pub(crate) examples: BTreeSet<Example>,
    pub(crate) addresses: HashSet<IpAddr, RandomState>,
    /// The seconds with a request, by day, if a Crawl-delay applies.
    pub(crate) seconds: BTreeMap<i64, Seconds>,
}

/// A bit for each second of a day.
#[derive(Clone, Debug)]
pub(crate) struct Seconds(pub(crate) Box<[u64; DAY as usize / 64]>);

/// The counts of some lines. [`merge`](Self::merge) adds those of others.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub(crate) lines: u64,
    pub(crate) requests: u64,
    pub(crate) unread: u64,
    /// The first lines that could not be read: name of the log, number, and the start of the line.
    pub(crate) problems: BTreeSet<(String, u64, String)>,
    pub(crate) outside: u64,
    pub(crate) other_sites: u64,
    pub(crate) unnamed: u64,
    pub(crate) without_agent: u64,
    pub(crate) duplicates: u64,
    pub(crate) without_host: u64,
    /// The requests that a line of the file allows.
    pub(crate) decided: u64,
    pub(crate) first: Option<i64>,
    pub(crate) last: Option<i64>,
    pub(crate) hosts: BTreeSet<String>,
    /// The numbers of crawlers' requests with an address, with a public one, and with one of an anonymized log.
    pub(crate) addressed: u64,
    pub(crate) public: u64,
    pub(crate) anonymous: u64,
    /// The first different addresses, up to one more than [`MAX_FEW_ADDRESSES`].
    pub(crate) few: BTreeSet<IpAddr>,
    pub(crate) is_limited: bool,
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

/// Reads lines, and counts them.
pub struct Auditor<'a> {
    audit: &'a Audit,
    log: String,
    clock: LogClock,
    claims: Claims<'a>,
    judge: Judge<'a>,
    /// By the indexes of the claims.
    rows: Vec<Row<'a>>,
    /// The last host of a line, and whether it is the site's.
    host: (Vec<u8>, bool),
    tally: Tally,
    cells: usize,
    addresses: usize,
    paced: usize,
    paced_days: usize,
}

struct Row<'a> {
    verifier: Verifier<'a>,
    is_selected: bool,
    is_shown: bool,
    is_paced: bool,
    counts: [Counts; Evidence::ALL.len()],
}

impl std::fmt::Debug for Auditor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Auditor").field("tally", &self.tally).finish_non_exhaustive()
    }
}

impl<'a> Auditor<'a> {
    /// Creates an auditor, which has read nothing yet.
    pub fn new(audit: &'a Audit) -> Self {
        Self {
            audit,
            log: String::new(),
            clock: LogClock::default(),
            claims: Claims::new(&audit.table),
            judge: Judge::new(&audit.timeline),
            rows: Vec::new(),
            host: (Vec::new(), true),
            tally: Tally::default(),
            cells: 0,
            addresses: 0,
            paced: 0,
            paced_days: 0,
        }
    }

    /// Sets the name of the log that the next lines are from, for messages.
    pub fn set_log(&mut self, name: &str) {
        if self.log != name {
            name.clone_into(&mut self.log);
        }
    }

    /// Counts a line.
    pub fn read(&mut self, line: &LogLine<'_>) {
        self.tally.lines += 1;
        match &line.entry {
            Ok(Some(entry)) => self.count(entry, line.bytes),
            Ok(None) => {}
            Err(_) => {
                self.tally.unread += 1;
                let start = String::from_utf8_lossy(&line.bytes[..line.bytes.len().min(60)]).into_owned();
                self.tally.problems.insert((self.log.clone(), line.number, start));
                if self.tally.problems.len() > MAX_PROBLEMS {
                    self.tally.problems.pop_last();
                }
            }
        }
    }

    fn count(&mut self, entry: &LogEntry<'_>, line: &[u8]) {
        let at = self.clock.seconds(&entry.time);
        let is_outside =
            |at: i64| self.audit.since.is_some_and(|s| at < s) || self.audit.until.is_some_and(|u| at >= u);
        if at.is_some_and(is_outside) || at.is_none() && (self.audit.since.is_some() || self.audit.until.is_some()) {
            self.tally.outside += 1;
            return;
        }
        let target = entry.target.as_ref().map(LogText::sent);
        let target = Target::of(target.as_deref().unwrap_or_default());
        if !self.is_of_site(entry, &target) {
            self.tally.other_sites += 1;
            return;
        }
        self.tally.requests += 1;
        if let Some(at) = at {
            self.tally.first = Some(self.tally.first.map_or(at, |first| first.min(at)));
            self.tally.last = self.tally.last.max(Some(at));
        }
        let Some(header) = &entry.agent else {
            self.tally.without_agent += 1;
            return;
        };
        let Some(claim) = self.claims.of(header) else {
            self.tally.unnamed += 1;
            return;
        };
        while self.rows.len() < self.claims.crawlers().len() {
            self.add_row();
        }
        if !self.rows[claim.crawler].is_selected {
            return;
        }
        let address = entry.ip();
        self.see(address);
        let evidence = self.rows[claim.crawler].verifier.evidence(address, at);
        let judgment = if claim.names_several {
            Judgment::Unjudged(UnjudgedReason::SeveralNames)
        } else {
            let raw = entry.target.as_ref().map(LogText::raw).unwrap_or_default();
            let is_exact = entry.form == TargetForm::Decoded && is_unchanged_by_decoding(raw);
            let form = if is_exact { TargetForm::Sent } else { entry.form };
            self.judge(claim.crawler, at, form, target.path)
        };
        let counts = &mut self.rows[claim.crawler].counts[evidence as usize];
        counts.requests += 1;
        counts.refused += u64::from(matches!(entry.status, Some(401 | 403 | 429 | 500..=599)));
        if matches!(evidence, Evidence::Refuted | Evidence::Near)
            && let Some(address) = address.filter(|address| !counts.addresses.contains(address))
        {
            if self.addresses * self.audit.threads < MAX_ADDRESSES {
                self.addresses += 1;
                counts.addresses.insert(address);
            } else {
                self.tally.is_limited = true;
            }
        }
        if target.is_robots_txt() {
            counts.asked.count(at, entry.status);
        }
        match judgment {
            Judgment::Allowed(by_line) => {
                counts.allowed += 1;
                self.tally.decided += u64::from(by_line);
            }
            Judgment::InGrace => counts.in_grace += 1,
            Judgment::Unjudged(reason) => *counts.unjudged.entry(reason).or_default() += 1,
            Judgment::Disallowed { version, line: rule } => {
                let at = at.unwrap_or_default();
                let example =
                    Example { at, target: target.shown(), address, status: entry.status, version, line: rule };
                self.violation(claim.crawler, evidence, example, line);
            }
        }
        self.pace(claim.crawler, evidence, at);
    }

    /// Counts a violation, unless the same line was counted already.
    fn violation(&mut self, crawler: usize, evidence: Evidence, example: Example, line: &[u8]) {
        if !self.audit.is_new(line) {
            self.tally.duplicates += 1;
            return;
        }
        let row = &mut self.rows[crawler];
        let counts = &mut row.counts[evidence as usize];
        let key = (example.version, example.line, example.at.div_euclid(DAY));
        if !counts.cells.contains_key(&key) {
            if self.cells * self.audit.threads >= MAX_CELLS {
                self.tally.is_limited = true;
                *counts.unjudged.entry(UnjudgedReason::Limit).or_default() += 1;
                return;
            }
            self.cells += 1;
        }
        if row.is_shown {
            counts.examples.insert(example.clone());
            if counts.examples.len() > MAX_EXAMPLES {
                counts.examples.pop_last();
            }
        }
        let cell = Cell { count: 1, last: example.at, first: example };
        counts.cells.entry(key).and_modify(|known| known.add(&cell)).or_insert(cell);
    }

    /// Notes the second of a request, if a Crawl-delay applies.
    fn pace(&mut self, crawler: usize, evidence: Evidence, at: Option<i64>) {
        let row = &mut self.rows[crawler];
        let Some(at) = at.filter(|_| row.is_paced && evidence != Evidence::Refuted) else { return };
        let (day, second) = (at.div_euclid(DAY), at.rem_euclid(DAY) as usize);
        let Seconds(bits) = match row.counts[evidence as usize].seconds.entry(day) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if self.paced_days * self.audit.threads >= MAX_PACED_DAYS => {
                self.tally.is_limited = true;
                return;
            }
            Entry::Vacant(new) => {
                self.paced_days += 1;
                new.insert(Seconds(Box::new([0; DAY as usize / 64])))
            }
        };
        bits[second / 64] |= 1 << (second % 64);
    }

    fn judge(&mut self, index: usize, at: Option<i64>, form: TargetForm, path: &[u8]) -> Judgment {
        let crawler = &self.claims.crawlers()[index];
        let reason = match (crawler.standing, at, form) {
            (Standing::NotGoverned | Standing::ControlToken | Standing::Others, ..) => UnjudgedReason::NotGoverned,
            _ if !path.starts_with(b"/") => UnjudgedReason::NoPath,
            // It is never disallowed, whatever the file says.
            _ if is_robots_txt(path) => return Judgment::Allowed(false),
            (_, None, _) => UnjudgedReason::NoTime,
            (_, Some(at), TargetForm::Sent) => return self.judge.judge(index, crawler, at, path),
            _ => UnjudgedReason::TargetNotLogged,
        };
        Judgment::Unjudged(reason)
    }

    fn add_row(&mut self) {
        let index = self.rows.len();
        let crawler = &self.claims.crawlers()[index];
        let verifier = crawler
            .profile
            .map(|profile| Verifier::new(profile, &self.audit.ranges, &self.audit.dns))
            .unwrap_or_default();
        let is = |name: &String| name.eq_ignore_ascii_case(&crawler.name);
        let is_selected = self.audit.agents.is_empty() || self.audit.agents.iter().any(is);
        let is_shown = self.audit.shown.as_ref().is_some_and(is);
        let versions = 0..self.audit.timeline.versions().len() as u16;
        let is_bound = matches!(crawler.standing, Standing::Bound | Standing::Advised) && is_selected;
        let is_paced = is_bound && self.paced < MAX_PACED && {
            let judge = &mut self.judge;
            versions.into_iter().any(|version| own_delay(&judge.readings(index, crawler, version)).is_some())
        };
        self.paced += usize::from(is_paced);
        self.rows.push(Row { verifier, is_selected, is_shown, is_paced, counts: Default::default() });
    }

    /// Notes the address of a crawler's request.
    fn see(&mut self, address: Option<IpAddr>) {
        let Some(address) = address else { return };
        self.tally.addressed += 1;
        self.tally.public += u64::from(!is_private(address));
        self.tally.anonymous += u64::from(is_anonymous(address));
        if self.tally.few.len() <= MAX_FEW_ADDRESSES {
            self.tally.few.insert(address);
        }
    }

    /// Returns false if the line states another site than that of the audit.
    fn is_of_site(&mut self, entry: &LogEntry<'_>, target: &Target<'_>) -> bool {
        let scheme = target.scheme.or(entry.scheme.as_ref().map(LogText::raw));
        let host = target.host.or(entry.host.as_ref().map(LogText::raw));
        if let (Some(scheme), Some(site)) = (scheme, &self.audit.site)
            && !scheme.eq_ignore_ascii_case(site.scheme().as_bytes())
        {
            return false;
        }
        let Some(host) = host else {
            self.tally.without_host += 1;
            return true;
        };
        if self.host.0 != host {
            self.host = (host.to_vec(), self.is_host_of_site(host));
        }
        self.host.1
    }

    fn is_host_of_site(&mut self, host: &[u8]) -> bool {
        let host = String::from_utf8_lossy(host).to_ascii_lowercase();
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port.parse::<u16>().ok()),
            _ => (&*host, None),
        };
        let name = name.strip_suffix('.').unwrap_or(name);
        let Some(site) = &self.audit.site else {
            if self.tally.hosts.len() < MAX_HOSTS {
                self.tally.hosts.insert(name.chars().take(255).collect());
            }
            return true;
        };
        let default = if site.scheme() == "https" { 443 } else { 80 };
        name == site.host() && port.is_none_or(|port| port == site.port().unwrap_or(default))
    }

    /// Returns the counts.
    pub fn into_tally(self) -> Tally {
        let mut tally = self.tally;
        for (index, (crawler, row)) in self.claims.crawlers().iter().zip(self.rows).enumerate() {
            if index == OTHERS && row.counts.iter().all(|counts| counts.requests == 0) || !row.is_selected {
                continue;
            }
            let Claimed { name, standing, .. } = crawler;
            let counted = CrawlerTally { name: name.clone(), standing: *standing, counts: row.counts };
            tally.crawlers.insert(name.to_ascii_lowercase(), counted);
        }
        tally
    }
}

/// Returns the crawl-delay that applies to a crawler as its operator reads the file.
pub(crate) fn own_delay(readings: &[std::sync::Arc<comity::Rules>]) -> Option<comity::CrawlDelay> {
    // The operator's dialect is the last one, unless it is the standard one. Google's has no delays.
    let own = if readings.len() > 2 { readings.last() } else { readings.first() };
    own.and_then(|rules| rules.crawl_delay())
}

/// The parts of a request target.
struct Target<'t> {
    scheme: Option<&'t [u8]>,
    host: Option<&'t [u8]>,
    path: &'t [u8],
}

impl<'t> Target<'t> {
    fn of(target: &'t [u8]) -> Self {
        let none = Self { scheme: None, host: None, path: target };
        if target.starts_with(b"/") {
            return none;
        }
        let Some(end) = target.windows(3).take(10).position(|three| three == b"://") else { return none };
        let (scheme, rest) = (&target[..end], &target[end + 3..]);
        let authority = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
        let host = rest[..authority].rsplit(|byte| *byte == b'@').next();
        let path = if authority == rest.len() { &b"/"[..] } else { &rest[authority..] };
        Self { scheme: Some(scheme), host, path }
    }

    fn is_robots_txt(&self) -> bool {
        is_robots_txt(self.path)
    }

    fn shown(&self) -> Box<str> {
        let end = self.path.len().min(MAX_TARGET_BYTES);
        let cut = if end < self.path.len() { "…" } else { "" };
        (String::from_utf8_lossy(&self.path[..end]).into_owned() + cut).into()
    }
}

fn is_robots_txt(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'?').next() == Some(b"/robots.txt")
}

/// Returns true if the path that was sent had no escapes, or the log still has them.
fn is_unchanged_by_decoding(path: &[u8]) -> bool {
    path.iter().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~' | b'?' | b'=' | b'&')
    }) && !path.windows(2).any(|two| matches!(two, b"//" | b"/."))
}

impl Asked {
    fn count(&mut self, at: Option<i64>, status: Option<u16>) {
        self.count += 1;
        if let Some(status) = status {
            *self.statuses.entry(status).or_default() += 1;
        }
        let Some(at) = at else { return };
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = self.last.max(Some(at));
        let day = at.div_euclid(DAY);
        match status {
            Some(304) => _ = self.got.insert(day),
            Some(status) => match Policy::STANDARD.effect(Event::Status(status)) {
                Effect::Absent => _ = self.refused.insert(day),
                _ if (200..=299).contains(&status) => _ = self.got.insert(day),
                _ => {}
            },
            None => {}
        }
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
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
    fn add(&mut self, other: &Self) {
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
            match self.cells.entry(key) {
                std::collections::hash_map::Entry::Occupied(mut known) => known.get_mut().add(&cell),
                std::collections::hash_map::Entry::Vacant(new) => _ = new.insert(cell),
            }
        }
        self.examples.extend(other.examples);
        while self.examples.len() > MAX_EXAMPLES {
            self.examples.pop_last();
        }
        self.addresses.extend(other.addresses);
        for (day, other) in other.seconds {
            let Seconds(bits) = self.seconds.entry(day).or_insert_with(|| Seconds(Box::new([0; DAY as usize / 64])));
            bits.iter_mut().zip(other.0.iter()).for_each(|(bits, others)| *bits |= others);
        }
    }
}

impl Tally {
    /// Adds the counts of other lines of the same audit.
    pub fn merge(&mut self, other: Self) {
        self.lines += other.lines;
        self.requests += other.requests;
        self.unread += other.unread;
        self.outside += other.outside;
        self.other_sites += other.other_sites;
        self.unnamed += other.unnamed;
        self.without_agent += other.without_agent;
        self.duplicates += other.duplicates;
        self.without_host += other.without_host;
        self.decided += other.decided;
        self.addressed += other.addressed;
        self.public += other.public;
        self.anonymous += other.anonymous;
        self.is_limited |= other.is_limited;
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        self.problems.extend(other.problems);
        while self.problems.len() > MAX_PROBLEMS {
            self.problems.pop_last();
        }
        self.hosts.extend(other.hosts);
        while self.hosts.len() > MAX_HOSTS {
            self.hosts.pop_last();
        }
        self.few.extend(other.few);
        while self.few.len() > MAX_FEW_ADDRESSES + 1 {
            self.few.pop_last();
        }
        for (key, other) in other.crawlers {
            match self.crawlers.entry(key) {
                Entry::Occupied(mut known) => {
                    let known = known.get_mut();
                    known.name = std::mem::take(&mut known.name).min(other.name);
                    known.counts.iter_mut().zip(other.counts).for_each(|(counts, other)| counts.merge(other));
                }
                Entry::Vacant(new) => _ = new.insert(other),
            }
        }
    }
}
