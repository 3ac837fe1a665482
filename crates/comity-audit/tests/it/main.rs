//! Tests of the whole crate.

mod naive;
mod properties;
mod rules;
