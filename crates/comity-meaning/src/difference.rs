//! The result of comparing two files.

use alloc::string::String;
use alloc::vec::Vec;

use crate::change::Change;
use crate::signals::SignalChange;

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Outcome {
    /// No URL has another answer or signal, for any crawler.
    Same,
    /// Some URL has another answer or signal for some crawler.
    Differs,
    /// No difference was found, but the budget did not suffice to exclude one.
    Undecided,
}

/// The result of a [`Comparison`](crate::Comparison).
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Difference {
    pub(crate) crawlers: Vec<String>,
    pub(crate) changes: Vec<Change>,
    pub(crate) signals: Vec<SignalChange>,
    pub(crate) unfinished: Vec<String>,
    pub(crate) asked: usize,
    pub(crate) steps: u64,
}

impl Difference {
    /// Returns whether the files differ.
    pub fn outcome(&self) -> Outcome {
        match (self.changes.is_empty() && self.signals.is_empty(), self.is_complete()) {
            (false, _) => Outcome::Differs,
            (true, true) => Outcome::Same,
            (true, false) => Outcome::Undecided,
        }
    }

    /// Returns the crawlers that were compared. `*` stands for every crawler that neither file names.
    pub fn crawlers(&self) -> &[String] {
        &self.crawlers
    }

    /// Returns the changes: what is newly blocked first, then in the order of the lines that decide.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns the uses of content that are signaled otherwise, by `Content-Signal` and `Content-Usage`.
    pub fn signals(&self) -> &[SignalChange] {
        &self.signals
    }

    /// Returns whether everything was compared. If not, there may be further changes.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unfinished.is_empty()
    }

    /// Returns the crawlers for which not everything was compared, because the budget was used up.
    pub fn unfinished(&self) -> &[String] {
        &self.unfinished
    }

    /// Returns the number of critical URLs that were asked. They decide for all others.
    pub fn critical_urls(&self) -> usize {
        self.asked
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}
