//! Three ways to find the deciding rule, which all give the same verdict and share [`pattern`] and [`search`]:
//!
//! - [`linear`]: over a parsed file, without building anything, for a question or two;
//! - [`compiled`]: compiled for one crawler, for many questions;
//! - [`stream`]: while reading the body, for one question about a file that is not kept.

pub(crate) mod compiled;
mod grams;
mod heads;
mod lengths;
pub(crate) mod linear;
pub(crate) mod pattern;
pub(crate) mod rank;
pub(crate) mod search;
mod stream;

pub use stream::decide;
