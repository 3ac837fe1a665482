//! Reads the lines of logs, and judges and counts the requests.

use std::net::IpAddr;

use comity_log::{LogClock, LogEntry, LogLine};

use crate::audit::{ALL_TIMES, Audit};
use crate::claims::{Claim, Claimed, Claims, Standing};
use crate::identity::{Evidence, Verifier, is_anonymous, is_private};
use crate::judge::{Judge, Judgment, UnjudgedReason};
use crate::report::{ExampleRow, LineProblem};
use crate::tally::{
    Cell, CrawlerTally, DAY, MAX_EXAMPLES, MAX_FEW_ADDRESSES, MAX_HOSTS, MAX_PROBLEMS, Tally, keep_first,
};

/// The maximum length of a target that is shown, in bytes.
const MAX_TARGET_BYTES: usize = 500;

/// The limits of memory of all threads together.
const MAX_CELLS: usize = 65_536;
const MAX_ADDRESSES: usize = 500_000;
/// 64 seconds each.
const MAX_PACED: usize = 2 << 20;

/// Reads lines, and counts them.
#[derive(Debug)]
pub struct Auditor<'a> {
    audit: &'a Audit,
    log: String,
    clock: LogClock,
    claims: Claims<'a>,
    judge: Judge<'a>,
    /// The last host of a line, and whether it is the site's.
    host: (Vec<u8>, bool),
    tally: Tally,
    /// The rest of the limits.
    cells: usize,
    addresses: usize,
    paced: usize,
}

impl<'a> Auditor<'a> {
    /// Creates an auditor, which has read nothing yet.
    pub fn new(audit: &'a Audit) -> Self {
        Self {
            audit,
            log: String::new(),
            clock: LogClock::default(),
            claims: Claims::new(audit),
            judge: Judge::new(audit),
            host: (Vec::new(), true),
            tally: Tally::default(),
            cells: MAX_CELLS / audit.threads,
            addresses: MAX_ADDRESSES / audit.threads,
            paced: MAX_PACED / audit.threads,
        }
    }

    /// Sets the name of the log that the next lines are from, for messages.
    pub fn set_log(&mut self, name: &str) {
        name.clone_into(&mut self.log);
    }

    /// Counts a line.
    pub fn read(&mut self, line: &LogLine<'_>) {
        self.tally.totals.lines += 1;
        match &line.entry {
            Ok(Some(entry)) => self.count(entry, line.bytes),
            Ok(None) => {}
            Err(_) => {
                self.tally.totals.unread += 1;
                let text = String::from_utf8_lossy(&line.bytes[..line.bytes.len().min(60)]).into_owned();
                let problem = LineProblem { log: self.log.clone(), line: line.number, text };
                keep_first(&mut self.tally.totals.problems, [problem], MAX_PROBLEMS);
            }
        }
    }

