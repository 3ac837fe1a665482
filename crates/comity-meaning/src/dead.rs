//! Finds rules that have no effect.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use comity::{Crawlers, Robots, Rules, Size};

use crate::budget::{Budget, Exhausted, KeepGoing, Meter};
use crate::classes::{self, Choice, Class};
use crate::overlay::{self, Overlays};
use crate::ranked::{RuleList, Source};
use crate::selected::{FileGroups, SequenceNumbers};

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
#[non_exhaustive]
pub struct DeadRules {
    /// The dead rules, in the order of the file. Rules with an empty pattern are not among them.
    pub rules: Vec<DeadRule>,
    /// True if every rule was decided. If not, there may be further dead rules.
    pub is_complete: bool,
}

impl DeadRules {
    /// Returns true if the rule on this line is dead.
    #[must_use]
    pub fn contains(&self, line: u32) -> bool {
        self.rules.binary_search_by_key(&line, |rule| rule.line).is_ok()
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
/// let lines: Vec<u32> = dead.rules.iter().map(|rule| rule.line).collect();
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
    let mut search = Search { dead: BTreeMap::new(), alive: BTreeSet::new(), is_complete: true };
    match classes::classes([robots], Choice::All(crawlers), |_| true, meter) {
        Ok(classes) => search.all(robots, &classes, meter),
        Err(Exhausted) => search.is_complete = false,
    }
    let mut alive = search.alive;
    alive.extend(holding_groups_apart(robots));
    if robots.size() != Size::Whole || is_at_rule_limit(robots) {
        alive.extend(search.dead.keys());
    }
    let rules = search.dead.into_iter().filter(|(line, _)| !alive.contains(line));
    let rules = rules.map(|(line, because)| DeadRule { line, because: because.into_iter().collect() });
    DeadRules { rules: rules.collect(), is_complete: search.is_complete }
}

struct Search {
    /// The lines that have no effect for at least one class, with the lines that are the reason.
    dead: BTreeMap<u32, BTreeSet<u32>>,
    /// The lines that have an effect for one class, or that could not be decided.
    alive: BTreeSet<u32>,
    is_complete: bool,
}

/// The answer to the question whether a rule has any effect for a class.
#[derive(Clone, Debug, Default)]
enum Effect {
    #[default]
    NotAsked,
    /// It has one, or that could not be decided.
    Acts,
    /// It has none, because of these lines.
    None(BTreeSet<u32>),
}

impl Search {
    fn all(&mut self, robots: &Robots, classes: &[Class<'_, 1>], meter: &mut Meter<'_>) {
        let (groups, mut numbers) = (FileGroups::new(robots), SequenceNumbers::new());
        let mut alike: BTreeMap<u32, Vec<&Class<'_, 1>>> = BTreeMap::new();
        for class in classes {
            match numbers.of(&groups, &class.groups[0], meter) {
                Ok(number) => alike.entry(number).or_default().push(class),
                Err(Exhausted) => self.give_up(robots, class),
            }
        }
        for classes in alike.values() {
            self.alike(robots, &groups, classes, meter);
        }
    }

    /// Counts the rules of a class as needed.
    fn give_up(&mut self, robots: &Robots, class: &Class<'_, 1>) {
        self.is_complete = false;
        self.alive.extend(lines_of(robots, class));
    }

    /// Searches the rules of classes that have the same rules, on whatever lines.
    fn alike(&mut self, robots: &Robots, groups: &FileGroups<'_>, classes: &[&Class<'_, 1>], meter: &mut Meter<'_>) {
        let Some(first) = classes.first() else { return };
        let Ok(list) = groups.rules(&first.groups[0], meter) else {
            for class in classes {
                self.give_up(robots, class);
            }
            return;
        };
        let filler = overlay::filler(list.rules.iter().map(|rule| rule.text));
        let compiled = robots.rules_for(&first.example.crawler());
        let asked: Vec<u32> = lines_of(robots, first).collect();
        let mut effects: Vec<Effect> = alloc::vec![Effect::NotAsked; asked.len()];
        for class in classes {
            let lines: Vec<u32> = lines_of(robots, class).collect();
            for ((line, asked_line), effect) in lines.iter().zip(&asked).zip(&mut effects) {
                if self.alive.contains(line) {
                    continue;
                }
                if let Effect::NotAsked = effect {
                    let mut because = BTreeSet::new();
                    let question = Question { list: &list, compiled: &compiled, line: *asked_line };
                    let acts = filler.ok_or(Exhausted).and_then(|filler| question.acts(filler, &mut because, meter));
                    self.is_complete &= acts.is_ok();
                    *effect = if acts == Ok(false) { Effect::None(because) } else { Effect::Acts };
                }
                match effect {
                    Effect::None(because) => {
                        let translated = because.iter().filter_map(|line| lines.get(asked.binary_search(line).ok()?));
                        self.dead.entry(*line).or_default().extend(translated);
                    }
                    Effect::Acts | Effect::NotAsked => drop(self.alive.insert(*line)),
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

impl Question<'_, '_> {
    /// Returns true if the line decides a URL that would get another answer without it.
    fn acts(&self, filler: u8, because: &mut BTreeSet<u32>, meter: &mut Meter<'_>) -> Result<bool, Exhausted> {
        let own = Source::Line(self.line);
        for rule in self.list.of_source(own) {
            for (_, opponent) in self.list.near(rule.pattern.stem(), !rule.allows) {
                meter.spend(1)?;
                if opponent.key > rule.key {
                    continue;
                }
                let mut overlays = Overlays::new([&rule.pattern, &opponent.pattern], filler);
                while let Some(path) = overlays.next(meter)? {
                    meter.spend(self.list.question_steps())?;
                    let next = self.list.decide(path, |other| other.source != own);
                    if let Some(next) = next
                        && next.allows == rule.allows
                    {
                        note(because, next.source.line());
                        continue;
                    }
                    meter.spend(self.list.question_steps())?;
                    let decider = overlay::check(self.compiled, path).line();
                    if decider == Some(self.line) {
                        return Ok(true);
                    }
                    note(because, decider);
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
