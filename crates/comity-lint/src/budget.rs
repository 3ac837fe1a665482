//! Bounds on the work of one call. Work is counted in steps, so that every machine stops at the same point.

use comity_meaning::Difference;

use crate::stop::{Stopped, Watch};

/// A budget: the number of steps that a piece of work may still take. A step is about 250 instructions.
pub(crate) struct Budget<'w> {
    left: usize,
    watch: &'w Watch<'w>,
}

/// The reason why work ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The caller stopped it.
    Stopped,
    /// The steps are used up.
    Exhausted,
}

impl From<Stopped> for Halt {
    fn from(Stopped: Stopped) -> Self {
        Self::Stopped
    }
}

impl<'w> Budget<'w> {
    pub(crate) fn new(steps: usize, watch: &'w Watch<'w>) -> Self {
        Self { left: steps, watch }
    }

    /// Takes steps from the budget, before the work is done. If there are not enough, the budget is exhausted from then
    /// on.
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), Halt> {
        self.watch.step(steps)?;
        let Some(left) = self.left.checked_sub(steps) else {
            self.left = 0;
            return Err(Halt::Exhausted);
        };
        self.left = left;
        Ok(())
    }

    /// Returns the number of steps that are left.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Returns a function that asks the caller if the work may go on.
    pub(crate) fn keep_going(&self) -> impl Fn() -> bool + use<'w> {
        let watch = self.watch;
        move || watch.ask().is_ok()
    }

    /// Takes the steps of a comparison that was given all that were left. Returns an error if it is incomplete.
    pub(crate) fn spend_compared(&mut self, found: &Difference) -> Result<(), Halt> {
        self.spend(usize::try_from(found.steps).unwrap_or(usize::MAX))?;
        if found.is_complete() {
            return Ok(());
        }
        self.watch.ask()?;
        Err(Halt::Exhausted)
    }
}

/// Replaces the error of an exhausted budget with a value. A stop by the caller remains an error.
pub(crate) fn unless_stopped<T>(result: Result<T, Halt>, exhausted: T) -> Result<T, Stopped> {
    match result {
        Ok(value) => Ok(value),
        Err(Halt::Exhausted) => Ok(exhausted),
        Err(Halt::Stopped) => Err(Stopped),
    }
}
