//! Matching: three ways to find the deciding rule, which give the same verdict and share [`pattern`] and [`search`].
//!
//! - [`linear`] examines the rules of a parsed file one by one, for a few checks.
//! - [`compiled`] compiles the rules of one crawler, for many checks.
//! - [`stream`] matches while reading the body, for one check of a file that is not kept.

mod compile;
pub(crate) mod compiled;
mod grams;
mod heads;
mod lengths;
pub(crate) mod linear;
mod mask;
pub(crate) mod pattern;
pub(crate) mod rank;
pub(crate) mod search;
mod stream;

pub use stream::decide;
