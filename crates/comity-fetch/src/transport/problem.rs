//! What went wrong, told apart.

use std::fmt;

use comity::Escaped;
use comity_policy::Failure;

/// Why there is no answer, or no more of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "what a policy is told, and no more")]
pub struct Problem {
    /// What a policy has to know.
    pub failure: Failure,
    /// What people have to know: a clause, with addresses and names where they help. What came from a stranger is
    /// short and escaped in it.
    pub detail: String,
}

impl Problem {
    pub(crate) fn new(failure: Failure, detail: impl Into<String>) -> Self {
        Self { failure, detail: detail.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Problem {}

/// The start of a stranger's text, safe to print.
pub(super) fn shown(text: impl AsRef<[u8]>) -> String {
    const LONGEST: usize = 80;
    let text = text.as_ref();
    let more = if text.len() > LONGEST { "..." } else { "" };
    format!("{}{more}", Escaped(&text[..text.len().min(LONGEST)]))
}

/// The error that the others are about, of a type that is looked for.
pub(super) fn cause<'e, E: std::error::Error + 'static>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // `io::Error` tells of what it wraps, but not as its source.
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        next = wrapped.map(|wrapped| wrapped as _).or_else(|| error.source());
    }
    None
}
