//! Rules that are useless because of another rule of their group.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use comity::{Content, Dialect, Line, Rule, RuleKind};

use crate::group::GroupOf;

/// A rule that could be deleted, and the rule that makes it useless.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow {
    pub(crate) line: u32,
    pub(crate) by: u32,
    pub(crate) kind: ShadowKind,
    /// True if the rule is useless in every dialect in which fixes are checked.
    pub(crate) certain: bool,
    /// True if a blank line separates the other rule from its group, but not this one, so that Yandex reads only this one.
    pub(crate) parted: bool,
    /// True if both patterns have the same length.
    pub(crate) is_tie: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShadowKind {
    /// The other rule has the same kind and the same pattern.
    Duplicate,
    /// The other rule has the same pattern and is an `Allow`, which overrides this `Disallow`.
    Contradicted,
    /// The other rule has the same kind and a wider pattern, and no verdict changes without this rule.
    Redundant,
    /// The other rule has the other kind, and a wider pattern with a higher rank.
    Unreachable,
}

impl Shadow {
    fn new(rule: &Rule<'_>, by: &Rule<'_>, kind: ShadowKind, yandex: &Yandex) -> Self {
        let certain =
            (rule.value() == by.value() || is_plain(rule) && is_plain(by)) && yandex.can_lose(rule.line(), by.line());
        let parted = yandex.is_detached(by.line()) && !yandex.is_detached(rule.line());
        Self { line: rule.line(), by: by.line(), kind, certain, parted, is_tie: rule.priority() == by.priority() }
    }
}

/// Returns true if Google's parser interprets a rule as RFC 9309 does. It does not decode escapes, and an `Allow` of an
/// index page also allows its directory.
fn is_plain(rule: &Rule<'_>) -> bool {
    rule.value() == rule.pattern()
        && (rule.kind() == RuleKind::Disallow || !rule.value().windows(10).any(|part| part == b"/index.htm"))
}

/// The rules that Yandex ignores, by their lines.
pub(crate) struct Yandex {
    /// The rules that a blank line separates from their group.
    detached: Vec<u32>,
    /// The last rule that Yandex reads, if there are more. After an earlier rule is deleted, Yandex reads the next one
    /// as well.
    last: Option<u32>,
}

