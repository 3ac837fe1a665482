//! A naive judge: the whole log in memory, no compiled rules, no merging. It shares the parser of robots.txt with
//! the crate, and nothing else.

use std::collections::{BTreeMap, HashSet};

use comity::{Crawler, Crawlers, Dialect, Governed, Robots};

/// A file or another state of a site, with the times at which it was first and last seen.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    File(&'static str),
    /// 404: everything is allowed.
    Absent,
    /// 503: it says nothing about the file.
    Down,
}

/// The counts of a crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NaiveCounts {
    pub(crate) requests: u64,
    pub(crate) violations: u64,
    pub(crate) in_grace: u64,
    pub(crate) allowed: u64,
    pub(crate) unjudged: u64,
}

/// A request, as the test made it up.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) at: i64,
    pub(crate) crawler: &'static str,
    pub(crate) path: &'static str,
    pub(crate) host: &'static str,
    pub(crate) line: String,
}

/// Returns the states that may have been in force at some second of the day before a request, by asking for each second that
/// matters. `None` is a time at which no file is known.
fn in_force(states: &[State], at: i64, grace: i64) -> HashSet<Option<usize>> {
    let looks: Vec<(usize, &State)> =
        states.iter().enumerate().filter(|(_, state)| !matches!(state.content, Content::Down)).collect();
    let known_at = |second: i64| -> HashSet<Option<usize>> {
        // A state may be there unless another one was seen between it and this second, or at the second's other side.
        let may_be = |state: &State| {
            let others = || looks.iter().map(|(_, other)| other).filter(|other| other.first != state.first);
            let is_possible_before = others().any(|other| other.last <= second) || second >= state.first;
            let is_seen_between = others().any(|other| second < other.last && other.last <= state.first)
                || others().any(|other| state.last <= other.first && other.first < second);
            let is_possible_after = second <= state.last || others().any(|other| other.first >= second);
            is_possible_before && is_possible_after && !is_seen_between
        };
        let mut known: HashSet<Option<usize>> =
            looks.iter().filter(|(_, state)| may_be(state)).map(|(n, _)| Some(*n)).collect();
        let is_looked_at =
            looks.iter().any(|(_, state)| state.first <= second) && looks.iter().any(|(_, state)| state.last >= second);
        if !is_looked_at {
            known.insert(None);
        }
        known
    };
    // The states change only at these seconds.
    let edges = states.iter().flat_map(|state| [state.first - 1, state.first, state.last, state.last + 1]);
    let window = at - grace..=at + 1;
    let seconds: Vec<i64> = edges.filter(|second| window.contains(second)).chain([at - grace, at + 1]).collect();
    seconds.into_iter().flat_map(known_at).collect()
}

/// Returns true if a reader of a file disallows a path; `None` if readers disagree.
fn is_disallowed(file: &str, crawler: &Crawler<'_>, dialect: Dialect, path: &str) -> Option<bool> {
    let mut answers = [Dialect::STANDARD, Dialect::GOOGLE, dialect]
        .map(|dialect| Robots::parse_with(file, &dialect).check(crawler, path).is_disallowed())
        .to_vec();
    answers.dedup();
    (answers.len() == 1).then(|| answers[0])
}

/// Judges a log.
pub(crate) fn judge(states: &[State], log: &[Asked], site: &str, grace: i64) -> BTreeMap<String, NaiveCounts> {
    let table = Crawlers::builtin();
    let mut counts: BTreeMap<String, NaiveCounts> = BTreeMap::new();
    let mut accused = HashSet::new();
    for asked in log.iter().filter(|asked| asked.host == site) {
        let row = counts.entry(asked.crawler.to_owned()).or_default();
        row.requests += 1;
        let profile = table.find(asked.crawler);
        if profile.is_some_and(|profile| profile.governed == Governed::No) {
            row.unjudged += 1;
            continue;
        }
        if asked.path == "/robots.txt" {
            row.allowed += 1;
            continue;
        }
        let (crawler, dialect) = match profile {
            Some(profile) => (Crawler::from(profile), profile.dialect),
            None => (Crawler::token(asked.crawler).unwrap(), Dialect::STANDARD),
        };
        let verdicts: HashSet<Option<bool>> = in_force(states, asked.at, grace)
            .into_iter()
            .map(|state| match state.map(|state| &states[state].content) {
                Some(Content::File(file)) => is_disallowed(file, &crawler, dialect, asked.path),
                Some(Content::Absent) => Some(false),
                _ => None,
            })
            .collect();
        let (disallows, allows) = (verdicts.contains(&Some(true)), verdicts.contains(&Some(false)));
        if disallows && allows {
            row.in_grace += 1;
        } else if verdicts.contains(&None) {
            row.unjudged += 1;
        } else if allows {
            row.allowed += 1;
        } else if accused.insert(&asked.line) {
            row.violations += 1;
        }
    }
    counts
}
