//! Makes the report from the counts of an audit.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use comity::{DelaySupport, Dialect, Governed, Profile, Robots, SourceText};

use crate::audit::Audit;
use crate::claims::Standing;
use crate::identity::Evidence;
use crate::judge::{Judge, UnjudgedReason};
use crate::report::{
    AskedRow, AuditReport, CrawlerRow, DelayRow, ExampleRow, IdentityRow, ImpostorRow, Privacy, RuleRow,
};
use crate::tally::{Cell, CellKey, Counts, CrawlerTally, DAY, MAX_FEW_ADDRESSES, Tally};
use crate::timeline::ForceVersion;

/// The kind of addresses in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Addresses {
    Clients,
    /// The log was anonymized.
    Networks,
    /// The log has the addresses of a proxy.
    Hidden,
}

/// The part of a crawler's counts that is reported.
struct Judged<'t> {
    tally: &'t CrawlerTally,
    /// The counts of all but impostors, those of the operator's addresses apart.
    verified: Counts,
    others: Counts,
    impostors: Counts,
    identity: IdentityRow,
}

/// Builds the report.
struct Builder<'a> {
    audit: &'a Audit,
    tally: &'a Tally,
    privacy: Privacy,
    judge: Judge<'a>,
    /// By version, the lines of the file.
    lines: Vec<Vec<String>>,
}

impl AuditReport {
    /// Creates the report of an audit from the counts of all its lines.
    pub fn new(audit: &Audit, tally: &Tally, privacy: Privacy) -> Self {
        let timeline = &audit.timeline;
        let lines = timeline.versions().iter().map(|version| {
            let text = SourceText::new(&version.body, &Dialect::STANDARD);
            text.lines()
                .map(|line| String::from_utf8_lossy(line.text.trim_ascii()).chars().take(200).collect())
                .collect()
        });
        let mut builder = Builder { audit, tally, privacy, judge: Judge::new(audit), lines: lines.collect() };
        builder.report()
    }
}

impl<'a> Builder<'a> {
    fn report(&mut self) -> AuditReport {
        let (audit, tally) = (self.audit, self.tally);
        let addresses = self.addresses();
        let judged: Vec<Judged<'_>> = tally.crawlers.values().map(|row| self.judged(row, addresses)).collect();
        let mut crawlers: Vec<CrawlerRow> = judged
            .iter()
            .filter(|row| row.verified.requests + row.others.requests > 0)
            .map(|row| self.crawler(row, &judged))
            .collect();
        // They are in the order of their names, which remains for the rest.
        crawlers.sort_by_key(|row| Reverse((row.violations, row.advice, row.requests)));
        let impostors = judged.iter().filter(|row| row.impostors.requests > 0);
        let mut impostors: Vec<ImpostorRow> = impostors.map(|row| self.impostor(row)).collect();
        impostors.sort_by_key(|row| Reverse(row.requests));
        let warnings = self.warnings(addresses, &crawlers);
        AuditReport {
            site: audit.site.as_ref().map(ToString::to_string),
            file_is_assumed: audit.timeline.is_assumed(),
            totals: tally.totals.clone(),
            versions: audit.timeline.versions().to_vec(),
            crawlers,
            impostors,
            warnings,
        }
    }

    /// Returns the kind of addresses in the log. A proxy's address must not make an impostor of a crawler.
    fn addresses(&self) -> Addresses {
        /// The numbers of requests from which a pattern is no coincidence.
        const ENOUGH: u64 = 1_000;
        const ENOUGH_ANONYMOUS: u64 = 20;
        const ENOUGH_REFUTED: u64 = 100;
        let tally = self.tally;
        let sum = |evidence: Evidence| tally.crawlers.values().map(|row| row.counts[evidence as usize].requests).sum();
        let (verified, refuted): (u64, u64) = (sum(Evidence::Verified), sum(Evidence::Refuted));
        let is_refuted = |row: &&CrawlerTally| row.counts[Evidence::Refuted as usize].requests > 0;
        let operator = |row| self.profile(row).map(|profile| &profile.operator);
        let operators: BTreeSet<_> = tally.crawlers.values().filter(is_refuted).map(operator).collect();
        let all_refuted = verified == 0 && operators.len() > 1 && refuted >= ENOUGH_REFUTED;
        let is_mostly_private = tally.addressed > 0 && tally.public * 10 <= tally.addressed;
        let is_few = tally.addressed >= ENOUGH && tally.few.len() <= MAX_FEW_ADDRESSES;
        if is_mostly_private || is_few || all_refuted {
            Addresses::Hidden
        } else if tally.addressed >= ENOUGH_ANONYMOUS && tally.anonymous == tally.addressed {
            Addresses::Networks
        } else {
            Addresses::Clients
        }
    }

