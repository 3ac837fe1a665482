//! The result of checking an archive.

use std::fmt;

use comity::Escaped;

use super::content::ContentHash;

/// The result of [`Archive::verify`](super::Archive::verify).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyReport {
    /// The number of origins that were checked.
    pub origins: u64,
    /// The number of different contents that were checked.
    pub bodies: u64,
    /// The first [`MAX_PROBLEMS`] problems.
    pub problems: Vec<VerifyProblem>,
    /// The number of further problems.
    pub more: u64,
}

/// The maximum number of problems that a report names.
pub const MAX_PROBLEMS: usize = 1000;

/// A problem in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyProblem {
    /// The origin's text, if it concerns one.
    pub origin: Option<String>,
    /// The content, if it concerns one.
    pub body: Option<ContentHash>,
    /// A description for people; safe to print.
    pub message: String,
}

impl VerifyReport {
    /// Creates a report of an archive without problems.
    pub fn new(origins: u64, bodies: u64) -> Self {
        Self { origins, bodies, ..Self::default() }
    }

    /// Returns true if there are no problems.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Adds a problem, about an origin's text or a content or neither. Problems beyond [`MAX_PROBLEMS`] are counted only.
    pub fn add(&mut self, origin: Option<&str>, body: Option<ContentHash>, message: impl Into<String>) {
        if self.problems.len() == MAX_PROBLEMS {
            self.more += 1;
            return;
        }
        self.problems.push(VerifyProblem { origin: origin.map(str::to_owned), body, message: message.into() });
    }
}

impl fmt::Display for VerifyProblem {
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
