//! The comparison of two files, by checking both with paths that are made from the rules that differ.

use comity::{Crawlers, Rule, RuleKind};

use crate::budget::{Budget, Halt, unless_stopped};
use crate::paths::{self, Paths};
use crate::readings::{self, Difference, Readings};
use crate::shadows::is_literal;
use crate::stop::Stopped;

/// Verdicts that differ between two files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct VerdictChanges {
    /// At most one example for each crawler, dialect and direction.
    pub examples: Vec<VerdictChange>,
    /// The number of checks with another answer.
    pub count: usize,
    /// The number of checks.
    pub asked: usize,
    /// True if the bound was reached before all checks were made.
    pub cut: bool,
}

/// A verdict that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct VerdictChange {
    /// The product token; `*` for crawlers that no group names.
    pub agent: String,
    /// The dialect.
    pub dialect: &'static str,
    /// The path.
    pub path: String,
    /// True if the path is newly allowed, false if it is newly disallowed.
    pub allowed: bool,
}

impl VerdictChanges {
    /// Returns true if no verdict differs and all checks were made.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.count == 0 && !self.cut
    }
}

/// The maximum number of steps of a comparison that is not part of fixing a file.
pub(crate) const MAX_STEPS: usize = 2_000_000;

/// Checks both files with the paths for which the verdict of a crawler may differ.
///
/// If the verdict for a path differs, then one of the files has a deciding rule that the other file does not have. In
/// the other file, a rule of the other kind with a lower rank decides, or none. So it is enough to check the rules that
/// only one of the files has: at the edges of the set that they match, and where they overlap a rule of the other kind
/// with a lower rank.
pub(crate) fn changes(
    before: &Readings<'_>,
    after: &Readings<'_>,
    budget: &mut Budget<'_>,
) -> Result<VerdictChanges, Stopped> {
    let mut changes = VerdictChanges::default();
    let asked =
        readings::compare(before, after, budget, &mut |difference, budget| ask(&mut changes, difference, budget));
    changes.cut = !unless_stopped(asked.map(|()| true), false)?;
    Ok(changes)
}

/// Compares two bodies. The steps to parse them are taken from the budget.
pub(crate) fn changes_between(
    before: &[u8],
    after: &[u8],
    table: &Crawlers,
    budget: &mut Budget<'_>,
) -> Result<VerdictChanges, Stopped> {
    if before == after {
        return Ok(VerdictChanges::default());
    }
    match budget.spend(Readings::steps(before.len() + after.len())) {
        Ok(()) => changes(&Readings::new(before, table), &Readings::new(after, table), budget),
        Err(Halt::Exhausted) => Ok(VerdictChanges { cut: true, ..VerdictChanges::default() }),
        Err(Halt::Stopped) => Err(Stopped),
    }
}

/// Compares the verdicts for one crawler.
fn ask(changes: &mut VerdictChanges, difference: &Difference<'_>, budget: &mut Budget<'_>) -> Result<(), Halt> {
    let Difference { who, files, rules } = difference;
    let [old, new] = files.map(|file| file.rules_for(&who.crawler()));
    let mut shown = [false; 2];
    let weight = 6 + rules.iter().flatten().filter(|rule| !is_literal(rule.pattern())).count() / 32;
    let mut put = |path: &[u8], budget: &mut Budget<'_>| {
        budget.spend(weight + path.len() / 64)?;
        changes.asked += 1;
        let (was, is) = (old.check_bytes(path).is_allowed(), new.check_bytes(path).is_allowed());
        if was != is {
            changes.count += 1;
            if !std::mem::replace(&mut shown[usize::from(is)], true) {
                changes.examples.push(VerdictChange {
                    agent: who.name(*files),
                    dialect: files[0].dialect().name,
                    path: String::from_utf8_lossy(path).into_owned(),
                    allowed: is,
                });
            }
        }
        Ok(())
    };
    let mut paths = Paths::default();
    for path in [&b"/"[..], b"/a", b"/a/b.html?c=d", b"/robots.txt"] {
        put(path, budget)?;
    }
    let all = sorted(rules.iter().flatten());
    let with_star: Vec<Rule<'_>> = all.iter().filter(|rule| rule.pattern().contains(&b'*')).copied().collect();
    for rule in &changed(rules) {
        paths.edges(rule.pattern());
        if rule.value() != rule.pattern() {
            paths.edges(rule.value());
        }
        paths.take(|path| put(path, budget))?;
        crossings(rule, [&all, &with_star], &mut paths, budget, &mut put)?;
    }
    Ok(())
}

