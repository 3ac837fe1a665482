//! The difference of two files in meaning.

use std::collections::{BTreeMap, HashSet};

use comity::{Crawlers, Dialect, Robots};
use comity_meaning::{Budget, Change, ChangeRule, Comparison, Direction, Outcome, Side};
use serde::Serialize;

/// The difference of two robots.txt files for all URLs and all crawlers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[must_use]
#[non_exhaustive]
pub struct Diff {
    /// Whether the files differ.
    pub outcome: DiffOutcome,
    /// The dialects in which the files were compared.
    pub dialects: Vec<&'static str>,
    /// Whether each crawler was compared in its operator's dialect alone.
    pub is_by_operator: bool,
    /// The changes, what is newly blocked first.
    pub changes: Vec<DiffChange>,
    /// The crawlers that were compared. `*` stands for every crawler that neither file names.
    pub crawlers: Vec<String>,
    /// The crawlers for which not everything could be compared within the budget.
    pub undecided: Vec<String>,
    /// The number of critical URLs that were asked. They decide for all others.
    pub critical_urls: usize,
    /// The number of steps that the comparison took.
    pub steps: u64,
    /// The steps that it might have taken in each dialect.
    pub budget: u64,
}

/// Whether two files differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiffOutcome {
    /// No URL has another answer for any crawler.
    Same,
    /// Some URL has another answer for some crawler.
    Differs,
    /// No difference was found, but the budget did not suffice to exclude one.
    Undecided,
}

/// URLs that get another answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct DiffChange {
    /// The new answer.
    pub to: DiffAnswer,
    /// The crawlers that get it. `*` stands for every crawler that neither file names.
    pub crawlers: Vec<String>,
    /// The dialects in which they do.
    pub dialects: Vec<&'static str>,
    /// The rule that makes the difference: the URLs match it.
    pub rule: DiffRule,
    /// If not empty, the URLs match one of these rules, too.
    pub narrowed_by: Vec<DiffRule>,
    /// The URLs match none of these rules.
    pub except: Vec<DiffRule>,
    /// Whether every URL that this describes gets another answer.
    pub exact: bool,
    /// A path that does.
    pub witness: String,
}

/// The answer after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiffAnswer {
    /// Newly blocked.
    Blocked,
    /// Newly allowed.
    Allowed,
}

/// A rule of one of the files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct DiffRule {
    /// The file that contains it.
    pub file: DiffFile,
    /// Its line, from 1; 0 for what is allowed because no rule matches.
    pub line: u32,
    /// Its pattern, in comparable form.
    pub pattern: String,
}

/// One of two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiffFile {
    /// The file before the change.
    Old,
    /// The file after the change.
    New,
}

impl Diff {
    /// Compares two files. Without `dialects`, each crawler is compared in its operator's own, and crawlers outside the
    /// table in the standard one. The budget is that of each dialect.
    pub fn new(old: &[u8], new: &[u8], dialects: &[Dialect], crawlers: &Crawlers, budget: Budget) -> Self {
        let own = dialects.is_empty();
        let mut diff = Self {
            outcome: DiffOutcome::Same,
            dialects: Vec::new(),
            is_by_operator: own,
            changes: Vec::new(),
            crawlers: Vec::new(),
            undecided: Vec::new(),
            critical_urls: 0,
            steps: 0,
            budget: budget.steps(),
        };
        let used = if own { operators_dialects(crawlers) } else { dialects.to_vec() };
        let mut places: BTreeMap<(DiffAnswer, DiffRule, String), Vec<usize>> = BTreeMap::new();
        for dialect in used {
            let [old, new] = [old, new].map(|body| Robots::parse_with(body, &dialect));
            let comparison = Comparison::new(&old, &new).crawlers(crawlers).budget(budget);
            let found = if own { comparison.own_dialect_only() } else { comparison }.run();
            diff.dialects.push(dialect.name);
            diff.critical_urls += found.critical_urls();
            diff.steps += found.steps();
            add_names(&mut diff.crawlers, found.crawlers());
            add_names(&mut diff.undecided, found.unfinished());
            for change in found.changes() {
                let mut change = DiffChange::from(change);
                let key = (change.to, change.rule.clone(), change.witness.clone());
                let same_place = places.entry(key).or_default();
                let alike = same_place.iter().find(|place| diff.changes[**place].is_alike(&change));
                if let Some(place) = alike {
                    let known = &mut diff.changes[*place];
                    add_names(&mut known.crawlers, &change.crawlers);
                    known.exact &= change.exact;
                    known.dialects.push(dialect.name);
                } else {
                    change.dialects.push(dialect.name);
                    same_place.push(diff.changes.len());
                    diff.changes.push(change);
                }
            }
            diff.outcome = match (diff.outcome, found.outcome()) {
                (DiffOutcome::Differs, _) | (_, Outcome::Differs) => DiffOutcome::Differs,
                (DiffOutcome::Same, Outcome::Same) => DiffOutcome::Same,
                _ => DiffOutcome::Undecided,
            };
        }
        diff.changes.sort_by(|a, b| (a.to, &a.rule, &a.witness).cmp(&(b.to, &b.rule, &b.witness)));
        diff
    }
}

/// Returns the dialects of the operators of a table, the standard one first.
fn operators_dialects(crawlers: &Crawlers) -> Vec<Dialect> {
    let mut dialects = vec![Dialect::STANDARD];
    for profile in crawlers {
        if !dialects.contains(&profile.dialect) {
            dialects.push(profile.dialect);
        }
    }
    dialects
}

/// Adds the names that are not in the list yet.
fn add_names(names: &mut Vec<String>, more: &[String]) {
    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let new: Vec<String> = more.iter().filter(|name| !known.contains(name.as_str())).cloned().collect();
    names.extend(new);
}

impl DiffChange {
    /// Returns whether another change of the same rule describes the same URLs.
    fn is_alike(&self, other: &Self) -> bool {
        (&self.narrowed_by, &self.except) == (&other.narrowed_by, &other.except)
    }
}

impl From<&Change> for DiffChange {
    fn from(change: &Change) -> Self {
        let rules = |rules: &[ChangeRule]| rules.iter().map(DiffRule::from).collect();
        Self {
            to: match change.direction() {
                Direction::Allowed => DiffAnswer::Allowed,
                _ => DiffAnswer::Blocked,
            },
            crawlers: change.crawlers().to_vec(),
            dialects: Vec::new(),
            rule: change.rule().into(),
            narrowed_by: rules(change.narrowed_by()),
            except: rules(change.except()),
            exact: change.is_exact(),
            witness: String::from_utf8_lossy(change.witness()).into_owned(),
        }
    }
}

impl From<&ChangeRule> for DiffRule {
    fn from(rule: &ChangeRule) -> Self {
        Self {
            file: if rule.side == Side::Old { DiffFile::Old } else { DiffFile::New },
            line: rule.line.unwrap_or(0),
            pattern: String::from_utf8_lossy(&rule.pattern).into_owned(),
        }
    }
}
