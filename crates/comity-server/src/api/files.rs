//! Questions about a robots.txt as a whole.

pub(super) mod generate;
pub(super) mod lint;
pub(super) mod matrix;
pub(super) mod meaning;
pub(super) mod overview;