    fn profile(&self, row: &CrawlerTally) -> Option<&'a Profile> {
        self.audit.table.find(&row.name)
    }

    fn judged<'t>(&self, tally: &'t CrawlerTally, addresses: Addresses) -> Judged<'t> {
        let (mut verified, mut others, mut impostors) = (Counts::default(), Counts::default(), Counts::default());
        let mut identity = IdentityRow::default();
        for evidence in Evidence::ALL {
            let counts = tally.counts[evidence as usize].clone();
            let (to, number) = match (evidence, addresses) {
                (Evidence::Verified, Addresses::Clients) => (&mut verified, &mut identity.verified),
                (Evidence::Verified | Evidence::Near, Addresses::Networks) => (&mut verified, &mut identity.consistent),
                (Evidence::Refuted, Addresses::Clients | Addresses::Networks) => (&mut impostors, &mut 0),
                _ => (&mut others, &mut identity.unknown),
            };
            *number += counts.requests;
            to.merge(counts);
        }
        if addresses != Addresses::Hidden
            && let Some(profile) = self.profile(tally)
        {
            identity.by = self.audit.sources(profile);
        }
        Judged { tally, verified, others, impostors, identity }
    }

    fn crawler(&mut self, row: &Judged<'_>, all: &[Judged<'_>]) -> CrawlerRow {
        let profile = self.profile(row.tally);
        let mut counts = row.verified.clone();
        counts.merge(row.others.clone());
        let (asked, by_operator) = self.asked_by_operator(row, all);
        let is_counted = |key: &CellKey| !is_excused(&asked, key.2);
        let verified_violations: u64 =
            row.verified.cells.iter().filter(|(key, _)| is_counted(key)).map(|(_, cell)| cell.count).sum();
        let (cells, excused): (Vec<_>, Vec<_>) = counts.cells.iter().partition(|(key, _)| is_counted(key));
        let excused: u64 = excused.iter().map(|(_, cell)| cell.count).sum();
        if excused > 0 {
            *counts.unjudged.entry(UnjudgedReason::FileRefused).or_default() += excused;
        }
        let violations: u64 = cells.iter().map(|(_, cell)| cell.count).sum();
        let is_bound = row.tally.standing == Standing::Bound;
        let first = cells.iter().map(|(_, cell)| &cell.first).min();
        let kept = counts.examples.iter().filter(|example| !is_excused(&asked, example.time.div_euclid(DAY)));
        let crawl_delay = self.delay(row.tally, &counts, &asked);
        let uses = profile.map(Profile::uses).unwrap_or_default();
        let span = counts.asked.first.zip(counts.asked.last).map(|(first, last)| first.abs_diff(last));
        let every = span.zip(counts.asked.requests.checked_sub(1)).and_then(|(span, gaps)| span.checked_div(gaps));
        CrawlerRow {
            crawler: row.tally.name.clone(),
            operator: profile.map(|profile| profile.operator.to_string()),
            uses: uses.iter().map(|(used, _)| used.name()).collect(),
            standing: row.tally.standing,
            promises_to_obey: profile.is_some_and(|profile| profile.governed == Governed::Yes),
            requests: counts.requests,
            share: counts.requests as f64 / self.tally.totals.requests.max(1) as f64,
            violations: if is_bound { violations } else { 0 },
            violations_verified: if is_bound { verified_violations } else { 0 },
            advice: if is_bound { 0 } else { violations },
            in_grace: counts.in_grace,
            allowed: counts.allowed,
            refused: counts.refused,
            rules: self.rules(&cells),
            first: first.map(|example| self.example(example)),
            examples: kept.map(|example| self.example(example)).collect(),
            robots_txt: AskedRow { every, by_operator, ..counts.asked },
            not_judged: counts.unjudged,
            crawl_delay,
            identity: row.identity.clone(),
        }
    }

    /// Returns the requests for robots.txt of all crawlers of the operator: one may fetch the file for the others. Returns
    /// true if another one asked.
    fn asked_by_operator(&self, row: &Judged<'_>, all: &[Judged<'_>]) -> (AskedRow, bool) {
        let operator = |row: &Judged<'_>| self.profile(row.tally).map(|profile| &profile.operator);
        let own = operator(row);
        let (mut asked, mut by_others) = (AskedRow::default(), false);
        for other in all {
            let is_same = other.tally.name == row.tally.name;
            if is_same || own.is_some() && operator(other) == own {
                for counts in [&other.verified, &other.others] {
                    by_others |= !is_same && counts.asked.requests > 0;
                    asked.refused.extend(&counts.asked.refused);
                    asked.got.extend(&counts.asked.got);
                }
            }
        }
        (asked, by_others)
    }

    fn rules(&self, cells: &[(&CellKey, &Cell)]) -> Vec<RuleRow> {
        // By line, the sum of its cells, of which there is one for each day.
        let mut by_line: BTreeMap<(u16, Option<u32>), (Cell, usize)> = BTreeMap::new();
        for ((version, line, _), cell) in cells {
            let none = || (Cell { count: 0, ..(*cell).clone() }, 0);
            let (sum, days) = by_line.entry((*version, *line)).or_insert_with(none);
            sum.add(cell);
            *days += 1;
        }
        let rule = |((version, line), (cell, days)): (_, (Cell, usize))| RuleRow {
            version,
            line,
            text: self.text(version, line),
            violations: cell.count,
            days,
            first: cell.first.time,
            last: cell.last,
        };
        let mut rules: Vec<RuleRow> = by_line.into_iter().map(rule).collect();
        rules.sort_by_key(|rule| Reverse(rule.violations));
        rules
    }

    fn text(&self, version: u16, line: Option<u32>) -> String {
        let text = || self.lines[usize::from(version) - 1].get((line? as usize).checked_sub(1)?).cloned();
        text().unwrap_or_default()
    }

    /// Returns a request as it may be shown, with the site.
    fn example(&self, example: &ExampleRow) -> ExampleRow {
        let path = match example.url.split_once('?') {
            Some((path, query)) if !query.is_empty() && !self.privacy.shows_queries => format!("{path}?…"),
            _ => example.url.to_string(),
        };
        let site = self.audit.site.as_ref().map(ToString::to_string).unwrap_or_default();
        let address = example.address.filter(|_| self.privacy.shows_addresses);
        ExampleRow { url: (site + &path).into(), address, ..example.clone() }
    }

    fn impostor(&self, row: &Judged<'_>) -> ImpostorRow {
        let counts = &row.impostors;
        ImpostorRow {
            crawler: row.tally.name.clone(),
            requests: counts.requests,
            addresses: counts.addresses.len(),
            disallowed: counts.cells.values().map(|cell| cell.count).sum(),
            first: counts.cells.values().map(|cell| &cell.first).min().map(|example| self.example(example)),
        }
    }

    /// Returns the pace of a crawler. A pause is too short only if it was so in whole seconds: the log has no fractions.
    fn delay(&mut self, tally: &CrawlerTally, counts: &Counts, asked: &AskedRow) -> Option<DelayRow> {
        if counts.seconds.is_empty() {
            return None;
        }
        let delays = self.judge.delays(&tally.name);
        let newest = delays.iter().rev().find_map(|delay| *delay)?;
        let (mut gaps, mut kept, mut shortest, mut before) = (0, 0, u64::MAX, None);
        let bits =
            counts.seconds.iter().flat_map(|(word, bits)| (0..64).map(move |bit| (word * 64 + bit, bits >> bit & 1)));
        for (at, _) in bits.filter(|(_, bit)| *bit == 1) {
            let known = self.audit.timeline.known_at(at);
            // Any of the files in force may be the one that the crawler has.
            let least =
                known.versions.iter().map(|version| delays[usize::from(*version)]).min_by_key(|d| d.map(|d| d.delay));
            let is_measured = !known.has_gap && !is_excused(asked, at.div_euclid(DAY));
            if let (Some(before), Some(least)) = (before.replace(at), least.flatten().filter(|_| is_measured)) {
                let gap = at.abs_diff(before);
                gaps += 1;
                kept += u64::from(std::time::Duration::from_secs(gap + 1) > least.delay);
                shortest = shortest.min(gap);
            }
        }
        let honors = match self.profile(tally).map(|profile| profile.crawl_delay) {
            Some(DelaySupport::Obeyed) => Some(true),
            Some(DelaySupport::Ignored) => Some(false),
            _ => None,
        };
        let delay = newest.delay.as_secs_f64();
        (gaps > 0).then_some(DelayRow { delay, line: newest.line, honors, gaps, kept, shortest })
    }

    fn warnings(&self, addresses: Addresses, crawlers: &[CrawlerRow]) -> Vec<String> {
        /// The number of requests from which it is odd that no line decides any.
        const ENOUGH: u64 = 100;
        let tally = self.tally;
        let named: u64 = crawlers.iter().map(|row| row.requests).sum();
        let disallowed: u64 = crawlers.iter().map(|row| row.violations + row.advice + row.in_grace).sum();
        let no_file: u64 = crawlers.iter().filter_map(|row| row.not_judged.get(&UnjudgedReason::NoFile)).sum();
        let is_foreign = named >= ENOUGH && disallowed == 0 && tally.decided == 0 && no_file < named;
        let has_rules =
            |version: &ForceVersion| Robots::parse(&*version.body).groups().any(|group| group.rules().len() > 0);
        let mut warnings = Vec::new();
        let mut warn = |applies: bool, text: &str| {
            if applies {
                warnings.push(text.to_owned());
            }
        };
        warn(self.audit.timeline.is_assumed(), "The file is assumed to have been in force for the whole log.");
        let hidden = "The addresses look like those of a proxy or a content network, so no identity was verified: log the \
                      client's address (nginx: `real_ip_header`, Apache: mod_remoteip).";
        warn(addresses == Addresses::Hidden, hidden);
        let networks = "The addresses are anonymized, so they are compared as networks.";
        warn(addresses == Addresses::Networks, networks);
        let foreign = "No line of the file decides any request of a crawler: the log may be of another site.";
        warn(is_foreign && self.audit.timeline.versions().iter().any(has_rules), foreign);
        warn(tally.totals.requests == 0, "No request of the site was read.");
        if let Some(site) = &self.audit.site {
            let taken = "The log does not state all hosts; requests without one are taken as requests of";
            warn(tally.totals.requests > 0 && tally.without_host > 0, &format!("{taken} {site}."));
        }
        let no_agent = "No line has a User-Agent, so no crawler is known: log the combined format.";
        warn(tally.totals.requests > 0 && tally.totals.without_agent == tally.totals.requests, no_agent);
        let limited = "A limit of memory was reached: some counts are too small, and depend on the order of lines.";
        warn(tally.is_limited, limited);
        warnings
    }
}

/// Returns true if the site's last answer to the request of a crawler for robots.txt allowed everything, such as a 403: then
/// it may take the file as absent (RFC 9309 §2.3.1.3), until it gets the file again. Days are not divided.
fn is_excused(asked: &AskedRow, day: i64) -> bool {
    let Some(refused) = asked.refused.range(..=day).next_back() else { return false };
    asked.got.range(refused + 1..day.max(refused + 1)).next().is_none()
}
