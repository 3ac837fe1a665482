//! Names of enum values, with one spelling for `Display`, `FromStr` and `serde`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::escape::Escaped;
use crate::spelling::edit_distance;

/// An error for a text that is not the name of any value of a type.
///
/// The message lists the expected names, quotes the text that was found, and suggests the nearest name.
///
/// ```
/// let error = "gogle".parse::<comity::Dialect>().unwrap_err();
/// assert_eq!(error.nearest(), Some("google"));
/// assert_eq!(
///     error.to_string(),
///     "expected a dialect (`standard`, `google`, `google-parser`, `bing`, `yandex` or `norobots-1996`), found `gogle`: \
///      did you mean `google`?"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    expected: &'static str,
    names: Vec<&'static str>,
    found: String,
}

/// The maximum number of characters of the text that the error quotes.
const MAX_SHOWN: usize = 80;

impl UnknownName {
    /// Creates an error for a text that is none of `names`. `expected` names the type of value with its article, such
    /// as `a dialect`.
    pub fn new(expected: &'static str, names: impl IntoIterator<Item = &'static str>, found: &str) -> Self {
        let end = found.char_indices().nth(MAX_SHOWN).map_or(found.len(), |(at, _)| at);
        let mut shown = found[..end].to_owned();
        if end < found.len() {
            shown.push('…');
        }
        Self { expected, names: names.into_iter().collect(), found: shown }
    }

    /// Returns the expected names.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// Returns the expected name that the text probably misspells: at most a third of the letters of the name differ.
    pub fn nearest(&self) -> Option<&'static str> {
        let near = self.names.iter().filter_map(|name| {
            let max = (name.len() / 3).max(1);
            Some((edit_distance(self.found.as_bytes(), name.as_bytes(), max)?, *name))
        });
        near.min_by_key(|(steps, _)| *steps).map(|(_, name)| name)
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected ")?;
        f.write_str(self.expected)?;
        for (index, name) in self.names.iter().enumerate() {
            let before = match index {
                0 => " (",
                _ if index + 1 == self.names.len() => " or ",
                _ => ", ",
            };
            write!(f, "{before}`{name}`")?;
        }
        let end = if self.names.is_empty() { "" } else { ")" };
        write!(f, "{end}, found `{}`", Escaped(self.found.as_bytes()))?;
        match self.nearest() {
            Some(name) => write!(f, ": did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for UnknownName {}

/// Implements `ALL`, `name` and `FromStr` for an enum without data, and `Display` if `, Display` follows.
///
/// Where `serde` is derived, it writes the same names, which are the variants in kebab case. A test compares them.
#[doc(hidden)]
#[macro_export]
macro_rules! __names {
    ($type:ident is $expected:literal { $($variant:ident = $name:literal,)+ }, Display) => {
        $crate::__names! { $type is $expected { $($variant = $name,)+ } }

        impl ::core::fmt::Display for $type {
            /// Writes the [`name`](Self::name).
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
    ($type:ident is $expected:literal { $($variant:ident = $name:literal,)+ }) => {
        impl $type {
            /// All values, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name that documents use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl ::core::str::FromStr for $type {
            type Err = $crate::UnknownName;

            /// Parses a [`name`](Self::name), ignoring ASCII case.
            fn from_str(text: &str) -> ::core::result::Result<Self, Self::Err> {
                let found = Self::ALL.iter().copied().find(|value| value.name().eq_ignore_ascii_case(text));
                found.ok_or_else(|| $crate::UnknownName::new($expected, Self::ALL.iter().map(|value| value.name()), text))
            }
        }
    };
}

pub(crate) use __names as names;
