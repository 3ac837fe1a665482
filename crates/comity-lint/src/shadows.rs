//! Rules that another rule of their group makes useless.

use comity::{Content, Dialect, Line, Rule, RuleKind};

use crate::file::GroupOf;

/// A rule that could go, and the one that makes it so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow {
    pub(crate) line: u32,
    pub(crate) by: u32,
    pub(crate) how: How,
    /// Every dialect that fixes are checked in agrees.
    pub(crate) certain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The same kind, the same pattern.
    Duplicate,
    /// The other kind, the same pattern: this `Disallow` loses.
    Contradicted,
    /// The same kind, a wider pattern, and nothing in between: without this rule, nothing changes.
    Redundant,
    /// The other kind, a wider pattern that always wins.
    Unreachable,
}

impl Shadow {
    fn new(rule: &Rule<'_>, by: &Rule<'_>, how: How, yandex: &Yandex) -> Self {
        let certain =
            (rule.value() == by.value() || is_plain(rule) && is_plain(by)) && yandex.can_lose(rule.line(), by.line());
        Self { line: rule.line(), by: by.line(), how, certain }
    }
}

/// Whether Google's parser takes a rule as RFC 9309 does: it decodes no escapes, and lets an `Allow` of an index page
/// stand for its directory.
fn is_plain(rule: &Rule<'_>) -> bool {
    rule.value() == rule.pattern()
        && (rule.kind() == RuleKind::Disallow || !rule.value().windows(10).any(|part| part == b"/index.htm"))
}

/// The rules that Yandex does not take, by their lines.
pub(crate) struct Yandex {
    /// The rules that a blank line parts from their group.
    detached: Vec<u32>,
    /// The last rule that it takes, if there are more: once an earlier one is deleted, it takes the next.
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

    /// Returns whether it surely loses nothing with a rule that another one covers.
    fn can_lose(&self, rule: u32, by: u32) -> bool {
        let is_detached = |line: u32| self.detached.binary_search(&line).is_ok();
        self.last.is_none_or(|last| rule > last) && (is_detached(rule) || !is_detached(by))
    }
}

/// The most pairs of patterns that are compared in a file: only patterns with operators are, with those of their group
/// that start alike.
pub(crate) const MOST_PAIRS: usize = 500_000;

/// The shadows of a file's groups, and whether all pairs were compared.
pub(crate) fn find(groups: &[GroupOf<'_>], yandex: &Yandex) -> (Vec<Shadow>, bool) {
    let mut shadows = Vec::new();
    let mut pairs = 0;
    for group in groups {
        of_group(group, yandex, &mut shadows, &mut pairs);
    }
    (shadows, pairs <= MOST_PAIRS)
}

fn of_group(group: &GroupOf<'_>, yandex: &Yandex, shadows: &mut Vec<Shadow>, pairs: &mut usize) {
    let mut rules: Vec<Rule<'_>> = group.rules.iter().filter(|rule| rule.priority() > 0).copied().collect();
    if rules.len() < 2 {
        return;
    }
    rules.sort_by(|a, b| a.pattern().cmp(b.pattern()).then(b.kind().cmp(&a.kind())).then(a.line().cmp(&b.line())));
    let opposing = Priorities::new(&rules);
    // Literals that start the pattern at hand, the shortest first.
    let mut starts: Vec<Rule<'_>> = Vec::new();
    let mut distinct: Vec<Rule<'_>> = Vec::with_capacity(rules.len());
    for same in rules.chunk_by(|a, b| a.pattern() == b.pattern()) {
        while starts.last().is_some_and(|start| !same[0].pattern().starts_with(start.pattern())) {
            starts.pop();
        }
        for kinds in same.chunk_by(|a, b| a.kind() == b.kind()) {
            let first = kinds[0];
            shadows.extend(kinds[1..].iter().map(|rule| Shadow::new(rule, &first, How::Duplicate, yandex)));
            if first.kind() != same[0].kind() {
                shadows.push(Shadow::new(&first, &same[0], How::Contradicted, yandex));
                continue;
            }
            distinct.push(first);
            // Merged with another group, it may have opponents there. The widest rule that covers it counts: those between
            // may be redundant themselves.
            let covers = |wider: &&Rule<'_>| {
                wider.kind() == first.kind() && !opposing.between(first.kind(), wider.priority(), first.priority())
            };
            if group.alone
                && let Some(wider) = starts.iter().find(covers)
            {
                shadows.push(Shadow::new(&first, wider, How::Redundant, yandex));
            }
        }
        if is_literal(same[0].pattern()) {
            starts.push(same[0]);
        }
    }
    for wide in distinct.iter().filter(|rule| !is_literal(rule.pattern())) {
        let stem = wide.pattern().iter().position(|b| matches!(b, b'*' | b'$')).unwrap_or(0);
        let stem = &wide.pattern()[..stem];
        // Sorted, what starts with the stem stands together.
        let from = distinct.partition_point(|rule| rule.pattern() < stem);
        // What it matches is at least this long.
        let least = wide.pattern().iter().filter(|b| **b != b'*').count();
        for rule in distinct[from..].iter().take_while(|rule| rule.pattern().starts_with(stem)) {
            *pairs += 1;
            if *pairs > MOST_PAIRS {
                return;
            }
            if rule.pattern().len() < least || rule.line() == wide.line() || !wide.covers(rule) {
                continue;
            }
            if rule.kind() == wide.kind() {
                // Of two that cover each other, the longer one or else the later one can go.
                let stays = rule.covers(wide) && (rule.priority(), rule.line()) < (wide.priority(), wide.line());
                if !stays && group.alone && !opposing.between(rule.kind(), wide.priority(), rule.priority()) {
                    shadows.push(Shadow::new(rule, wide, How::Redundant, yandex));
                }
            } else if wide.priority() > rule.priority()
                || wide.priority() == rule.priority() && wide.kind() == RuleKind::Allow
            {
                shadows.push(Shadow::new(rule, wide, How::Unreachable, yandex));
            }
        }
    }
}

/// Whether it has no operators.
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

    /// Whether a rule of the other kind ranks differently beside one of priority `a` and beside one of `b`.
    pub(crate) fn between(&self, kind: RuleKind, a: u16, b: u16) -> bool {
        let (low, high) = (a.min(b), a.max(b));
        // Between equals, Allow wins.
        let (opponents, from, to) = match kind {
            RuleKind::Allow => (&self.disallow, low + 1, high),
            _ => (&self.allow, low, high - u16::from(high > low)),
        };
        if low == high {
            return false;
        }
        let at = opponents.partition_point(|priority| *priority < from);
        opponents.get(at).is_some_and(|priority| *priority <= to)
    }
}
