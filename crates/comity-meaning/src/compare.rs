//! Compares two files for all URLs and all crawlers.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use comity::dialect::{Escapes, Precedence, UrlPath};
use comity::{Crawler, Crawlers, Dialect, Profile, Robots};

use crate::budget::{Budget, Exhausted, KeepGoing, Meter};
use crate::claim::{PatternError, comparable};
use crate::classes::{self, Choice, Class};
use crate::difference::Difference;
use crate::gathered::Gathered;
use crate::memory::Memory;
use crate::pair::Pair;
use crate::selected::Selections;
use crate::signals;
use crate::spelling::{self, Spellings};

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
/// assert_eq!(difference.changes.len(), 1);
/// println!("{}", difference.changes[0]);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Comparison<'a> {
    pub(crate) old: &'a Robots,
    pub(crate) new: &'a Robots,
    choice: Choice<'a>,
    own_dialect_only: bool,
    pub(crate) under: Option<Vec<u8>>,
    pub(crate) except: Vec<Vec<u8>>,
    pub(crate) except_rules: Option<fn(&[u8]) -> bool>,
    pub(crate) until_first: bool,
    without_exceptions: bool,
    verdicts_only: bool,
    budget: Budget,
    keep_going: KeepGoing<'a>,
    pub(crate) spellings: &'a Spellings,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison of two files. If their dialects normalize URLs differently, URLs without unnecessary escapes
    /// are compared: those in which no unreserved character is escaped, and whose escapes have upper-case digits.
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
            spellings: &spelling::SHARED,
        }
    }

    /// Compares all crawlers, with those of this table as the known ones. Defaults to the built-in table.
    pub fn crawlers(mut self, crawlers: &'a Crawlers) -> Self {
        self.choice = Choice::All(crawlers);
        self
    }

    /// Compares only these crawlers. [`Crawler::ANY`] means every crawler that neither file names, also those that fall
    /// back to a token of the dialect. Crawlers that robots.txt does not govern are left out. Defaults to all crawlers.
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
        let limits = self.under.iter().chain(&self.except).map(Vec::as_slice);
        let spellings = Spellings::new([self.old, self.new], limits, &mut meter);
        let compared = Comparison { spellings: &spellings, ..self.clone() };
        let dialect = self.old.dialect();
        let reads_so = |profile: Option<&Profile>| profile.map_or(Dialect::STANDARD, |row| row.dialect) == *dialect;
        let accept = |profile: Option<&Profile>| !self.own_dialect_only || reads_so(profile);
        match classes::classes([self.old, self.new], self.choice, accept, &mut meter) {
            Ok(classes) => {
                compared.compare_classes(&classes, &mut difference, &mut meter, &mut describing);
                difference.crawlers = classes.into_iter().flat_map(|class| class.names).collect();
            }
            Err(Exhausted) => difference.unfinished.push(String::from("*")),
        }
        difference.steps = meter.spent();
        difference
    }

    /// Compares the rules and the signals of all classes.
    fn compare_classes(
        &self,
        classes: &[Class<'_, 2>],
        difference: &mut Difference,
        meter: &mut Meter<'_>,
        describing: &mut Meter<'_>,
    ) {
        let mut memory = Memory::for_rules_of([self.old, self.new].into_iter().map(octets_of_rules).sum());
        // The names are stored in the classes, and in the result as compared and as unfinished crawlers.
        let octets = |class: &Class<'_, 2>| {
            let names = class.names.iter().map(|name| size_of::<String>() + name.len()).sum::<usize>();
            size_of_val(class) + 3 * names + class.groups.iter().map(|groups| 8 * groups.len()).sum::<usize>()
        };
        if memory.hold(classes.iter().map(octets).sum()).is_err() {
            difference.unfinished.push(String::from("*"));
            return;
        }
        let mut progress = Progress {
            classes,
            files: [0, 1].map(|file| Selections::new([self.old, self.new][file], &self.spellings.files[file])),
            memory,
            first: Default::default(),
            unfinished: BTreeSet::new(),
            gathered: Gathered::default(),
        };
        for alike in self.group_alike(&mut progress, difference, meter) {
            if self.until_first && !(progress.gathered.is_empty() && difference.signals.is_empty()) {
                break;
            }
            difference.critical_urls += self.compare_alike(&alike, &mut progress, meter, describing);
        }
        progress.finish(difference);
    }

    /// Groups the classes by the rules that apply to them, and compares their signals.
    fn group_alike(
        &self,
        progress: &mut Progress<'_, 'a>,
        difference: &mut Difference,
        meter: &mut Meter<'_>,
    ) -> Vec<Alike> {
        let has_signals = !self.verdicts_only && [self.old, self.new].into_iter().any(signals::has_records);
        let mut places: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        let mut alike: Vec<Alike> = Vec::new();
        for (number, class) in (0..).zip(progress.classes) {
            let numbers = [0, 1].map(|file: usize| progress.files[file].number(&class.groups[file], meter));
            for (first, sequence) in progress.first.iter_mut().zip(&numbers) {
                if sequence.is_ok_and(|sequence| sequence as usize == first.len()) {
                    first.push(number);
                }
            }
            let [Ok(old), Ok(new)] = numbers else {
                progress.unfinished.insert(number);
                continue;
            };
            let place = *places.entry([old, new]).or_insert(alike.len());
            match alike.get_mut(place) {
                Some(alike) => alike.classes.push(number),
                None => alike.push(Alike { sequences: [old, new], classes: alloc::vec![number] }),
            }
            if has_signals {
                match signals::compare(self, class, meter) {
                    Ok(found) => signals::merge(&mut difference.signals, found, &class.names),
                    Err(Exhausted) => drop(progress.unfinished.insert(number)),
                }
            }
            if self.until_first && !difference.signals.is_empty() {
                break;
            }
        }
        alike
    }

    /// Compares the rules of classes that are alike, once for all of them. Returns the number of URLs that were checked.
    fn compare_alike(
        &self,
        alike: &Alike,
        progress: &mut Progress<'_, 'a>,
        meter: &mut Meter<'_>,
        describing: &mut Meter<'_>,
    ) -> usize {
        let Progress { classes, files, memory, first, unfinished, gathered } = progress;
        let Alike { sequences, classes: alike } = alike;
        let examples = [0, 1].map(|file| &classes[first[file][sequences[file] as usize] as usize]);
        let groups = [0, 1].map(|file| examples[file].groups[file].as_slice());
        let [old, new] = [0, 1].map(|file| files[file].rules(sequences[file], groups[file], memory, meter));
        let (Ok(old), Ok(new)) = (old, new) else {
            unfinished.extend(alike);
            return 0;
        };
        let Some(mut pair) = Pair::new(self, examples, [&old, &new]) else { return 0 };
        if pair.compare(memory, meter).is_err() || !pair.is_complete() {
            unfinished.extend(alike);
        }
        let asked = pair.asked();
        let mut changes = Vec::new();
        while let Some(mut change) = pair.next_change(!self.without_exceptions, memory, describing) {
            change.witness = pair.sent(&change.witness).into_owned();
            if memory.hold(Gathered::octets_of(&change)).is_err() {
                unfinished.extend(alike);
                break;
            }
            changes.push(Box::new(change));
        }
        pair.release(memory);
        let from = [0, 1].map(|file| files[file].lines(groups[file]));
        for number in &alike[1..] {
            let to = [0, 1].map(|file| files[file].lines(&classes[*number as usize].groups[file]));
            let is_moved = from != to;
            let translated = changes.iter().try_for_each(|change| {
                meter.spend(8)?;
                memory.hold(Gathered::octets_of(change))?;
                let change = if is_moved { change.on_other_lines(&from, &to) } else { (**change).clone() };
                gathered.add(change, *number)
            });
            if meter.spend(to.iter().map(|lines| lines.len() / 8).sum()).and(translated).is_err() {
                unfinished.insert(*number);
            }
        }
        let to = [0, 1].map(|file| files[file].lines(&classes[alike[0] as usize].groups[file]));
        // There may be as many changes as lines, so the lines are compared once for all of them.
        let is_moved = from != to;
        for change in changes {
            let change = if is_moved { change.on_other_lines(&from, &to) } else { *change };
            if gathered.add(change, alike[0]).is_err() {
                unfinished.insert(alike[0]);
            }
        }
        gathered.join();
        asked
    }

    /// Returns true if the readings of the patterns that limit the URLs match all of their paths.
    pub(crate) fn covers_limits(&self) -> bool {
        self.under.iter().chain(&self.except).all(|text| self.spellings.files[0].covers(text))
    }

    /// Returns true if rules with the same pattern may match other URLs or have another rank in the other file. In this
    /// case, each rule is treated as changed.
    pub(crate) fn all_changed(&self) -> bool {
        let [old, new] = [self.old.dialect(), self.new.dialect()];
        let has_lines_as_ranks = |dialect: &Dialect| dialect.precedence == Precedence::FirstMatch;
        let is_other = |dialect: &Dialect| (dialect.escapes == Escapes::Decoded, dialect.url_path == UrlPath::PathOnly);
        has_lines_as_ranks(old)
            || has_lines_as_ranks(new)
            || old.wildcards != new.wildcards
            || is_other(old) != is_other(new)
    }
}

