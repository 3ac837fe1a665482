//! The difference between the meanings of two files.

mod beside;
mod headline;
mod listed;
mod words;

use std::collections::{BTreeMap, HashSet};

use comity::{Dialect, Robots, SourceText};
use comity_lint::{ManagedPart, managed_parts};
use comity_meaning::{
    Change, ChangeException, ChangeRule, Comparison, Difference, Direction, Outcome, PatternError, Side, SignalChange,
    SignalRecord, SignalValue,
};
use serde::Serialize;

pub use self::beside::{DiffBeside, DiffDelay, DiffSitemaps};
pub use self::words::DiffWords;
use crate::headline::{Headline, Tone};
use crate::lines::looks_like_html;
use crate::scope::ProofScope;

/// The difference between two robots.txt files for all URLs and all crawlers.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct Diff {
    /// The result in words: who is affected comes first.
    pub headline: Headline,
    /// The result: the files differ, they do not, or it is undecided.
    pub outcome: DiffOutcome,
    /// The dialects in which the files were compared.
    pub dialects: Vec<&'static str>,
    /// True if each crawler was compared only in the dialect of its operator.
    pub is_by_operator: bool,
    /// True if one file was compared in two dialects. The old file is then that file in the first dialect, and the new
    /// file is the same one in the second dialect.
    pub is_between_dialects: bool,
    /// The files that look like an HTML page instead of a robots.txt. They are compared anyway.
    pub looks_like_html: Vec<DiffFile>,
    /// The parts that a CDN adds to the files, recognized by their markers.
    pub managed: Vec<DiffManaged>,
    /// The pattern of the URLs that were compared, if not all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
    /// The changes. Newly blocked URLs come first.
    pub changes: Vec<DiffChange>,
    /// The number of changes that are not in `changes`, if it is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<DiffOmitted>,
    /// The uses of content whose preferences differ, by `Content-Signal` and `Content-Usage`.
    pub signals: Vec<DiffSignal>,
    /// The listed URLs that are affected by a change, if a list of URLs was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<DiffListed>,
    /// The records other than rules that differ.
    pub beside: DiffBeside,
    /// The crawlers that were compared. `*` means every crawler that neither file names.
    pub crawlers: Vec<String>,
    /// The crawlers for which not everything could be compared within the budget.
    pub undecided: Vec<String>,
    /// The number of critical URLs that were checked. Their answers determine those of all other URLs.
    pub critical_urls: usize,
    /// The number of steps that the comparison took.
    pub steps: u64,
    /// The maximum number of steps in each dialect.
    pub budget: u64,
}

/// The result of a comparison of two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiffOutcome {
    /// The answers and the signals are the same for all URLs and all crawlers.
    Same,
    /// The answer or a signal differs for some URL and some crawler.
    Differs,
    /// No difference was found, but the budget was too small to exclude one.
    Undecided,
}

/// A set of URLs whose answer changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffChange {
    /// The new answer.
    pub to: DiffAnswer,
    /// The crawlers that get the new answer. `*` means every crawler that neither file names.
    pub crawlers: Vec<String>,
    /// The dialects in which they get it.
    pub dialects: Vec<&'static str>,
    /// The rule that causes the change. The URLs match it.
    pub rule: DiffRule,
    /// If not empty, the URLs also match one of these rules.
    pub narrowed_by: Vec<DiffRule>,
    /// The exceptions. The URLs match none of these rules, unless they match a rule in its `unless`.
    pub except: Vec<DiffException>,
    /// True if the answer changes for every URL that the rules describe, except `/robots.txt` itself. If false, it changes
    /// for a part of them. In both cases, the rules describe all URLs of the change.
    pub exact: bool,
    /// False if no browser or crawler sends such a URL, as for a pattern with a raw space: clients escape it, and the
    /// pattern then does not match.
    pub sent: bool,
    /// The path of a URL whose answer changes.
    pub witness: String,
    /// The listed URLs whose answer changes, if a list of URLs was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<DiffListed>,
}

/// The changes that a limited list does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffOmitted {
    /// The number of omitted changes by which URLs are newly blocked.
    pub blocked: usize,
    /// The number of omitted changes by which URLs are newly allowed.
    pub allowed: usize,
}

