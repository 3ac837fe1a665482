//! Names of crawlers as arguments.

use comity::{Crawler, Escaped, TokenError};

use crate::buffers::set_output;
use crate::parts::Writer;

/// Reads a product token, a name of the table, or `*`. Returns `None` for other text, and writes the reason and the name
/// that is probably meant to the output.
pub(crate) fn read(name: &str) -> Option<Crawler<'_>> {
    if name == "*" {
        return Some(Crawler::ANY);
    }
    Crawler::known(name).or_else(|| token(name))
}

/// Reads a product token as [`read`] does, without the table.
pub(crate) fn token(name: &str) -> Option<Crawler<'_>> {
    Crawler::token(name).map_err(|error| refuse(name, &error)).ok()
}

/// Writes the reason for which a name was refused, in terms of JavaScript, and the name that is probably meant.
pub(crate) fn refuse(name: &str, error: &TokenError) {
    let mut message = match error.suggestion() {
        Some(token) if error.is_header() => {
            format!("expected a product token, found a User-Agent header; use \"{}\"", Escaped(token.as_bytes()))
        }
        Some(token) => format!("expected a product token, found `{}`; use \"{token}\"", Escaped(name.as_bytes())),
        None => error.to_string(),
    };
    if let Some(start) = message.strip_suffix("`Crawler::ANY`") {
        message = format!("{start}\"*\"");
    }
    let mut output = Writer::default();
    output.text(message);
    output.optional(error.suggestion());
    set_output(output);
}
