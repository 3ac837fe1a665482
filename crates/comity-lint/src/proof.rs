//! Comparisons of a file before and after fixes, for all URLs and all crawlers.

use std::ops::ControlFlow;

use comity::{Crawlers, Rule, RuleKind};
use comity_meaning::{Comparison, Direction};

use crate::blocking::names_something;
use crate::budget::{Budget, Halt, unless_stopped};
use crate::readings::{self, Difference, Readings};
use crate::stop::Stopped;

/// The differences between two files.
///
/// The files are compared for all URLs and all crawlers, in each of the [`CHECKED_DIALECTS`](crate::CHECKED_DIALECTS).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct VerdictChanges {
    /// At most one example for each crawler, dialect and direction, of URLs that crawlers send. Crawlers with the same
    /// rules have one example.
    pub examples: Vec<VerdictChange>,
    /// The number of differences: the rules that newly decide for some URLs of a crawler in a dialect.
    pub count: usize,
    /// The number of critical URLs that were checked. Their verdicts determine those of all other URLs.
    pub asked: usize,
    /// True if the bound was reached before everything was compared. If so, there may be other differences.
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
    /// The path, in normal form.
    pub path: String,
    /// True if the path is newly allowed, false if it is newly disallowed.
    pub allowed: bool,
}

impl VerdictChanges {
    /// Returns true if no verdict differs, for any URL and any crawler.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.count == 0 && !self.cut
    }
}

/// The maximum number of steps of a comparison that is not part of fixing a file.
pub(crate) const MAX_STEPS: usize = 2_000_000;

/// Returns all differences between two bodies. The steps to parse them are taken from the budget.
pub(crate) fn changes_between(
    before: &[u8],
    after: &[u8],
    table: &Crawlers,
    budget: &mut Budget<'_>,
) -> Result<VerdictChanges, Stopped> {
    let mut changes = VerdictChanges::default();
    if before == after {
        return Ok(changes);
    }
    let compared = budget.spend(Readings::steps(before.len() + after.len())).and_then(|()| {
        let [before, after] = [before, after].map(|body| Readings::new(body, table));
        readings::compare(&before, &after, budget, &mut |difference, budget| {
            let keep_going = budget.keep_going();
            let found = proof(difference, budget.left(), &keep_going).run();
            changes.count += found.changes.len();
            changes.asked += found.critical_urls;
            for direction in [Direction::Blocked, Direction::Allowed] {
                let is_example =
                    |change: &&comity_meaning::Change| change.direction == direction && is_sent(&change.witness);
                changes
                    .examples
                    .extend(found.changes.iter().find(is_example).map(|change| example(difference, change)));
            }
            budget.spend_compared(&found)?;
            Ok(ControlFlow::Continue(()))
        })
    });
    changes.cut = !unless_stopped(compared.map(|()| true), false)?;
    Ok(changes)
}

/// Returns a verdict that differs. `None` proves that none differs, for any URL and any crawler in any checked dialect.
pub(crate) fn first_change(
    before: &Readings<'_>,
    after: &Readings<'_>,
    budget: &mut Budget<'_>,
) -> Result<Option<VerdictChange>, Halt> {
    first(before, after, budget, |difference, proof| {
        let found = proof.until_first().run();
        let change = found.changes.first().map(|change| example(difference, change));
        Some((found, change))
    })
}

/// Returns a path that no rule names and that is newly blocked. `None` proves that there is no such path, for any
/// crawler in any checked dialect.
pub(crate) fn first_closed(
    before: &Readings<'_>,
    after: &Readings<'_>,
    budget: &mut Budget<'_>,
) -> Result<Option<VerdictChange>, Halt> {
    first(before, after, budget, |difference, proof| {
        // Without a rule that names nothing, no path is blocked that no rule names.
        let names_nothing = |rule: &Rule<'_>| {
            rule.kind() == RuleKind::Disallow && rule.priority() > 0 && !names_something(rule.pattern())
        };
        if !difference.rules[1].iter().any(names_nothing) {
            return None;
        }
        let found = proof.except_rules(names_something).run();
        let blocked = found.changes.iter().find(|change| change.direction == Direction::Blocked);
        let change = blocked.map(|change| example(difference, change));
        Some((found, change))
    })
}

/// Returns the first change that `look` finds in the comparisons of two files.
fn first(
    before: &Readings<'_>,
    after: &Readings<'_>,
    budget: &mut Budget<'_>,
    look: impl Fn(&Difference<'_>, Comparison<'_>) -> Option<(comity_meaning::Difference, Option<VerdictChange>)>,
) -> Result<Option<VerdictChange>, Halt> {
    let mut first = None;
    readings::compare(before, after, budget, &mut |difference, budget| {
        let keep_going = budget.keep_going();
        let Some((found, change)) = look(difference, proof(difference, budget.left(), &keep_going)) else {
            return Ok(ControlFlow::Continue(()));
        };
        if change.is_some() {
            first = change;
            return Ok(ControlFlow::Break(()));
        }
        budget.spend_compared(&found)?;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(first)
}

/// Returns the comparison of the rules that one crawler has before and after.
fn proof<'c>(difference: &'c Difference<'_>, steps: usize, keep_going: &'c dyn Fn() -> bool) -> Comparison<'c> {
    let [old, new] = difference.files;
    let comparison = Comparison::new(old, new).only(&difference.crawler).verdicts_only().without_exceptions();
    comparison.budget(comity_meaning::Budget::of_steps(steps as u64)).keep_going(keep_going)
}

/// Returns true if a URL may contain this path as it is. Crawlers escape the other bytes.
fn is_sent(path: &[u8]) -> bool {
    path.iter().all(|octet| octet.is_ascii_graphic() && !matches!(octet, b'"' | b'<' | b'>' | b'#'))
}

fn example(difference: &Difference<'_>, change: &comity_meaning::Change) -> VerdictChange {
    VerdictChange {
        agent: difference.who.name(difference.files),
        dialect: difference.files[0].dialect().name,
        path: String::from_utf8_lossy(&change.witness).into_owned(),
        allowed: change.direction == Direction::Allowed,
    }
}
