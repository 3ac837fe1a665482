//! Choices that are added to an existing file.

use std::fmt::Write as _;

use super::{Result, bail};
use comity::{Crawler, Crawlers, Escaped, Field, Preference, Reach, Robots};
use comity_meaning::SignalRecord;

use super::choices::Choice;
use super::paths::PathRule;
use super::plan::{Plan, contains};
use super::readings::Readings;

/// Returns the file with the choices added at its end. Its own lines stay as they are.
///
/// Groups of the same crawler count as one, so the groups that are added need only contain the new rules. A crawler
/// that the file does not name yet gets copies of the rules that it follows, because a group of its own replaces them.
pub(super) fn extend(old: &[u8], plan: &Plan, table: &Crawlers) -> Result<Vec<u8>> {
    let readings = Readings::new(old, table);
    let mut added = String::new();
    let file = Existing { tokens: readings.names(), readings: &readings, table };
    file.refuse_second_delays(plan)?;
    file.refuse_other_preferences(plan)?;
    let mut blocked = plan.blocked.clone();
    for group in &mut blocked {
        group.tokens.retain(|token| !file.is_blocked(token));
    }
    plan.write_blocked(&blocked, &mut added);
    file.write_general(plan, &mut added);
    for token in &plan.open {
        file.write_own(plan, token, &mut added);
    }
    let is_new = |url: &&String| !readings.files()[0].sitemaps().any(|record| record.value() == url.as_bytes());
    plan.write_sitemaps(plan.sitemaps.iter().filter(is_new), &mut added);

    let mut text = old.to_vec();
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    // The new user-agent lines would belong to a last group without rules.
    let is_open = |robots: &Robots| robots.groups().last().is_some_and(|group| group.rules().len() == 0);
    if readings.files().iter().any(is_open) {
        text.extend_from_slice(b"Disallow:\n");
    }
    if !added.is_empty() {
        text.extend_from_slice(b"\n# Added by `comity generate`\n");
        text.extend_from_slice(added.trim_start_matches('\n').as_bytes());
    }
    Ok(text)
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

/// The file that choices are added to.
struct Existing<'a> {
    readings: &'a Readings<'a>,
    table: &'a Crawlers,
    /// The crawlers that it names.
    tokens: Vec<String>,
}

impl Existing<'_> {
    /// Returns true if the file blocks everything for a crawler that it names.
    fn is_blocked(&self, token: &str) -> bool {
        let crawler = self.readings.crawler(token);
        contains(&self.tokens, token) && self.readings.robots(&crawler).extent(&crawler).reach == Reach::Nothing
    }

    /// Fails if the file states a delay already for a crawler that a delay was chosen for: the first one would apply.
    fn refuse_second_delays(&self, plan: &Plan) -> Result<()> {
        for delay in &plan.delays {
            let token = delay.token.as_deref().unwrap_or("*");
            let crawler = self.readings.crawler(token);
            if let Some(found) = self.readings.robots(&crawler).crawl_delay(&crawler) {
                bail!(
                    |name| "{}: the file asks {} for a delay already, in line {}: change that line instead",
                    name(Choice::CrawlDelay),
                    Escaped(token.as_bytes()),
                    found.line
                );
            }
        }
        Ok(())
    }

    /// Fails if the file states other preferences already: crawlers could read either of two lines that contradict each
    /// other.
    fn refuse_other_preferences(&self, plan: &Plan) -> Result<()> {
        let Some(preferences) = plan.preferences else { return Ok(()) };
        for token in std::iter::once("*").chain(self.open_to(plan).map(String::as_str)) {
            let crawler = self.readings.crawler(token);
            let robots = self.readings.robots(&crawler);
            for (record, key, granted) in preferences.uses() {
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

    /// Returns the crawlers that the file names, and that neither the file nor the choices block.
    fn open_to<'p>(&'p self, plan: &'p Plan) -> impl Iterator<Item = &'p String> {
        let is_blocked = |token: &String| plan.blocked.iter().any(|group| contains(&group.tokens, token));
        self.tokens.iter().filter(move |token| !is_blocked(token) && !self.is_blocked(token))
    }

    /// Writes the choices for all crawlers, in a group for `*` and for each crawler with rules of its own.
    fn write_general(&self, plan: &Plan, text: &mut String) {
        let is_general = |rule: &&PathRule| rule.token.is_none();
        let delay = plan.delays.iter().find(|delay| delay.token.is_none());
        let has_rules = plan.for_all().next().is_some() || plan.allowed.iter().any(|rule| rule.token.is_none());
        if !has_rules && delay.is_none() && plan.preferences.is_none() {
            return;
        }
        *text += "\n# For all crawlers, and so for each that has a group of its own\nUser-agent: *\n";
        for token in self.open_to(plan).chain(plan.unbound.iter().filter(|token| !self.follows_a_group(token))) {
            plan.write_agent(text, token);
        }
        plan.write_preferences(text, false);
        plan.write_rules(text, plan.allowed.iter().filter(is_general), plan.for_all(), false);
        plan.write_delay(text, "*");
    }

    /// Returns true if the file names a crawler, or one of its fallback tokens.
    fn follows_a_group(&self, token: &str) -> bool {
        let fallback = self.table.find(token).into_iter().flat_map(|profile| profile.fallback.iter());
        contains(&self.tokens, token) || fallback.into_iter().any(|token| contains(&self.tokens, token))
    }

    /// Writes the choices for one crawler. If the file does not name it yet, the rules that it follows are copied.
    fn write_own(&self, plan: &Plan, token: &str, text: &mut String) {
        *text += "\n";
        let is_named = contains(&self.tokens, token);
        let copied = if is_named { String::new() } else { self.copy(token) };
        if !copied.is_empty() {
            *text += "# The rules that it follows above are repeated here, because its own group replaces them\n";
        }
        plan.write_agent(text, token);
        if !is_named {
            plan.write_preferences(text, false);
        }
        *text += &copied;
        // Those for all are in the group above, if the file names the crawler.
        let is_meant = |rule: &&PathRule| rule.is_for(token) && (rule.token.is_some() || !is_named);
        let (allowed, protected) = (plan.allowed.iter().filter(is_meant), plan.protected.iter().filter(is_meant));
        plan.write_rules(text, allowed, protected, false);
        if plan.delays.iter().any(|delay| delay.token.is_some() || !is_named) {
            plan.write_delay(text, token);
        }
    }

    /// Returns the rules, delays and preferences that a crawler follows, as its operator reads them. Other records may
    /// mean something else to other operators.
    fn copy(&self, token: &str) -> String {
        const COPIED: [Field; 3] = [Field::CrawlDelay, Field::ContentSignal, Field::ContentUsage];
        let mut text = String::new();
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let crawler = self.readings.crawler(token);
        let robots = self.readings.robots(&crawler);
        for group in robots.groups_for(&crawler) {
            for rule in group.rules() {
                let _ = writeln!(text, "{}: {}", rule.kind(), lossy(rule.value()));
            }
            let of_group = robots.records().filter(|record| record.group() == Some(group.index()));
            for record in of_group.filter(|record| COPIED.contains(&record.field())) {
                let _ = writeln!(text, "{}: {}", lossy(record.name()), lossy(record.value()));
            }
        }
        text
    }
}
