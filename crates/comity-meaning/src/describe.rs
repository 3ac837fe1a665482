//! Describes the differences between two files: the URLs of each changed rule, and its exceptions.
//!
//! A description is the set of the URLs that one rule matches, without those that keep their answers. They keep it
//! because a rule *e* decides, of the same file or of the other one. But *e* does not decide all URLs that it matches:
//! rules of its file that overrule it may change the answers of some. So an exception has exceptions of its own, and
//! two levels are sufficient. If *e* does not decide a URL because *f* overrules it, and *f* does not decide it either
//! because a third rule does, then that rule keeps the answer and is an exception itself.
//!
//! As for differences, the words of overlays decide which of these rules matter: a rule that decides some URL of an
//! overlay decides its word.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::budget::{Exhausted, Meter};
use crate::change::{Change, ChangeException, ChangeRule, Direction, Side};
use crate::memory::Memory;
use crate::overlay::{self, Overlays};
use crate::pair::{Found, Pair, Place, change_rule};
use crate::pattern::Pattern;
use crate::ranked::RankedRule;
use crate::sent;

/// The maximum number of exceptions that are compared with each other, so that one that contains others replaces them.
const MAX_ABSORBING: usize = 32;

/// The maximum number of exceptions of an exception. With more, nobody reads the sentence: it names a part of the rule's
/// URLs instead. In real files, this concerns patterns with stars, which overlap nearly all others.
const MAX_UNLESS: usize = 16;

/// The part of the budget that one description may take, so that others have exceptions, too.
const DESCRIPTION_SHARE: u64 = 32;

