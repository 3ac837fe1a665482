//! Describes the differences between two files: the URLs of each changed rule, and its exceptions.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::budget::{Exhausted, Meter};
use crate::change::{Change, ChangeRule, Direction, Side};
use crate::memory::Memory;
use crate::overlay;
use crate::pair::{Found, Pair, change_rule};
use crate::ranked::{RankedRule, Source};

impl<'p, 'a> Pair<'p, 'a> {
    /// Returns a description of the next difference that was found.
    pub(crate) fn next_change(
        &mut self,
        with_exceptions: bool,
        memory: &mut Memory,
        meter: &mut Meter<'_>,
    ) -> Option<Change> {
        let (place, found) = self.next_found(memory)?;
        Some(self.describe(place, found, with_exceptions, meter))
    }

    /// Describes the URLs of one changed rule: those that it matches, except those of rules that keep the answers
    /// unchanged.
    fn describe(
        &self,
        (direction, side, source): (Direction, Side, Source),
        found: Found<'p, 'a>,
        with_exceptions: bool,
        meter: &mut Meter<'_>,
    ) -> Change {
        let mut change = Change {
            direction,
            crawlers: Arc::default(),
            rule: change_rule(side, found.rule),
            narrowed_by: Vec::new(),
            except: Vec::new(),
            exact: false,
            witness: Vec::new(),
        };
        if !with_exceptions {
            change.witness = self.shorten(found.witness, direction, side, source);
            return change;
        }
        let mut keeping = BTreeMap::new();
        if let Ok(exact) = self.keeping(direction, side, source, found.rule.allows, &mut keeping, meter) {
            if keeping.values().any(|rule: &ChangeRule| rule.line.is_none()) {
                // If no rule of the other file matches, both give the same answer, so the differences are within its
                // other rules.
                let mut deciders = found.deciders;
                deciders.sort_unstable_by_key(|decider| decider.source);
                deciders.dedup_by_key(|decider| decider.source);
                change.narrowed_by = deciders.into_iter().map(|decider| change_rule(side.other(), decider)).collect();
            } else {
                change.except = keeping.into_values().collect();
                change.exact = exact;
            }
        }
        change.witness = self.shorten(found.witness, direction, side, source);
        change
    }

    /// Collects the rules that keep the answers for some URLs of a changed rule: higher-ranking rules of its own file
    /// with the opposite answer, and rules of the other file with the same answer. Such a rule is included if the
    /// answers are equal on a critical URL that it shares with the changed rule. Returns true if excluding these rules
    /// describes the difference exactly.
    fn keeping(
        &self,
        direction: Direction,
        of: Side,
        source: Source,
        allows: bool,
        keeping: &mut BTreeMap<(Side, Source), ChangeRule>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Exhausted> {
        let mut exact = true;
        let own = self.lists[of.index()];
        let other = self.lists[of.other().index()];
        for (index, rule) in own.entries_of(source) {
            let stem = rule.pattern.stem();
            let overruling = own.near(stem, !allows).filter(|(_, stronger)| stronger.key > rule.key);
            let agreeing = other.near(stem, allows);
            let candidates = overruling.map(|rule| (of, rule)).chain(agreeing.map(|rule| (of.other(), rule)));
            for (side, (place, candidate)) in candidates {
                meter.spend(1)?;
                // A URL that changes in the other direction is not described by this rule either.
                let keeps = |[was, is]: [bool; 2]| was == is || is != (direction == Direction::Allowed);
                let keeps = self.answers_until([(of, index), (side, place)], meter, keeps)?;
                if keeps && candidate.source != Source::RobotsTxt {
                    // A rule of the other file may be overruled on some of its URLs, whose answers then differ
                    // nevertheless.
                    let overruled =
                        |rule: &RankedRule<'_>| rule.source != Source::RobotsTxt && rule.key > candidate.key;
                    exact = exact
                        && (side == of
                            || !other.near(candidate.pattern.stem(), !allows).any(|(_, rule)| overruled(rule)));
                    exact &= !candidate.is_twin;
                    keeping.insert((side, candidate.source), change_rule(side, candidate));
                }
            }
            exact &= !rule.is_twin;
        }
        Ok(exact)
    }

    /// Removes the fillers of a path, or replaces them by `x`, if the same rule still decides and the answers differ in
    /// the same direction.
    fn shorten(&self, path: Vec<u8>, direction: Direction, side: Side, source: Source) -> Vec<u8> {
        let Some(filler) = self.filler else { return path };
        let is_allowed = direction == Direction::Allowed;
        let differs = |path: &[u8]| {
            let is_under = self.under.as_ref().is_none_or(|readings| readings.iter().any(|it| it.matches(path)));
            if !is_under || self.is_excepted(path) {
                return false;
            }
            let verdicts = self.verdicts(path);
            verdicts.map(|verdict| verdict.is_allowed()) == [!is_allowed, is_allowed]
                && self.decider(side, &verdicts[side.index()]).is_some_and(|decider| decider.source == source)
        };
        overlay::without_filler(&path, filler).into_iter().find(|path| differs(path)).unwrap_or(path)
    }
}
