//! The lines of a file, for people to see.

use comity::{Dialect, Escaped, Text};

/// The lines of a file as they stand, each safe to print and short enough to be shown.
pub fn shown(body: &[u8], dialect: &Dialect) -> Vec<String> {
    Text::new(body, dialect).lines().map(|line| show(line.text)).collect()
}

/// One of them.
pub(crate) fn show(line: &[u8]) -> String {
    shorten(&Escaped(line.trim_ascii()).to_string())
}

/// A line of a hostile file may be sixteen thousand characters long; a person needs the start.
fn shorten(text: &str) -> String {
    const MOST: usize = 500;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether what was served for a robots.txt is a page: an error page, mostly.
pub fn looks_like_html(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}
