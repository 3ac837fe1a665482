//! The intersection of a literal and a pattern.
//!
//! A search would find the same words many times: a segment that fits into the literal at several places leaves the most
//! room at the first one. So a word is determined by the number of segments that lie within the literal, and by the place
//! of the next segment: apart from the literal, or across its end.

use alloc::vec::Vec;

use crate::budget::{Exhausted, Meter};
use crate::pattern::Pattern;

/// The words of the intersection of a literal and another pattern.
#[derive(Debug)]
pub(crate) struct LiteralOverlays<'p, 'a> {
    literal: &'a [u8],
    /// True if anything may follow the literal.
    is_open: bool,
    pattern: &'p Pattern<'a>,
    /// The number of segments that lie within the literal, each as early as possible.
    within: usize,
    /// The end of the last of these segments, as an offset in the literal.
    end: usize,
    step: Step,
}

/// The next words to try.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The first segment, which is at the start of the path, like the literal.
    First,
    /// The next segment starts here or later in the literal, and ends after it.
    Across(usize),
    /// The next segment is apart from the literal, or there is none.
    Apart,
    /// There are no more words.
    Done,
}

impl<'p, 'a> LiteralOverlays<'p, 'a> {
    /// Returns `None` if neither pattern is a literal.
    pub(crate) fn new(patterns: [&'p Pattern<'a>; 2]) -> Option<Self> {
        let [literal, pattern] = match patterns {
            [literal, other] if literal.is_literal() => [literal, other],
            [other, literal] if literal.is_literal() => [literal, other],
            _ => return None,
        };
        let (literal, is_open) = (literal.stem(), !literal.anchored);
        Some(Self { literal, is_open, pattern, within: 0, end: 0, step: Step::First })
    }

    /// Writes the next word of the intersection into `word`. Returns false after the last one. No word is repeated.
    pub(crate) fn next(&mut self, filler: u8, word: &mut Vec<u8>, meter: &mut Meter<'_>) -> Result<bool, Exhausted> {
        loop {
            let is_found = match self.step {
                Step::First => self.first(filler, word, meter)?,
                Step::Across(start) => self.across(start, filler, word, meter)?,
                Step::Apart => self.apart(filler, word, meter)?,
                Step::Done => return Ok(false),
            };
            if is_found {
                meter.spend(word.len())?;
                return Ok(true);
            }
        }
    }

    fn first(&mut self, filler: u8, word: &mut Vec<u8>, meter: &mut Meter<'_>) -> Result<bool, Exhausted> {
        meter.spend(1 + self.literal.len() / 8)?;
        self.step = Step::Done;
        if !self.is_open {
            word.clear();
            word.extend_from_slice(self.literal);
            return Ok(self.pattern.matches(self.literal));
        }
        let stem = self.pattern.stem();
        let is_whole = self.pattern.is_literal() && self.pattern.anchored;
        if stem.len() > self.literal.len() || is_whole {
            if stem.starts_with(self.literal) {
                self.write(0, filler, word);
                return Ok(true);
            }
        } else if self.literal.starts_with(stem) {
            (self.within, self.end) = (1, stem.len());
            self.step = self.next_segment();
        }
        Ok(false)
    }

    /// Returns the step after another segment was laid within the literal.
    fn next_segment(&self) -> Step {
        let Some(segment) = self.pattern.segment(self.within) else { return Step::Apart };
        // An anchored segment may end where the literal does. Others would be within the literal.
        let ends_with_literal = self.pattern.anchored && self.within + 1 == self.pattern.len();
        let room = segment.len() - usize::from(!ends_with_literal);
        Step::Across(self.literal.len().saturating_sub(room).max(self.end))
    }

    fn across(
        &mut self,
        start: usize,
        filler: u8,
        word: &mut Vec<u8>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Exhausted> {
        let Some(segment) = self.pattern.segment(self.within) else { return Ok(false) };
        let tail = &self.literal[start..];
        let Some(at) = memchr::memchr(segment[0], tail) else {
            meter.spend(1 + tail.len() / 16)?;
            self.step = Step::Apart;
            return Ok(false);
        };
        let tail = &tail[at..];
        meter.spend(1 + (at + tail.len()) / 16)?;
        self.step = Step::Across(start + at + 1);
        let is_prefix = segment.starts_with(tail);
        if is_prefix {
            self.write(tail.len(), filler, word);
        }
        Ok(is_prefix)
    }

    fn apart(&mut self, filler: u8, word: &mut Vec<u8>, meter: &mut Meter<'_>) -> Result<bool, Exhausted> {
        let tail = &self.literal[self.end..];
        meter.spend(1 + tail.len() / 16)?;
        self.step = Step::Done;
        word.clear();
        word.extend_from_slice(self.literal);
        word.push(filler);
        let Some(segment) = self.pattern.segment(self.within) else { return Ok(true) };
        self.write_rest(0, filler, word);
        let is_last = self.within + 1 == self.pattern.len();
        if !(is_last && self.pattern.anchored)
            && let Some(at) = memchr::memmem::find(tail, segment)
        {
            self.within += 1;
            self.end += at + segment.len();
            self.step = self.next_segment();
        }
        Ok(true)
    }

    /// Writes the literal and the rest of the pattern. So many bytes of the next segment are part of the literal.
    fn write(&self, shared: usize, filler: u8, word: &mut Vec<u8>) {
        word.clear();
        word.extend_from_slice(self.literal);
        self.write_rest(if self.within == 0 { self.literal.len() } else { shared }, filler, word);
    }

    fn write_rest(&self, shared: usize, filler: u8, word: &mut Vec<u8>) {
        let mut rest = self.pattern.segments_from(self.within);
        if let Some(next) = rest.next() {
            word.extend_from_slice(&next[shared..]);
        }
        for segment in rest {
            word.push(filler);
            word.extend_from_slice(segment);
        }
        if !self.pattern.anchored {
            word.push(filler);
        }
    }
}
