//! Errors of columns that the kernel cannot read.

use std::fmt;

use arrow_schema::DataType;

/// The error of columns that do not fit: an unsupported type, or different lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnError {
    column: &'static str,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Type(DataType),
    Length { expected: usize, found: usize },
}

impl ColumnError {
    pub(crate) fn of_type(column: &'static str, found: &DataType) -> Self {
        Self { column, kind: Kind::Type(found.clone()) }
    }

    pub(crate) fn of_length(column: &'static str, expected: usize, found: usize) -> Self {
        Self { column, kind: Kind::Length { expected, found } }
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
            Kind::Length { expected, found } => write!(
                f,
                "expected columns of the same length, found {expected} urls and {found} {column}: pass columns of the \
                 same rows"
            ),
        }
    }
}

impl std::error::Error for ColumnError {}
