//! Compares the rules that two files have for one class of crawlers.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use comity::dialect::Escapes;
use comity::{Reason, Rules, Verdict};

use crate::budget::{Exhausted, Meter};
use crate::change::{ChangeRule, Direction, Side};
use crate::classes::Class;
use crate::compare::Comparison;
use crate::memory::Memory;
use crate::overlay;
use crate::pattern::Pattern;
use crate::ranked::{RankedRule, RuleList, Source};
use crate::selected::SelectedRules;
use crate::sent;
use crate::spelling;

/// The maximum number of bytes that remembered URLs take, so that no URL is checked twice.
const MAX_REMEMBERED_OCTETS: usize = 2 << 20;

/// The number of bytes that a remembered URL takes beside its own.
const REMEMBERED_URL_OCTETS: usize = 48;

/// The number of bytes that a reference to a rule takes in a list that grows.
const OCTETS_PER_DECIDER: usize = 16;

/// The rules that two files have for one class of crawlers.
pub(crate) struct Pair<'p, 'a> {
    selected: [&'p SelectedRules<'a>; 2],
    pub(crate) lists: [&'p RuleList<'a>; 2],
    compiled: [&'p Rules; 2],
    /// The indices of the rules of each file that the other one does not have.
    changed: [Vec<u32>; 2],
    /// For each rule of each file, true if the word of its own pattern was checked.
    own_words: [Vec<bool>; 2],
    /// The readings of the pattern that URLs must match, if there is one.
    pub(crate) under: Option<Vec<Pattern<'p>>>,
    /// The readings of the patterns whose URLs are excluded.
    except: Vec<Pattern<'p>>,
    /// Selects the rules whose URLs are excluded.
    except_rules: Option<fn(&[u8]) -> bool>,
    until_first: bool,
    /// True if all differences were found, and if both files rank and match patterns in the same way. Only then do the
    /// other rules limit the URLs of a changed one.
    pub(crate) is_describable: bool,
    /// True if the dialects have different normal forms, so that paths are canonical.
    is_mixed: bool,
    /// False if some pattern matches other paths than its readings.
    is_complete: bool,
    pub(crate) filler: Option<u8>,
    seen: BTreeSet<Box<[u8]>>,
    seen_octets: usize,
    asked: usize,
    found: BTreeMap<Place, Found<'p, 'a>>,
    /// The bytes that are counted for this pair.
    held: usize,
}

/// The place of a difference: its direction, and the changed rule that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) direction: Direction,
    pub(crate) side: Side,
    pub(crate) source: Source,
    /// True if the rule is that of an index page's directory.
    pub(crate) is_twin: bool,
}

/// The critical URLs with another answer that one changed rule decides.
pub(crate) struct Found<'p, 'a> {
    pub(crate) rule: &'p RankedRule<'a>,
    /// The rules that decide in the other file.
    pub(crate) deciders: Vec<&'p RankedRule<'a>>,
    /// The shortest path, of those that may be sent if there are any.
    pub(crate) witness: Vec<u8>,
    /// True if a client may send one of these URLs.
    pub(crate) is_sent: bool,
}

impl Found<'_, '_> {
    /// Returns the bytes that a difference takes, at most. Nodes of the map are at least half full.
    fn octets(&self) -> usize {
        2 * size_of::<(Place, Found<'_, '_>)>() + self.witness.len() + OCTETS_PER_DECIDER * self.deciders.len().max(4)
    }
}

/// Returns true if all URLs that match a rule of a file are excluded.
fn excludes(except_rules: Option<fn(&[u8]) -> bool>, rule: &RankedRule<'_>) -> bool {
    except_rules.is_some_and(|is_excluded| rule.source.line().is_some() && is_excluded(rule.matched_text()))
}

pub(crate) fn change_rule(side: Side, rule: &RankedRule<'_>) -> ChangeRule {
    ChangeRule { side, line: rule.source.line(), pattern: rule.matching_text() }
}

