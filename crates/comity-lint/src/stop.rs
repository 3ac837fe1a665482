//! Cancellation: long work asks its caller at bounded intervals whether to continue.

use std::cell::Cell;
use std::fmt;

/// The error of work that its caller stopped before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers match it, and there is nothing to add")]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped by the caller before the work was complete")
    }
}

impl std::error::Error for Stopped {}

/// The caller's check, called once for each interval of work.
pub(crate) struct Watch<'w> {
    keep_going: &'w dyn Fn() -> bool,
    /// The steps left until the caller is asked again.
    left: Cell<usize>,
    /// True after the caller returned false. It is then not asked again.
    stopped: Cell<bool>,
}

/// The maximum number of steps between two calls of the caller's check: about a millisecond of work.
const CHECK_INTERVAL: usize = 4_096;

impl<'w> Watch<'w> {
    pub(crate) fn new(keep_going: &'w dyn Fn() -> bool) -> Self {
        Self { keep_going, left: Cell::new(CHECK_INTERVAL), stopped: Cell::new(false) }
    }

    /// Asks the caller now.
    pub(crate) fn ask(&self) -> Result<(), Stopped> {
        self.left.set(CHECK_INTERVAL);
        if self.stopped.get() || !(self.keep_going)() {
            self.stopped.set(true);
            return Err(Stopped);
        }
        Ok(())
    }

    /// Counts steps, and asks the caller when an interval is over.
    pub(crate) fn step(&self, steps: usize) -> Result<(), Stopped> {
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.ask(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_once_for_each_interval() {
        let asked = Cell::new(0);
        let keep_going = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        let watch = Watch::new(&keep_going);
        for _ in 0..2 * (CHECK_INTERVAL + 1) {
            watch.step(1).unwrap();
        }
        assert_eq!(asked.get(), 2);
        assert_eq!(watch.step(CHECK_INTERVAL + 1), Err(Stopped));
        assert_eq!((watch.ask(), asked.get()), (Err(Stopped), 3), "who said no is not asked again");
    }
}
