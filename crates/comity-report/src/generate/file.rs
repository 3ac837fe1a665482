//! A file as the crawlers of each operator read it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use comity::{Crawler, Crawlers, DelaySupport, Dialect, Escaped, Field, Preference, Reach, Robots};
use comity_meaning::SignalRecord;

use super::plan::{Plan, contains};
use super::{GenerateChoices, Result, bail};
use crate::scope::ProofScope;

/// A file, parsed in the dialect of each operator.
pub(super) struct File<'a> {
    table: &'a Crawlers,
    /// The file in each dialect, the standard one first.
    parsed: Vec<Robots>,
}

impl<'a> File<'a> {
    pub(super) fn new(text: &[u8], table: &'a Crawlers) -> Self {
        let dialects = ProofScope::new(table).used_dialects();
        Self { table, parsed: dialects.iter().map(|dialect| Robots::parse_with(text, dialect)).collect() }
    }

    /// Returns the file in each dialect, the standard one first.
    pub(super) fn parsed(&self) -> &[Robots] {
        &self.parsed
    }

    /// Returns a crawler, and the file in the dialect of its operator. The standard dialect is that of all crawlers that
    /// are not in the table.
    pub(super) fn read_by<'t>(&'t self, token: &'t str) -> (Crawler<'t>, &'t Robots) {
        let crawler = self.table.find(token).map_or(Crawler::literal(token), Crawler::from);
        let dialect = crawler.profile().map_or(Dialect::STANDARD, |profile| profile.dialect);
        let parsed = self.parsed.iter().find(|file| *file.dialect() == dialect);
        (crawler, parsed.unwrap_or(&self.parsed[0]))
    }

    /// Returns true if the file blocks everything for a crawler.
    pub(super) fn blocks(&self, token: &str) -> bool {
        let (crawler, robots) = self.read_by(token);
        robots.extent(&crawler).reach == Reach::Nothing
    }

    /// Returns the crawlers that the file names in the dialects of their operators, without `*`.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for file in &self.parsed {
            for (group, agent) in file.groups().flat_map(|group| group.agents().map(move |agent| (group, agent))) {
                for name in [agent.token(), agent.value()] {
                    let Ok(name) = std::str::from_utf8(name) else { continue };
                    let (crawler, own) = self.read_by(name);
                    // A line with more than a token need not name the crawler with that token.
                    let is_named = || {
                        agent.token() == agent.value()
                            || file.groups_for(&crawler).any(|other| other.index() == group.index())
                    };
                    let is_new = !agent.is_any() && !name.is_empty() && !contains(&names, name);
                    if is_new && own.dialect() == file.dialect() && is_named() {
                        names.push(name.to_owned());
                    }
                }
            }
        }
        names
    }

    /// Returns true if a crawler follows a group of one of these names: its own, or that of a fallback token.
    pub(super) fn follows(&self, token: &str, names: &[String]) -> bool {
        let fallback = self.table.find(token).into_iter().flat_map(|profile| profile.fallback.iter());
        contains(names, token) || fallback.into_iter().any(|token| contains(names, token))
    }

    /// Returns true if the table states that a crawler ignores `Crawl-delay`.
    pub(super) fn ignores_delays(&self, token: &str) -> bool {
        self.table.find(token).is_some_and(|profile| profile.crawl_delay == DelaySupport::Ignored)
    }

    /// Returns the rules, delays and preferences that a crawler follows, as its operator reads them. Other records may
    /// mean something else to other operators.
    pub(super) fn copy(&self, token: &str) -> String {
        const COPIED: [Field; 3] = [Field::CrawlDelay, Field::ContentSignal, Field::ContentUsage];
        let mut text = String::new();
        let (crawler, robots) = self.read_by(token);
        for group in robots.groups_for(&crawler) {
            for rule in group.rules() {
                let _ = writeln!(text, "{}: {}", rule.kind(), String::from_utf8_lossy(rule.value()));
            }
            let of_group = robots.records().filter(|record| record.group() == Some(group.index()));
            for record in of_group.filter(|record| COPIED.contains(&record.field())) {
                let _ = writeln!(text, "{}: {}", record.field(), String::from_utf8_lossy(record.value()));
            }
        }
        text
    }

    /// Fails if the file states the opposite of a choice, which a line that is added can't change: of two delays, the
    /// first one applies, and of two preferences, crawlers could read either.
    pub(super) fn refuse_opposites(&self, choices: &GenerateChoices, plan: &Plan) -> Result<()> {
        if let Some(token) = choices.allow.iter().find(|token| self.blocks(token)) {
            bail!(["allow", token], "the file blocks it completely: remove that from the file");
        }
        for delay in &plan.delays {
            let token = delay.token.as_deref().unwrap_or("*");
            let (crawler, robots) = self.read_by(token);
            if let Some(found) = robots.crawl_delay(&crawler) {
                bail!(
                    ["crawl_delay", token],
                    "the file states a delay for it already, in line {}: change that line instead",
                    found.line
                );
            }
        }
        let names = self.names();
        let open = names.iter().map(String::as_str).filter(|token| !plan.blocks(token) && !self.blocks(token));
        for token in std::iter::once("*").chain(open) {
            let (crawler, robots) = self.read_by(token);
            for (record, key, granted) in plan.preferences.iter().flat_map(|preferences| preferences.uses()) {
                if let Some((_, line)) = stated(robots, &crawler, record, key).filter(|(found, _)| *found != granted) {
                    bail!(
                        "the file states another preference about {key} for {} already, in line {line}: change that line instead",
                        Escaped(token.as_bytes())
                    );
                }
            }
        }
        Ok(())
    }
}

/// Returns the value that a file states for a use of the pages of a crawler, and its line.
pub(super) fn stated(robots: &Robots, crawler: &Crawler<'_>, record: SignalRecord, key: &str) -> Option<(bool, u32)> {
    if record == SignalRecord::ContentSignal {
        return robots.content_signals(crawler, "/").of(key).map(|signal| (signal.granted, signal.line));
    }
    let stated = robots.content_usage(crawler, "/").preference(key);
    let granted = match stated.preference {
        Preference::Allow => true,
        Preference::Disallow => false,
        _ => return None,
    };
    Some((granted, stated.line?))
}

/// Returns each name that a user-agent line of a file may mean, in lower case, without `*`.
pub(super) fn mentioned(robots: &Robots) -> BTreeSet<Vec<u8>> {
    let agents = robots.groups().flat_map(|group| group.agents()).filter(|agent| !agent.is_any());
    agents.flat_map(|agent| [agent.token(), agent.value()]).map(<[u8]>::to_ascii_lowercase).collect()
}
