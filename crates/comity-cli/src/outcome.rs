//! The exit codes of commands.

use comity::{Answer, Verdict};

/// A command's result, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Yes, or nothing was found.
    Yes = 0,
    /// No, or something was found.
    No = 1,
    /// There is no answer.
    Trouble = 2,
}

impl Outcome {
    /// Returns the outcome of this one and a verdict: `Trouble` if any question has no verdict, else `No` if anything
    /// is disallowed.
    pub(crate) fn and(self, verdict: &Verdict) -> Self {
        self.and_answer(verdict.answer())
    }

    /// Returns the outcome of this one and an answer.
    pub(crate) fn and_answer(self, answer: Answer) -> Self {
        match (self, answer) {
            (outcome, Answer::Allowed) => outcome,
            (Self::Trouble, _) => Self::Trouble,
            (_, Answer::Disallowed) => Self::No,
            _ => Self::Trouble,
        }
    }
}