/// The listed URLs whose answer changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffListed {
    /// The number of URLs whose answer changes.
    pub count: u64,
    /// The number of listed URLs of the site.
    pub of: u64,
    /// The first URL whose answer changes.
    pub first: Option<String>,
}

/// A use of content whose preference differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffSignal {
    /// The record: `Content-Signal` or `Content-Usage`.
    pub record: &'static str,
    /// The use, such as `ai-train`.
    pub key: String,
    /// The crawlers that the preference applies to. `*` means every crawler that neither file names.
    pub crawlers: Vec<String>,
    /// The dialects in which the signals differ.
    pub dialects: Vec<&'static str>,
    /// The value in the old file; `null` if there is none.
    pub old: Option<DiffSignalValue>,
    /// The value in the new file; `null` if there is none.
    pub new: Option<DiffSignalValue>,
    /// A path for which the signals differ.
    pub witness: String,
}

/// A value of a signal, and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffSignalValue {
    /// True if the use is granted.
    pub granted: bool,
    /// The line of the record, from 1.
    pub line: u32,
}

/// The answer after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiffAnswer {
    /// The URLs are newly blocked.
    Blocked,
    /// The URLs are newly allowed.
    Allowed,
}

/// A rule of one of the files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct DiffRule {
    /// The file that contains it.
    pub file: DiffFile,
    /// The line of the rule, from 1; null if there is no rule, and the URLs are allowed because none matches.
    pub line: Option<u32>,
    /// The pattern of the rule, in normal form. An `Allow` of an index page may also be a rule for the directory of the
    /// page, whose pattern is then that directory with `$`.
    pub pattern: String,
}

/// A rule whose URLs do not change, except those that match one of some other rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffException {
    /// The rule that keeps the answers of its URLs.
    #[serde(flatten)]
    pub rule: DiffRule,
    /// Rules of the same file that overrule it. URLs that match one of them change, too.
    pub unless: Vec<DiffRule>,
}

/// A part of one of the files that a CDN adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffManaged {
    /// The file that contains it.
    pub file: DiffFile,
    /// The part.
    #[serde(flatten)]
    pub part: ManagedPart,
}

/// One of two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiffFile {
    /// The file before the change.
    Old,
    /// The file after the change.
    New,
}

impl Diff {
    /// Compares two files for all URLs.
    pub fn new(old: &[u8], new: &[u8], scope: &ProofScope<'_>) -> Self {
        let mut diff = Self::empty(scope);
        // The only error is a wrong pattern, and there is no pattern.
        let _ = diff.compare([old, new], None, scope);
        diff
    }

    /// Compares two files for the URLs that match a pattern.
    ///
    /// # Errors
    ///
    /// If the pattern matches no URL.
    pub fn under(old: &[u8], new: &[u8], pattern: &str, scope: &ProofScope<'_>) -> Result<Self, PatternError> {
        let mut diff = Self::empty(scope);
        diff.compare([old, new], Some(pattern), scope)?;
        Ok(diff)
    }

    /// Compares one file in two dialects, for URLs without needless escapes.
    ///
    /// # Errors
    ///
    /// If `under` is a pattern that matches no URL.
    pub fn between(
        body: &[u8],
        dialects: [&Dialect; 2],
        under: Option<&str>,
        scope: &ProofScope<'_>,
    ) -> Result<Self, PatternError> {
        let mut diff = Self::empty(scope);
        diff.is_by_operator = false;
        diff.is_between_dialects = true;
        diff.under = under.map(str::to_owned);
        diff.note_files([body, body]);
        let files = dialects.map(|dialect| Robots::parse_with(body, dialect));
        diff.add_dialect(&files, under, "", scope)?;
        diff.dialects = dialects.iter().map(|dialect| dialect.name).collect();
        for change in &mut diff.changes {
            change.dialects.clone_from(&diff.dialects);
        }
        for signal in &mut diff.signals {
            signal.dialects.clone_from(&diff.dialects);
        }
        diff.headline = headline::between(&diff);
        Ok(diff)
    }

