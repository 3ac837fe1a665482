//! Limits on the memory for one comparison.

use crate::budget::Exhausted;

/// A limit on the bytes that a comparison allocates for rules, URLs and changes.
///
/// The rules, the URLs that were checked, and the differences are counted before they are stored, by upper bounds. A
/// comparison that needs more is undecided. Classes of crawlers and signals are limited by the budget of steps, which
/// admits less memory than the rules may take.
#[derive(Debug)]
pub(crate) struct Memory {
    left: usize,
}

/// The bytes that a comparison of small files may allocate.
const MIN_OCTETS: usize = 16 << 20;

/// The bytes that a comparison may allocate in addition, for each byte of the rules.
const OCTETS_PER_OCTET: usize = 4;

impl Memory {
    /// Creates a limit for files whose rules have this many bytes, together.
    pub(crate) fn for_rules_of(octets: usize) -> Self {
        Self { left: MIN_OCTETS + OCTETS_PER_OCTET * octets }
    }

    /// Counts bytes that are going to be allocated.
    pub(crate) fn hold(&mut self, octets: usize) -> Result<(), Exhausted> {
        self.left = self.left.checked_sub(octets).ok_or(Exhausted)?;
        Ok(())
    }

    /// Returns the number of values of this size that can still be allocated.
    pub(crate) fn room_for(&self, size: usize) -> usize {
        self.left / size.max(1)
    }

    /// Counts bytes that were released.
    pub(crate) fn release(&mut self, octets: usize) {
        self.left += octets;
    }
}
