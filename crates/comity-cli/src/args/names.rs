//! Names of dialects and policies.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use comity::Dialect;
use comity_fetch::Policy;

pub(super) fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.iter().map(|dialect| dialect.name)).try_map(|name| name.parse())
}

pub(super) fn policies() -> impl TypedValueParser<Value = Policy> {
    PossibleValuesParser::new(Policy::ALL.iter().map(|policy| policy.name)).try_map(|name| name.parse())
}
