//! Paths that browsers and crawlers send, and those that they never send.
//!
//! A pattern may match paths that no URL has after it was parsed (<https://url.spec.whatwg.org/>): with a raw space, or
//! with a segment `.` or `..`. An answer about such a path is marked, since nobody asks the question.

use alloc::vec::Vec;

use comity::dialect::Escapes;

/// Returns true if a client may send this path, which may have a query.
pub(crate) fn is_sent(path: &[u8], escapes: Escapes) -> bool {
    // Where escapes are decoded, every octet may be sent, and a question mark may be part of the path.
    let is_decoded = escapes == Escapes::Decoded;
    let query = if is_decoded { None } else { path.iter().position(|octet| *octet == b'?') };
    let (path, query) = path.split_at(query.unwrap_or(path.len()));
    let is_escaped = |octet: &u8| !octet.is_ascii_graphic() || matches!(octet, b'"' | b'#' | b'<' | b'>');
    let is_escaped_in_path = |octet: &u8| is_escaped(octet) || matches!(octet, b'`' | b'{' | b'}' | b'\\');
    let is_changed = !is_decoded && (path.iter().any(is_escaped_in_path) || query.iter().any(is_escaped));
    !is_changed && !path.split(|octet| *octet == b'/').any(is_dots)
}

/// Returns true if a client may send a URL that a word represents, with something in place of its fillers.
pub(crate) fn may_be_sent(word: &[u8], filler: Option<u8>, escapes: Escapes) -> bool {
    // Nearly all words are plain. Without this, half of the time of a comparison of 30,000 rules was for copies of them.
    let is_plain = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'/' | b'-' | b'_' | b'=' | b'&');
    if word.iter().all(|octet| is_plain(octet) || Some(*octet) == filler) {
        return true;
    }
    // A letter completes no segment of dots, and a query has no segments and fewer escapes.
    let with = |text: &[u8]| replaced(word, filler, text, b"x");
    is_sent(&with(b"x"), escapes) || is_sent(&with(b"x?"), escapes)
}

/// Returns a path with a query in place of its first filler. What follows may then be sent as it is.
pub(crate) fn in_query(word: &[u8], filler: u8) -> [Vec<u8>; 2] {
    [b"?".as_slice(), b"x?"].map(|text| replaced(word, Some(filler), text, b""))
}

fn replaced(word: &[u8], filler: Option<u8>, first: &[u8], others: &[u8]) -> Vec<u8> {
    let mut parts = word.split(|octet| Some(*octet) == filler);
    let head = parts.next().unwrap_or_default();
    let mut path = head.to_vec();
    for (index, part) in parts.enumerate() {
        path.extend_from_slice(if index == 0 { first } else { others });
        path.extend_from_slice(part);
    }
    path
}

/// Returns true for a segment that a client removes, as `.` and `..`, in which each dot may be escaped.
fn is_dots(segment: &[u8]) -> bool {
    let mut rest = segment;
    let mut dots = 0;
    while !rest.is_empty() {
        let escaped = rest.get(..3).filter(|start| start.eq_ignore_ascii_case(b"%2e"));
        let Some(after) = rest.strip_prefix(b".").or(escaped.map(|_| &rest[3..])) else { return false };
        (rest, dots) = (after, dots + 1);
    }
    matches!(dots, 1 | 2)
}
