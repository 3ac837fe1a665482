//! The words of alerts.

use std::collections::BTreeSet;

use comity::{Dialect, Escaped, Origin, Robots, SourceText};
use comity_fetch::{Access, Policy, StoredRecord, Time};
use comity_policy::Site;
use comity_report::{
    Diff, DiffAnswer, DiffChange, DiffFile, DiffOutcome, DiffWords, ProofScope, capitalized, if_it_lasts, lines,
    shorten,
};
use serde_json::Value;

/// The maximum number of sitemaps and licenses that are listed.
const MAX_LISTED: usize = 5;

/// The words for the difference of two files.
pub(super) struct Words<'a> {
    pub(super) diff: &'a Diff,
    pub(super) old: &'a [u8],
    pub(super) new: &'a [u8],
    pub(super) origin: &'a Origin,
}

impl Words<'_> {
    fn words(&self) -> DiffWords<'_> {
        DiffWords { diff: self.diff, full: false, same_lines: false }
    }

    /// Returns the title and the sentences about the URLs that get an answer; `None` if none do.
    pub(super) fn changes(&self, to: DiffAnswer) -> Option<(String, Vec<String>)> {
        let changes: Vec<&DiffChange> =
            self.diff.changes.iter().filter(|change| change.to == to && change.sent).collect();
        let first = changes.first()?;
        let word = if to == DiffAnswer::Blocked { "newly blocked" } else { "newly allowed" };
        let mut title = format!("{word}, for {}", self.words().crawlers(&first.crawlers));
        if changes.iter().any(|change| change.crawlers != first.crawlers) {
            title += ", and more for others";
        }
        let mut text: Vec<String> = changes.iter().flat_map(|change| self.change(change, first)).collect();
        let omitted = self.diff.omitted.unwrap_or_default();
        match if to == DiffAnswer::Blocked { omitted.blocked } else { omitted.allowed } {
            0 => {}
            more => text.push(format!("{more} more changes; `comity history --diff {}` shows them.", self.origin)),
        }
        Some((title, text))
    }

    /// Returns the line of a change, and the sentence about it.
    fn change(&self, change: &DiffChange, first: &DiffChange) -> Vec<String> {
        let words = self.words();
        let mut text = Vec::new();
        if let Some(line) = change.rule.line {
            let body = if change.rule.file == DiffFile::Old { self.old } else { self.new };
            let shown = lines(body, &Dialect::STANDARD).into_iter().nth(line as usize - 1).unwrap_or_default();
            let mark = if words.is_old(&change.rule) { "   (removed)" } else { "" };
            text.push(format!("{line:>4} | {}{mark}", shorten(&shown, 200)));
        }
        let whom = if change.crawlers == first.crawlers {
            String::new()
        } else {
            format!("For {}: ", words.crawlers(&change.crawlers))
        };
        let example = words.example(change);
        let site = if example.starts_with('/') { self.origin.as_str() } else { "" };
        text.push(format!("{whom}{}, such as {site}{example}{}", words.described(change), words.remarks(change)));
        text
    }

    /// Returns the title and the sentences about records other than rules.
    pub(super) fn records(&self, licenses: &str) -> (String, Vec<String>) {
        let words = self.words();
        let mut text: Vec<String> = self.diff.signals.iter().map(|signal| words.signal(signal)).collect();
        let sitemaps = &self.diff.beside.sitemaps;
        for (what, urls) in [("Added", &sitemaps.added), ("Removed", &sitemaps.removed)] {
            text.extend(listed(what, "sitemap", urls.iter().map(String::as_str)));
        }
        text.extend(Some(words.beside()).filter(|text| !text.is_empty()));
        text.extend(Some(licenses.to_owned()).filter(|text| !text.is_empty()));
        let parts = [
            ("sitemaps", !sitemaps.added.is_empty() || !sitemaps.removed.is_empty()),
            ("crawl delays", !self.diff.beside.crawl_delay.is_empty()),
            ("content signals", !self.diff.signals.is_empty()),
            ("licenses", !licenses.is_empty()),
        ];
        let parts: Vec<&str> = parts.into_iter().filter(|(_, differs)| *differs).map(|(part, _)| part).collect();
        (format!("changed {}", parts.join(", ")), text)
    }

    /// Returns all sentences, for alerts about more than one kind of change.
    pub(super) fn everything(&self) -> Vec<String> {
        let mut text = Vec::new();
        for to in [DiffAnswer::Blocked, DiffAnswer::Allowed] {
            if let Some((title, sentences)) = self.changes(to) {
                text.push(format!("{}:", capitalized(&title)));
                text.extend(sentences);
            }
        }
        text.extend(self.records("").1);
        if !self.diff.undecided.is_empty() {
            text.extend(self.undecided());
        } else if self.diff.outcome == DiffOutcome::Same {
            text.push("No URL has another answer for any crawler.".to_owned());
        }
        text
    }

    /// Returns the sentences about what was not decided.
    pub(super) fn undecided(&self) -> Vec<String> {
        let names: Vec<&str> = self.diff.undecided.iter().map(String::as_str).collect();
        let budget = self.diff.budget;
        let whom = self.words().names(&names);
        vec![format!(
            "The proof ended after {budget} steps, so there may be changes, or more of them, for {whom}. What was found is reported."
        )]
    }

    /// Returns the difference, for an alert.
    pub(super) fn json(&self) -> Option<Value> {
        serde_json::to_value(self.diff).ok()
    }
}

