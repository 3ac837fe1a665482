//! Compares `Content-Signal` and `Content-Usage` by value.
//!
//! A statement about a use of content is a ranked pattern like a rule, with three values instead of two. Of two
//! statements with patterns of the same length, the more restrictive one applies. So the statement that applies to a
//! path also applies to the word of any overlay that contains the path: the statements that match the word are some of
//! those that match the path, and no others. Two files therefore agree everywhere if they agree on the words of all
//! pairs of statements with different values.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use comity::{Escaped, Field, Meaning, Preference, Robots};

use crate::budget::{Exhausted, Meter};
use crate::claim::comparable;
use crate::classes::Class;
use crate::compare::Comparison;
use crate::overlay;
use crate::pattern::Pattern;
use crate::spelling::{self, FileSpellings, Spellings};

/// The kind of a record that states permitted uses of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SignalRecord {
    /// `Content-Signal`, such as `ai-train=no`.
    ContentSignal,
    /// `Content-Usage`, such as `train-ai=n`.
    ContentUsage,
}

impl fmt::Display for SignalRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ContentSignal => "Content-Signal",
            Self::ContentUsage => "Content-Usage",
        })
    }
}

/// A value that a statement gives to a use of content, and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct SignalValue {
    /// True if the use is granted.
    pub granted: bool,
    /// The line of the record, from 1.
    pub line: u32,
}

/// A use of content whose value differs between two files.
///
/// Only statements are compared: a URL that may no longer be fetched is a [`Change`](crate::Change) of the rules, not
/// of its signals.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignalChange {
    /// The kind of record.
    pub record: SignalRecord,
    /// The use, such as `ai-train`.
    pub key: String,
    /// The crawlers to which the statements apply. `*` means every crawler that neither file names.
    pub crawlers: Vec<String>,
    /// The value in the old file. `None` if nothing is stated.
    pub old: Option<SignalValue>,
    /// The value in the new file. `None` if nothing is stated.
    pub new: Option<SignalValue>,
    /// A path for which the values differ, as a URL contains it.
    pub witness: Vec<u8>,
}

impl fmt::Display for SignalChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: Option<SignalValue>| match value {
            Some(SignalValue { granted: true, .. }) => "granted",
            Some(_) => "refused",
            None => "not stated",
        };
        write!(
            f,
            "{} {} for {}: was {}, is {}, for example for {}",
            self.record,
            Escaped(self.key.as_bytes()),
            Escaped(self.crawlers.join(", ").as_bytes()),
            value(self.old),
            value(self.new),
            Escaped(&self.witness)
        )
    }
}

/// The values that one record states. Of the statements that match a path, the one with the greatest rank applies.
struct Statement {
    record: SignalRecord,
    line: u32,
    /// Its pattern in normal form. Empty if it has no path, and so applies to every URL.
    text: Vec<u8>,
    /// The values by use, sorted.
    values: Vec<(String, Option<bool>)>,
}

impl Statement {
    /// Returns a use and its value, if the record mentions the use.
    fn entry(&self, key: &str) -> Option<&(String, Option<bool>)> {
        let place = self.values.binary_search_by(|(other, _)| other.as_str().cmp(key)).ok()?;
        self.values.get(place)
    }
}

/// The value that one record states about one use.
struct Ranked<'s> {
    text: &'s [u8],
    readings: Vec<Pattern<'s>>,
    granted: Option<bool>,
    /// The number of bytes of the pattern, then how much the value restricts, then the earlier line.
    rank: (usize, u8, u32),
    line: Option<u32>,
}

impl<'s> Ranked<'s> {
    /// Returns the value that applies if no record matches.
    fn default() -> Self {
        Self { text: b"", readings: alloc::vec![Pattern::everything()], granted: None, rank: (0, 0, 0), line: None }
    }

    /// Returns `None` for a `Content-Signal` that does not mention the use: records with shorter paths apply then. A
    /// `Content-Usage` that does not mention the use overrides them nevertheless.
    fn new(statement: &'s Statement, key: &str, spellings: &'s FileSpellings, wildcards: bool) -> Option<Self> {
        let granted = match (statement.entry(key), statement.record) {
            (Some((_, value)), _) => *value,
            (None, SignalRecord::ContentUsage) => None,
            (None, SignalRecord::ContentSignal) => return None,
        };
        let text = statement.text.as_slice();
        let readings =
            if text.is_empty() { alloc::vec![Pattern::everything()] } else { spellings.readings(text, wildcards) };
        let restriction = granted.map_or(0, |granted| 1 + u8::from(!granted));
        let rank = (text.len(), restriction, u32::MAX - statement.line);
        Some(Self { text, readings, granted, rank, line: Some(statement.line) })
    }

