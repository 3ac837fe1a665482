//! Finds rules that have no effect.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use comity::{Crawlers, Robots, Rules, Size};

use crate::budget::{Budget, Exhausted, KeepGoing, Meter};
use crate::classes::{self, Choice, Class};
use crate::compare::FileGroups;
use crate::overlay::{self, Overlays};
use crate::ranked::{RankedRule, RuleList, Source};

/// A rule whose removal would not change the answer for any crawler and any URL.
///
/// Each dead rule may be replaced by a comment if the others stay. Two rules that make each other dead are both listed,
/// and one of them has to stay. The last rule of a group is not listed if only its line separates the group's names
/// from those of the next group. No rule is listed if a rule after the dialect's limits would take the place of the
/// removed one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadRule {
    /// The rule's line, from 1.
    pub line: u32,
    /// The lines of at most three rules that decide instead of it or would give the same answer, in order. Empty if the
    /// rule matches no path, or repeats the default that everything is allowed.
    pub because: Vec<u32>,
}

/// The result of [`dead_rules`].
#[derive(Clone, Debug)]
#[must_use]
pub struct DeadRules {
    rules: Vec<DeadRule>,
    complete: bool,
}

impl DeadRules {
    /// Returns the dead rules, in the order of the file. Rules with an empty pattern are not among them.
    pub fn rules(&self) -> &[DeadRule] {
        &self.rules
    }

    /// Returns true if the rule on this line is dead.
    #[must_use]
    pub fn contains(&self, line: u32) -> bool {
        self.rules.binary_search_by_key(&line, |rule| rule.line).is_ok()
    }

