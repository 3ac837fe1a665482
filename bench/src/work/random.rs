//! Random numbers that are the same on every machine and in every run.

/// The generator `SplitMix64`, by Steele, Lea and Flood.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns true with a probability of `times` in a thousand.
    pub(super) fn per_mille(&mut self, times: usize) -> bool {
        self.below(1_000) < times
    }

    /// Returns a number from 0 up to 1.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
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