    fn value(&self) -> Option<SignalValue> {
        Some(SignalValue { granted: self.granted?, line: self.line? })
    }
}

/// Returns true if a file has a record that states permitted uses of content.
pub(crate) fn has_records(file: &Robots) -> bool {
    file.records().any(|record| matches!(record.field(), Field::ContentSignal | Field::ContentUsage))
}

/// Returns the uses whose values differ for a class of crawlers.
pub(crate) fn compare(
    comparison: &Comparison<'_>,
    class: &Class<'_, 2>,
    meter: &mut Meter<'_>,
) -> Result<Vec<SignalChange>, Exhausted> {
    let files = [comparison.old, comparison.new];
    let Spellings { files: rule_spellings, is_mixed } = comparison.spellings;
    let [old, new] = [0, 1].map(|file| statements(files[file], &class.groups[file], meter));
    let statements = [old?, new?];
    if statements.iter().all(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let spellings = [0, 1].map(|file: usize| {
        let texts = statements[file].iter().map(|statement| statement.text.as_slice()).filter(|_| *is_mixed);
        FileSpellings::new(texts, files[file].dialect(), meter)
    });
    if !spellings.iter().all(FileSpellings::is_complete) || !comparison.covers_limits() {
        return Err(Exhausted);
    }
    let keys = statements.iter().flatten().flat_map(|it| it.values.iter().map(|(key, _)| (it.record, key.as_str())));
    let mut changes = Vec::new();
    for (record, key) in keys.collect::<BTreeSet<_>>() {
        meter.spend(statements[0].len() + statements[1].len())?;
        let ranked = [0, 1].map(|file| {
            let wildcards = files[file].dialect().wildcards;
            let of_record = statements[file].iter().filter(|statement| statement.record == record);
            let ranked = of_record.filter_map(|statement| Ranked::new(statement, key, &spellings[file], wildcards));
            core::iter::once(Ranked::default()).chain(ranked).collect::<Vec<_>>()
        });
        let readings = |text| rule_spellings[0].readings(text, files[0].dialect().wildcards);
        let limits = Limits {
            texts: comparison.under.iter().chain(&comparison.except).map(Vec::as_slice).collect(),
            under: comparison.under.as_deref().map(readings),
            except: comparison.except.iter().flat_map(|text| readings(text)).collect(),
            is_mixed: *is_mixed,
        };
        let found = compare_key(&ranked, &limits, meter)?;
        changes.extend(found.into_iter().map(|((old, new), witness)| SignalChange {
            record,
            key: String::from(key),
            crawlers: Vec::new(),
            old,
            new,
            witness: if *is_mixed { witness } else { spelling::sent(&witness, files[0].dialect()).into_owned() },
        }));
    }
    Ok(changes)
}

/// Adds changes to a list. Changes that are in the list already get the additional crawlers.
pub(crate) fn merge(list: &mut Vec<SignalChange>, found: Vec<SignalChange>, crawlers: &[String]) {
    for mut change in found {
        let is_same = |other: &&mut SignalChange| {
            (other.record, &other.key, other.old, other.new) == (change.record, &change.key, change.old, change.new)
        };
        if let Some(known) = list.iter_mut().find(is_same) {
            known.crawlers.extend(crawlers.iter().cloned());
        } else {
            change.crawlers = crawlers.to_vec();
            list.push(change);
        }
    }
}

/// Returns the statements of some groups.
fn statements(file: &Robots, groups: &[usize], meter: &mut Meter<'_>) -> Result<Vec<Statement>, Exhausted> {
    let mut found = Vec::new();
    // Parsing the values takes longer than skipping other records.
    meter.spend(file.records().len() / 16)?;
    for record in file.records() {
        if record.group().is_none_or(|group| groups.binary_search(&group).is_err()) {
            continue;
        }
        let (kind, path, mut values) = match record.meaning() {
            Meaning::ContentSignal(signal) => {
                let keys = signal.iter().map(|(key, _)| String::from_utf8_lossy(key).to_ascii_lowercase());
                // If a value is neither yes nor no, other records apply.
                let values = keys.filter_map(|key| signal.grants(&key).map(|granted| (key, Some(granted))));
                // Each use is looked up in the whole record.
                meter.spend(signal.iter().count() * record.value().len() / 16)?;
                (SignalRecord::ContentSignal, signal.path(), values.collect::<Vec<_>>())
            }
            Meaning::ContentUsage(usage) => {
                let keys = usage.preferences.iter().map(|(key, _)| String::from_utf8_lossy(key).into_owned());
                let values = keys.map(|key| {
                    let granted = match usage.preferences.of(&key) {
                        Preference::Allow => Some(true),
                        Preference::Disallow => Some(false),
                        _ => None,
                    };
                    (key, granted)
                });
                (SignalRecord::ContentUsage, usage.path, values.collect())
            }
            Meaning::NotUnderstood { .. } if record.field() == Field::ContentUsage => {
                let path = record.value().split(u8::is_ascii_whitespace).next().filter(|path| path.starts_with(b"/"));
                (SignalRecord::ContentUsage, path, Vec::new())
            }
            _ => continue,
        };
        meter.spend(8 + record.value().len())?;
        let text = path.map_or(Ok(Vec::new()), |path| comparable(path, file).map_err(|_| Exhausted))?;
        values.sort_unstable();
        values.dedup_by(|one, other| one.0 == other.0);
        found.push(Statement { record: kind, line: record.line(), text, values });
    }
    Ok(found)
}

/// The limits of the URLs that are compared.
struct Limits<'l> {
    texts: Vec<&'l [u8]>,
    under: Option<Vec<Pattern<'l>>>,
    except: Vec<Pattern<'l>>,
    /// True if only canonical paths are compared.
    is_mixed: bool,
}

