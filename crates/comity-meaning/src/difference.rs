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
#[non_exhaustive]
pub struct Difference {
    /// The crawlers that were compared. `*` means every crawler that neither file names.
    pub crawlers: Vec<String>,
    /// The changes: newly blocked URLs first, then newly allowed ones; each by the file of the rule, the old one first,
    /// and by its line.
    pub changes: Vec<Change>,
    /// The uses of content for which `Content-Signal` or `Content-Usage` differs.
    pub signals: Vec<SignalChange>,
    /// The crawlers whose comparison is incomplete because the budget was used up.
    pub unfinished: Vec<String>,
    /// The number of critical URLs that were checked. Their answers determine those of all other URLs.
    pub critical_urls: usize,
    /// The number of steps taken.
    pub steps: u64,
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

    /// Returns true if everything was compared. If not, there may be further changes.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unfinished.is_empty()
    }
}
