//! The error of an exchange.

use std::fmt;

use comity::Escaped;
use comity_policy::Failure;

/// An exchange without a response, or a body that broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TransportError {
    /// The kind of failure, by which policies decide.
    pub failure: Failure,
    /// The description for people: a clause, with addresses and names where they help. Text from a server is short and
    /// escaped in it.
    pub detail: String,
}

impl TransportError {
    /// Returns an error. Text from a server in `detail` must be short, and escaped.
    pub fn new(failure: Failure, detail: impl Into<String>) -> Self {
        Self { failure, detail: detail.into() }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for TransportError {}

/// Returns the start of a server's text, safe to print.
pub(super) fn shown(text: impl AsRef<[u8]>) -> String {
    const MAX_SHOWN: usize = 80;
    let text = text.as_ref();
    let more = if text.len() > MAX_SHOWN { "..." } else { "" };
    format!("{}{more}", Escaped(&text[..text.len().min(MAX_SHOWN)]))
}

/// Returns the first error of a type in a chain of sources.
#[cfg(feature = "http")]
pub(super) fn cause<'e, E: std::error::Error + 'static>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // `io::Error` has an accessor for the error that it wraps, but does not return it as its source.
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        next = wrapped.map(|wrapped| wrapped as _).or_else(|| error.source());
    }
    None
}
