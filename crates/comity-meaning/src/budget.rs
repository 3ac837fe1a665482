//! Limits on the work for one question, counted in steps.

use core::fmt;

/// A limit on the work of one comparison, claim or search for dead rules, in steps.
///
/// A step is about the work of comparing one byte of a pattern. Steps are counted, not timed, so the same input gives
/// the same result on every machine. When the limit is reached, the answer is *undecided*, never "same". Defaults to
/// 8,000,000 steps. Of 2,972 pairs of unrelated real files, the most expensive one takes 5,500,000; one changed rule
/// takes a few hundred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    steps: u64,
}

impl Budget {
    /// Returns a budget of this many steps.
    pub const fn of_steps(steps: u64) -> Self {
        Self { steps }
    }

    /// Returns the number of steps.
    pub const fn steps(self) -> u64 {
        self.steps
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::of_steps(8_000_000)
    }
}

/// A caller's function that returns false to end the work early.
#[derive(Clone, Copy, Default)]
pub(crate) struct KeepGoing<'k>(Option<&'k dyn Fn() -> bool>);

impl<'k> KeepGoing<'k> {
    pub(crate) fn new(keep_going: &'k dyn Fn() -> bool) -> Self {
        Self(Some(keep_going))
    }

    pub(crate) fn ask(self) -> bool {
        self.0.is_none_or(|keep_going| keep_going())
    }
}

impl fmt::Debug for KeepGoing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "asked" } else { "always" })
    }
}

/// The maximum number of steps between two calls of the caller's function: about a millisecond of work.
const CHECK_INTERVAL: u64 = 4_096;

/// A counter of the steps that are left of a budget.
#[derive(Debug)]
pub(crate) struct Meter<'k> {
    budget: u64,
    left: u64,
    keep_going: KeepGoing<'k>,
    /// The value of `left` at which the caller is asked next.
    ask_at: u64,
}

/// An error: the budget is used up, or the caller ended the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl<'k> Meter<'k> {
    pub(crate) fn new(budget: Budget) -> Self {
        Self::interruptible(budget, KeepGoing::default())
    }

    /// Creates a meter that is used up as soon as the caller's function returns false.
    pub(crate) fn interruptible(budget: Budget, keep_going: KeepGoing<'k>) -> Self {
        let steps = budget.steps;
        Self { budget: steps, left: steps, keep_going, ask_at: steps.saturating_sub(CHECK_INTERVAL) }
    }

    /// Takes steps from the budget. Once it is used up, it stays used up.
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        let left = self.left.checked_sub(steps as u64);
        self.left = left.unwrap_or(0);
        if self.left < self.ask_at {
            self.ask_at = self.left.saturating_sub(CHECK_INTERVAL);
            if !self.keep_going.ask() {
                // All that follows is as if the budget were used up.
                (self.left, self.ask_at) = (0, 0);
                return Err(Exhausted);
            }
        }
        left.map(drop).ok_or(Exhausted)
    }

    /// Does a part of the work, which may take at most this share of the whole budget.
    pub(crate) fn with_share<T>(
        &mut self,
        share: u64,
        work: impl FnOnce(&mut Self) -> Result<T, Exhausted>,
    ) -> Result<T, Exhausted> {
        let reserve = self.left.saturating_sub(self.budget / share);
        self.left -= reserve;
        self.ask_at = self.ask_at.saturating_sub(reserve);
        let result = work(self);
        self.left += reserve;
        self.ask_at += reserve;
        result
    }

    /// Returns the number of steps taken so far.
    pub(crate) fn spent(&self) -> u64 {
        self.budget - self.left
    }
}
