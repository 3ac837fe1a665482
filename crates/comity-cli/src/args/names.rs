//! Names of dialects and policies: built in, or of the configuration.

use std::ffi::OsStr;

use clap::Arg;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use comity::Dialect;
use comity_fetch::Policy;

use crate::input::config::Config;

/// Parses the name of a dialect: one of comity's, or one of the configuration.
pub(super) fn dialects() -> impl TypedValueParser<Value = Dialect> {
    Named { builtin: Dialect::ALL, name: |dialect| dialect.name, own: |config| config.dialects().collect() }
}

/// Parses the name of a policy: one of comity's, or one of the configuration.
pub(super) fn policies() -> impl TypedValueParser<Value = Policy> {
    Named { builtin: Policy::ALL, name: |policy| policy.name, own: |config| config.policies().collect() }
}

/// A parser for names of values. The configuration is read only for names that are not built in.
#[derive(Clone)]
struct Named<T: 'static> {
    builtin: &'static [T],
    name: fn(&T) -> &'static str,
    own: fn(&Config) -> Vec<T>,
}

impl<T: Copy + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&Arg>, value: &OsStr) -> clap::error::Result<T> {
        if let Some(found) = self.builtin.iter().find(|known| value == (self.name)(known)) {
            return Ok(*found);
        }
        let config = Config::find().map_err(|error| {
            clap::Error::raw(ErrorKind::ValueValidation, format!("{error:#}").trim_end()).with_cmd(command)
        })?;
        let own = (self.own)(&config);
        if let Some(found) = own.iter().find(|known| value == (self.name)(known)) {
            return Ok(*found);
        }
        // The parser of a list of names has the message, with the nearest one.
        let names = self.builtin.iter().chain(&own).map(self.name);
        PossibleValuesParser::new(names).parse_ref(command, arg, value).map(|_| self.builtin[0])
    }

    /// Returns the built-in names, which shells complete.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.builtin.iter().map(|known| PossibleValue::new((self.name)(known)))))
    }
}
