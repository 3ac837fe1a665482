//! Serialization of dialects: a name, or a table of the fields that differ from a named one.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use super::{
    ByteOrderMark, CrawlDelayFrom, Dialect, Escapes, FieldNames, Precedence, ProductToken, SizeLimit, UrlPath,
};

/// The name of a dialect that was read from a table of fields.
const CUSTOM: &str = "custom";

/// Declares the table: a base, and all fields of [`Dialect`] as optional.
macro_rules! fields {
    ($($field:ident: $type:ty,)+) => {
        #[derive(serde::Deserialize, serde::Serialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            base: Cow<'static, str>,
            $(#[serde(default, skip_serializing_if = "Option::is_none")] $field: Option<$type>,)+
        }

        impl Fields {
            /// Returns the fields that differ from the standard dialect.
            fn of(dialect: &Dialect) -> Self {
                let base = Dialect::STANDARD;
                Self {
                    base: Cow::Borrowed(base.name),
                    $($field: (dialect.$field != base.$field).then_some(dialect.$field.into()),)+
                }
            }

            fn apply(self, dialect: &mut Dialect) {
                $(if let Some(value) = self.$field { dialect.$field = value.into(); })+
            }
        }
    };
}

fields! {
    field_names: FieldNames,
    missing_colon: bool,
    product_token: ProductToken,
    fallback_token: Token,
    star_with_text: bool,
    merge_groups: bool,
    blank_line_ends_group: bool,
    wildcards: bool,
    escapes: Escapes,
    precedence: Precedence,
    robots_txt_allowed: bool,
    allow_index_allows_directory: bool,
    url_path: UrlPath,
    byte_order_mark: ByteOrderMark,
    cut_allow_ignored: bool,
    max_rule_len: Limit,
    max_rules: Limit,
    size_limit: SizeLimit,
    crawl_delay: CrawlDelayFrom,
}

/// A token, or `none`.
struct Token(Option<&'static str>);

/// A number, or `none`.
struct Limit(Option<u32>);

const NONE: &str = "none";

macro_rules! convert {
    ($type:ident, $inner:ty) => {
        impl From<$inner> for $type {
            fn from(value: $inner) -> Self {
                Self(value)
            }
        }

        impl From<$type> for $inner {
            fn from(value: $type) -> Self {
                value.0
            }
        }
    };
}

convert!(Token, Option<&'static str>);
convert!(Limit, Option<u32>);

impl Serialize for Token {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.unwrap_or(NONE))
    }
}

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let token = String::deserialize(deserializer)?;
        if token == NONE {
            return Ok(Self(None));
        }
        // The texts of a dialect are `&'static str`, so that dialects can be constants.
        let mut tokens = Dialect::ALL.iter().filter_map(|dialect| dialect.fallback_token);
        let known = tokens.find(|known| known.eq_ignore_ascii_case(&token));
        known.map(|known| Self(Some(known))).ok_or_else(|| {
            de::Error::invalid_value(
                de::Unexpected::Str(&token),
                &"the token of a named dialect, such as `Yandex`, or `none`",
            )
        })
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(limit) => serializer.serialize_u32(limit),
            None => serializer.serialize_str(NONE),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LimitVisitor;

        impl Visitor<'_> for LimitVisitor {
            type Value = Limit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number up to 4,294,967,295, or `none`")
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Limit, E> {
                let limit = u32::try_from(value);
                limit
                    .map(|limit| Limit(Some(limit)))
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Limit, E> {
                let limit = u32::try_from(value);
                limit
                    .map(|limit| Limit(Some(limit)))
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Limit, E> {
                if value == NONE { Ok(Limit(None)) } else { Err(E::invalid_value(de::Unexpected::Str(value), &self)) }
            }
        }

        deserializer.deserialize_any(LimitVisitor)
    }
}

impl Serialize for Dialect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if Self::named(self.name).is_some_and(|named| named == *self) {
            serializer.serialize_str(self.name)
        } else {
            Fields::of(self).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DialectVisitor;

        impl<'de> Visitor<'de> for DialectVisitor {
            type Value = Dialect;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a dialect, or a table with `base` and what differs from it")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Dialect, E> {
                name.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Dialect, A::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                let base: Dialect = fields.base.parse().map_err(de::Error::custom)?;
                let mut dialect = base;
                fields.apply(&mut dialect);
                if dialect.escapes == Escapes::Decoded && dialect.wildcards {
                    return Err(de::Error::custom(
                        "`escapes = decoded` needs `wildcards = false`: a decoded `*` or `$` would become an operator",
                    ));
                }
                if dialect != base {
                    dialect.name = CUSTOM;
                }
                Ok(dialect)
            }
        }

        deserializer.deserialize_any(DialectVisitor)
    }
}