impl<'p, 'a> Pair<'p, 'a> {
    /// Returns `None` if neither file has a rule that the other one does not have. For each file, the class is one to
    /// which the selected rules apply.
    pub(crate) fn new(
        comparison: &'p Comparison<'a>,
        classes: [&Class<'_, 2>; 2],
        selected: [&'p SelectedRules<'a>; 2],
    ) -> Option<Self> {
        let all = comparison.all_changed();
        let has_twins = [comparison.old, comparison.new].map(|file| file.dialect().allow_index_allows_directory);
        let excluded = comparison.except_rules;
        let changed = [(0, 1), (1, 0)].map(|(own, other): (usize, usize)| {
            let is_changed = |rule: &RankedRule<'a>| match rule.source {
                Source::Default => false,
                Source::RobotsTxt => selected[other].list.of_source(Source::RobotsTxt).is_empty(),
                Source::Line(_) => {
                    let is_own = || rule.is_respelled || !selected[other].contains(rule.allows, rule.text);
                    all || is_own() || rule.is_twin && !has_twins[other]
                }
            };
            let rules = (0..).zip(&selected[own].list.rules);
            let changed = rules.filter(|(_, rule)| is_changed(rule) && !excludes(excluded, rule));
            changed.map(|(index, _)| index).collect::<Vec<u32>>()
        });
        if changed.iter().all(Vec::is_empty) {
            return None;
        }
        let [old, new] = selected;
        let lists = [&old.list, &new.list];
        let texts = lists.into_iter().flat_map(|list| &list.rules).map(|rule| rule.text);
        let texts = texts.chain(comparison.under.as_deref()).chain(comparison.except.iter().map(Vec::as_slice));
        let readings = |text| comparison.spellings.files[0].readings(text, comparison.old.dialect().wildcards);
        Some(Self {
            selected,
            lists,
            compiled: [
                old.compiled(comparison.old, &classes[0].example.crawler()),
                new.compiled(comparison.new, &classes[1].example.crawler()),
            ],
            own_words: lists.map(|list| alloc::vec![false; list.rules.len()]),
            under: comparison.under.as_deref().map(readings),
            except: comparison.except.iter().flat_map(|text| readings(text)).collect(),
            except_rules: excluded,
            until_first: comparison.until_first,
            // Two dialects read the texts of patterns in two ways, so a text describes no set of URLs.
            is_describable: !comparison.spellings.is_mixed
                && (!all || comparison.old.dialect() == comparison.new.dialect()),
            is_mixed: comparison.spellings.is_mixed,
            is_complete: old.list.is_complete && new.list.is_complete && comparison.covers_limits(),
            filler: overlay::filler(texts.chain([&b"/robots.txt"[..]])),
            changed,
            seen: BTreeSet::new(),
            seen_octets: 0,
            asked: 0,
            found: BTreeMap::new(),
            held: 0,
        })
    }

    /// Returns true if the URLs that were checked decide all others.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the number of URLs that were checked.
    pub(crate) fn asked(&self) -> usize {
        self.asked
    }

    /// Checks every critical URL in both files.
    pub(crate) fn compare(&mut self, memory: &mut Memory, meter: &mut Meter<'_>) -> Result<(), Exhausted> {
        let lists = self.lists;
        let changed = core::mem::take(&mut self.changed);
        let is_describable = core::mem::take(&mut self.is_describable);
        for side in [Side::Old, Side::New] {
            for index in changed[side.index()].iter().map(|index| *index as usize) {
                let rule = &lists[side.index()].rules[index];
                for (place, opponent) in lists[side.other().index()].near(rule.pattern.stem(), !rule.allows) {
                    meter.spend(1)?;
                    // Two changed rules are compared once.
                    let is_done = side == Side::New && changed[0].binary_search(&(place as u32)).is_ok();
                    if is_done || self.is_excluded(opponent) {
                        continue;
                    }
                    match self.own_word([(side, index), (side.other(), place)]) {
                        Some(own) if self.under.is_none() => self.ask_own_word(own, memory, meter)?,
                        _ => self.overlay([rule, opponent], memory, meter)?,
                    }
                    if self.until_first && !self.found.is_empty() {
                        return Ok(());
                    }
                }
            }
        }
        self.is_describable = is_describable && self.is_complete;
        Ok(())
    }

