//! The intersection of two patterns, as one word for each way to overlay them.
//!
//! A word is a path: the segments of both patterns in their order, overlapping where their bytes agree, with the
//! filler byte in place of every star and after an open end. The crate's documentation proves that these words are
//! sufficient to decide all paths that both patterns match.

use alloc::vec::Vec;

use comity::{Rules, Verdict};

use crate::budget::{Exhausted, Meter};
use crate::literal::LiteralOverlays;
use crate::pattern::Pattern;
use crate::spelling;

/// Returns a byte that none of these patterns contains.
///
/// A URL may contain it, and normalization does not change it. It is not a hexadecimal digit, so it does not complete
/// an escape. `None` if the patterns contain all candidates.
pub(crate) fn filler<'p>(patterns: impl Iterator<Item = &'p [u8]>) -> Option<u8> {
    const CANDIDATES: &[u8] = b"~!;,'()+@:_-xzyqwvjkpughilmnorstXZYQWVJKPUGHILMNORST.";
    let mut used = [false; 256];
    for octet in patterns.flatten() {
        used[usize::from(*octet)] = true;
    }
    CANDIDATES.iter().copied().find(|octet| !used[usize::from(*octet)])
}

/// Returns more readable versions of a path with fillers: one without them, and one with `x` instead.
pub(crate) fn without_filler(path: &[u8], filler: u8) -> [Vec<u8>; 2] {
    let without = path.iter().copied().filter(|octet| *octet != filler).collect();
    let lettered = path.iter().map(|octet| if *octet == filler { b'x' } else { *octet }).collect();
    [without, lettered]
}

/// Returns the verdict for a path in normal form.
pub(crate) fn check(rules: &Rules, path: &[u8]) -> Verdict {
    rules.check_sent_path(&spelling::sent(path, rules.dialect()))
}

/// A position in a pattern while a word is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The next byte must be this one of this segment.
    Inside { segment: usize, offset: usize },
    /// In the star before segment `next`, where any byte may follow and the segment may start. If there is no such
    /// segment, in the open end of the pattern.
    Star { next: usize },
    /// At the anchored end: no byte may follow.
    End,
}

impl Place {
    pub(crate) fn octet(self, pattern: &Pattern<'_>) -> Option<u8> {
        match self {
            Self::Inside { segment, offset } => pattern.segment(segment).map(|segment| segment[offset]),
            Self::Star { .. } | Self::End => None,
        }
    }

    /// Leaves the star at the start of the next segment, if there is one.
    pub(crate) fn start(self, pattern: &Pattern<'_>) -> Option<Self> {
        match self {
            Self::Star { next } if next < pattern.len() => Some(Self::Inside { segment: next, offset: 0 }),
            _ => None,
        }
    }

    /// Moves past the byte at this place. A star takes any byte.
    pub(crate) fn advance(self, pattern: &Pattern<'_>) -> Self {
        let Self::Inside { segment, offset } = self else { return self };
        if pattern.segment(segment).is_some_and(|segment| offset + 1 < segment.len()) {
            Self::Inside { segment, offset: offset + 1 }
        } else if pattern.anchored && segment + 1 == pattern.len() {
            Self::End
        } else {
            Self::Star { next: segment + 1 }
        }
    }

    /// Returns the places after a byte.
    pub(crate) fn take(self, octet: u8, pattern: &Pattern<'_>) -> impl Iterator<Item = Self> + use<> {
        let waiting = matches!(self, Self::Star { .. }).then_some(self);
        let taking = self.start(pattern).unwrap_or(self);
        let taken = (taking.octet(pattern) == Some(octet)).then(|| taking.advance(pattern));
        waiting.into_iter().chain(taken)
    }

    pub(crate) fn may_end(self, pattern: &Pattern<'_>) -> bool {
        self == Self::End || self == Self::Star { next: pattern.len() }
    }
}

/// The words of the intersection of two patterns.
#[derive(Debug)]
pub(crate) struct Overlays<'p, 'a> {
    patterns: [&'p Pattern<'a>; 2],
    filler: u8,
    word: Vec<u8>,
    /// The words, if one of the patterns is a literal. In this case, nothing is pending.
    literal: Option<LiteralOverlays<'p, 'a>>,
    pending: Vec<Pending>,
}

/// A state of the search that is still to be tried.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The length of the word in this state.
    len: usize,
    places: [Place; 2],
    /// True if the first pattern, which is in a star, must stay in it for one byte. The overlay in which both segments
    /// start together is already an alternative of another state.
    hold: bool,
}

impl<'p, 'a> Overlays<'p, 'a> {
    /// Starts at the first overlay.
    pub(crate) fn new(patterns: [&'p Pattern<'a>; 2], filler: u8) -> Self {
        let literal = LiteralOverlays::new(patterns);
        if literal.is_some() {
            return Self { patterns, filler, word: Vec::new(), literal, pending: Vec::new() };
        }
        Self::searched(patterns, filler)
    }

    /// Starts a search for patterns of any kind.
    fn searched(patterns: [&'p Pattern<'a>; 2], filler: u8) -> Self {
        let places = [Place::Inside { segment: 0, offset: 0 }; 2];
        let pending = alloc::vec![Pending { len: 0, places, hold: false }];
        Self { patterns, filler, word: Vec::new(), literal: None, pending }
    }