    fn count(&mut self, entry: &LogEntry<'_>, line: &[u8]) {
        let at = entry.time.as_ref().and_then(|time| self.clock.seconds(time));
        let time = &self.audit.time;
        if !at.map_or(*time == ALL_TIMES, |at| time.contains(&at)) {
            self.tally.totals.outside += 1;
            return;
        }
        let (scheme, host, path) = parts(entry.target.as_deref().unwrap_or_default());
        if !self.is_of_site(scheme.or(entry.scheme.as_deref()), host.or(entry.host.as_deref())) {
            self.tally.totals.other_sites += 1;
            return;
        }
        self.tally.totals.requests += 1;
        if let Some(at) = at {
            let totals = &mut self.tally.totals;
            totals.first = Some(totals.first.map_or(at, |first| first.min(at)));
            totals.last = totals.last.max(Some(at));
        }
        let Some(header) = &entry.agent else {
            self.tally.totals.without_agent += 1;
            return;
        };
        let Some(claim) = self.claims.of(header) else {
            self.tally.totals.unnamed += 1;
            return;
        };
        let crawler = &self.claims.crawlers[claim.crawler];
        if !crawler.is_selected {
            return;
        }
        let address = entry.ip();
        if self.audit.claimants > 0 && crawler.verifier.as_ref().is_some_and(Verifier::has_names) {
            return keep_first(&mut self.tally.claimants, address, self.audit.claimants);
        }
        let evidence = crawler.verifier.as_ref().map_or(Evidence::Unknown, |verifier| verifier.evidence(address, at));
        self.see(address);
        let judgment = self.judge(claim, at, entry.is_rewritten, path);
        let counts = &mut self.claims.crawlers[claim.crawler].tally.counts[evidence as usize];
        counts.requests += 1;
        counts.refused += u64::from(matches!(entry.status, Some(401 | 403 | 429 | 500..=599)));
        if let Some(address) = address.filter(|_| evidence == Evidence::Refuted)
            && !counts.addresses.contains(&address)
            && take(&mut self.addresses, &mut self.tally.is_limited)
        {
            counts.addresses.insert(address);
        }
        if is_robots_txt(path) {
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
                let (time, url) = (at.unwrap_or_default(), shown(path));
                let example = ExampleRow { time, url, address, status: entry.status, version, line: rule };
                self.violation(claim.crawler, evidence, example, line);
            }
        }
        self.pace(claim.crawler, evidence, at);
    }

    /// Counts a violation, unless the same line was counted already.
    fn violation(&mut self, crawler: usize, evidence: Evidence, example: ExampleRow, line: &[u8]) {
        if !self.audit.is_new(line) {
            self.tally.totals.duplicates += 1;
            return;
        }
        let crawler = &mut self.claims.crawlers[crawler];
        let counts = &mut crawler.tally.counts[evidence as usize];
        let key = (example.version, example.line, example.time.div_euclid(DAY));
        if !counts.cells.contains_key(&key) && !take(&mut self.cells, &mut self.tally.is_limited) {
            *counts.unjudged.entry(UnjudgedReason::Limit).or_default() += 1;
            return;
        }
        if crawler.is_shown {
            keep_first(&mut counts.examples, [example.clone()], MAX_EXAMPLES);
        }
        let cell = Cell { count: 1, last: example.time, first: example };
        counts.cells.entry(key).and_modify(|known| known.add(&cell)).or_insert(cell);
    }

    /// Notes the second of a request, if a Crawl-delay applies.
    fn pace(&mut self, crawler: usize, evidence: Evidence, at: Option<i64>) {
        let Claimed { tally, is_paced, .. } = &mut self.claims.crawlers[crawler];
        let is_judged = matches!(tally.standing, Standing::Bound | Standing::Advised);
        let has_delay = || is_judged && self.judge.delays(&tally.name).iter().any(Option::is_some);
        let Some(at) = at.filter(|_| *is_paced.get_or_insert_with(has_delay) && evidence != Evidence::Refuted) else {
            return;
        };
        let (seconds, word) = (&mut tally.counts[evidence as usize].seconds, at.div_euclid(64));
        if seconds.contains_key(&word) || take(&mut self.paced, &mut self.tally.is_limited) {
            *seconds.entry(word).or_default() |= 1 << at.rem_euclid(64);
        }
    }

    fn judge(&mut self, claim: Claim, at: Option<i64>, is_rewritten: bool, path: &[u8]) -> Judgment {
        let CrawlerTally { name, standing, .. } = &self.claims.crawlers[claim.crawler].tally;
        let reason = match (standing, at, is_rewritten) {
            _ if claim.names_several => UnjudgedReason::SeveralNames,
            (Standing::NotGoverned | Standing::ControlToken | Standing::Others, ..) => UnjudgedReason::NotGoverned,
            _ if !path.starts_with(b"/") => UnjudgedReason::NoPath,
            // It is never disallowed, whatever the file says.
            _ if is_robots_txt(path) => return Judgment::Allowed(false),
            (_, None, _) => UnjudgedReason::NoTime,
            (_, Some(at), false) => return self.judge.judge(claim.crawler, name, at, path),
            _ => UnjudgedReason::TargetNotLogged,
        };
        Judgment::Unjudged(reason)
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
    fn is_of_site(&mut self, scheme: Option<&[u8]>, host: Option<&[u8]>) -> bool {
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
            if self.tally.totals.hosts.len() < MAX_HOSTS {
                self.tally.totals.hosts.insert(name.chars().take(255).collect());
            }
            return true;
        };
        let default = if site.scheme() == "https" { 443 } else { 80 };
        name == site.host() && port.is_none_or(|port| port == site.port().unwrap_or(default))
    }

    /// Returns the counts.
    pub fn into_tally(self) -> Tally {
        let mut tally = self.tally;
        let crawlers = self.claims.crawlers.into_iter().map(|crawler| crawler.tally);
        let seen = crawlers.filter(|row| row.counts.iter().any(|counts| counts.requests > 0));
        tally.crawlers.extend(seen.map(|row| (row.name.to_ascii_lowercase(), row)));
        tally
    }
}

/// Takes one of the rest of a limit. Returns false, and notes that the limit was reached, if nothing is left.
fn take(left: &mut usize, is_limited: &mut bool) -> bool {
    *is_limited |= *left == 0;
    left.checked_sub(1).map(|rest| *left = rest).is_some()
}

/// Returns the scheme and the host of a target, if it has them, and its path with the query.
fn parts(target: &[u8]) -> (Option<&[u8]>, Option<&[u8]>, &[u8]) {
    let end = if target.starts_with(b"/") { None } else { target.windows(3).take(10).position(|part| part == b"://") };
    let Some(end) = end else { return (None, None, target) };
    let (scheme, rest) = (&target[..end], &target[end + 3..]);
    let authority = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let path = if authority == rest.len() { &b"/"[..] } else { &rest[authority..] };
    (Some(scheme), rest[..authority].rsplit(|byte| *byte == b'@').next(), path)
}

/// Returns the start of a path, as it is shown.
fn shown(path: &[u8]) -> Box<str> {
    let end = path.len().min(MAX_TARGET_BYTES);
    let cut = if end < path.len() { "…" } else { "" };
    (String::from_utf8_lossy(&path[..end]).into_owned() + cut).into()
}

fn is_robots_txt(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'?').next() == Some(b"/robots.txt")
}
