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
            let known: &[&str] = if token.is_some() { FIELDS } else { &["version", "crawler"] };
            let whose =
                token.map_or_else(String::new, |token| format!(" of the crawler `{}`", Escaped(token.as_bytes())));
            let unknown = format!("`{}`{whose}", Escaped(field.as_bytes()));
            let meant = known.iter().find(|name| is_misspelled(&field, name));
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
        let known = KnownFields { map, unknown: &mut unknown };
        let profile = Profile::deserialize(MapAccessDeserializer::new(known))?;
        for field in unknown {
            self.unknown.entry(field).or_insert_with(|| profile.token.clone().into_owned());
        }
        Ok(profile)
    }
}

/// A map without unknown fields.
struct KnownFields<'u, A> {
    map: A,
    unknown: &'u mut BTreeSet<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for KnownFields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<Cow<'de, str>>()? {
            if let Some(known) = FIELDS.iter().find(|field| **field == key) {
                let key: StrDeserializer<'_, A::Error> = known.into_deserializer();
                return seed.deserialize(key).map(Some);
            }
            self.map.next_value::<IgnoredAny>()?;
            self.unknown.insert(key.into_owned());
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}
