//! Compares two files for all URLs and all crawlers.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use comity::{Crawler, Crawlers, Dialect, Group, Profile, Robots, Rules, Size};

use crate::budget::{Budget, Exhausted, KeepGoing, Meter};
use crate::change::{ChangeRule, Direction, Side};
use crate::claim::{PatternError, comparable};
use crate::classes::{self, Choice, Class};
use crate::difference::Difference;
use crate::gathered::Gathered;
use crate::overlay;
use crate::pattern::Pattern;
use crate::ranked::{RankedRule, RuleList, Source};
use crate::selected::{SelectedRules, Selections};
use crate::signals;

/// The maximum number of octets that remembered URLs take, so that no URL is checked twice.
const MAX_REMEMBERED_OCTETS: usize = 2 << 20;

/// The number of octets that a remembered URL takes beside its own.
const REMEMBERED_URL_OCTETS: usize = 48;

pub(crate) static BUILTIN: Crawlers = Crawlers::builtin();

/// A comparison of two files, for all URLs and all crawlers.
///
/// ```
/// use comity::Robots;
/// use comity_meaning::{Comparison, Outcome};
///
/// let old = Robots::parse(b"User-agent: *\nDisallow: /shop/\n");
/// let new = Robots::parse(b"User-agent: *\nDisallow: /shop/\nAllow: /shop/help/\n");
/// let difference = Comparison::new(&old, &new).run();
/// assert_eq!(difference.outcome(), Outcome::Differs);
/// assert_eq!(difference.changes().len(), 1);
/// println!("{}", difference.changes()[0]);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Comparison<'a> {
    old: &'a Robots,
    new: &'a Robots,
    choice: Choice<'a>,
    own_dialect_only: bool,
    under: Option<Vec<u8>>,
    except: Vec<Vec<u8>>,
    except_rules: Option<fn(&[u8]) -> bool>,
    until_first: bool,
    without_exceptions: bool,
    verdicts_only: bool,
    budget: Budget,
    keep_going: KeepGoing<'a>,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison of two files. If their dialects differ, every rule is treated as changed, and URLs are
    /// compared in their canonical spelling.
    pub fn new(old: &'a Robots, new: &'a Robots) -> Self {
        Self {
            old,
            new,
            choice: Choice::All(&BUILTIN),
            own_dialect_only: false,
            under: None,
            except: Vec::new(),
            except_rules: None,
            until_first: false,
            without_exceptions: false,
            verdicts_only: false,
            budget: Budget::default(),
            keep_going: KeepGoing::default(),
        }
    }

    /// Compares all crawlers, with those of this table as the known ones. Defaults to the built-in table.
    pub fn crawlers(mut self, crawlers: &'a Crawlers) -> Self {
        self.choice = Choice::All(crawlers);
        self
    }

    /// Compares only these crawlers. [`Crawler::ANY`] means every crawler that neither file names. Crawlers that
    /// robots.txt does not govern are left out. Defaults to all crawlers.
    pub fn only(mut self, crawlers: &'a [Crawler<'a>]) -> Self {
        self.choice = Choice::Only(crawlers);
        self
    }

    /// Compares only the URLs that match a pattern, which is written as in a rule. Defaults to all URLs.
    ///
    /// # Errors
    ///
    /// Returns an error if the pattern matches no URL.
    pub fn under(mut self, pattern: &[u8]) -> Result<Self, PatternError> {
        self.under = Some(comparable(pattern, self.old)?);
        Ok(self)
    }

    /// Excludes the URLs that match a pattern, which is written as in a rule. May be called several times. By default,
    /// none are excluded.
    ///
    /// # Errors
    ///
    /// Returns an error if the pattern matches no URL.
    pub fn except(mut self, pattern: &[u8]) -> Result<Self, PatternError> {
        self.except.push(comparable(pattern, self.old)?);
        Ok(self)
    }

    /// Excludes, for each crawler, the URLs that match a rule of either file whose pattern satisfies `is_excluded`. By
    /// default, none are excluded.
    ///
    /// The patterns are in normal form. If a rule for an index page also applies to its directory, the pattern of the
    /// directory is passed as well.
    pub fn except_rules(mut self, is_excluded: fn(&[u8]) -> bool) -> Self {
        self.except_rules = Some(is_excluded);
        self
    }

    /// Stops at the first difference. By default, all differences are found.
    pub fn until_first(mut self) -> Self {
        self.until_first = true;
        self
    }

    /// Leaves out the exceptions of each change, which take work of their own. By default, they are described.
    pub fn without_exceptions(mut self) -> Self {
        self.without_exceptions = true;
        self
    }

    /// Compares the verdicts only, not the signals. By default, both are compared.
    pub fn verdicts_only(mut self) -> Self {
        self.verdicts_only = true;
        self
    }

    /// Compares for as long as `keep_going` returns true. After it has returned false, the comparison is incomplete, as
    /// if the budget were used up. It is called at bounded intervals, about a millisecond apart. By default, only the
    /// budget limits the work.
    pub fn keep_going(mut self, keep_going: &'a dyn Fn() -> bool) -> Self {
        self.keep_going = KeepGoing::new(keep_going);
        self
    }

    /// Compares only the crawlers whose operators parse files in the dialect of these files. A crawler that is not in
    /// the table is treated as one of [`Dialect::STANDARD`]. Defaults to all crawlers.
    pub fn own_dialect_only(mut self) -> Self {
        self.own_dialect_only = true;
        self
    }

    /// Sets the budget. Defaults to [`Budget::default`].
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Compares the files.
    pub fn run(self) -> Difference {
        // A caller that has ended the work is not asked again.
        let stopped = Cell::new(false);
        let keep_going = || !stopped.get() && (self.keep_going.ask() || stopped.replace(true));
        let meter = || Meter::interruptible(self.budget, KeepGoing::new(&keep_going));
        // Descriptions have a budget of their own, so that they never leave a comparison undecided.
        let (mut meter, mut describing) = (meter(), meter());
        let mut difference = Difference::default();
        let dialect = self.old.dialect();
        let reads_so = |profile: Option<&Profile>| profile.map_or(Dialect::STANDARD, |row| row.dialect) == *dialect;
        let accept = |profile: Option<&Profile>| !self.own_dialect_only || reads_so(profile);
        match classes::classes([self.old, self.new], self.choice, accept, &mut meter) {
            Ok(classes) => {
                self.compare_classes(&classes, &mut difference, &mut meter, &mut describing);
                difference.crawlers = classes.into_iter().flat_map(|class| class.names).collect();
            }
            Err(Exhausted) => difference.unfinished.push(String::from("*")),
        }
        difference.steps = meter.spent();
        difference
    }

    fn compare_classes(
        &self,
        classes: &[Class<'_, 2>],
        difference: &mut Difference,
        meter: &mut Meter<'_>,
        describing: &mut Meter<'_>,
    ) {
        let mut gathered = Gathered::default();
        let mut files = [self.old, self.new].map(Selections::new);
        for (number, class) in (0..).zip(classes) {
            let [old, new] = [0, 1].map(|file: usize| files[file].rules(&class.groups[file], meter));
            let (Ok(old), Ok(new)) = (old, new) else {
                difference.unfinished.extend(class.names.iter().cloned());
                continue;
            };
            let signals = if self.verdicts_only {
                Ok(Vec::new())
            } else {
                signals::compare([self.old, self.new], self.under.as_deref(), &self.except, class, meter)
            };
            let signals_end = signals.map(|found| signals::merge(&mut difference.signals, found, &class.names));
            let Some(mut pair) = Pair::new(self, class, &old, &new) else {
                if signals_end.is_err() {
                    difference.unfinished.extend(class.names.iter().cloned());
                }
                continue;
            };
            if pair.compare(meter).is_err() || signals_end.is_err() {
                difference.unfinished.extend(class.names.iter().cloned());
            }
            difference.asked += pair.asked;
            for change in pair.changes(!self.without_exceptions, describing) {
                if !gathered.add(change, number) {
                    difference.unfinished.extend(class.names.iter().cloned());
                    break;
                }
            }
            gathered.join();
            if self.until_first && !(gathered.is_empty() && difference.signals.is_empty()) {
                break;
            }
        }
        let names = classes.iter().map(|class| class.names.as_slice()).collect::<Vec<_>>();
        let (changes, left_out) = gathered.changes(&names);
        difference.changes = changes;
        difference.unfinished.extend(left_out.iter().flat_map(|class| names[*class as usize]).cloned());
    }

    /// Returns true if the ranks of one file's rules cannot be compared with those of the other file. In this case,
    /// each rule is treated as changed.
    fn keys_differ(&self) -> bool {
        self.old.dialect() != self.new.dialect()
            || self.old.dialect().precedence == comity::dialect::Precedence::FirstMatch
    }
}