/// Returns rules sorted by pattern and kind, without duplicates.
fn sorted<'r>(rules: impl Iterator<Item = &'r Rule<'r>>) -> Vec<Rule<'r>> {
    let mut rules: Vec<Rule<'r>> = rules.copied().collect();
    rules.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    rules.dedup_by(|a, b| key(a) == key(b));
    rules
}

fn key<'r>(rule: &Rule<'r>) -> (&'r [u8], RuleKind) {
    (rule.pattern(), rule.kind())
}

/// Returns the rules that only one of two lists contains.
pub(crate) fn changed<'r>(rules: &'r [Vec<Rule<'r>>; 2]) -> Vec<Rule<'r>> {
    let [old, new] = rules.each_ref().map(|rules| sorted(rules.iter()));
    let missing_in =
        |other: &[Rule<'r>], rule: &Rule<'r>| other.binary_search_by(|it| key(it).cmp(&key(rule))).is_err();
    let gone = old.iter().filter(|rule| missing_in(&new, rule));
    let added = new.iter().filter(|rule| missing_in(&old, rule));
    added.chain(gone).copied().collect()
}

/// Checks paths that match both a changed rule and a rule of the other kind with a lower rank.
fn crossings(
    changed: &Rule<'_>,
    [all, with_star]: [&[Rule<'_>]; 2],
    paths: &mut Paths,
    budget: &mut Budget<'_>,
    ask: &mut impl FnMut(&[u8], &mut Budget<'_>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    let outranks = |other: &Rule<'_>| {
        other.kind() != changed.kind()
            && (changed.priority(), changed.kind() == RuleKind::Allow)
                > (other.priority(), other.kind() == RuleKind::Allow)
    };
    let pattern = changed.pattern();
    let stem = paths::stem(pattern);
    // Examining a rule takes a fraction of a step.
    let mut look_at = |rules: &[Rule<'_>], budget: &mut Budget<'_>, cross: &dyn Fn(&Rule<'_>, &mut Paths)| {
        for some in rules.chunks(8) {
            budget.spend(1)?;
            some.iter().filter(|rule| outranks(rule)).for_each(|rule| cross(rule, paths));
            paths.take(|path| ask(path, budget))?;
        }
        Ok::<(), Halt>(())
    };
    // The rules that start with the part of the changed rule before its first star.
    if let Some(stem) = stem {
        look_at(starting_with(all, stem), budget, &|other, paths| paths.crossing(pattern, other.pattern()))?;
    }
    if with_star.is_empty() {
        return Ok(());
    }
    // The rules with a first star at which the part before it is the start of the changed rule.
    let literal = stem.unwrap_or(pattern);
    for len in 0..=literal.len() {
        budget.spend(1)?;
        let start = [&literal[..len], b"*"].concat();
        look_at(starting_with(with_star, &start), budget, &|other, paths| paths.crossing(other.pattern(), pattern))?;
    }
    Ok(())
}

/// Returns the part of sorted rules whose patterns start with `start`.
fn starting_with<'s, 'r>(sorted: &'s [Rule<'r>], start: &[u8]) -> &'s [Rule<'r>] {
    let from = sorted.partition_point(|rule| rule.pattern() < start);
    let len = sorted[from..].partition_point(|rule| rule.pattern().starts_with(start));
    &sorted[from..from + len]
}

/// Returns the rule on this line.
pub(crate) fn rule_of_line<'r>(rules: &[Rule<'r>], line: Option<u32>) -> Option<Rule<'r>> {
    rules.iter().find(|rule| Some(rule.line()) == line).copied()
}