/// Returns a sentence about the licenses that differ; empty if none do.
pub(super) fn licenses(old: &[u8], new: &[u8]) -> String {
    let [old, new] = [old, new].map(|body| {
        let robots = Robots::parse(body);
        robots.licenses().map(|record| Escaped(record.value()).to_string()).collect::<BTreeSet<_>>()
    });
    let added = listed("Added", "license", new.difference(&old).map(String::as_str));
    let removed = listed("Removed", "license", old.difference(&new).map(String::as_str));
    added.into_iter().chain(removed).collect::<Vec<_>>().join(" ")
}

fn listed<'t>(what: &str, noun: &str, texts: impl Iterator<Item = &'t str>) -> Option<String> {
    let texts: Vec<&str> = texts.collect();
    let shown: Vec<String> = texts.iter().take(MAX_LISTED).map(|text| Escaped(text.as_bytes()).to_string()).collect();
    let more = texts.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let plural = if texts.len() == 1 { "" } else { "s" };
    (!texts.is_empty()).then(|| format!("{what} {noun}{plural}: {}{more}.", shown.join(", ")))
}

/// Returns a sentence about the part of a file that is not read.
pub(super) fn cut(body: &[u8]) -> String {
    let read = &body[..body.len().min(comity::SIZE_LIMIT)];
    let last = read.split(|byte| *byte == b'\n').count();
    format!(
        "Crawlers may ignore everything after the first {} bytes (RFC 9309 §2.5), which end in line {last}: rules after \
         it have no effect.",
        comity::SIZE_LIMIT
    )
}

/// Returns what policies make of an outage.
pub(super) fn outage(record: &StoredRecord, own: &Policy, now: Time) -> Vec<String> {
    let others = [Policy::GOOGLE, Policy::RFC9309].into_iter().filter(|policy| policy.name != own.name);
    let sentence = |policy: Policy| {
        let ruling = Site::resume(record.clone(), policy).last_ruling(now)?;
        let access = match ruling.access {
            Access::Rules => "the last copy of the file decides",
            Access::AllowAll => "everything may be fetched",
            Access::DisallowAll => "nothing may be fetched",
            _ => return None,
        };
        Some(format!("Policy {}: {access}. {}", policy.name, if_it_lasts(&policy, ruling.event)))
    };
    std::iter::once(*own).chain(others).filter_map(sentence).collect()
}

/// Returns a sentence for each part of the live file that a CDN added, and whether the rest is the expected file.
pub(super) fn managed_parts(expected: &[u8], live: &[u8], scope: &ProofScope<'_>) -> Vec<String> {
    let source = SourceText::new(live, &Dialect::STANDARD);
    let parts = comity_lint::managed_parts(&source);
    if parts.is_empty() {
        return Vec::new();
    }
    let mut said: Vec<String> =
        parts.iter().map(|part| format!("Lines {} to {} were added by {}.", part.first, part.last, part.by)).collect();
    let text = live.split_inclusive(|byte| *byte == b'\n').zip(1..);
    let rest: Vec<&[u8]> =
        text.filter(|(_, number)| !parts.iter().any(|part| part.contains(*number))).map(|(line, _)| line).collect();
    let diff = Diff::new(expected, &rest.concat(), scope);
    let is_expected = diff.outcome == DiffOutcome::Same && diff.undecided.is_empty();
    let whole = if is_expected { "the file has the expected meaning" } else { "the file differs as well" };
    said.push(format!("Without them, {whole}."));
    said
}