/// The groups of a file, by index.
pub(crate) struct FileGroups<'a> {
    groups: Vec<Group<'a>>,
    dialect: &'a Dialect,
}

impl<'a> FileGroups<'a> {
    /// Collects the groups. A file that the dialect rejects because of its size has none.
    pub(crate) fn new(file: &'a Robots) -> Self {
        let groups = if file.size() == Size::Refused { Vec::new() } else { file.groups().collect() };
        Self { groups, dialect: file.dialect() }
    }

    /// Returns the rules of some groups as one list.
    pub(crate) fn rules(&self, indices: &[usize], meter: &mut Meter<'_>) -> Result<RuleList<'a>, Exhausted> {
        let groups: Vec<Group<'a>> = indices.iter().filter_map(|index| self.groups.get(*index)).copied().collect();
        meter.spend(groups.iter().map(|group| group.rules().len()).sum())?;
        Ok(RuleList::new(&groups, self.dialect))
    }
}

/// The rules that two files have for one class of crawlers.
pub(crate) struct Pair<'p, 'a> {
    pub(crate) lists: [&'p RuleList<'a>; 2],
    compiled: [&'p Rules; 2],
    /// The rules of each file that the other one does not have.
    changed: [Vec<&'p RankedRule<'a>>; 2],
    /// The answers of the old file's rules, true if a rule allows, and their patterns.
    old_texts: &'p [(bool, &'a [u8])],
    /// The readings of the pattern that URLs must match, if there is one.
    pub(crate) under: Option<Vec<Pattern<'p>>>,
    /// The readings of the patterns whose URLs are excluded.
    except: Vec<Pattern<'p>>,
    /// Selects the rules whose URLs are excluded.
    except_rules: Option<fn(&[u8]) -> bool>,
    until_first: bool,
    pub(crate) filler: Option<u8>,
    seen: BTreeSet<Vec<u8>>,
    seen_octets: usize,
    asked: usize,
    pub(crate) found: BTreeMap<(Direction, Side, Source), Found<'p, 'a>>,
}

