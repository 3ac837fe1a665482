//! Errors of columns that the kernel cannot read.

use std::fmt;

use arrow_schema::DataType;
use comity::Escaped;

/// The error of columns that do not fit: an unsupported type, different lengths, two bodies for one key, or bodies that are
/// missing or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnError {
    column: &'static str,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Type(DataType),
    TimeType(DataType),
    Length { expected: usize, found: usize },
    Key(String),
    Hash { stated: String, found: String },
    NoBody { origin: String, hash: String },
}

impl ColumnError {
    pub(crate) fn of_type(column: &'static str, found: &DataType) -> Self {
        Self { column, kind: Kind::Type(found.clone()) }
    }

    pub(crate) fn of_time_type(column: &'static str, found: &DataType) -> Self {
        Self { column, kind: Kind::TimeType(found.clone()) }
    }

    pub(crate) fn of_key(key: &[u8]) -> Self {
        Self { column: "keys", kind: Kind::Key(Escaped(key).to_string()) }
    }

    pub(crate) fn of_length(column: &'static str, expected: usize, found: usize) -> Self {
        Self { column, kind: Kind::Length { expected, found } }
    }

    pub(crate) fn of_hash(stated: &[u8; 32], found: &[u8; 32]) -> Self {
        Self { column: "bodies", kind: Kind::Hash { stated: hex(stated), found: hex(found) } }
    }

    pub(crate) fn without_body(origin: &[u8], hash: Option<&[u8]>) -> Self {
        let hash = match hash {
            Some(hash) if hash.len() == 32 => hex(hash),
            Some(hash) => Escaped(hash).to_string(),
            None => "null".to_owned(),
        };
        Self { column: "hashes", kind: Kind::NoBody { origin: Escaped(origin).to_string(), hash } }
    }

    /// Returns the column that does not fit, such as `urls`.
    pub fn column(&self) -> &'static str {
        self.column
    }
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.column;
        match &self.kind {
            Kind::Type(found) => write!(
                f,
                "expected the column of {column} as strings or binary data, or as a dictionary of them, found {found}: \
                 cast it to a string type"
            ),
            Kind::TimeType(found) => write!(
                f,
                "expected the column of {column} as timestamps, or as integers of 64 bits, found {found}: cast it to \
                 timestamps"
            ),
            Kind::Key(key) => write!(
                f,
                "expected one body for each key, found two for {key}: keep one, or use a table of sites, which has the times \
                 of the fetches"
            ),
            Kind::Length { expected, found } => write!(
                f,
                "expected columns of the same length, found {expected} urls and {found} {column}: pass columns of the \
                 same rows"
            ),
            Kind::Hash { stated, found } => write!(
                f,
                "expected a body with the SHA-256 {stated}, as its row states, found one with {found}: the file is damaged, or \
                 the hashes are of another kind; then write them with a prefix"
            ),
            Kind::NoBody { origin, hash } => write!(
                f,
                "expected a body for each outcome `rules`, found none with the hash {hash} of {origin}: name the bodies that \
                 were written with these sites"
            ),
        }
    }
}

impl std::error::Error for ColumnError {}

fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}
