//! The result of comparing two files.

use alloc::string::String;
use alloc::vec::Vec;

use crate::change::Change;
use crate::signals::SignalChange;

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Outcome {
    /// The answer and the signals of every URL are the same, for every crawler that was compared.
    Same,
    /// The answer or a signal of some URL differs for some crawler.
    Differs,
    /// No difference was found, but the budget was not sufficient to exclude one.
    Undecided,
    /// No crawler was compared: none was chosen, or robots.txt governs none of those chosen, or none is parsed in the
    /// dialect of the files.
    NoCrawler,
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
    /// Returns the outcome: the files are the same, they differ, it is undecided, or no crawler was compared.
    pub fn outcome(&self) -> Outcome {
        match (self.changes.is_empty() && self.signals.is_empty(), self.is_complete()) {
            (false, _) => Outcome::Differs,
            (true, true) if self.crawlers.is_empty() => Outcome::NoCrawler,
            (true, true) => Outcome::Same,
            (true, false) => Outcome::Undecided,
        }
    }

    /// Returns the crawlers that were compared. `*` means every crawler that neither file names.
    pub fn crawlers(&self) -> &[String] {
        &self.crawlers
    }

    /// Returns the changes: newly blocked URLs first, then newly allowed ones; each by the file of the rule, the old
    /// one first, and by its line.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns the uses of content for which `Content-Signal` or `Content-Usage` differs.
    pub fn signals(&self) -> &[SignalChange] {
        &self.signals
    }

    /// Returns true if everything was compared. If not, there may be further changes.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unfinished.is_empty()
    }

    /// Returns the crawlers whose comparison is incomplete because the budget was used up.
    pub fn unfinished(&self) -> &[String] {
        &self.unfinished
    }

    /// Returns the number of critical URLs that were checked. Their answers determine those of all other URLs.
    pub fn critical_urls(&self) -> usize {
        self.asked
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}