impl Limits<'_> {
    fn admit(&self, path: &[u8]) -> bool {
        (!self.is_mixed || spelling::is_canonical(path))
            && self.under.as_ref().is_none_or(|readings| readings.iter().any(|it| it.matches(path)))
            && !self.except.iter().any(|pattern| pattern.matches(path))
    }
}

/// The values in the old and the new file.
type Values = (Option<SignalValue>, Option<SignalValue>);

/// Compares the values of one use. Returns the pairs of differing values that some path has, each with a short path.
fn compare_key(
    files: &[Vec<Ranked<'_>>; 2],
    limits: &Limits<'_>,
    meter: &mut Meter<'_>,
) -> Result<BTreeMap<Values, Vec<u8>>, Exhausted> {
    let mut found: BTreeMap<Values, Vec<u8>> = BTreeMap::new();
    let meanings = files.each_ref().map(|list| list.iter().map(|it| (it.text, it.granted)).collect::<BTreeSet<_>>());
    if !limits.is_mixed && meanings[0] == meanings[1] {
        return Ok(found);
    }
    let texts = files.iter().flatten().map(|it| it.text).chain(limits.texts.iter().copied());
    let filler = overlay::filler(texts).ok_or(Exhausted)?;
    let question = files.iter().map(|list| 1 + list.iter().map(|it| it.text.len()).sum::<usize>() / 64).sum::<usize>();
    let mut ask = |path: &[u8], meter: &mut Meter<'_>| {
        meter.spend(question + files[0].len() + files[1].len())?;
        let values = |path: &[u8]| (decide(&files[0], path), decide(&files[1], path));
        let [old, new] = files.each_ref().map(|list| decide(list, path));
        if limits.admit(path) && old.map(|it| it.granted) != new.map(|it| it.granted) {
            let usual = overlay::without_filler(path, filler).into_iter();
            let usual = usual.into_iter().find(|path| limits.admit(path) && values(path) == (old, new));
            let witness = usual.unwrap_or_else(|| path.to_vec());
            let known = found.entry((old, new)).or_insert_with(|| witness.clone());
            if witness.len() < known.len() {
                *known = witness;
            }
        }
        Ok(())
    };
    for old in &files[0] {
        for new in files[1].iter().filter(|new| new.granted != old.granted) {
            for one in &old.readings {
                for other in &new.readings {
                    overlay::each_word([one, other], limits.under.as_deref(), filler, meter, &mut ask)?;
                }
            }
        }
    }
    Ok(found)
}

/// Returns the value that applies to a path.
fn decide(list: &[Ranked<'_>], path: &[u8]) -> Option<SignalValue> {
    let matching = list.iter().filter(|it| it.readings.iter().any(|reading| reading.matches(path)));
    matching.max_by_key(|it| it.rank)?.value()
}
