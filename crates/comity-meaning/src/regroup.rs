//! Removes groups without which nothing changes, and joins groups that say the same.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use comity::{Content, Crawlers, Dialect, Field, Robots, RuleKind, SourceText};

use crate::budget::{Budget, Exhausted, Meter};
use crate::classes::{self, Choice};
use crate::compare::Comparison;
use crate::difference::Outcome;

/// A line of the original file: its number, from 1, and its bytes with its line end.
pub(crate) type NumberedLine<'b> = (u32, &'b [u8]);

/// The fields of records that apply to the crawlers of a group, besides the signals, which a comparison includes.
const OF_GROUPS: [Field; 3] = [Field::CrawlDelay, Field::RequestRate, Field::VisitTime];

/// The meaning of a group: its rules that are not empty, and its records by field name in lower case.
type Said = (BTreeSet<(RuleKind, Vec<u8>)>, BTreeSet<(Vec<u8>, Vec<u8>)>);

/// The places of a group in the list of lines.
struct Place {
    agents: Vec<usize>,
    /// All other lines of the group: its rules and records.
    others: Vec<usize>,
    is_for_any: bool,
    said: Said,
}

/// A removal of a group, or its union with another one, by index.
#[derive(Clone, Copy)]
enum Step {
    Remove(usize),
    Join { group: usize, with: usize },
}

/// A file, and the dialects and crawlers for which its meaning must stay the same.
pub(crate) struct Regrouping<'a> {
    pub(crate) dialects: &'a [Dialect],
    pub(crate) crawlers: &'a Crawlers,
    pub(crate) budget: Budget,
}

