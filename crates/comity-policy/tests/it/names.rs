//! One spelling of each value for `Display`, `FromStr` and `serde`.
#![cfg(feature = "serde")]

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use comity::UnknownName;
use comity_policy::{Access, Effect, Event, Failure, Policy, Row, Ruling, Rung, Site, StoredRecord, Time};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn round_trip<T>(all: &[T], name: fn(T) -> &'static str)
where
    T: Copy + Debug + Display + PartialEq + FromStr<Err = UnknownName> + Serialize + DeserializeOwned,
{
    assert!(!all.is_empty());
    for value in all {
        let written = serde_json::to_value(value).unwrap();
        assert_eq!(written, name(*value), "{value:?}");
        assert_eq!(serde_json::from_value::<T>(written).unwrap(), *value);
        assert_eq!(value.to_string(), name(*value));
        assert_eq!(name(*value).to_ascii_uppercase().parse::<T>().unwrap(), *value);
    }
    assert!("no such name".parse::<T>().is_err());
}

#[test]
fn names_are_read_back() {
    round_trip(Access::ALL, Access::name);
    round_trip(Row::ALL, Row::name);
    round_trip(Rung::ALL, Rung::name);
    round_trip(Policy::ALL, |policy| policy.name);
}

#[test]
fn only_presets_are_read_back() {
    let mut changed = Policy::STRICT;
    changed.forbidden = Effect::Absent;
    assert!(serde_json::to_value(changed).unwrap_err().to_string().contains("found `strict`"));
    changed.name = "mine";
    assert_eq!(serde_json::to_value(changed).unwrap(), "mine");
    for (json, message) in
        [("\"mine\"", "expected a policy"), ("\"strikt\"", "did you mean `strict`?"), ("1", "a string")]
    {
        let error = serde_json::from_str::<Policy>(json).unwrap_err().to_string();
        assert!(error.contains(message), "{json}: {error}");
    }
}

#[test]
fn common_traits() {
    fn key<T: Copy + Debug + Eq + Hash + Send + Sync + Unpin + 'static>() {}
    fn shared<T: Debug + Send + Sync + Unpin + 'static>() {}
    key::<Access>();
    key::<Effect>();
    key::<Event>();
    key::<Failure>();
    key::<Policy>();
    key::<Ruling>();
    key::<Time>();
    shared::<StoredRecord>();
    shared::<Site>();
}
