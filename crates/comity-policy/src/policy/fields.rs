//! Serialization of policies: a name, or a table of the fields that differ from a preset.

use std::fmt;
use std::time::Duration;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use super::{Effect, Fallback, Ladder, Policy};

/// The name of a policy that was read from a table of fields.
const CUSTOM: &str = "custom";

/// The table: a base, and all fields of [`Policy`] as optional.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    base: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redirects: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redirects_end: Option<Effect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forbidden: Option<Effect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    too_many_requests: Option<Effect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_failed: Option<Effect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unreachable: Option<Rungs>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<Rungs>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed_days: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min_fresh: Option<Seconds>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_fresh: Option<Seconds>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    probes: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline: Option<Seconds>,
}

/// The rungs of a ladder that differ.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Rungs {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<Fallback>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    then: Option<Fallback>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<Fallback>,
}

/// A duration as a number of seconds.
struct Seconds(Duration);

impl Fields {
    /// Returns the fields that differ from the standard policy.
    fn of(policy: &Policy) -> Self {
        fn differs<T: PartialEq>(value: T, base: &T) -> Option<T> {
            (value != *base).then_some(value)
        }
        let base = Policy::STANDARD;
        let seconds = |value: Duration, base: &Duration| differs(value, base).map(Seconds);
        let rungs = |value: Ladder, base: &Ladder| {
            differs(value, base).map(|value| Rungs {
                first: differs(value.first, &base.first),
                then: differs(value.then, &base.then),
                last: differs(value.last, &base.last),
            })
        };
        // Destructured, so that a new field cannot be forgotten.
        let Policy {
            name: _,
            redirects,
            redirects_end,
            forbidden,
            too_many_requests,
            request_failed,
            unreachable,
            refused,
            failed_days,
            min_fresh,
            max_fresh,
            probes,
            deadline,
        } = *policy;
        Self {
            base: base.name.to_owned(),
            redirects: differs(redirects, &base.redirects),
            redirects_end: differs(redirects_end, &base.redirects_end),
            forbidden: differs(forbidden, &base.forbidden),
            too_many_requests: differs(too_many_requests, &base.too_many_requests),
            request_failed: differs(request_failed, &base.request_failed),
            unreachable: rungs(unreachable, &base.unreachable),
            refused: rungs(refused, &base.refused),
            failed_days: differs(failed_days, &base.failed_days),
            min_fresh: seconds(min_fresh, &base.min_fresh),
            max_fresh: seconds(max_fresh, &base.max_fresh),
            probes: differs(probes, &base.probes),
            deadline: seconds(deadline, &base.deadline),
        }
    }

    /// Returns the base with these fields applied.
    fn onto(self, base: Policy) -> Policy {
        let seconds = |value: Option<Seconds>, base| value.map_or(base, |Seconds(value)| value);
        let rungs = |value: Option<Rungs>, base: Ladder| {
            value.map_or(base, |rungs| Ladder {
                first: rungs.first.unwrap_or(base.first),
                then: rungs.then.unwrap_or(base.then),
                last: rungs.last.unwrap_or(base.last),
            })
        };
        Policy {
            name: base.name,
            redirects: self.redirects.unwrap_or(base.redirects),
            redirects_end: self.redirects_end.unwrap_or(base.redirects_end),
            forbidden: self.forbidden.unwrap_or(base.forbidden),
            too_many_requests: self.too_many_requests.unwrap_or(base.too_many_requests),
            request_failed: self.request_failed.unwrap_or(base.request_failed),
            unreachable: rungs(self.unreachable, base.unreachable),
            refused: rungs(self.refused, base.refused),
            failed_days: self.failed_days.unwrap_or(base.failed_days),
            min_fresh: seconds(self.min_fresh, base.min_fresh),
            max_fresh: seconds(self.max_fresh, base.max_fresh),
            probes: self.probes.unwrap_or(base.probes),
            deadline: seconds(self.deadline, base.deadline),
        }
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.subsec_nanos() == 0 {
            serializer.serialize_u64(self.0.as_secs())
        } else {
            serializer.serialize_f64(self.0.as_secs_f64())
        }
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| {
            de::Error::invalid_value(de::Unexpected::Float(seconds), &"a number of seconds that is not negative")
        })
    }
}

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if Self::named(self.name) == Some(*self) {
            serializer.serialize_str(self.name)
        } else {
            Fields::of(self).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PolicyVisitor;

        impl<'de> Visitor<'de> for PolicyVisitor {
            type Value = Policy;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a policy, or a table with `base` and what differs from it")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Policy, E> {
                name.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Policy, A::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                let base: Policy = fields.base.parse().map_err(de::Error::custom)?;
                let policy = fields.onto(base);
                Ok(if policy == base { base } else { Policy { name: CUSTOM, ..policy } })
            }
        }

        deserializer.deserialize_any(PolicyVisitor)
    }
}