    /// Returns the rule whose own pattern has the only word of two rules, if both are literals with an open end. It is the
    /// longer one.
    fn own_word(&self, rules: [(Side, usize); 2]) -> Option<(Side, usize)> {
        let [one, other] = rules.map(|(side, index)| &self.lists[side.index()].rules[index].pattern);
        let are_literals = [one, other].into_iter().all(|pattern| pattern.is_literal() && !pattern.anchored);
        are_literals.then(|| rules[usize::from(other.stem().len() > one.stem().len())])
    }

    /// Checks the word of a rule's own pattern, once.
    fn ask_own_word(
        &mut self,
        (side, index): (Side, usize),
        memory: &mut Memory,
        meter: &mut Meter<'_>,
    ) -> Result<(), Exhausted> {
        if self.own_words[side.index()][index] {
            return Ok(());
        }
        let filler = self.filler.ok_or(Exhausted)?;
        let word = [self.lists[side.index()].rules[index].pattern.stem(), &[filler]].concat();
        meter.spend(word.len())?;
        self.ask(&word, memory, meter)?;
        self.own_words[side.index()][index] = true;
        Ok(())
    }

    fn overlay(
        &mut self,
        rules: [&RankedRule<'a>; 2],
        memory: &mut Memory,
        meter: &mut Meter<'_>,
    ) -> Result<(), Exhausted> {
        let filler = self.filler.ok_or(Exhausted)?;
        let under = self.under.take();
        let mut ask = |path: &[u8], meter: &mut Meter<'_>| self.ask(path, memory, meter);
        let patterns = [&rules[0].pattern, &rules[1].pattern];
        let asked = overlay::each_word(patterns, under.as_deref(), filler, meter, &mut ask);
        self.under = under;
        asked
    }

    /// Checks a URL in both files, unless it is excluded or was already checked.
    fn ask(&mut self, path: &[u8], memory: &mut Memory, meter: &mut Meter<'_>) -> Result<(), Exhausted> {
        if self.seen.contains(path) {
            return Ok(());
        }
        let both = self.question_steps();
        let of_rules = if self.except_rules.is_some() { both } else { 0 };
        meter.spend(both + of_rules + self.except.len())?;
        // A word matches an excluded pattern only if all URLs that it represents do.
        if self.is_excepted(path) {
            return Ok(());
        }
        let octets = path.len() + REMEMBERED_URL_OCTETS;
        if self.seen_octets < MAX_REMEMBERED_OCTETS && self.hold(octets, memory).is_ok() {
            self.seen_octets += octets;
            self.seen.insert(path.into());
        }
        self.asked += 1;
        let verdicts = self.verdicts(path);
        let [was, is] = verdicts.map(|verdict| verdict.is_allowed());
        if was != is {
            meter.spend(path.len() / 16)?;
            self.note(path, verdicts, memory)?;
        }
        Ok(())
    }

    /// Returns false for a path that no canonical URL has. The word of an overlay is canonical if any path of the overlay
    /// is: an escape that the word contains is in its literals, since no filler is part of an escape.
    pub(crate) fn is_compared(&self, path: &[u8]) -> bool {
        !self.is_mixed || spelling::is_canonical(path)
    }

    pub(crate) fn is_excepted(&self, path: &[u8]) -> bool {
        if !self.is_compared(path) {
            return true;
        }
        let excluded = |list: &RuleList<'a>| list.decide(path, |rule| self.is_excluded(rule)).is_some();
        self.except.iter().any(|pattern| pattern.matches(path))
            || self.except_rules.is_some() && self.lists.iter().any(|list| excluded(list))
    }

    fn is_excluded(&self, rule: &RankedRule<'_>) -> bool {
        excludes(self.except_rules, rule)
    }

    /// Returns the verdicts of both files for a path.
    pub(crate) fn verdicts(&self, path: &[u8]) -> [Verdict; 2] {
        let sent = self.sent(path);
        self.compiled.map(|rules| rules.check_sent_path(&sent))
    }

    /// Returns a path as a URL contains it.
    pub(crate) fn sent<'w>(&self, path: &'w [u8]) -> Cow<'w, [u8]> {
        if self.is_mixed { Cow::Borrowed(path) } else { spelling::sent(path, self.compiled[0].dialect()) }
    }

    /// Returns the number of steps that one check of both files takes.
    pub(crate) fn question_steps(&self) -> usize {
        self.lists[0].question_steps() + self.lists[1].question_steps()
    }

    /// Returns how paths are compared: decoded only if both files are.
    pub(crate) fn escapes(&self) -> Escapes {
        let [old, new] = self.compiled.map(|rules| rules.dialect().escapes);
        if old == Escapes::Decoded { new } else { old }
    }

    /// Returns the rule of a file that the verdict for a path is based on.
    pub(crate) fn decider(&self, side: Side, verdict: &Verdict, path: &[u8]) -> Option<&'p RankedRule<'a>> {
        let list = self.lists[side.index()];
        let source = match (verdict.line(), verdict.reason()) {
            (Some(line), _) => Source::Line(line),
            (None, Reason::RobotsTxt) => Source::RobotsTxt,
            (None, _) => Source::Default,
        };
        // A line may be several rules. Some lines without a pattern are not in the list.
        let entries = list.of_source(source);
        if let [only] = entries {
            return Some(only);
        }
        let matching = entries.iter().filter(|entry| entry.pattern.matches(path)).max_by_key(|entry| entry.key);
        matching.or(entries.first()).or_else(|| list.of_source(Source::Default).first())
    }

    /// Attributes a URL with another answer to the changed rule that decides there.
    fn note(&mut self, path: &[u8], verdicts: [Verdict; 2], memory: &mut Memory) -> Result<(), Exhausted> {
        let deciders = [Side::Old, Side::New].map(|side| self.decider(side, &verdicts[side.index()], path));
        debug_assert!(
            !self.is_complete()
                || deciders.map(|rule| rule.map(|rule| rule.source))
                    == self.lists.map(|list| list.decide(path, |_| true).map(|rule| rule.source)),
            "the engine decides {} by other rules",
            path.escape_ascii()
        );
        let direction = if verdicts[1].is_allowed() { Direction::Allowed } else { Direction::Blocked };
        let is_line = |decider: &&RankedRule<'a>| matches!(decider.source, Source::Line(_));
        // A rule that only the new file has comes first. Then comes the rule of the old file, which is the cause if it
        // was removed and a rule of both files decides instead.
        let is_new =
            |decider: &&RankedRule<'a>| is_line(decider) && !self.selected[0].contains(decider.allows, decider.text);
        let (side, rule) = match deciders {
            [_, Some(new)] if is_new(&new) => (Side::New, new),
            [Some(old), _] if is_line(&old) => (Side::Old, old),
            [_, Some(new)] => (Side::New, new),
            [Some(old), None] => (Side::Old, old),
            [None, None] => return Ok(()),
        };
        let place = Place { direction, side, source: rule.source, is_twin: rule.is_twin };
        let is_sent = sent::may_be_sent(path, self.filler, self.escapes());
        if !self.found.contains_key(&place) {
            let found = Found { rule, deciders: Vec::new(), witness: path.to_vec(), is_sent };
            self.hold(found.octets(), memory)?;
            self.found.insert(place, found);
        }
        let Some(found) = self.found.get_mut(&place) else { return Ok(()) };
        if (!is_sent, path.len()) < (!found.is_sent, found.witness.len()) {
            (found.witness, found.is_sent) = (path.to_vec(), is_sent);
        }
        // Most rules are changed against few others, one after the other.
        if let Some(decider) = deciders[side.other().index()]
            && !found.deciders.iter().rev().take(8).any(|other| other.identity() == decider.identity())
        {
            found.deciders.push(decider);
            self.hold(OCTETS_PER_DECIDER, memory)?;
        }
        Ok(())
    }

    /// Counts bytes that this pair is going to allocate.
    fn hold(&mut self, octets: usize, memory: &mut Memory) -> Result<(), Exhausted> {
        memory.hold(octets)?;
        self.held += octets;
        Ok(())
    }

    /// Returns the next difference that was found and not yet described, with its place.
    pub(crate) fn next_found(&mut self, memory: &mut Memory) -> Option<(Place, Found<'p, 'a>)> {
        let (place, found) = self.found.pop_first()?;
        let octets = found.octets().min(self.held);
        memory.release(octets);
        self.held -= octets;
        Some((place, found))
    }

    /// Ends the comparison.
    pub(crate) fn release(self, memory: &mut Memory) {
        memory.release(self.held);
    }
}
