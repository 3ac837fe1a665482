//! Character references in the values of attributes: `&amp;`, `&#38;`, `&#x26;`.

use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memchr3;

/// The named references, as `build.rs` writes them: a name, `=`, its text, and a null byte.
const REFERENCES: &str = include_str!(concat!(env!("OUT_DIR"), "/references.txt"));

/// The named references, by their names after the `&`. Most names end with a semicolon; those of early HTML need none.
static NAMED: LazyLock<HashMap<&[u8], &str>> = LazyLock::new(|| {
    let references = REFERENCES.split_terminator('\0').filter_map(|reference| reference.split_once('='));
    references.map(|(name, text)| (name.as_bytes(), text)).collect()
});

/// The length of the longest name, which is `CounterClockwiseContourIntegral;`.
const MAX_NAME: usize = 32;

/// The characters for the numbers from 0x80 to 0x9F: those of windows-1252, or the control characters where it has
/// none.
const C1: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

/// Returns the value that is written as `raw`: references are replaced (§13.2.5.72 to 80), line ends become `\n`
/// (§13.2.3.5), and null bytes become U+FFFD.
pub(super) fn decode(raw: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(offset) = memchr3(b'&', b'\r', b'\0', rest) {
        value.extend_from_slice(&rest[..offset]);
        let special = rest[offset];
        rest = &rest[offset + 1..];
        match special {
            b'&' => rest = &rest[reference(rest, &mut value)..],
            b'\r' => {
                value.push(b'\n');
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            _ => push(char::REPLACEMENT_CHARACTER, &mut value),
        }
    }
    value.extend_from_slice(rest);
    value
}

/// Returns a cut value without its end, if that may be the start of a reference.
pub(super) fn without_unfinished(raw: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let start = raw.iter().rposition(|byte| !is_part(byte));
    match start {
        Some(start) if raw[start] == b'&' => &raw[..start],
        _ => raw,
    }
}

/// Appends the text of a reference, or the `&` if it is not a reference. Returns the number of bytes of `rest`, which
/// follows the `&`, that belong to the reference.
fn reference(rest: &[u8], value: &mut Vec<u8>) -> usize {
    let found = match rest {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16).map(|(c, len)| (c, len + 2)),
        [b'#', digits @ ..] => number(digits, 10).map(|(c, len)| (c, len + 1)),
        _ => {
            let named = named(rest);
            if let Some((text, len)) = named {
                value.extend_from_slice(text.as_bytes());
                return len;
            }
            None
        }
    };
    if let Some((c, len)) = found {
        push(c, value);
        return len;
    }
    value.push(b'&');
    0
}

/// Returns the character with a number, and the length of the digits and of a semicolon after them.
fn number(digits: &[u8], radix: u32) -> Option<(char, usize)> {
    let digit = |byte: &u8| char::from(*byte).to_digit(radix);
    let len = digits.iter().take_while(|byte| digit(byte).is_some()).count();
    if len == 0 {
        return None;
    }
    // Saturates, so that numbers too large for a character stay too large.
    let number = digits[..len]
        .iter()
        .filter_map(digit)
        .fold(0_u32, |number, digit| number.saturating_mul(radix).saturating_add(digit));
    let c = match number {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..0xA0 => C1[number as usize - 0x80],
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some((c, len + usize::from(digits.get(len) == Some(&b';'))))
}

/// Returns the text of a named reference, and the length of its name. A name without a semicolon is a reference only if
/// neither a letter, a digit nor `=` follows: `?a=1&copy=2` contains none.
fn named(rest: &[u8]) -> Option<(&'static str, usize)> {
    let len = rest.iter().take(MAX_NAME).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let len = match rest.get(len) {
        Some(b';') => len + 1,
        Some(next) if *next == b'=' || next.is_ascii_alphanumeric() => return None,
        _ => len,
    };
    Some((NAMED.get(&rest[..len])?, len))
}

fn push(c: char, value: &mut Vec<u8>) {
    value.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced() {
        for (raw, expected) in [
            ("", ""),
            ("a&amp;b", "a&b"),
            ("&AMP;&amp&", "&&&"),
            ("&#110;o&#x69;&#X4e;", "noiN"),
            ("&#110o", "no"),
            ("&comma;&Tab;&NewLine;", ",\t\n"),
            ("?a=1&copy=2&copy", "?a=1&copy=2©"),
            ("&copyx;&copy,", "&copyx;©,"),
            ("&notin;&notit;&not;", "∉&notit;¬"),
            ("&CounterClockwiseContourIntegral;", "∳"),
            ("&CounterClockwiseContourIntegrals;", "&CounterClockwiseContourIntegrals;"),
            ("&NotEqualTilde;", "≂̸"),
            ("&#0;&#xD800;&#x110000;&#99999999999;", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("&#128;&#x81;&#x9F;&#xA0;&#13;", "€\u{81}Ÿ\u{A0}\r"),
            ("&;&#;&#x;&#xg;& a", "&;&#;&#x;&#xg;& a"),
            ("a\r\nb\rc\nd\r", "a\nb\nc\nd\n"),
            ("\0&\0", "\u{FFFD}&\u{FFFD}"),
        ] {
            assert_eq!(String::from_utf8_lossy(&decode(raw.as_bytes())), expected, "{raw:?}");
        }
    }

    #[test]
    fn every_name_is_known() {
        assert_eq!(NAMED.len(), 2_231);
        assert_eq!(NAMED.keys().map(|name| name.len()).max(), Some(MAX_NAME));
        for (name, text) in NAMED.iter() {
            assert_eq!(decode(&[b"&", *name].concat()), text.as_bytes());
        }
    }

    #[test]
    fn a_reference_that_was_cut_is_left_out() {
        for (raw, expected) in [
            ("a &#4", "a "),
            ("a &", "a "),
            ("a &comm", "a "),
            ("a &#44;", "a &#44;"),
            ("a &b c", "a &b c"),
            ("abc", "abc"),
            ("&x", ""),
            ("", ""),
        ] {
            assert_eq!(without_unfinished(raw.as_bytes()), expected.as_bytes(), "{raw:?}");
        }
    }
}