    /// Counts the URLs of a list that are affected by each change. Skips URLs that are on another site than the first
    /// one.
    pub fn count(&mut self, old: &[u8], new: &[u8], urls: &[String], scope: &ProofScope<'_>) {
        listed::count(self, [old, new], scope, urls);
        if let Some(listed) = &self.listed {
            let sentence = headline::of_listed(listed);
            self.headline.text += &sentence;
        }
    }

    /// Removes changes from the list until each direction has at most `max`, and counts them. The outcome does not change.
    pub fn limit(&mut self, max: usize) {
        let mut omitted = DiffOmitted::default();
        let (mut blocked, mut allowed) = (0, 0);
        self.changes.retain(|change| {
            let (kept, omitted) = match change.to {
                DiffAnswer::Blocked => (&mut blocked, &mut omitted.blocked),
                DiffAnswer::Allowed => (&mut allowed, &mut omitted.allowed),
            };
            let is_kept = *kept < max;
            *if is_kept { kept } else { omitted } += 1;
            is_kept
        });
        self.omitted = Some(omitted);
    }

    fn empty(scope: &ProofScope<'_>) -> Self {
        Self {
            headline: Headline::new(Tone::Caution, ""),
            outcome: DiffOutcome::Same,
            dialects: Vec::new(),
            is_by_operator: scope.is_by_operator(),
            is_between_dialects: false,
            looks_like_html: Vec::new(),
            managed: Vec::new(),
            under: None,
            changes: Vec::new(),
            omitted: None,
            signals: Vec::new(),
            listed: None,
            beside: DiffBeside::default(),
            crawlers: Vec::new(),
            undecided: Vec::new(),
            critical_urls: 0,
            steps: 0,
            budget: scope.budget.steps(),
        }
    }

    fn compare(&mut self, bodies: [&[u8]; 2], under: Option<&str>, scope: &ProofScope<'_>) -> Result<(), PatternError> {
        self.under = under.map(str::to_owned);
        self.note_files(bodies);
        for dialect in scope.used_dialects() {
            let files = bodies.map(|body| Robots::parse_with(body, &dialect));
            self.dialects.push(dialect.name);
            self.add_dialect(&files, under, dialect.name, scope)?;
        }
        self.changes.sort_by(|a, b| (a.to, &a.rule, &a.witness).cmp(&(b.to, &b.rule, &b.witness)));
        self.beside = beside::compare(bodies, &self.crawlers, scope);
        self.headline = headline::of(self, bodies, scope);
        Ok(())
    }

    fn note_files(&mut self, [old, new]: [&[u8]; 2]) {
        let files = [(DiffFile::Old, old), (DiffFile::New, new)];
        let html = files.into_iter().filter(|(_, body)| looks_like_html(body));
        self.looks_like_html = html.map(|(file, _)| file).collect();
        let managed = files.into_iter().flat_map(|(file, body)| {
            let parts = managed_parts(&SourceText::new(body, &Dialect::STANDARD));
            parts.into_iter().map(move |part| DiffManaged { file, part })
        });
        self.managed = managed.collect();
    }

    /// Compares two files that were parsed in the same dialect, or one file that was parsed in two dialects. Adds the
    /// result.
    fn add_dialect(
        &mut self,
        [old, new]: &[Robots; 2],
        under: Option<&str>,
        dialect: &'static str,
        scope: &ProofScope<'_>,
    ) -> Result<(), PatternError> {
        let agents = scope.engine_crawlers();
        let comparison = Comparison::new(old, new).crawlers(scope.crawlers).budget(scope.budget);
        let mut comparison = comparison.keep_going(scope.watch());
        if !agents.is_empty() {
            comparison = comparison.only(&agents);
        }
        if self.is_by_operator {
            comparison = comparison.own_dialect_only();
        }
        if let Some(pattern) = under {
            comparison = comparison.under(pattern.as_bytes())?;
        }
        self.add(&comparison.run(), dialect);
        Ok(())
    }

