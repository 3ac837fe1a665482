//! What a look at everything that is kept has found.

use std::fmt;

use comity::Escaped;

use super::content::ContentHash;

/// What [`Store::verify`](super::Store::verify) found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many origins were looked at.
    pub origins: u64,
    /// How many different contents were.
    pub bodies: u64,
    /// What is wrong: the first [`MOST_PROBLEMS`] of it.
    pub problems: Vec<Problem>,
    /// How much more is.
    pub more: u64,
}

/// How many problems a report names.
pub const MOST_PROBLEMS: usize = 1000;

/// Something that is wrong in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The origin's text, if it concerns one.
    pub origin: Option<String>,
    /// The content, if it concerns one.
    pub body: Option<ContentHash>,
    /// What is wrong, for people; safe to print.
    pub message: String,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn add(&mut self, origin: Option<&str>, body: Option<ContentHash>, message: impl Into<String>) {
        if self.problems.len() == MOST_PROBLEMS {
            self.more += 1;
            return;
        }
        self.problems.push(Problem { origin: origin.map(str::to_owned), body, message: message.into() });
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{}: ", Escaped(origin.as_bytes()))?;
        }
        if let Some(body) = self.body {
            write!(f, "content {body}: ")?;
        }
        f.write_str(&self.message)
    }
}
