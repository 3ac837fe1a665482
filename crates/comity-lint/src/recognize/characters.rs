//! Recognizes invisible characters, and quotes around a pattern.

use std::ops::Range;

/// Returns the range of the first character that is not visible, such as unusual white space or a character without width,
/// and its code.
pub(crate) fn invisible(value: &[u8]) -> Option<(Range<usize>, String)> {
    // Nearly all values are ASCII, where all of these characters are missing.
    if value.is_ascii() {
        return None;
    }
    let text = std::str::from_utf8(value).ok()?;
    let (at, c) = text.char_indices().find(|(_, c)| {
        matches!(c, '\u{A0}' | '\u{AD}' | '\u{2000}'..='\u{200F}' | '\u{2028}'..='\u{202F}' | '\u{2060}' | '\u{3000}' | '\u{FEFF}')
    })?;
    Some((at..at + c.len_utf8(), format!("U+{:04X}", u32::from(c))))
}

/// Returns the text between the quotes around a pattern, if there are any.
pub(crate) fn quoted(value: &[u8]) -> Option<&[u8]> {
    const QUOTES: [(&str, &str); 4] = [("\"", "\""), ("'", "'"), ("`", "`"), ("\u{201C}", "\u{201D}")];
    QUOTES.iter().find_map(|(open, close)| {
        let inner = value.strip_prefix(open.as_bytes())?.strip_suffix(close.as_bytes())?;
        matches!(inner, [b'/' | b'*', ..]).then_some(inner)
    })
}
