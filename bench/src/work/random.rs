//! Random numbers that are the same on every machine and in every run.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// A generator with distributions of its own. Those of `rand` may change between versions, and with them the inputs
/// that the budgets are for.
#[derive(Debug)]
pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::from_seed(seed.to_le_bytes()))
    }

    /// Returns a number below `end`, which must not be zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end as u64) as usize
    }

    /// Returns true with a probability of `times` in a thousand.
    pub(super) fn per_mille(&mut self, times: usize) -> bool {
        self.below(1_000) < times
    }

    /// Returns a number from 0 up to 1.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// Returns a value of a distribution that is given by its quantiles, in ascending order: `(share, value)`.
    pub(super) fn of_quantiles(&mut self, quantiles: &[(f64, f64)]) -> f64 {
        let share = self.fraction();
        let above = quantiles.iter().position(|&(at, _)| share < at).unwrap_or(quantiles.len() - 1).max(1);
        let ((low, from), (high, to)) = (quantiles[above - 1], quantiles[above]);
        // Sizes extend over orders of magnitude, so the logarithms are interpolated linearly.
        (from.ln() + (to.ln() - from.ln()) * ((share - low) / (high - low)).clamp(0.0, 1.0)).exp()
    }
}
