//! Removes rules and groups that have no effect, as many as possible, and joins equal groups.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use comity::{Crawlers, Dialect, Robots, Size, SourceText};

use crate::budget::{Budget, Exhausted, Meter};
use crate::classes::{self, Choice};
use crate::compare::Comparison;
use crate::difference::Outcome;
use crate::overlay::{self, Overlays};
use crate::ranked::{RankedRule, RuleList};
use crate::regroup::{self, Regrouping};
use crate::selected::FileGroups;

/// The maximum number of rules that are kept in memory, over all dialects and classes of crawlers.
const MAX_KEPT_RULES: usize = 250_000;

/// The result of [`minimize`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Minimized {
    /// The file without the removed lines, and with the user-agent lines of joined groups below one another; its bytes if
    /// nothing was removed.
    pub text: Vec<u8>,
    /// The numbers of the removed lines, from 1, in order.
    pub removed: Vec<u32>,
    /// True if every rule and every group was decided. If not, more of them might be removed.
    pub is_complete: bool,
}

/// Removes rules and groups that have no effect, as many as can be removed together, and joins groups with the same rules
/// and records, for any URL and any crawler, whether or not the crawler is in the table.
///
/// A rule or group is removed only if it has no effect in each of the dialects, and groups are joined only if no answer,
/// delay or signal of any crawler changes. The result is compared with the original as a whole: if it is not proven to be
/// the same, nothing is removed. Comments and other lines are unchanged, and every group keeps at least one rule, which
/// separates its names from those of the next group. Each of these steps gets the whole budget. Without dialects, nothing
/// is removed, nor from a file in UTF-16, which not every crawler decodes.
///
/// ```
/// use comity::{Crawlers, Dialect};
///
/// let body = b"User-agent: *\nDisallow: /a/\nDisallow: /a/b\nAllow: /c\n";
/// let smaller = comity_meaning::minimize(body, &[Dialect::STANDARD], &Crawlers::builtin(), Default::default());
/// assert_eq!(smaller.text, b"User-agent: *\nDisallow: /a/\n");
/// assert_eq!(smaller.removed, [3, 4]);
///
/// let body = b"User-agent: *\nDisallow: /api/\n\nUser-agent: GPTBot\nDisallow: /api/\n";
/// let smaller = comity_meaning::minimize(body, &[Dialect::STANDARD], &Crawlers::builtin(), Default::default());
/// assert_eq!(smaller.text, b"User-agent: *\nDisallow: /api/\n");
/// ```
pub fn minimize(body: &[u8], dialects: &[Dialect], crawlers: &Crawlers, budget: Budget) -> Minimized {
    let parse = |body: &[u8]| dialects.iter().map(|dialect| Robots::parse_with(body, dialect)).collect::<Vec<_>>();
    let unchanged = |is_complete| Minimized { text: body.to_vec(), removed: Vec::new(), is_complete };
    let files = parse(body);
    let is_decoded = |dialect: &Dialect| SourceText::new(body, dialect).is_decoded();
    if files.iter().any(has_dropped_rules) || dialects.iter().any(is_decoded) {
        return unchanged(false);
    }
    let (removed, is_complete) = match removable(&files, crawlers, &mut Meter::new(budget)) {
        Ok(removed) => (removed, true),
        Err((removed, Exhausted)) => (removed, false),
    };
    let mut lines = regroup::lines_of(body);
    lines.retain(|(number, _)| !removed.contains(number));
    let is_same = |(old, new): (&Robots, &Robots)| {
        Comparison::new(old, new).crawlers(crawlers).budget(budget).run().outcome() == Outcome::Same
    };
    if !removed.is_empty() && !files.iter().zip(&parse(&regroup::text(&lines))).all(is_same) {
        return unchanged(false);
    }
    let is_regrouped = dialects.is_empty() || Regrouping { dialects, crawlers, budget }.run(&mut lines);
    let left: BTreeSet<u32> = lines.iter().map(|(number, _)| *number).collect();
    let removed = (1..).zip(regroup::lines_of(body)).map(|(number, _)| number).filter(|number| !left.contains(number));
    Minimized { text: regroup::text(&lines), removed: removed.collect(), is_complete: is_complete && is_regrouped }
}

/// Returns true if the dialect may have dropped rules. They would apply if others were removed.
fn has_dropped_rules(file: &Robots) -> bool {
    let rules: usize = file.groups().map(|group| group.rules().len()).sum();
    file.size() != Size::Whole || file.dialect().max_rules.is_some_and(|most| rules >= most as usize)
}

/// Returns the lines that can be removed together. If the budget is used up, the error contains the lines found so far.
fn removable(
    files: &[Robots],
    crawlers: &Crawlers,
    meter: &mut Meter<'_>,
) -> Result<BTreeSet<u32>, (BTreeSet<u32>, Exhausted)> {
    let mut removed = BTreeSet::new();
    let classes = match collect(files, crawlers, meter) {
        Ok(classes) => classes,
        Err(exhausted) => return Err((removed, exhausted)),
    };
    let mut groups = RemainingRules::new(files);
    // A rule may be needed because of another one, until that one is removed.
    loop {
        let before = removed.len();
        for line in groups.longest_first.clone() {
            if removed.contains(&line) || groups.is_last(line) {
                continue;
            }
            match acts_in_any(&classes, line, &removed, meter) {
                Ok(true) => {}
                Ok(false) => {
                    groups.remove(line);
                    removed.insert(line);
                }
                Err(exhausted) => return Err((removed, exhausted)),
            }
        }
        if removed.len() == before {
            return Ok(removed);
        }
    }
}