/// The critical URLs with another answer that one changed rule decides.
pub(crate) struct Found<'p, 'a> {
    pub(crate) rule: &'p RankedRule<'a>,
    /// The rules that decide in the other file.
    pub(crate) deciders: Vec<&'p RankedRule<'a>>,
    /// The shortest path.
    pub(crate) witness: Vec<u8>,
}

/// Returns true if all URLs that match a rule of a file are excluded.
fn excludes(except_rules: Option<fn(&[u8]) -> bool>, rule: &RankedRule<'_>) -> bool {
    except_rules.is_some_and(|is_excluded| rule.source.line().is_some() && is_excluded(rule.matched_text()))
}

pub(crate) fn change_rule(side: Side, rule: &RankedRule<'_>) -> ChangeRule {
    ChangeRule { side, line: rule.source.line(), pattern: rule.text.to_vec() }
}

impl<'p, 'a> Pair<'p, 'a> {
    /// Returns `None` if neither file has a rule that the other one does not have.
    fn new(
        comparison: &'p Comparison<'a>,
        class: &Class<'_, 2>,
        old: &'p SelectedRules<'a>,
        new: &'p SelectedRules<'a>,
    ) -> Option<Self> {
        let crawler = class.example.crawler();
        let all = comparison.keys_differ();
        let excluded = comparison.except_rules;
        let changed = |list: &'p RuleList<'a>, other: &RuleList<'a>, common: &[(bool, &'a [u8])]| {
            let is_changed = |rule: &&RankedRule<'a>| match rule.source {
                Source::Default => false,
                Source::RobotsTxt => !other.rules.iter().any(|other| other.source == Source::RobotsTxt),
                Source::Line(_) => all || common.binary_search(&(rule.allows, rule.text)).is_err(),
            };
            list.rules.iter().filter(is_changed).filter(|rule| !excludes(excluded, rule)).collect::<Vec<_>>()
        };
        let changed = [changed(&old.list, &new.list, new.texts()), changed(&new.list, &old.list, old.texts())];
        if changed.iter().all(Vec::is_empty) {
            return None;
        }
        let old_texts = old.texts();
        let compiled = [old.compiled(comparison.old, &crawler), new.compiled(comparison.new, &crawler)];
        let [old, new] = [&old.list, &new.list];
        let texts = [old, new].into_iter().flat_map(|list| &list.rules).map(|rule| rule.text);
        let texts = texts.chain(comparison.under.as_deref()).chain(comparison.except.iter().map(Vec::as_slice));
        let wildcards = comparison.old.dialect().wildcards;
        Some(Self {
            under: comparison.under.as_ref().map(|text| Pattern::readings(text, wildcards)),
            except: comparison.except.iter().flat_map(|text| Pattern::readings(text, wildcards)).collect(),
            except_rules: excluded,
            until_first: comparison.until_first,
            lists: [old, new],
            compiled,
            filler: overlay::filler(texts.chain([&b"/robots.txt"[..]])),
            changed,
            old_texts,
            seen: BTreeSet::new(),
            seen_octets: 0,
            asked: 0,
            found: BTreeMap::new(),
        })
    }

    /// Checks every critical URL in both files.
    fn compare(&mut self, meter: &mut Meter<'_>) -> Result<(), Exhausted> {
        for side in [Side::Old, Side::New] {
            for rule in core::mem::take(&mut self.changed[side.index()]) {
                let other = self.lists[side.other().index()];
                for opponent in other.near(rule.pattern.stem(), !rule.allows) {
                    meter.spend(1)?;
                    if self.is_excluded(opponent) {
                        continue;
                    }
                    self.overlay([rule, opponent], meter)?;
                    if self.until_first && !self.found.is_empty() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn overlay(&mut self, rules: [&RankedRule<'a>; 2], meter: &mut Meter<'_>) -> Result<(), Exhausted> {
        let filler = self.filler.ok_or(Exhausted)?;
        let under = self.under.take();
        let mut ask = |path: &[u8], meter: &mut Meter<'_>| self.ask(path, meter);
        let patterns = [&rules[0].pattern, &rules[1].pattern];
        let asked = overlay::each_word(patterns, under.as_deref(), filler, meter, &mut ask);
        self.under = under;
        asked
    }

    fn ask(&mut self, path: &[u8], meter: &mut Meter<'_>) -> Result<(), Exhausted> {
        if self.seen.contains(path) {
            return Ok(());
        }
        let both = self.lists[0].question_steps() + self.lists[1].question_steps();
        let of_rules = if self.except_rules.is_some() { both } else { 0 };
        meter.spend(both + of_rules + self.except.len())?;
        // A word matches an excluded pattern only if all URLs that it represents do.
        if self.is_excepted(path) {
            return Ok(());
        }
        if self.seen_octets < MAX_REMEMBERED_OCTETS {
            self.seen_octets += path.len() + REMEMBERED_URL_OCTETS;
            self.seen.insert(path.to_vec());
        }
        self.asked += 1;
        let [was, is] = self.answers(path);
        if was != is {
            // The deciding rules are searched for once more.
            meter.spend(both + path.len() / 16)?;
            self.note(path, is);
        }
        Ok(())
    }

    pub(crate) fn is_excepted(&self, path: &[u8]) -> bool {
        let excluded = |list: &RuleList<'a>| list.decide(path, |rule| self.is_excluded(rule)).is_some();
        self.except.iter().any(|pattern| pattern.matches(path))
            || self.except_rules.is_some() && self.lists.iter().any(|list| excluded(list))
    }

    fn is_excluded(&self, rule: &RankedRule<'_>) -> bool {
        excludes(self.except_rules, rule)
    }

    /// Returns the answers for a path: for each file, true if it allows the path.
    pub(crate) fn answers(&self, path: &[u8]) -> [bool; 2] {
        overlay::answers(self.compiled, path)
    }

    /// Attributes a URL with another answer to the changed rule that decides there.
    fn note(&mut self, path: &[u8], is_allowed: bool) {
        let deciders = self.lists.map(|list| list.decide(path, |_| true));
        let direction = if is_allowed { Direction::Allowed } else { Direction::Blocked };
        let is_line = |decider: &&RankedRule<'a>| matches!(decider.source, Source::Line(_));
        // A rule that only the new file has comes first. Then comes the rule of the old file, which is the cause if it
        // was removed and a rule of both files decides instead.
        let is_new = |decider: &&RankedRule<'a>| {
            is_line(decider) && self.old_texts.binary_search(&(decider.allows, decider.text)).is_err()
        };
        let (side, rule) = match deciders {
            [_, Some(new)] if is_new(&new) => (Side::New, new),
            [Some(old), _] if is_line(&old) => (Side::Old, old),
            [_, Some(new)] => (Side::New, new),
            [Some(old), None] => (Side::Old, old),
            [None, None] => return,
        };
        let first = || Found { rule, deciders: Vec::new(), witness: path.to_vec() };
        let found = self.found.entry((direction, side, rule.source)).or_insert_with(first);
        if path.len() < found.witness.len() {
            found.witness = path.to_vec();
        }
        // Most rules are changed against few others, one after the other.
        if let Some(decider) = deciders[side.other().index()]
            && !found.deciders.iter().rev().take(8).any(|other| other.source == decider.source)
        {
            found.deciders.push(decider);
        }
    }
}
