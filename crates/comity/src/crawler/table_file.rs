//! Serialization of crawler tables.
//!
//! A table is an object with a `version`, `MAJOR.MINOR` as text, and a list `crawler` of rows. Unknown fields are noted and
//! ignored, so that a table may be newer than the program. A field that probably misspells a known one is an error, unless
//! the table has a newer minor version: without it, a row could mean something else. A table without a version has version
//! 1.0, and may consist of the list only.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::crawler::crawlers::Crawlers;
use crate::crawler::profile::Profile;
use crate::escape::Escaped;
use crate::spelling::edit_distance;

/// The version that is written.
const VERSION: Version = Version { major: 1, minor: 0 };

/// The fields of a row, including the spellings of older files.
const FIELDS: &[&str] = &[
    "token",
    "operator",
    "purpose",
    "uses",
    "fallback",
    "obeys_star",
    "obeys-star",
    "governed",
    "crawl_delay",
    "crawl-delay",
    "dialect",
    "page_rules",
    "verification",
    "docs",
    "checked",
    "confirmed",
    "retired",
    "note",
];

/// The fields of the tables in a row.
const NESTED: [(&str, &[&str]); 3] = [
    ("uses", &["training", "search", "agent"]),
    (
        "page_rules",
        &[
            "supports",
            "ignores",
            "forbid_training",
            "forbid_ai_input",
            "none_means_nosnippet",
            "meta_names",
            "supports_under",
        ],
    ),
    ("verification", &["ranges", "hosts", "source", "confirmed"]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u32,
    minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for Crawlers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Crawlers", 2)?;
        out.serialize_field("version", &format!("{VERSION}"))?;
        out.serialize_field("crawler", self.rows())?;
        out.end()
    }
}

impl<'de> Deserialize<'de> for Crawlers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TableVisitor)
    }
}

struct TableVisitor;

impl<'de> Visitor<'de> for TableVisitor {
    type Value = Crawlers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of crawlers: `version` and a list `crawler`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Crawlers, A::Error> {
        Rows::new(seq)?.into_table(VERSION, Vec::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Crawlers, A::Error> {
        let (mut version, mut rows, mut unknown) = (None, None, Vec::new());
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "version" if version.is_none() => version = Some(map.next_value()?),
                "crawler" if rows.is_none() => rows = Some(map.next_value::<Rows>()?),
                "version" | "crawler" => return Err(de::Error::custom(format_args!("duplicate field `{key}`"))),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    unknown.push(key.into_owned());
                }
            }
        }
        // Check the version first, since another version may have no rows.
        let version: Version = version.unwrap_or(VERSION);
        if version.major != VERSION.major {
            return Err(de::Error::custom(format_args!(
                "expected a table of crawlers of version {}, found version {version}: it is for another version of \
                 comity",
                VERSION.major
            )));
        }
        rows.ok_or_else(|| de::Error::missing_field("crawler"))?.into_table(version, unknown)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VersionVisitor;

        impl Visitor<'_> for VersionVisitor {
            type Value = Version;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a version as text, such as \"{VERSION}\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Version, E> {
                let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
                match (major.parse(), minor.parse()) {
                    (Ok(major), Ok(minor)) => Ok(Version { major, minor }),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_u64<E: de::Error>(self, major: u64) -> Result<Version, E> {
                let version = u32::try_from(major).map(|major| Version { major, minor: 0 });
                version.map_err(|_| E::invalid_value(de::Unexpected::Unsigned(major), &self))
            }

            fn visit_i64<E: de::Error>(self, major: i64) -> Result<Version, E> {
                let version = u32::try_from(major).map(|major| Version { major, minor: 0 });
                version.map_err(|_| E::invalid_value(de::Unexpected::Signed(major), &self))
            }
        }

        deserializer.deserialize_any(VersionVisitor)
    }
}

/// The rows of a table whose version may not be known yet.
#[derive(Default)]
struct Rows {
    profiles: Vec<Profile>,
    /// The unknown fields, each with the token of the first row that has it.
    unknown: BTreeMap<String, String>,
}