fn acts_in_any(
    classes: &[ClassRules<'_>],
    line: u32,
    removed: &BTreeSet<u32>,
    meter: &mut Meter<'_>,
) -> Result<bool, Exhausted> {
    for class in classes {
        if class.acts(line, removed, meter)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The rules that remain in each group of each file.
struct RemainingRules {
    longest_first: Vec<u32>,
    /// The groups that contain each line, by file and index.
    groups_of: BTreeMap<u32, Vec<(usize, usize)>>,
    counts: BTreeMap<(usize, usize), usize>,
}

impl RemainingRules {
    fn new(files: &[Robots]) -> Self {
        let mut lengths: BTreeMap<u32, usize> = BTreeMap::new();
        let mut groups_of: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
        let mut counts = BTreeMap::new();
        for (file, robots) in files.iter().enumerate() {
            for group in robots.groups() {
                counts.insert((file, group.index()), group.rules().len());
                for rule in group.rules() {
                    groups_of.entry(rule.line()).or_default().push((file, group.index()));
                    lengths.insert(rule.line(), rule.value().len());
                }
            }
        }
        // A line that is a rule in some of the dialects only, such as `DisallowAITraining` in Google's, has another meaning
        // in the others, which no comparison of verdicts shows.
        let is_rule_everywhere = |line: &u32| {
            let files_with_line: BTreeSet<usize> = groups_of[line].iter().map(|(file, _)| *file).collect();
            files_with_line.len() == files.len()
        };
        let mut longest_first: Vec<u32> = lengths.keys().copied().filter(is_rule_everywhere).collect();
        // Of two equal rules, the first one is kept.
        longest_first.sort_by_key(|line| (core::cmp::Reverse(lengths[line]), core::cmp::Reverse(*line)));
        Self { longest_first, groups_of, counts }
    }

    /// Returns true if removing the line would leave a group without a rule.
    fn is_last(&self, line: u32) -> bool {
        self.groups_of.get(&line).into_iter().flatten().any(|group| self.counts.get(group) == Some(&1))
    }

    fn remove(&mut self, line: u32) {
        for group in self.groups_of.get(&line).into_iter().flatten() {
            self.counts.entry(*group).and_modify(|count| *count -= 1);
        }
    }
}

/// The rules of one class of crawlers, in one dialect.
struct ClassRules<'a> {
    list: RuleList<'a>,
    /// The indices of the rules of each line.
    by_line: BTreeMap<u32, Vec<usize>>,
    filler: Option<u8>,
}

/// Returns the rules of every class of crawlers in every file.
fn collect<'a>(
    files: &'a [Robots],
    crawlers: &Crawlers,
    meter: &mut Meter<'_>,
) -> Result<Vec<ClassRules<'a>>, Exhausted> {
    let mut all = Vec::new();
    let mut kept = 0;
    for file in files {
        let groups = FileGroups::new(file);
        for class in classes::classes([file], Choice::All(crawlers), |_| true, meter)? {
            let list = groups.rules(&class.groups[0], meter)?;
            kept += list.rules.len();
            if kept > MAX_KEPT_RULES {
                return Err(Exhausted);
            }
            let mut by_line: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            for (index, rule) in list.rules.iter().enumerate() {
                if let Some(line) = rule.source.line() {
                    by_line.entry(line).or_default().push(index);
                }
            }
            let filler = overlay::filler(list.rules.iter().map(|rule| rule.text));
            all.push(ClassRules { list, by_line, filler });
        }
    }
    Ok(all)
}

impl<'a> ClassRules<'a> {
    /// Returns true if the line decides a URL that would get another answer without it, given that other lines are
    /// already removed.
    fn acts(&self, line: u32, removed: &BTreeSet<u32>, meter: &mut Meter<'_>) -> Result<bool, Exhausted> {
        let Some(indices) = self.by_line.get(&line) else { return Ok(false) };
        let filler = self.filler.ok_or(Exhausted)?;
        let remains = |rule: &RankedRule<'a>| rule.source.line().is_none_or(|line| !removed.contains(&line));
        for rule in indices.iter().map(|index| &self.list.rules[*index]) {
            for (_, opponent) in self.list.near(rule.pattern.stem(), !rule.allows) {
                meter.spend(1)?;
                if opponent.key > rule.key || !remains(opponent) {
                    continue;
                }
                let mut overlays = Overlays::new([&rule.pattern, &opponent.pattern], filler);
                while let Some(path) = overlays.next(meter)? {
                    meter.spend(2 * self.list.question_steps())?;
                    let decider = self.list.decide(path, remains).map(|decider| decider.source);
                    let next = self.list.decide(path, |other| remains(other) && other.source != rule.source);
                    if decider == Some(rule.source) && next.is_none_or(|next| next.allows != rule.allows) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}