    /// Returns true if every rule was decided. If not, there may be further dead rules.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

/// The maximum number of lines in [`DeadRule::because`].
const MAX_REASONS: usize = 3;

/// Returns the rules of a file that have no effect, for any URL and any crawler, whether or not the crawler is in the
/// table.
///
/// ```
/// let robots = comity::Robots::parse(b"User-agent: *\nDisallow: /a/\nDisallow: /a/b\nAllow: /c\n");
/// let dead = comity_meaning::dead_rules(&robots, &comity::Crawlers::builtin(), Default::default());
/// let lines: Vec<u32> = dead.rules().iter().map(|rule| rule.line).collect();
/// assert_eq!(lines, [3, 4]);
/// ```
pub fn dead_rules(robots: &Robots, crawlers: &Crawlers, budget: Budget) -> DeadRules {
    find(robots, crawlers, &mut Meter::new(budget))
}

/// Returns the rules that have no effect, as [`dead_rules`] does, for as long as `keep_going` returns true.
///
/// After it has returned false, the result is incomplete, as if the budget were used up. It is called at bounded
/// intervals, about a millisecond apart.
pub fn dead_rules_while(
    robots: &Robots,
    crawlers: &Crawlers,
    budget: Budget,
    keep_going: &dyn Fn() -> bool,
) -> DeadRules {
    find(robots, crawlers, &mut Meter::interruptible(budget, KeepGoing::new(keep_going)))
}

fn find(robots: &Robots, crawlers: &Crawlers, meter: &mut Meter<'_>) -> DeadRules {
    let mut search = Search { dead: BTreeMap::new(), alive: BTreeSet::new(), complete: true };
    match classes::classes([robots], Choice::All(crawlers), |_| true, meter) {
        Ok(classes) => {
            let groups = FileGroups::new(robots);
            for class in &classes {
                search.class(robots, &groups, class, meter);
            }
        }
        Err(Exhausted) => search.complete = false,
    }
    let mut alive = search.alive;
    alive.extend(holding_groups_apart(robots));
    if robots.size() != Size::Whole || is_at_rule_limit(robots) {
        alive.extend(search.dead.keys());
    }
    let rules = search.dead.into_iter().filter(|(line, _)| !alive.contains(line));
    let rules = rules.map(|(line, because)| DeadRule { line, because: because.into_iter().collect() });
    DeadRules { rules: rules.collect(), complete: search.complete }
}

struct Search {
    /// The lines that have no effect for at least one class, with the lines that are the reason.
    dead: BTreeMap<u32, BTreeSet<u32>>,
    /// The lines that have an effect for one class, or that could not be decided.
    alive: BTreeSet<u32>,
    complete: bool,
}

impl Search {
    fn class(&mut self, robots: &Robots, groups: &FileGroups<'_>, class: &Class<'_, 1>, meter: &mut Meter<'_>) {
        let Ok(list) = groups.rules(&class.groups[0], meter) else {
            self.complete = false;
            self.alive.extend(lines_of(robots, class));
            return;
        };
        let mut entries: BTreeMap<u32, Vec<&RankedRule<'_>>> =
            lines_of(robots, class).map(|line| (line, Vec::new())).collect();
        for rule in &list.rules {
            if let Source::Line(line) = rule.source
                && let Some(entries) = entries.get_mut(&line)
            {
                entries.push(rule);
            }
        }
        let filler = overlay::filler(list.rules.iter().map(|rule| rule.text));
        let compiled = robots.rules_for(&class.example.crawler());
        for (line, rules) in entries.iter().filter(|(line, _)| !self.alive.contains(line)).collect::<Vec<_>>() {
            let mut because = BTreeSet::new();
            let question = Question { list: &list, compiled: &compiled, line: *line };
            match filler.ok_or(Exhausted).and_then(|filler| question.acts(rules, filler, &mut because, meter)) {
                Ok(false) => self.dead.entry(*line).or_default().extend(because),
                Ok(true) => {
                    self.alive.insert(*line);
                }
                Err(Exhausted) => {
                    self.alive.insert(*line);
                    self.complete = false;
                }
            }
        }
    }
}

/// Returns the lines of the only rules of their groups. Without such a rule, the names of the group would become names
/// of the next group.
fn holding_groups_apart(robots: &Robots) -> impl Iterator<Item = u32> {
    robots.groups().filter_map(|group| {
        let mut rules = group.rules();
        match (rules.next(), rules.next()) {
            (Some(only), None) => Some(only.line()),
            _ => None,
        }
    })
}

/// Returns true if the dialect may have dropped rules because of their number. They would apply if another one was
/// removed.
fn is_at_rule_limit(robots: &Robots) -> bool {
    let rules: usize = robots.groups().map(|group| group.rules().len()).sum();
    robots.dialect().max_rules.is_some_and(|most| rules >= most as usize)
}

/// Returns the lines of the rules that apply to a class, except those with an empty pattern.
fn lines_of<'a>(robots: &'a Robots, class: &'a Class<'_, 1>) -> impl Iterator<Item = u32> + 'a {
    let groups = robots.groups().filter(|group| class.groups[0].binary_search(&group.index()).is_ok());
    groups.flat_map(|group| group.rules()).filter(|rule| !rule.pattern().is_empty()).map(|rule| rule.line())
}

/// The question whether one line has any effect.
struct Question<'q, 'a> {
    list: &'q RuleList<'a>,
    compiled: &'q Rules,
    line: u32,
}

impl<'a> Question<'_, 'a> {
    /// Returns true if the line decides a URL that would get another answer without it.
    fn acts(
        &self,
        entries: &[&RankedRule<'a>],
        filler: u8,
        because: &mut BTreeSet<u32>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Exhausted> {
        let own = Source::Line(self.line);
        for rule in entries {
            for opponent in self.list.near(rule.pattern.stem(), !rule.allows) {
                meter.spend(1)?;
                if opponent.key > rule.key {
                    continue;
                }
                let mut overlays = Overlays::new([&rule.pattern, &opponent.pattern], filler);
                while let Some(path) = overlays.next(meter)? {
                    meter.spend(self.list.question_steps())?;
                    let decider = overlay::check(self.compiled, path).line();
                    if decider != Some(self.line) {
                        note(because, decider);
                        continue;
                    }
                    meter.spend(self.list.question_steps())?;
                    let next = self.list.decide(path, |other| other.source != own);
                    match next {
                        Some(next) if next.allows == rule.allows => note(because, next.source.line()),
                        _ => return Ok(true),
                    }
                }
            }
        }
        Ok(false)
    }
}

fn note(because: &mut BTreeSet<u32>, line: Option<u32>) {
    if because.len() < MAX_REASONS {
        because.extend(line);
    }
}
