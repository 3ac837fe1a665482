//! Names of crawlers as arguments.

use comity::{Crawler, Escaped, TokenError};

use crate::buffers::set_output;
use crate::parts::Writer;

/// Reads a product token, a name of the table, or `*`.
pub(crate) fn read(name: &str) -> Result<Crawler<'_>, TokenError> {
    if name == "*" {
        return Ok(Crawler::ANY);
    }
    Crawler::known(name).map_or_else(|| Crawler::token(name), Ok)
}

/// Writes the reason for which a name was refused, in terms of JavaScript, and the name that is probably meant.
pub(crate) fn refuse(error: &TokenError) {
    let message = match error.suggestion() {
        Some(token) if error.is_header() => {
            format!("expected a product token, found a User-Agent header; use \"{}\"", Escaped(token.as_bytes()))
        }
        // It names types of Rust where they would help.
        _ => error.to_string().replace("`Crawler::ANY`", "\"*\""),
    };
    let mut output = Writer::default();
    output.text(message);
    output.optional(error.suggestion());
    set_output(output);
}
