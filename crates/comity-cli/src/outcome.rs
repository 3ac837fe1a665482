//! The exit codes of commands.

use std::thread::JoinHandle;

use comity::Answer;

use crate::render::error::print as print_error;

/// The result of a command, as an exit code. The outcome of several answers is the greatest one: `Trouble` if any has
/// no verdict, else `No` if anything is disallowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// The answer is yes, or nothing was found.
    Yes = 0,
    /// The answer is no, or something was found.
    No = 1,
    /// There is no answer, for example because of an error.
    Trouble = 2,
}

impl Outcome {
    /// Returns the outcome of an answer: `Trouble` without one, and without a verdict.
    pub(crate) fn of(answer: Option<Answer>) -> Self {
        match answer {
            Some(Answer::Allowed) => Self::Yes,
            Some(Answer::Disallowed) => Self::No,
            _ => Self::Trouble,
        }
    }
}

/// The inputs that could not be read. The command continues with the others, and its outcome is `Trouble`.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    any: bool,
}

impl Lost {
    /// Waits for a thread that reads inputs. If it panicked, some were lost.
    pub(crate) fn join(reader: JoinHandle<Self>) -> Self {
        reader.join().unwrap_or(Self { any: true })
    }

    /// Prints the reason why an input could not be read.
    pub(crate) fn print(&mut self, error: &anyhow::Error) {
        self.any = true;
        print_error(error);
    }

    pub(crate) fn is_any(&self) -> bool {
        self.any
    }

    /// Returns the outcome of the other inputs, or `Trouble` if an input was lost.
    pub(crate) fn and(&self, outcome: Outcome) -> Outcome {
        if self.any { Outcome::Trouble } else { outcome }
    }
}