impl Yandex {
    pub(crate) fn new(lines: &[Line<'_>]) -> Self {
        let mut is_parted = false;
        let parted = lines.iter().filter(|line| {
            match line.content {
                Content::Blank => is_parted = true,
                Content::UserAgent { .. } => is_parted = false,
                _ => {}
            }
            is_parted && matches!(line.content, Content::Rule { .. })
        });
        let detached = parted.map(|line| line.number).collect();
        let most = Dialect::YANDEX.max_rules.map_or(usize::MAX, |most| most as usize);
        let mut rules = lines.iter().filter(|line| matches!(line.content, Content::Rule { .. })).skip(most - 1);
        let last = rules.next().map(|line| line.number).filter(|_| rules.next().is_some());
        Self { detached, last }
    }

    /// Returns true if no verdict of Yandex can change when `rule` is deleted, which the rule `by` covers.
    fn can_lose(&self, rule: u32, by: u32) -> bool {
        self.last.is_none_or(|last| rule > last) && (self.is_detached(rule) || !self.is_detached(by))
    }

    fn is_detached(&self, line: u32) -> bool {
        self.detached.binary_search(&line).is_ok()
    }
}

/// The maximum number of pairs of patterns that are compared in a file. Only patterns with operators are compared, with
/// the patterns of their group that start alike.
pub(crate) const MAX_PAIRS: usize = 500_000;
/// The maximum number of rules in a file that are looked at as opponents, before a proof is asked instead.
const MAX_OPPONENTS: usize = 100_000;

/// Returns the shadows in the groups of a file, and true if all pairs were compared. `is_dead` returns true for the lines
/// of rules that have no effect; it is called only if nothing simpler shows that.
///
/// A pair of rules is sufficient proof, because both apply to the same crawlers and the longest match decides:
///
/// - *Duplicate*: both match the same URLs, with the same rank and the same answer.
/// - *Contradicted* and *unreachable*: the other rule matches every URL that this one matches, with a higher rank. So this
///   one never decides.
/// - *Redundant*: the other rule matches every URL that this one matches, with the same answer. If it has the higher rank,
///   this one never decides. If not, and no rule of the other kind ranks between them, a rule with the same answer decides
///   without this one. If one does that may match its URLs, or if another group may contain one, `is_dead` is asked.
pub(crate) fn find(groups: &[GroupOf<'_>], yandex: &Yandex, is_dead: &dyn Fn(u32) -> bool) -> (Vec<Shadow>, bool) {
    let mut shadows = Vec::new();
    let mut pairs = 0;
    let opponents = Cell::new(MAX_OPPONENTS);
    for group in groups {
        of_group(group, yandex, is_dead, &opponents, &mut shadows, &mut pairs);
    }
    // A rule that never decides is not also reported as redundant.
    let never: HashSet<u32> =
        shadows.iter().filter(|shadow| shadow.kind == ShadowKind::Unreachable).map(|shadow| shadow.line).collect();
    shadows.retain(|shadow| shadow.kind != ShadowKind::Redundant || !never.contains(&shadow.line));
    (shadows, pairs <= MAX_PAIRS)
}

/// Finds the shadows in a group.
fn of_group(
    group: &GroupOf<'_>,
    yandex: &Yandex,
    is_dead: &dyn Fn(u32) -> bool,
    opponents: &Cell<usize>,
    shadows: &mut Vec<Shadow>,
    pairs: &mut usize,
) {
    let mut rules: Vec<Rule<'_>> = group.rules.iter().filter(|rule| rule.priority() > 0).copied().collect();
    if rules.len() < 2 {
        return;
    }
    rules.sort_by(|a, b| a.pattern().cmp(b.pattern()).then(b.kind().cmp(&a.kind())).then(a.line().cmp(&b.line())));
    let opposing = Priorities::new(&rules);
    // If the group is merged with another one, that one may contain opposing rules. The proof includes them, and opposing
    // rules that no URL of the rule matches.
    let has_no_effect = |rule: &Rule<'_>, wider: u16| {
        if !group.alone {
            return is_dead(rule.line());
        }
        let Some(ranks) = opposing.between(rule.kind(), wider, rule.priority()) else { return true };
        let opposes = |other: &&Rule<'_>| other.kind() != rule.kind() && ranks.contains(&other.priority());
        let left = opponents.get().checked_sub(rules.len());
        opponents.set(left.unwrap_or_default());
        // The proof takes a hundred times as long as most files need for everything else.
        left.is_some() && !rules.iter().filter(opposes).any(|other| may_meet(other, rule)) || is_dead(rule.line())
    };
    let distinct = find_by_prefix(&rules, yandex, &has_no_effect, shadows);
    find_by_pattern(&distinct, yandex, &has_no_effect, shadows, pairs);
}

/// Finds the rules with the same pattern as another one, and those that start with a pattern without operators. Returns
/// one rule of each kind and pattern, except those that are contradicted. `rules` are sorted by pattern.
fn find_by_prefix<'a>(
    rules: &[Rule<'a>],
    yandex: &Yandex,
    has_no_effect: &impl Fn(&Rule<'_>, u16) -> bool,
    shadows: &mut Vec<Shadow>,
) -> Vec<Rule<'a>> {
    // The patterns without operators that the current pattern starts with, the shortest first.
    let mut starts: Vec<Rule<'a>> = Vec::new();
    let mut distinct: Vec<Rule<'a>> = Vec::with_capacity(rules.len());
    for same in rules.chunk_by(|a, b| a.pattern() == b.pattern()) {
        while starts.last().is_some_and(|start| !same[0].pattern().starts_with(start.pattern())) {
            starts.pop();
        }
        for kinds in same.chunk_by(|a, b| a.kind() == b.kind()) {
            let first = kinds[0];
            shadows.extend(kinds[1..].iter().map(|rule| Shadow::new(rule, &first, ShadowKind::Duplicate, yandex)));
            if first.kind() != same[0].kind() {
                shadows.push(Shadow::new(&first, &same[0], ShadowKind::Contradicted, yandex));
                continue;
            }
            distinct.push(first);
            // The widest rule that covers this one is used, since those between may be redundant themselves.
            let covers = |wider: &&Rule<'_>| wider.kind() == first.kind() && has_no_effect(&first, wider.priority());
            if let Some(wider) = starts.iter().find(covers) {
                shadows.push(Shadow::new(&first, wider, ShadowKind::Redundant, yandex));
            }
        }
        if is_literal(same[0].pattern()) {
            starts.push(same[0]);
        }
    }
    distinct
}

/// Finds the rules that a pattern with operators covers. `distinct` are sorted by pattern.
fn find_by_pattern(
    distinct: &[Rule<'_>],
    yandex: &Yandex,
    has_no_effect: &impl Fn(&Rule<'_>, u16) -> bool,
    shadows: &mut Vec<Shadow>,
    pairs: &mut usize,
) {
    let octets: Vec<u64> = distinct.iter().map(|rule| literal_octets(rule.pattern())).collect();
    for (wide, wide_octets) in distinct.iter().zip(&octets).filter(|(rule, _)| !is_literal(rule.pattern())) {
        let stem = stem(wide.pattern());
        // In sorted order, the patterns that start with the stem are adjacent.
        let from = distinct.partition_point(|rule| rule.pattern() < stem);
        // The minimum length of a path that the pattern matches.
        let least = wide.pattern().iter().filter(|b| **b != b'*').count();
        let starting = distinct[from..].iter().zip(&octets[from..]);
        for (rule, octets) in starting.take_while(|(rule, _)| rule.pattern().starts_with(stem)) {
            *pairs += 1;
            if *pairs > MAX_PAIRS {
                return;
            }
            let cannot_cover = wide_octets & !octets != 0 || rule.pattern().len() < least;
            if cannot_cover || rule.line() == wide.line() || !wide.covers(rule) {
                continue;
            }
            if rule.kind() == wide.kind() {
                // If two rules cover each other, the one with the longer pattern or else the later one can be deleted.
                let stays = rule.covers(wide) && (rule.priority(), rule.line()) < (wide.priority(), wide.line());
                if !stays && has_no_effect(rule, wide.priority()) {
                    shadows.push(Shadow::new(rule, wide, ShadowKind::Redundant, yandex));
                }
            } else if wide.priority() > rule.priority()
                || wide.priority() == rule.priority() && wide.kind() == RuleKind::Allow
            {
                shadows.push(Shadow::new(rule, wide, ShadowKind::Unreachable, yandex));
            }
        }
    }
}

/// Returns false if no URL matches both rules, since their patterns start with different text.
fn may_meet(a: &Rule<'_>, b: &Rule<'_>) -> bool {
    let (a, b) = (stem(a.pattern()), stem(b.pattern()));
    a.starts_with(b) || b.starts_with(a)
}

/// Returns the text before the first operator of a pattern.
fn stem(pattern: &[u8]) -> &[u8] {
    &pattern[..pattern.iter().position(|b| matches!(b, b'*' | b'$')).unwrap_or(pattern.len())]
}

/// Returns the bytes of a pattern without its operators, as a set in which some bytes are not told apart. A pattern
/// covers another one only if that one contains all of its bytes.
fn literal_octets(pattern: &[u8]) -> u64 {
    let literals = pattern.iter().filter(|octet| !matches!(octet, b'*' | b'$'));
    literals.fold(0, |set, octet| set | 1 << (octet % 64))
}

/// Returns true if a pattern has no operators.
pub(crate) fn is_literal(pattern: &[u8]) -> bool {
    !pattern.contains(&b'*') && pattern.last() != Some(&b'$')
}

/// The priorities of a group's rules, sorted.
#[derive(Clone, Debug)]
pub(crate) struct Priorities {
    allow: Vec<u16>,
    disallow: Vec<u16>,
}

impl Priorities {
    pub(crate) fn new<'r>(rules: impl IntoIterator<Item = &'r Rule<'r>>) -> Self {
        let (mut allow, mut disallow) = (Vec::new(), Vec::new());
        for rule in rules {
            match rule.kind() {
                RuleKind::Allow => allow.push(rule.priority()),
                _ => disallow.push(rule.priority()),
            }
        }
        allow.sort_unstable();
        disallow.sort_unstable();
        Self { allow, disallow }
    }

    /// Returns the priorities between those of two rules of this kind, `a` and `b`, if a rule of the other kind has one.
    pub(crate) fn between(&self, kind: RuleKind, a: u16, b: u16) -> Option<RangeInclusive<u16>> {
        let (low, high) = (a.min(b), a.max(b));
        // If the priorities are equal, Allow decides.
        let (opponents, from, to) = match kind {
            RuleKind::Allow => (&self.disallow, low + 1, high),
            _ => (&self.allow, low, high - u16::from(high > low)),
        };
        if low == high {
            return None;
        }
        let at = opponents.partition_point(|priority| *priority < from);
        opponents.get(at).is_some_and(|priority| *priority <= to).then_some(from..=to)
    }
}
