//! The pairs of files that are compared.

#[path = "../../../crates/comity-meaning/tests/it/edits/mod.rs"]
mod edits;
#[path = "../../../crates/comity-meaning/tests/hostile_pairs/mod.rs"]
pub(crate) mod hostile_pairs;
#[path = "../../src/meaning/pairs.rs"]
pub(crate) mod pairs;