impl Regrouping<'_> {
    /// Removes and joins groups, as many as is proven to change no answer, signal or delay of any crawler. Returns true if
    /// all proofs were complete.
    pub(crate) fn run(&self, lines: &mut Vec<NumberedLine<'_>>) -> bool {
        let mut left = self.budget.steps();
        let is_removed = self.apply_proven(lines, &mut left, |groups| {
            let of_any =
                groups.iter().find(|group| group.is_for_any).map(|group| group.said.clone()).unwrap_or_default();
            let same = groups.iter().enumerate().filter(|(_, group)| !group.is_for_any && group.said == of_any);
            same.map(|(index, _)| Step::Remove(index)).collect()
        });
        let is_joined = self.apply_proven(lines, &mut left, |groups| {
            let mut first: BTreeMap<&Said, usize> = BTreeMap::new();
            let joined = groups.iter().enumerate().filter_map(|(group, place)| {
                let with = *first.entry(&place.said).or_insert(group);
                (with != group).then_some(Step::Join { group, with })
            });
            joined.collect()
        });
        is_removed && is_joined
    }

    /// Applies steps: all of them or, if they change the meaning together, those that are found by halving. Returns true
    /// if the budget sufficed.
    fn apply_proven(
        &self,
        lines: &mut Vec<NumberedLine<'_>>,
        left: &mut u64,
        steps: impl Fn(&[Place]) -> Vec<Step>,
    ) -> bool {
        let body = text(lines);
        let groups = places(&body, &self.dialects[0]);
        let old: Vec<Robots> = self.dialects.iter().map(|dialect| Robots::parse_with(&body, dialect)).collect();
        let mut kept: Vec<Step> = Vec::new();
        let (mut waiting, mut complete) = (alloc::vec![steps(&groups)], true);
        while let Some(part) = waiting.pop() {
            if part.is_empty() {
                continue;
            }
            let tried = [&kept[..], &part].concat();
            match self.is_same(&old, &text(&applied(lines, &groups, &tried)), left) {
                Ok(true) => kept = tried,
                Ok(false) if part.len() > 1 => {
                    let (first, second) = part.split_at(part.len() / 2);
                    waiting.extend([second.to_vec(), first.to_vec()]);
                }
                Ok(false) => {}
                Err(Exhausted) => complete = false,
            }
        }
        *lines = applied(lines, &groups, &kept);
        complete
    }

    fn is_same(&self, old: &[Robots], body: &[u8], left: &mut u64) -> Result<bool, Exhausted> {
        for old in old {
            *left = left.checked_sub(body.len() as u64 / 4).ok_or(Exhausted)?;
            let new = Robots::parse_with(body, old.dialect());
            let comparison = Comparison::new(old, &new).crawlers(self.crawlers).until_first().without_exceptions();
            let difference = comparison.budget(Budget::of_steps(*left)).run();
            *left = left.saturating_sub(difference.steps);
            match difference.outcome() {
                Outcome::Differs => return Ok(false),
                Outcome::Undecided => return Err(Exhausted),
                Outcome::Same | Outcome::NoCrawler => {}
            }
            if !self.has_same_records([old, &new], left)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if every crawler has the same delays, rates and times in both files.
    fn has_same_records(&self, files: [&Robots; 2], left: &mut u64) -> Result<bool, Exhausted> {
        let records = files.map(|file| {
            let of_groups = file.records().filter(|record| OF_GROUPS.contains(&record.field()));
            of_groups.map(|record| (record.group(), record.field(), record.value())).collect::<Vec<_>>()
        });
        if records.iter().all(Vec::is_empty) {
            return Ok(true);
        }
        let mut meter = Meter::new(Budget::of_steps(*left));
        let classes = classes::classes(files, Choice::All(self.crawlers), |_| true, &mut meter)?;
        for class in &classes {
            meter.spend(1 + records[0].len() + records[1].len())?;
            let [old, new] = [0, 1].map(|file: usize| {
                let applies = |group: Option<usize>| group.is_some_and(|group| class.groups[file].contains(&group));
                let of_class = records[file].iter().filter(|(group, ..)| applies(*group));
                of_class.map(|(_, field, value)| (field.name(), *value)).collect::<BTreeSet<_>>()
            });
            if old != new {
                return Ok(false);
            }
        }
        *left = left.saturating_sub(meter.spent());
        Ok(true)
    }
}

/// Returns the groups of a file, as the lines of the text show them.
fn places(body: &[u8], dialect: &Dialect) -> Vec<Place> {
    let mut groups: Vec<Place> = Vec::new();
    let file = Robots::parse_with(body, dialect);
    for group in file.groups() {
        let agents = group.agents().map(|agent| agent.line() as usize - 1).collect();
        let rules = group.rules().filter(|rule| !rule.pattern().is_empty());
        let mut rules: BTreeSet<_> = rules.map(|rule| (rule.kind(), rule.pattern().to_vec())).collect();
        // Without a rule that disallows, all others repeat the default.
        if rules.iter().all(|(kind, _)| *kind == RuleKind::Allow) {
            rules.clear();
        }
        groups.push(Place {
            agents,
            others: Vec::new(),
            is_for_any: group.is_for_any(),
            said: (rules, BTreeSet::new()),
        });
    }
    for line in SourceText::new(body, dialect).lines() {
        let (index, group) =
            (line.number as usize - 1, groups.partition_point(|group| group.agents[0] < line.number as usize));
        let Some(group) = group.checked_sub(1).and_then(|group| groups.get_mut(group)) else { continue };
        match line.content {
            Content::Rule { .. } => group.others.push(index),
            Content::Other { field, name, value, in_group: true, .. } if !field.is_of_site() => {
                group.others.push(index);
                group.said.1.insert((name.to_ascii_lowercase(), value.to_vec()));
            }
            _ => {}
        }
    }
    groups
}

/// Returns the lines after some steps.
fn applied<'b>(lines: &[NumberedLine<'b>], groups: &[Place], steps: &[Step]) -> Vec<NumberedLine<'b>> {
    let mut is_left: Vec<bool> = alloc::vec![true; lines.len()];
    let mut moved: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for step in steps {
        let (Step::Remove(index) | Step::Join { group: index, .. }) = *step;
        let group = &groups[index];
        let is_blank = |line: &usize| lines[*line].1.iter().all(u8::is_ascii_whitespace);
        let blank = (0..group.agents[0]).rev().take_while(is_blank);
        blank.chain(group.agents.iter().chain(&group.others).copied()).for_each(|line| is_left[line] = false);
        if let Step::Join { with, .. } = step {
            let below = groups[*with].agents.last().copied().unwrap_or_default();
            moved.entry(below).or_default().extend(&group.agents);
        }
    }
    let mut result = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        result.extend(is_left[index].then_some(*line));
        result.extend(moved.get(&index).into_iter().flatten().map(|line| lines[*line]));
    }
    // What is left at the start of the file separates nothing.
    let blank = result.iter().take_while(|(_, text)| text.iter().all(u8::is_ascii_whitespace)).count();
    if steps.iter().any(|step| matches!(step, Step::Remove(0))) {
        result.drain(..blank);
    }
    result
}

/// Splits a file into its lines. CR, LF and CRLF end a line.
pub(crate) fn lines_of(body: &[u8]) -> Vec<NumberedLine<'_>> {
    let (mut lines, mut start) = (Vec::new(), 0);
    for (index, octet) in body.iter().enumerate() {
        if *octet == b'\n' || (*octet == b'\r' && body.get(index + 1) != Some(&b'\n')) {
            lines.push((lines.len() as u32 + 1, &body[start..=index]));
            start = index + 1;
        }
    }
    if start < body.len() {
        lines.push((lines.len() as u32 + 1, &body[start..]));
    }
    lines
}

/// Returns the text of lines. A line that was the last of the file gets a line end if others follow.
pub(crate) fn text(lines: &[NumberedLine<'_>]) -> Vec<u8> {
    let mut text = Vec::new();
    for (index, (_, line)) in lines.iter().enumerate() {
        text.extend_from_slice(line);
        if index + 1 < lines.len() && !line.ends_with(b"\n") && !line.ends_with(b"\r") {
            text.push(b'\n');
        }
    }
    text
}
