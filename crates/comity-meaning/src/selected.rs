//! The rules that a file has for a selection of its groups. Many classes of crawlers share a selection, and many
//! selections contain the same rules.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::cmp::Ordering;

use comity::{Crawler, Dialect, Group, Robots, RuleKind, Rules, Size};

use crate::budget::{Exhausted, Meter};
use crate::memory::Memory;
use crate::ranked::RuleList;
use crate::spelling::{self, FileSpellings};

/// The maximum number of rules that are kept for other classes. A selection with more rules is kept alone.
const MAX_KEPT_RULES: usize = 10_000;

/// The groups of a file, by index.
pub(crate) struct FileGroups<'a> {
    groups: Vec<Group<'a>>,
    dialect: &'a Dialect,
    spellings: &'a FileSpellings,
}

impl<'a> FileGroups<'a> {
    /// Collects the groups. A file that the dialect rejects because of its size has none.
    pub(crate) fn new(file: &'a Robots) -> Self {
        Self::spelled(file, &spelling::NONE)
    }

    /// Collects the groups, whose patterns are replaced by those of canonical paths.
    fn spelled(file: &'a Robots, spellings: &'a FileSpellings) -> Self {
        let groups = if file.size() == Size::Refused { Vec::new() } else { file.groups().collect() };
        Self { groups, dialect: file.dialect(), spellings }
    }

    fn select(&self, indices: &[usize]) -> Vec<Group<'a>> {
        indices.iter().filter_map(|index| self.groups.get(*index)).copied().collect()
    }

    /// Returns the rules of some groups as one list.
    pub(crate) fn rules(&self, indices: &[usize], meter: &mut Meter<'_>) -> Result<RuleList<'a>, Exhausted> {
        let groups = self.select(indices);
        meter.spend(groups.iter().map(|group| group.rules().len()).sum())?;
        Ok(RuleList::new(&groups, self.dialect, self.spellings))
    }
}

/// The rules of some groups, without their lines. Two of them are equal if they contain the same rules in the same
/// order.
struct RuleSequence<'a>(Vec<Group<'a>>);

impl<'a> RuleSequence<'a> {
    fn rules(&self) -> impl Iterator<Item = (RuleKind, &'a [u8])> {
        self.0.iter().flat_map(Group::rules).map(|rule| (rule.kind(), rule.pattern()))
    }
}

impl Ord for RuleSequence<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rules().cmp(other.rules())
    }
}

impl PartialOrd for RuleSequence<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RuleSequence<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for RuleSequence<'_> {}

/// Numbers of selections of groups, from 0. Selections have the same number if their rules are the same and in the same
/// order.
pub(crate) struct SequenceNumbers<'a> {
    by_groups: BTreeMap<Vec<usize>, u32>,
    by_rules: BTreeMap<RuleSequence<'a>, u32>,
}

impl<'a> SequenceNumbers<'a> {
    pub(crate) fn new() -> Self {
        Self { by_groups: BTreeMap::new(), by_rules: BTreeMap::new() }
    }

    /// Returns the number of the groups with these indices.
    pub(crate) fn of(
        &mut self,
        groups: &FileGroups<'a>,
        indices: &[usize],
        meter: &mut Meter<'_>,
    ) -> Result<u32, Exhausted> {
        if let Some(number) = self.by_groups.get(indices) {
            return Ok(*number);
        }
        let sequence = RuleSequence(groups.select(indices));
        meter.spend(sequence.0.iter().map(|group| group.rules().len()).sum())?;
        let next = self.by_rules.len() as u32;
        let number = *self.by_rules.entry(sequence).or_insert(next);
        self.by_groups.insert(indices.to_vec(), number);
        Ok(number)
    }
}

/// The rules of a selection of groups.
pub(crate) struct SelectedRules<'a> {
    pub(crate) list: RuleList<'a>,
    sorted: OnceCell<Vec<u32>>,
    compiled: OnceCell<Rules>,
}

impl SelectedRules<'_> {
    /// Returns true if there is a rule with this answer and this pattern.
    pub(crate) fn contains(&self, allows: bool, text: &[u8]) -> bool {
        let key = |index: &u32| {
            let rule = &self.list.rules[*index as usize];
            (rule.allows, rule.text)
        };
        let sorted = self.sorted.get_or_init(|| {
            let mut sorted: Vec<u32> = (0..self.list.rules.len() as u32).collect();
            sorted.sort_unstable_by_key(key);
            sorted
        });
        sorted.binary_search_by_key(&(allows, text), key).is_ok()
    }

    /// Returns the rules for questions to the engine. The crawler is one that selects these groups of the file.
    pub(crate) fn compiled(&self, file: &Robots, crawler: &Crawler<'_>) -> &Rules {
        self.compiled.get_or_init(|| file.rules_for(crawler))
    }
}

/// The selections of a file that were needed last.
pub(crate) struct Selections<'a> {
    groups: FileGroups<'a>,
    numbers: SequenceNumbers<'a>,
    kept: BTreeMap<u32, Rc<SelectedRules<'a>>>,
    kept_rules: usize,
    kept_octets: usize,
}

impl<'a> Selections<'a> {
    pub(crate) fn new(file: &'a Robots, spellings: &'a FileSpellings) -> Self {
        let (groups, numbers) = (FileGroups::spelled(file, spellings), SequenceNumbers::new());
        Self { groups, numbers, kept: BTreeMap::new(), kept_rules: 0, kept_octets: 0 }
    }

    /// Returns the number of the groups with these indices.
    pub(crate) fn number(&mut self, indices: &[usize], meter: &mut Meter<'_>) -> Result<u32, Exhausted> {
        self.numbers.of(&self.groups, indices, meter)
    }

    /// Returns the rules of the groups with these indices, which have this number.
    pub(crate) fn rules(
        &mut self,
        number: u32,
        indices: &[usize],
        memory: &mut Memory,
        meter: &mut Meter<'_>,
    ) -> Result<Rc<SelectedRules<'a>>, Exhausted> {
        if let Some(known) = self.kept.get(&number) {
            return Ok(Rc::clone(known));
        }
        let groups = self.groups.select(indices);
        let rules: usize = groups.iter().map(|group| group.rules().len()).sum();
        let octets =
            groups.iter().flat_map(Group::rules).map(|rule| RuleList::octets_of(&rule, self.groups.spellings)).sum();
        if self.kept_rules + rules > MAX_KEPT_RULES {
            self.kept.clear();
            memory.release(self.kept_octets);
            (self.kept_rules, self.kept_octets) = (0, 0);
        }
        memory.hold(octets)?;
        self.kept_rules += rules;
        self.kept_octets += octets;
        let list = self.groups.rules(indices, meter)?;
        let selected = Rc::new(SelectedRules { list, sorted: OnceCell::new(), compiled: OnceCell::new() });
        self.kept.insert(number, Rc::clone(&selected));
        Ok(selected)
    }

    /// Returns the lines of all rules of the groups with these indices.
    pub(crate) fn lines(&self, indices: &[usize]) -> Vec<u32> {
        let groups = self.groups.select(indices);
        groups.iter().flat_map(Group::rules).map(|rule| rule.line()).collect()
    }

    /// Drops the selections.
    pub(crate) fn release(self, memory: &mut Memory) {
        memory.release(self.kept_octets);
    }
}
