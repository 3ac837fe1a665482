//! Programs that validate a robots.txt and publish their rules: what they reject may be correct for crawlers.

mod table;

use std::fmt;

use comity::Escaped;

use crate::text::is_in;

pub(crate) use table::{FIELDS, READERS};

/// A program that validates a robots.txt, in one version.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reader {
    /// The name, such as `lighthouse`.
    pub name: &'static str,
    /// The name and the version for people.
    pub title: &'static str,
    /// The version.
    pub version: &'static str,
    /// The month in which the source was read.
    pub checked: &'static str,
    /// The source of the rules, without `https://`.
    pub source: &'static str,
    /// The field names that the program knows, in lower case, with spaces between them.
    pub fields: &'static str,
    /// The forms of known records and of answers that the program rejects, as `readers.toml` describes them.
    pub(crate) rejects: &'static str,
    /// The consequence of a rejected line, in words after "and".
    pub(crate) cost: &'static str,
}

/// An error: no reader has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownReader {
    name: String,
}

impl fmt::Display for UnknownReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<String> = READERS.iter().map(|reader| format!("{}@{}", reader.name, reader.version)).collect();
        write!(f, "expected a reader, found `{}`: the readers are {}", Escaped(self.name.as_bytes()), known.join(", "))
    }
}

impl std::error::Error for UnknownReader {}

impl Reader {
    /// Returns the reader with this name in its newest released version, or in one version, as in `lighthouse@12`.
    ///
    /// # Errors
    ///
    /// Returns an error that lists the readers if there is none.
    pub fn named(name: &str) -> Result<&'static Self, UnknownReader> {
        let is_it = |reader: &&Self| match name.split_once('@') {
            Some((name, version)) => reader.name.eq_ignore_ascii_case(name) && reader.version == version,
            None => reader.name.eq_ignore_ascii_case(name),
        };
        READERS.iter().find(is_it).ok_or_else(|| UnknownReader { name: name.to_owned() })
    }

    pub(crate) fn rejects(&self, form: &str) -> bool {
        is_in(self.rejects, form.as_bytes())
    }
}

/// Returns what a field is for that validators reject and crawlers do not, and its usual spelling.
pub(crate) fn about(name: &[u8]) -> Option<(&'static str, &'static str)> {
    FIELDS.iter().copied().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))
}
