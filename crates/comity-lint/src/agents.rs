//! The crawlers that are known, found quickly.

use std::cmp::Ordering;
use std::sync::LazyLock;

use comity::Profile;

/// The table, sorted by token.
static SORTED: LazyLock<Vec<&'static Profile>> = LazyLock::new(|| {
    let mut rows: Vec<_> = comity::crawlers::TABLE.iter().collect();
    rows.sort_by(|a, b| compare(a.token.as_bytes(), b.token.as_bytes()));
    rows
});

/// The row of a token, ASCII case folded.
pub(crate) fn find(token: &[u8]) -> Option<&'static Profile> {
    SORTED.binary_search_by(|row| compare(row.token.as_bytes(), token)).ok().map(|at| SORTED[at])
}

fn compare(a: &[u8], b: &[u8]) -> Ordering {
    a.iter().map(u8::to_ascii_lowercase).cmp(b.iter().map(u8::to_ascii_lowercase))
}

/// Tokens that are no misspellings of others, though they look like it: real crawlers that the table does not hold.
pub(crate) const OTHERS: &[&str] = &[
    "Googlebot-Mobile",
    "msnbot",
    "msnbot-media",
    "Slurp",
    "Teoma",
    "Twitterbot",
    "LinkedInBot",
    "Pinterestbot",
    "Applebot-Extended",
    "Exabot",
    "Gigabot",
    "Scrubby",
    "Robozilla",
    "Nutch",
    "Baiduspider-mobile",
    "DuckDuckGo",
    "Yahoo",
    "yacybot",
    "dotbot",
    "Dotbot",
    "SeekportBot",
    "Sosospider",
    "Sogou",
    "MojeekBot",
    "Qwantify",
    "Qwantbot",
];