/// A test of a word, which may take steps.
type WordTest<'w, 'm> = dyn FnMut(&[u8], &mut Meter<'m>) -> Result<bool, Exhausted> + 'w;

/// The limits of a change: what narrows its rule, what is excepted, and whether they are exact.
#[derive(Default)]
struct Limits {
    narrowed_by: Vec<ChangeRule>,
    except: Vec<ChangeException>,
    is_exact: bool,
}

/// An exception of a description.
struct Exception<'p, 'a> {
    side: Side,
    rule: &'p RankedRule<'a>,
    /// The rules of the same file that overrule it for URLs whose answers change.
    unless: Vec<&'p RankedRule<'a>>,
}

impl<'p, 'a> Pair<'p, 'a> {
    /// Returns a description of the next difference that was found.
    pub(crate) fn next_change(
        &mut self,
        with_exceptions: bool,
        memory: &mut Memory,
        meter: &mut Meter<'_>,
    ) -> Option<Change> {
        let (place, found) = self.next_found(memory)?;
        // Without its limits, the rule describes more URLs than those that change, never fewer.
        let is_limited = with_exceptions && self.is_describable;
        let mut limits = || meter.with_share(DESCRIPTION_SHARE, |meter| self.limits(&place, &found, meter)).ok();
        let limits = if is_limited { limits() } else { None };
        let Limits { narrowed_by, except, is_exact } = limits.unwrap_or_default();
        let Place { direction, side, .. } = place;
        Some(Change {
            direction,
            crawlers: Arc::default(),
            rule: change_rule(side, found.rule),
            narrowed_by,
            except,
            is_exact,
            is_sent: found.is_sent,
            witness: self.shorten(found.witness, &place),
        })
    }

    /// Returns what limits the URLs of a changed rule to those that change.
    fn limits(&self, place: &Place, found: &Found<'p, 'a>, meter: &mut Meter<'_>) -> Result<Limits, Exhausted> {
        let filler = self.filler.ok_or(Exhausted)?;
        let (own, other) = (place.side, place.side.other());
        let readings: Vec<&RankedRule<'a>> = self.readings(own, found.rule).collect();
        let words: Vec<Vec<u8>> = readings.iter().map(|rule| rule.pattern.word(filler)).collect();
        meter.spend(words.len() * self.question_steps())?;
        // If the other file has the same answer for what nothing but this rule matches, then the differences are within
        // some of its other rules.
        let is_narrowed = words.iter().any(|word| self.verdicts(word)[other.index()].is_allowed() == found.rule.allows)
            && found.deciders.iter().all(|decider| decider.source.line().is_some());
        let mut narrowing: Vec<&RankedRule<'a>> = if is_narrowed { found.deciders.clone() } else { Vec::new() };
        narrowing.sort_unstable_by_key(|rule| rule.identity());
        narrowing.dedup_by_key(|rule| rule.identity());
        let candidates = self.candidates(place, &readings, meter)?;
        let narrows = |rule: &RankedRule<'a>| is_narrowed && words.iter().all(|word| rule.pattern.matches(word));
        let mut exceptions: Vec<Exception<'p, 'a>> = Vec::new();
        let mut is_exact = true;
        for (side, rule) in candidates {
            // What matches all URLs of the rule decides none of those that narrow it.
            let is_known =
                exceptions.last().is_some_and(|last| last.side == side && last.rule.identity() == rule.identity());
            if is_known || side == other && narrows(rule) {
                continue;
            }
            if !self.keeps([&readings, &narrowing], (side, rule), &exceptions, meter)? {
                continue;
            }
            let (unless, is_whole) = self.overruling(place, &readings, (side, rule), meter)?;
            is_exact &= is_whole;
            if unless.len() > MAX_UNLESS {
                is_exact = false;
                continue;
            }
            exceptions.push(Exception { side, rule, unless });
        }
        // Those without exceptions of their own come first, since they are simpler to read.
        exceptions.sort_by_key(|except| (!except.unless.is_empty(), except.side, except.rule.identity()));
        let except = exceptions.into_iter().map(|Exception { side, rule, unless }| ChangeException {
            rule: change_rule(side, rule),
            unless: unless.into_iter().map(|rule| change_rule(side, rule)).collect(),
        });
        Ok(Limits {
            narrowed_by: narrowing.into_iter().map(|rule| change_rule(other, rule)).collect(),
            except: except.collect(),
            is_exact,
        })
    }

    /// Returns the entries of a rule, one for each reading of its pattern.
    fn readings(&self, side: Side, rule: &RankedRule<'a>) -> impl Iterator<Item = &'p RankedRule<'a>> {
        let is_twin = rule.is_twin;
        self.lists[side.index()].of_source(rule.source).iter().filter(move |entry| entry.is_twin == is_twin)
    }

    /// Returns the rules that may keep the answer of a URL that the changed rule matches: higher-ranking rules of its
    /// own file with the opposite answer, and rules of the other file with the same answer. Short patterns come first,
    /// since they may contain others.
    fn candidates(
        &self,
        place: &Place,
        readings: &[&RankedRule<'a>],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(Side, &'p RankedRule<'a>)>, Exhausted> {
        let mut candidates = Vec::new();
        for rule in readings {
            let stem = rule.pattern.stem();
            let overruling = self.lists[place.side.index()].near(stem, !rule.allows);
            let overruling = overruling.filter(|(_, stronger)| stronger.key > rule.key);
            let agreeing = self.lists[place.side.other().index()].near(stem, rule.allows);
            let overruling = overruling.map(|(_, rule)| (place.side, rule));
            for (side, rule) in overruling.chain(agreeing.map(|(_, rule)| (place.side.other(), rule))) {
                meter.spend(1)?;
                // `/robots.txt` itself never changes, and where no rule matches, the description is narrowed.
                if rule.source.line().is_some() {
                    candidates.push((side, rule));
                }
            }
        }
        candidates.sort_by_key(|(side, rule)| (rule.text.len(), *side, rule.identity()));
        Ok(candidates)
    }

    /// Returns true if a rule keeps the answer of a URL that the changed rule and one of those that narrow it match, and
    /// that no other exception contains.
    fn keeps(
        &self,
        [readings, narrowing]: [&[&RankedRule<'a>]; 2],
        (side, rule): (Side, &RankedRule<'a>),
        exceptions: &[Exception<'p, 'a>],
        meter: &mut Meter<'_>,
    ) -> Result<bool, Exhausted> {
        // An exception contains all of a URL's overlay if its own exceptions share no URL with the rule.
        let is_apart = |unless: &&RankedRule<'a>| {
            let [one, other] = [unless.pattern.stem(), rule.pattern.stem()];
            !one.starts_with(other) && !other.starts_with(one)
        };
        let absorbing: Vec<&Exception<'p, 'a>> =
            exceptions.iter().take(MAX_ABSORBING).filter(|except| except.unless.iter().all(is_apart)).collect();
        let is_absorbed = |word: &[u8]| {
            let mut entries = absorbing.iter().flat_map(|except| self.readings(except.side, except.rule));
            entries.any(|entry| entry.pattern.matches(word))
        };
        let mut is_kept = |word: &[u8], meter: &mut Meter<'_>| {
            meter.spend(absorbing.len() / 4)?;
            let is_kept = self.verdicts(word)[side.index()].is_allowed() == rule.allows && !is_absorbed(word);
            Ok(is_kept)
        };
        for reading in readings {
            if narrowing.is_empty() && self.any_word(&[&reading.pattern, &rule.pattern], meter, &mut is_kept)? {
                return Ok(true);
            }
            for narrower in narrowing {
                let patterns = [&reading.pattern, &rule.pattern, &narrower.pattern];
                if self.any_word(&patterns, meter, &mut is_kept)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the rules that overrule an exception for URLs whose answers change, or the first ones if there are too
    /// many, and true if each of them changes all
    /// the URLs that only these three rules match.
    fn overruling(
        &self,
        place: &Place,
        readings: &[&RankedRule<'a>],
        (side, except): (Side, &RankedRule<'a>),
        meter: &mut Meter<'_>,
    ) -> Result<(Vec<&'p RankedRule<'a>>, bool), Exhausted> {
        let list = self.lists[side.index()];
        let mut candidates: Vec<&RankedRule<'a>> = Vec::new();
        for entry in self.readings(side, except) {
            let stronger = list.near(entry.pattern.stem(), !entry.allows).filter(|(_, rule)| rule.key > entry.key);
            for (_, rule) in stronger {
                meter.spend(1)?;
                if rule.source.line().is_some() {
                    candidates.push(rule);
                }
            }
        }
        candidates.sort_by_key(|rule| (rule.text.len(), rule.identity()));
        let mut unless: Vec<&RankedRule<'a>> = Vec::new();
        let mut is_whole = true;
        for rule in candidates {
            if unless.len() > MAX_UNLESS {
                break;
            }
            if unless.last().is_some_and(|last| last.identity() == rule.identity()) {
                continue;
            }
            let is_covered = |word: &[u8]| {
                let mut entries = unless.iter().flat_map(|rule| self.readings(side, rule));
                entries.any(|entry| entry.pattern.matches(word))
            };
            let changes = |word: &[u8]| self.changes(word, place.direction) && !is_covered(word);
            let (mut is_found, mut in_part) = (false, false);
            'found: for reading in readings {
                for entry in self.readings(side, except) {
                    let patterns = [&reading.pattern, &entry.pattern, &rule.pattern];
                    is_found = self.any_word(&patterns, meter, &mut |word, meter| {
                        meter.spend(unless.len() / 4)?;
                        Ok(changes(word))
                    })?;
                    if is_found {
                        break 'found;
                    }
                    // The answer of the other file may be that of the change only where one more rule decides there.
                    in_part = in_part
                        || self.any_word(&patterns, meter, &mut |word, meter| {
                            self.changes_within(place, side, word, &changes, meter)
                        })?;
                }
            }
            if is_found || in_part {
                is_whole &= is_found;
                unless.push(rule);
            }
        }
        Ok((unless, is_whole))
    }

    /// Returns true if a word represents URLs that change, because in the file that does not have the exception another
    /// rule decides them than the word.
    fn changes_within(
        &self,
        place: &Place,
        side: Side,
        word: &[u8],
        changes: &impl Fn(&[u8]) -> bool,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Exhausted> {
        let filler = self.filler.ok_or(Exhausted)?;
        let verdicts = self.verdicts(word);
        let file = side.other();
        let wanted = (file == Side::New) == (place.direction == Direction::Allowed);
        if verdicts[file.index()].is_allowed() == wanted {
            return Ok(false);
        }
        let Some(decider) = self.decider(file, &verdicts[file.index()], word) else { return Ok(false) };
        let all = Pattern::of_word(word, filler);
        for (_, stronger) in self.lists[file.index()].near(all.stem(), wanted) {
            meter.spend(1)?;
            if stronger.key > decider.key
                && self.any_word(&[&all, &stronger.pattern], meter, &mut |word, _| Ok(changes(word)))?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if a path changes in this direction.
    fn changes(&self, path: &[u8], direction: Direction) -> bool {
        let is_allowed = direction == Direction::Allowed;
        self.verdicts(path).map(|verdict| verdict.is_allowed()) == [!is_allowed, is_allowed]
    }

    /// Returns true if `is_wanted` returns true for a word of the overlays of two or more patterns.
    fn any_word<'m>(
        &self,
        patterns: &[&Pattern<'_>],
        meter: &mut Meter<'m>,
        is_wanted: &mut WordTest<'_, 'm>,
    ) -> Result<bool, Exhausted> {
        let filler = self.filler.ok_or(Exhausted)?;
        meter.spend(1)?;
        let [one, other, rest @ ..] = patterns else { return Ok(false) };
        let mut overlays = Overlays::new([one, other], filler);
        while let Some(word) = overlays.next(meter)? {
            if !self.is_compared(word) {
                continue;
            }
            let is_found = if rest.is_empty() {
                meter.spend(self.question_steps())?;
                is_wanted(word, meter)?
            } else {
                // The word of an overlay is a pattern, too: the fillers are its stars.
                let both = Pattern::of_word(word, filler);
                let patterns: Vec<&Pattern<'_>> = core::iter::once(&both).chain(rest.iter().copied()).collect();
                self.any_word(&patterns, meter, is_wanted)?
            };
            if is_found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Replaces the fillers of a path by something shorter or more usual, if the same rule still decides and the answers
    /// differ in the same direction. Prefers paths that are sent.
    fn shorten(&self, path: Vec<u8>, place: &Place) -> Vec<u8> {
        let Some(filler) = self.filler else { return path };
        let differs = |path: &[u8]| {
            let is_under = self.under.as_ref().is_none_or(|readings| readings.iter().any(|it| it.matches(path)));
            is_under && !self.is_excepted(path) && self.changes(path, place.direction) && {
                let verdict = self.verdicts(path)[place.side.index()];
                self.decider(place.side, &verdict, path)
                    .is_some_and(|decider| decider.identity() == (place.source, place.is_twin))
            }
        };
        let usual = overlay::without_filler(&path, filler);
        let usual =
            usual.into_iter().chain(sent::in_query(&path, filler)).chain([path.clone()]).filter(|path| differs(path));
        let usual: Vec<Vec<u8>> = usual.collect();
        let is_sent = |path: &&Vec<u8>| sent::is_sent(path, self.escapes());
        usual.iter().find(is_sent).or(usual.first()).cloned().unwrap_or(path)
    }
}
