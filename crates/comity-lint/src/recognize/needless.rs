//! Recognizes groups without which nothing changes, by a proof.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::budget::{Budget, Halt};
use crate::fix::{self, Fix, Safety};
use crate::prelude::*;
use crate::proof::first_change;
use crate::readings::{Readings, first_changed_record};
use crate::recognize::groups::rules_for_any;

/// The maximum number of steps of the proofs for one file: about a tenth of a second.
const MAX_STEPS: usize = 400_000;

/// The name of this limit.
pub(crate) const NEEDLESS_BOUND: &str = "400,000 steps to compare the file with itself without groups";

/// The groups of a file without which nothing changes, also if all of them are removed.
#[derive(Default)]
pub(crate) struct Needless {
    /// The indices of the groups.
    pub(crate) groups: Vec<usize>,
    /// The indices of the groups that were not compared because the steps were used up.
    pub(crate) not_compared: Vec<usize>,
}

/// Returns the groups without which no crawler gets another answer, delay or preference, in the checked dialects.
pub(crate) fn needless(file: &File<'_>) -> Needless {
    let mut found = Needless::default();
    // In a closed site, a group says which crawlers stay out when it opens. Edits of another encoding can't be proven.
    if !file.is_editable() || file.groups.len() < 2 || rules_for_any(file).any(closes) {
        return found;
    }
    // Looked up once: a file may have many thousands of groups.
    let any = file.groups.iter().find(|group| group.is_for_any());
    let (any_meaning, any_records) = any.map_or_else(Default::default, |any| (file.meaning(any), records(file, any)));
    let candidates = file.groups.iter().filter(|group| {
        is_removable(file, group) && file.meaning(group) == any_meaning && records(file, group) == any_records
    });
    let candidates: Vec<usize> = candidates.map(|group| group.group.index()).collect();
    if candidates.is_empty() {
        return found;
    }
    let mut budget = Budget::new(MAX_STEPS, file.watch);
    let before = Readings::new(file.body, file.known.table());
    let mut waiting = vec![candidates];
    while let Some(part) = waiting.pop() {
        let tried = [&found.groups[..], &part].concat();
        match is_same_without(file, &before, &tried, &mut budget) {
            Ok(true) => found.groups = tried,
            Ok(false) if part.len() > 1 => {
                let (first, second) = part.split_at(part.len() / 2);
                waiting.extend([second.to_vec(), first.to_vec()]);
            }
            Ok(false) => {}
            Err(Halt::Stopped) => return Needless::default(),
            Err(Halt::Exhausted) => found.not_compared.extend(part),
        }
    }
    found.groups.sort_unstable();
    found
}

/// Returns true if a group may be without effect if it has the rules and records of the group for `*`. Crawlers that would
/// obey another group, or none, fail the proof.
fn is_removable<'a>(file: &File<'a>, group: &GroupOf<'a>) -> bool {
    // A group that forbids nothing says that its crawlers are welcome, or is demanded by the program that it names. A group
    // with `Host` or `Clean-param` is where Yandex looks for them, and was copied for them.
    let is_of_yandex =
        |line: &Line<'_>| matches!(line.content, Content::Other { field: Field::Host | Field::CleanParam, .. });
    group.alone && !group.is_for_any() && group.forbids() && !file.lines_below(group).any(is_of_yandex)
}

/// Returns the records of a group, by field name in lower case and value.
fn records<'a>(file: &File<'a>, group: &GroupOf<'_>) -> BTreeSet<(Vec<u8>, &'a [u8])> {
    let of_group = lines_of(file, group).filter_map(|line| match file.line(line).content {
        Content::Other { field, name, value, in_group: true, .. } if !field.is_of_site() => {
            Some((name.to_ascii_lowercase(), value))
        }
        _ => None,
    });
    of_group.collect()
}

/// Returns the lines of a group: its user-agent lines, rules and records.
fn lines_of<'f>(file: &'f File<'_>, group: &'f GroupOf<'_>) -> impl Iterator<Item = u32> + 'f {
    let below = file.lines_below(group).filter(|line| match line.content {
        Content::Rule { .. } => true,
        Content::Other { field, in_group, .. } => in_group && !field.is_of_site(),
        _ => false,
    });
    group.agents.iter().map(|agent| agent.line).chain(below.map(|line| line.number))
}

fn is_same_without(
    file: &File<'_>,
    before: &Readings<'_>,
    groups: &[usize],
    budget: &mut Budget<'_>,
) -> Result<bool, Halt> {
    let fix = Fix { title: String::new(), edits: edits(file, groups), safety: Safety::Safe, blocks_site: None };
    let tried = fix::apply(file.body, [&fix]).body;
    budget.spend(Readings::steps(file.body.len() + tried.len()))?;
    let after = Readings::new(&tried, file.known.table());
    Ok(first_change(before, &after, budget)?.is_none() && first_changed_record(before, &after, budget)?.is_none())
}

/// Returns the edits that delete groups, each with the blank lines before it, or after it at the start of the file.
fn edits(file: &File<'_>, groups: &[usize]) -> Vec<Edit> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for group in groups.iter().map(|index| &file.groups[*index]) {
        let is_blank = |line: &u32| matches!(file.line(*line).content, Content::Blank);
        let before: Vec<u32> = (1..group.first_line()).rev().take_while(is_blank).collect();
        let last = lines_of(file, group).max().unwrap_or_default();
        let is_first = before.len() as u32 + 1 == group.first_line();
        let after = (last + 1..=file.lines.len() as u32).take_while(|line| is_first && is_blank(line));
        let all = before.iter().copied().chain(lines_of(file, group)).chain(after);
        ranges.extend(all.map(|line| file.whole_line(line)));
    }
    ranges.sort_by_key(|range| range.start);
    ranges.dedup();
    let mut edits: Vec<Edit> = Vec::new();
    for range in ranges {
        match edits.last_mut() {
            Some(last) if last.span.end == range.start => last.span.end = range.end,
            _ => edits.push(Edit::new(range, "")),
        }
    }
    edits
}

impl Needless {
    /// Returns the edits that delete the groups. Returns `None` if a comment or the rest of a line would be lost.
    pub(crate) fn edits(&self, file: &File<'_>) -> Option<Vec<Edit>> {
        let lines = self.groups.iter().flat_map(|index| lines_of(file, &file.groups[*index]));
        let is_whole = |line| file.without_line(line).is_some();
        lines.into_iter().all(is_whole).then(|| edits(file, &self.groups))
    }
}
