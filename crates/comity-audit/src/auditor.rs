//! Reads the lines of logs, and judges and counts the requests.

use std::collections::btree_map::Entry;
use std::net::IpAddr;

use comity_log::{LogClock, LogEntry, LogLine, LogText, TargetForm};

use crate::audit::Audit;
use crate::claims::{Claimed, Claims, OTHERS, Standing};
use crate::identity::{Evidence, Verifier, is_anonymous, is_private};
use crate::judge::{Judge, Judgment, UnjudgedReason};
use crate::report::LineProblem;
use crate::tally::{
    Cell, Counts, CrawlerTally, DAY, Example, MAX_EXAMPLES, MAX_FEW_ADDRESSES, MAX_HOSTS, MAX_PROBLEMS, Seconds, Tally,
    keep_first,
};

/// The maximum length of a target that is shown, in bytes.
const MAX_TARGET_BYTES: usize = 500;

/// The limits of memory of all threads together.
const MAX_CELLS: usize = 65_536;
const MAX_ADDRESSES: usize = 500_000;
const MAX_PACED_DAYS: usize = 8_192;

/// Reads lines, and counts them.
#[derive(Debug)]
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
    paced_days: usize,
}

#[derive(Debug)]
struct Row<'a> {
    verifier: Verifier<'a>,
    is_selected: bool,
    is_shown: bool,
    is_paced: bool,
    counts: [Counts; Evidence::ALL.len()],
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
                let text = String::from_utf8_lossy(&line.bytes[..line.bytes.len().min(60)]).into_owned();
                let problem = LineProblem { log: self.log.clone(), line: line.number, text };
                keep_first(&mut self.tally.problems, [problem], MAX_PROBLEMS);
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
        if self.audit.claimants > 0 && !self.rows[claim.crawler].verifier.hosts.is_empty() {
            return keep_first(&mut self.tally.claimants, address, self.audit.claimants);
        }
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
            if self.addresses * self.audit.threads.get() < MAX_ADDRESSES {
                self.addresses += 1;
                counts.addresses.insert(address);
            } else {
                self.tally.is_limited = true;
            }
        }
        if is_robots_txt(target.path) {
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
            if self.cells * self.audit.threads.get() >= MAX_CELLS {
                self.tally.is_limited = true;
                *counts.unjudged.entry(UnjudgedReason::Limit).or_default() += 1;
                return;
            }
            self.cells += 1;
        }
        if row.is_shown {
            keep_first(&mut counts.examples, [example.clone()], MAX_EXAMPLES);
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
            Entry::Vacant(_) if self.paced_days * self.audit.threads.get() >= MAX_PACED_DAYS => {
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
        let is_paced = is_bound && {
            let judge = &mut self.judge;
            versions.into_iter().any(|version| own_delay(&judge.readings(index, crawler, version)).is_some())
        };
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