    /// Returns the next word, or `None` after the last one. A word may be returned more than once.
    pub(crate) fn next(&mut self, meter: &mut Meter<'_>) -> Result<Option<&[u8]>, Exhausted> {
        if let Some(literal) = &mut self.literal {
            return Ok(literal.next(self.filler, &mut self.word, meter)?.then_some(self.word.as_slice()));
        }
        while let Some(pending) = self.pending.pop() {
            self.word.truncate(pending.len);
            if self.lay(pending.places, pending.hold, meter)? {
                return Ok(Some(&self.word));
            }
        }
        Ok(None)
    }

    /// Continues the word from these places. Returns true if it was completed. Alternatives become pending.
    fn lay(&mut self, mut places: [Place; 2], mut hold: bool, meter: &mut Meter<'_>) -> Result<bool, Exhausted> {
        let [a, b] = self.patterns;
        loop {
            meter.spend(1)?;
            let octet = match (places[0].octet(a), places[1].octet(b)) {
                (Some(one), Some(other)) if one == other => one,
                (Some(_), Some(_)) => return Ok(false),
                (Some(octet), None) => {
                    if places[1] == Place::End {
                        return Ok(false);
                    }
                    self.branch([Some(places[0]), places[1].start(b)], false);
                    octet
                }
                (None, Some(octet)) => {
                    if places[0] == Place::End {
                        return Ok(false);
                    }
                    if !core::mem::take(&mut hold) {
                        self.branch([places[0].start(a), Some(places[1])], false);
                    }
                    octet
                }
                (None, None) => return Ok(self.both_free(places)),
            };
            self.word.push(octet);
            places = [places[0].advance(a), places[1].advance(b)];
        }
    }

    /// Stores an alternative continuation of the current word.
    fn branch(&mut self, places: [Option<Place>; 2], hold: bool) {
        if let [Some(one), Some(other)] = places {
            self.pending.push(Pending { len: self.word.len(), places: [one, other], hold });
        }
    }

    /// Handles two places of which neither requires a byte. Returns true if the word is complete.
    fn both_free(&mut self, places: [Place; 2]) -> bool {
        let [a, b] = self.patterns;
        let stars = places.iter().all(|place| matches!(place, Place::Star { .. }));
        if stars {
            self.word.push(self.filler);
            self.branch([places[0].start(a), Some(places[1])], false);
            self.branch([Some(places[0]), places[1].start(b)], true);
        }
        places[0].may_end(a) && places[1].may_end(b)
    }
}

/// Calls `ask` with each word of the intersection of two patterns. If `under` is given, it contains the readings of a
/// third pattern, and the words are those of the intersection of all three. A word may be repeated.
pub(crate) fn each_word(
    patterns: [&Pattern<'_>; 2],
    under: Option<&[Pattern<'_>]>,
    filler: u8,
    meter: &mut Meter<'_>,
    ask: &mut impl FnMut(&[u8], &mut Meter<'_>) -> Result<(), Exhausted>,
) -> Result<(), Exhausted> {
    let mut overlays = Overlays::new(patterns, filler);
    while let Some(path) = overlays.next(meter)? {
        let Some(readings) = under else {
            ask(path, meter)?;
            continue;
        };
        // The word of an overlay is a pattern, too: the fillers are its stars.
        let both = Pattern::of_word(path, filler);
        for reading in readings {
            let mut overlays = Overlays::new([&both, reading], filler);
            while let Some(path) = overlays.next(meter)? {
                ask(path, meter)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    use super::Overlays;
    use crate::budget::{Budget, Meter};
    use crate::pattern::Pattern;

    fn words(mut overlays: Overlays<'_, '_>) -> Vec<Vec<u8>> {
        let mut meter = Meter::new(Budget::default());
        let mut words = Vec::new();
        while let Some(word) = overlays.next(&mut meter).unwrap() {
            words.push(word.to_vec());
        }
        words
    }

    /// Returns all texts of at most `octets` bytes that start with a slash.
    fn texts(alphabet: &[u8], octets: u32) -> Vec<Vec<u8>> {
        let base = alphabet.len() as u32;
        let text = |length: u32, number: u32| {
            let octets = (0..length).map(|digit| alphabet[(number / base.pow(digit) % base) as usize]);
            core::iter::once(b'/').chain(octets).collect::<Vec<u8>>()
        };
        (0..octets).flat_map(|length| (0..base.pow(length)).map(move |number| text(length, number))).collect()
    }

    /// The search finds the words of all patterns; those of a literal are found without it.
    #[test]
    fn literals_have_the_words_that_a_search_finds() {
        let literals = texts(b"/ab", 5);
        let patterns = texts(b"ab*", 6);
        let mut count = 0;
        for pattern in &patterns {
            for dollar in [false, true] {
                let pattern = [pattern.as_slice(), if dollar { b"$" } else { b"" }].concat();
                for literal in &literals {
                    let anchored = [Pattern::readings(literal, true).swap_remove(0), Pattern::literal(literal, true)];
                    for literal in &anchored {
                        for pattern in &Pattern::readings(&pattern, true) {
                            for pair in [[literal, pattern], [pattern, literal]] {
                                let found = words(Overlays::new(pair, b'~'));
                                let expected: BTreeSet<_> = words(Overlays::searched(pair, b'~')).into_iter().collect();
                                count += found.len();
                                let set: BTreeSet<_> = found.iter().cloned().collect();
                                assert_eq!(set.len(), found.len(), "a word of {pair:?} is repeated");
                                assert_eq!(set, expected, "{pair:?}");
                            }
                        }
                    }
                }
            }
        }
        assert!(count > 10_000, "{count}");
    }
}
