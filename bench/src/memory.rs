//! The memory that participants hold and allocate.

use serde::Serialize;

/// Sums over files.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Footprint {
    pub(crate) files: u64,
    /// The bytes that parsed files hold: on the heap, in the value itself, and in the body if it is borrowed.
    pub(crate) parsed_bytes: i64,
    /// The bytes that prepared files hold, with everything that they keep alive.
    pub(crate) prepared_bytes: i64,
    /// The number of allocations of a parse.
    pub(crate) parse_calls: u64,
    /// The number of allocations of a preparation, including the parse.
    pub(crate) prepare_calls: u64,
    /// The number of allocations of one decision.
    pub(crate) decide_calls: u64,
}

impl Footprint {
    pub(crate) fn and(&self, other: &Self) -> Self {
        Self {
            files: self.files + other.files,
            parsed_bytes: self.parsed_bytes + other.parsed_bytes,
            prepared_bytes: self.prepared_bytes + other.prepared_bytes,
            parse_calls: self.parse_calls + other.parse_calls,
            prepare_calls: self.prepare_calls + other.prepare_calls,
            decide_calls: self.decide_calls + other.decide_calls,
        }
    }

    /// Returns the mean of a sum per file.
    pub(crate) fn mean(&self, sum: impl TryInto<i64>) -> f64 {
        sum.try_into().unwrap_or(i64::MAX) as f64 / self.files.max(1) as f64
    }
}
