//! The words for the differences of two files.

use std::collections::HashSet;

use comity::Escaped;

use super::{Diff, DiffChange, DiffFile, DiffRule, DiffSignal, DiffSignalValue};

/// The maximum number of names, and of rules, in a sentence.
const MAX_LISTED: usize = 5;

/// The words for the differences of two files. Text of files is escaped for terminals.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct DiffWords<'a> {
    /// The differences.
    pub diff: &'a Diff,
    /// True to name all crawlers and rules of a change.
    pub full: bool,
    /// True if lines have the same numbers in both files, so that lines of the old file need no mark.
    pub same_lines: bool,
}

impl DiffWords<'_> {
    /// Names the dialects of a change, if it does not apply in all that were requested; otherwise returns an empty text.
    #[must_use]
    pub fn only_in(&self, dialects: &[&str]) -> String {
        let everywhere = self.diff.is_by_operator || dialects.len() == self.diff.dialects.len();
        if everywhere { String::new() } else { format!(", in {}", dialects.join(", ")) }
    }

    /// Names the crawlers of a change. If it concerns every crawler that no file names, names the exceptions instead.
    #[must_use]
    pub fn crawlers(&self, concerned: &[String]) -> String {
        if !concerned.iter().any(|name| name == "*") {
            return self.names(&concerned.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let known: HashSet<&str> = concerned.iter().map(String::as_str).collect();
        let others: Vec<&str> =
            self.diff.crawlers.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
        if others.is_empty() {
            "every crawler".to_owned()
        } else {
            format!("every crawler but {}", self.names(&others))
        }
    }

    /// Lists names, at most five of them unless all are wanted.
    #[must_use]
    pub fn names(&self, names: &[&str]) -> String {
        let shown = |names: &[&str]| names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
        match names.len().checked_sub(MAX_LISTED) {
            Some(more @ 2..) if !self.full => format!("{} and {more} others", shown(&names[..MAX_LISTED])),
            _ => match names.split_last() {
                Some((last, first)) if !first.is_empty() => format!("{} and {}", shown(first), shown(&[last])),
                _ => shown(names),
            },
        }
    }

    /// Describes the URLs of a change.
    #[must_use]
    pub fn described(&self, change: &DiffChange) -> String {
        let all = match (change.exact, change.except.is_empty()) {
            (false, _) => "some of the URLs",
            (true, true) => "all URLs",
            (true, false) => "URLs",
        };
        let mut text = match change.rule.line {
            Some(_) => format!("{all} that match {}", pattern(&change.rule)),
            None => format!("{all} that no rule matches"),
        };
        text += &self.rules(" and also ", change.narrowed_by.iter());
        let (simple, nested): (Vec<_>, Vec<_>) = change.except.iter().partition(|except| except.unless.is_empty());
        text += &self.rules(", but not ", simple.iter().map(|except| &except.rule));
        let most = self.most();
        for (index, except) in nested.iter().take(most).enumerate() {
            let before = if index == 0 && simple.is_empty() { ", but not " } else { ", and not " };
            text += &self.rules(before, std::iter::once(&except.rule));
            text += &self.rules(" unless they match ", except.unless.iter());
        }
        match nested.len().checked_sub(most) {
            Some(more @ 1..) => text + &format!(", and not {more} more rules with exceptions of their own"),
            _ => text,
        }
    }

    fn rules<'r>(&self, before: &str, rules: impl ExactSizeIterator<Item = &'r DiffRule>) -> String {
        let (len, most) = (rules.len(), self.most());
        let listed = rules.take(most);
        let listed = listed.map(|rule| format!("{} ({})", pattern(rule), self.place(rule)));
        let listed = listed.collect::<Vec<_>>().join(" or ");
        match len {
            0 => String::new(),
            len if len > most => format!("{before}{listed} or {} more rules", len - most),
            _ => format!("{before}{listed}"),
        }
    }

    /// Returns the maximum number of rules that a list in a sentence names.
    fn most(&self) -> usize {
        if self.full { usize::MAX } else { MAX_LISTED }
    }

    /// Returns the line of a rule in words; empty if it is no rule of a file.
    #[must_use]
    pub fn place(&self, rule: &DiffRule) -> String {
        let old = if self.is_old(rule) { "old " } else { "" };
        rule.line.map_or_else(String::new, |line| format!("{old}line {line}"))
    }

    /// Returns true if a rule is one of the old file, and its line needs a mark.
    #[must_use]
    pub fn is_old(&self, rule: &DiffRule) -> bool {
        rule.file == DiffFile::Old && !self.diff.is_between_dialects && !self.same_lines
    }

    /// Describes the difference of a signal.
    #[must_use]
    pub fn signal(&self, signal: &DiffSignal) -> String {
        let value = |value: Option<DiffSignalValue>, old: &str| match value {
            Some(value) => {
                format!("{} ({old}line {})", if value.granted { "granted" } else { "refused" }, value.line)
            }
            None => "not stated".to_owned(),
        };
        format!(
            "{}, for {}{}: {} was {} and is {}, for example for {}",
            signal.record,
            self.crawlers(&signal.crawlers),
            self.only_in(&signal.dialects),
            shown(&signal.key),
            value(signal.old, "old "),
            value(signal.new, ""),
            shown(&signal.witness)
        )
    }

    /// Describes the sitemaps and crawl-delays that differ; empty if none does.
    #[must_use]
    pub fn beside(&self) -> String {
        let beside = &self.diff.beside;
        let mut parts = Vec::new();
        let (added, removed) = (beside.sitemaps.added.len(), beside.sitemaps.removed.len());
        if added + removed > 0 {
            parts.push(format!("Sitemaps: {added} added, {removed} removed."));
        }
        let seconds = |delay: Option<f64>| delay.map_or_else(|| "none".to_owned(), |delay| format!("{delay} s"));
        for delay in &beside.crawl_delay {
            let (whom, old, new) = (self.crawlers(&delay.crawlers), seconds(delay.old), seconds(delay.new));
            parts.push(format!("Crawl-delay for {whom}: {new}, before {old}."));
        }
        parts.join(" ")
    }

    /// Returns a listed URL that a change concerns, or else its witness.
    #[must_use]
    pub fn example(&self, change: &DiffChange) -> String {
        shown(change.listed.as_ref().and_then(|listed| listed.first.as_deref()).unwrap_or(&change.witness))
    }

    /// Counts the listed URLs of a change, and says if nobody sends its URLs.
    #[must_use]
    pub fn remarks(&self, change: &DiffChange) -> String {
        let listed = change.listed.as_ref();
        let counted =
            listed.map_or_else(String::new, |listed| format!("; {} of {} listed URLs", listed.count, listed.of));
        if change.sent { counted } else { format!("{counted}; no browser or crawler sends such a URL") }
    }
}

fn pattern(rule: &DiffRule) -> String {
    shown(&rule.pattern)
}

fn shown(text: &str) -> String {
    Escaped(text.as_bytes()).to_string()
}
