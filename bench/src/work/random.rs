//! Random numbers that are the same everywhere and for ever.

/// `SplitMix64`, by Steele, Lea and Flood.
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

    /// Below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True so many times in a thousand.
    pub(super) fn per_mille(&mut self, times: usize) -> bool {
        self.below(1_000) < times
    }

    /// From 0 to 1.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// A value of a distribution that is known by its quantiles, ascending: `(share, value)`.
    pub(super) fn of_quantiles(&mut self, quantiles: &[(f64, f64)]) -> f64 {
        let share = self.fraction();
        let above = quantiles.iter().position(|&(at, _)| share < at).unwrap_or(quantiles.len() - 1).max(1);
        let ((low, from), (high, to)) = (quantiles[above - 1], quantiles[above]);
        // Sizes spread over orders of magnitude, so in between they are taken to be even in their logarithms.
        (from.ln() + (to.ln() - from.ln()) * ((share - low) / (high - low)).clamp(0.0, 1.0)).exp()
    }
}