impl Rows {
    fn new<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut rows = Self::default();
        while let Some(profile) = seq.next_element_seed(Row { unknown: &mut rows.unknown })? {
            rows.profiles.push(profile);
        }
        Ok(rows)
    }

    /// Returns the table, or an error if it has misspelled fields. `unknown` are fields of the table itself.
    fn into_table<E: de::Error>(self, version: Version, unknown: Vec<String>) -> Result<Crawlers, E> {
        let is_newer = version.minor > VERSION.minor;
        let of_table = unknown.into_iter().map(|field| (field, None));
        let unknown = of_table.chain(self.unknown.into_iter().map(|(field, token)| (field, Some(token))));
        let mut table: Crawlers = self.profiles.into_iter().collect();
        for (field, token) in unknown {
            let (parent, name) = field.split_once('.').unwrap_or(("", &field));
            let nested = NESTED.iter().find(|(table, _)| *table == parent).map(|(_, fields)| *fields);
            let known = nested.unwrap_or(if token.is_some() { FIELDS } else { &["version", "crawler"] });
            let whose =
                token.map_or_else(String::new, |token| format!(" of the crawler `{}`", Escaped(token.as_bytes())));
            let unknown = format!("`{}`{whose}", Escaped(field.as_bytes()));
            if field == "ai" && !is_newer {
                return Err(E::custom(format_args!("{unknown} is `uses` now, such as `uses = {{ training = \"\" }}`")));
            }
            let meant = known.iter().find(|known| is_misspelled(name, known));
            if let Some(meant) = meant.filter(|_| !is_newer) {
                return Err(E::custom(format_args!("unknown field {unknown}, did you mean `{meant}`?")));
            }
            table.ignored_fields.push(unknown);
        }
        Ok(table)
    }
}

fn is_misspelled(field: &str, name: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
    let (field, name) = (plain(field), plain(name));
    edit_distance(field.as_bytes(), name.as_bytes(), (name.len() / 3).max(1)).is_some()
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowsVisitor;

        impl<'de> Visitor<'de> for RowsVisitor {
            type Value = Rows;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of crawlers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Rows, A::Error> {
                Rows::new(seq)
            }
        }

        deserializer.deserialize_seq(RowsVisitor)
    }
}

/// Deserializes a row and ignores unknown fields.
struct Row<'u> {
    unknown: &'u mut BTreeMap<String, String>,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = Profile;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Profile, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = Profile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a crawler with token, operator and purpose")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Profile, A::Error> {
        let mut unknown = BTreeSet::new();
        let known = KnownFields { map, table: "", known: FIELDS, unknown: &mut unknown, nested: None };
        let profile = Profile::deserialize(MapAccessDeserializer::new(known))?;
        for field in unknown {
            self.unknown.entry(field).or_insert_with(|| profile.token.clone().into_owned());
        }
        Ok(profile)
    }
}

/// A map without unknown fields, also in the tables in it.
struct KnownFields<'u, A> {
    map: A,
    /// The name of the table, if it is in a row.
    table: &'static str,
    known: &'static [&'static str],
    unknown: &'u mut BTreeSet<String>,
    /// The table that is the next value.
    nested: Option<(&'static str, &'static [&'static str])>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for KnownFields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<Cow<'de, str>>()? {
            if let Some(known) = self.known.iter().find(|field| **field == key) {
                self.nested = NESTED.into_iter().find(|(table, _)| self.table.is_empty() && table == known);
                let key: StrDeserializer<'_, A::Error> = known.into_deserializer();
                return seed.deserialize(key).map(Some);
            }
            self.map.next_value::<IgnoredAny>()?;
            let field = if self.table.is_empty() { key.into_owned() } else { format!("{}.{key}", self.table) };
            self.unknown.insert(field);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.nested.take() {
            Some((table, known)) => self.map.next_value_seed(Nested { seed, table, known, unknown: self.unknown }),
            None => self.map.next_value_seed(seed),
        }
    }
}

/// Deserializes a table in a row without its unknown fields.
struct Nested<'u, V> {
    seed: V,
    table: &'static str,
    known: &'static [&'static str],
    unknown: &'u mut BTreeSet<String>,
}

impl<'de, V: DeserializeSeed<'de>> DeserializeSeed<'de> for Nested<'_, V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, V: DeserializeSeed<'de>> Visitor<'de> for Nested<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table with {}", self.known.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let Self { seed, table, known, unknown } = self;
        seed.deserialize(MapAccessDeserializer::new(KnownFields { map, table, known, unknown, nested: None }))
    }
}