/// Classes for which each file has the same rules, on whatever lines.
struct Alike {
    /// The number of the sequence of rules, for each file.
    sequences: [u32; 2],
    /// The indices of the classes, of which there is at least one.
    classes: Vec<u32>,
}

/// The state of a comparison of classes.
struct Progress<'c, 'a> {
    classes: &'c [Class<'c, 2>],
    files: [Selections<'a>; 2],
    memory: Memory,
    /// The first class with each sequence of rules, for each file.
    first: [Vec<u32>; 2],
    /// The classes that are not compared completely.
    unfinished: BTreeSet<u32>,
    gathered: Gathered,
}

impl Progress<'_, '_> {
    /// Adds the changes and the unfinished crawlers to the result.
    fn finish(mut self, difference: &mut Difference) {
        for file in self.files {
            file.release(&mut self.memory);
        }
        let names = self.classes.iter().map(|class| class.names.as_slice()).collect::<Vec<_>>();
        let (changes, left_out) = self.gathered.changes(&names, &mut self.memory);
        difference.changes = changes;
        self.unfinished.extend(left_out);
        difference.unfinished.extend(self.unfinished.iter().flat_map(|class| names[*class as usize]).cloned());
    }
}

/// Returns a lower bound of the bytes of a file: those of its rules, with the shortest names and ends of lines.
fn octets_of_rules(file: &Robots) -> usize {
    const NAME_AND_END: usize = "Allow:\n".len();
    file.groups().flat_map(|group| group.rules()).map(|rule| rule.value().len() + NAME_AND_END).sum()
}
