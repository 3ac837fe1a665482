//! One spelling of each value for `Display`, `FromStr` and `serde`, and policies from configuration files.
#![cfg(feature = "serde")]

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;
use std::time::Duration;

use comity::UnknownName;
use comity_policy::{Access, Effect, Event, Failure, Fallback, Policy, Row, Ruling, Rung, Site, StoredRecord, Time};
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
    round_trip(Effect::ALL, Effect::name);
    round_trip(Fallback::ALL, Fallback::name);
    round_trip(Row::ALL, Row::name);
    round_trip(Rung::ALL, Rung::name);
    round_trip(Policy::ALL, |policy| policy.name);
}

#[test]
fn any_policy_is_read_back() {
    for from in Policy::ALL {
        let mut policy = *from;
        policy.name = "mine";
        policy.deadline = Duration::from_millis(1_500);
        let written = serde_json::to_value(policy).unwrap();
        assert_eq!(written["deadline"], 1.5);
        let mut read: Policy = serde_json::from_value(written).unwrap();
        assert_eq!(read.name, "custom");
        read.name = "mine";
        assert_eq!(read, policy);
    }
}

#[test]
fn a_policy_is_a_name_or_a_table() {
    let read = |text: &str| {
        #[derive(Debug, serde::Deserialize)]
        struct File {
            policy: Policy,
        }
        toml::from_str::<File>(text).map(|file| file.policy).map_err(|error| error.to_string())
    };
    assert_eq!(read("policy = 'strict'").unwrap(), Policy::STRICT);
    assert_eq!(read("policy = { base = 'google' }").unwrap(), Policy::GOOGLE);
    let mut expected = Policy::ARCHIVE;
    expected.name = "custom";
    (expected.forbidden, expected.unreachable.last) = (Effect::Denied, Fallback::CopyElseDisallow);
    expected.max_fresh = Duration::from_secs(3_600);
    let table =
        "[policy]\nbase = 'archive'\nforbidden = 'denied'\nunreachable.last = 'copy-else-disallow'\nmax_fresh = 3600";
    assert_eq!(read(table).unwrap(), expected);
    for (text, message) in [
        ("policy = 'strikt'", "did you mean `strict`?"),
        ("policy = { base = 'strikt' }", "did you mean `strict`?"),
        ("policy = { forbidden = 'denied' }", "missing field `base`"),
        ("policy = { base = 'strict', forbiden = 'denied' }", "unknown field `forbiden`"),
        ("policy = { base = 'strict', forbidden = 'allow' }", "unknown variant `allow`"),
        ("policy = { base = 'strict', unreachable = { never = 'allow' } }", "unknown field `never`"),
        ("policy = { base = 'strict', deadline = -1 }", "a number of seconds that is not negative"),
        ("policy = { base = 'strict', deadline = nan }", "a number of seconds that is not negative"),
        ("policy = { base = 'strict', redirects = 256 }", "u8"),
        ("policy = 1", "the name of a policy, or a table"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(message), "{text}: {error}");
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