    /// Adds the differences in a dialect. Equal changes of several dialects are merged.
    fn add(&mut self, found: &Difference, dialect: &'static str) {
        self.critical_urls += found.critical_urls;
        self.steps += found.steps;
        add_names(&mut self.crawlers, &found.crawlers);
        add_names(&mut self.undecided, &found.unfinished);
        let mut places: BTreeMap<(DiffAnswer, DiffRule, String), Vec<usize>> = BTreeMap::new();
        for (place, change) in self.changes.iter().enumerate() {
            places.entry((change.to, change.rule.clone(), change.witness.clone())).or_default().push(place);
        }
        for change in &found.changes {
            let mut change = DiffChange::from(change);
            change.dialects.push(dialect);
            let same_place = places.entry((change.to, change.rule.clone(), change.witness.clone())).or_default();
            if let Some(place) = same_place.iter().find(|place| self.changes[**place].is_alike(&change)) {
                let known = &mut self.changes[*place];
                add_names(&mut known.crawlers, &change.crawlers);
                known.exact &= change.exact;
                known.sent |= change.sent;
                known.dialects.push(dialect);
            } else {
                same_place.push(self.changes.len());
                self.changes.push(change);
            }
        }
        for signal in &found.signals {
            let signal = DiffSignal::new(signal, dialect);
            match self.signals.iter_mut().find(|known| known.is_alike(&signal)) {
                Some(known) => {
                    add_names(&mut known.crawlers, &signal.crawlers);
                    known.dialects.push(dialect);
                }
                None => self.signals.push(signal),
            }
        }
        self.outcome = match (self.outcome, found.outcome()) {
            (DiffOutcome::Differs, _) | (_, Outcome::Differs) => DiffOutcome::Differs,
            // In each dialect, only the crawlers of that dialect are compared.
            (DiffOutcome::Same, Outcome::Same | Outcome::NoCrawler) => DiffOutcome::Same,
            _ => DiffOutcome::Undecided,
        };
    }
}

/// Adds the names that are not in the list yet.
fn add_names(names: &mut Vec<String>, more: &[String]) {
    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let new: Vec<String> = more.iter().filter(|name| !known.contains(name.as_str())).cloned().collect();
    names.extend(new);
}

impl DiffChange {
    /// Returns true if another change by the same rule describes the same URLs.
    fn is_alike(&self, other: &Self) -> bool {
        (&self.narrowed_by, &self.except) == (&other.narrowed_by, &other.except)
    }
}

impl From<&Change> for DiffChange {
    fn from(change: &Change) -> Self {
        let rules = |rules: &[ChangeRule]| rules.iter().map(DiffRule::from).collect();
        Self {
            to: match change.direction {
                Direction::Allowed => DiffAnswer::Allowed,
                _ => DiffAnswer::Blocked,
            },
            crawlers: change.crawlers.to_vec(),
            dialects: Vec::new(),
            rule: (&change.rule).into(),
            narrowed_by: rules(&change.narrowed_by),
            except: change.except.iter().map(DiffException::from).collect(),
            exact: change.is_exact,
            sent: change.is_sent,
            witness: String::from_utf8_lossy(&change.witness).into_owned(),
            listed: None,
        }
    }
}

impl DiffSignal {
    fn new(change: &SignalChange, dialect: &'static str) -> Self {
        let value = |value: Option<SignalValue>| {
            value.map(|value| DiffSignalValue { granted: value.granted, line: value.line })
        };
        Self {
            record: match change.record {
                SignalRecord::ContentUsage => "Content-Usage",
                _ => "Content-Signal",
            },
            key: change.key.clone(),
            crawlers: change.crawlers.clone(),
            dialects: vec![dialect],
            old: value(change.old),
            new: value(change.new),
            witness: String::from_utf8_lossy(&change.witness).into_owned(),
        }
    }

    fn is_alike(&self, other: &Self) -> bool {
        (self.record, &self.key, self.old, self.new) == (other.record, &other.key, other.old, other.new)
    }
}

impl From<&ChangeException> for DiffException {
    fn from(except: &ChangeException) -> Self {
        Self { rule: (&except.rule).into(), unless: except.unless.iter().map(DiffRule::from).collect() }
    }
}

impl From<&ChangeRule> for DiffRule {
    fn from(rule: &ChangeRule) -> Self {
        Self {
            file: if rule.side == Side::Old { DiffFile::Old } else { DiffFile::New },
            line: rule.line,
            pattern: String::from_utf8_lossy(&rule.pattern).into_owned(),
        }
    }
}
