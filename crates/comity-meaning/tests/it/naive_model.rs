//! Many random pairs of small files, compared with the naive implementation of the engine.
//!
//! `COMITY_MEANING_MODELS` sets the number of pairs, which defaults to 2,000. The fuzz target `meaning` goes on.

use crate::model;
use crate::small;

use proptest::prelude::*;

#[test]
fn proofs_are_what_the_naive_implementation_says() {
    let pairs = small::cases("COMITY_MEANING_MODELS", 2_000);
    proptest!(small::config(pairs), |(input in prop::collection::vec(any::<u8>(), 2..34))| {
        model::check(&input);
    });
}
