//! Writing JSON, as little work as that can be: for answers that are asked for by the million.

use std::fmt;
use std::io::Write as _;

use serde::Serialize;

/// Appends text as JSON. Nearly all texts need no escapes.
///
/// ```
/// let mut out = Vec::new();
/// comity_report::json::text(&mut out, "say \"no\"");
/// assert_eq!(out, br#""say \"no\"""#);
/// ```
pub fn text(out: &mut Vec<u8>, text: &str) {
    if needs_escapes(text.as_bytes()) {
        return value(out, text);
    }
    quote(out, text);
}

fn quote(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn needs_escapes(text: &[u8]) -> bool {
    // Without stopping early, many octets are looked at at once.
    text.iter().fold(false, |odd, octet| odd | matches!(octet, ..b' ' | b'"' | b'\\'))
}

/// Appends a value as JSON: anything that `serde_json` can't fail to write, which is all but maps whose keys are no texts.
pub fn value(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // A vector takes all.
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "{written:?}");
}

/// Appends text if there is one, else null.
pub fn text_or_null(out: &mut Vec<u8>, value: Option<&str>) {
    match value {
        Some(value) => text(out, value),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends a word of ours, which needs no escapes.
pub fn word(out: &mut Vec<u8>, word: &'static str) {
    debug_assert!(!needs_escapes(word.as_bytes()), "{word}");
    quote(out, word);
}

/// Appends the name of an enum's variant, as its `Serialize` has it; without one, null.
///
/// ```
/// let mut out = Vec::new();
/// comity_report::json::variant(&mut out, Some(&comity::Answer::Allowed));
/// assert_eq!(out, br#""allowed""#);
/// ```
pub fn variant(out: &mut Vec<u8>, variant: Option<&impl Serialize>) {
    match variant.map(serde_variant::to_variant_name) {
        Some(Ok(name)) => word(out, name),
        Some(Err(_)) => value(out, &variant),
        None => value(out, &()),
    }
}

/// Appends as text what people see of a value.
///
/// ```
/// let mut out = Vec::new();
/// comity_report::json::shown(&mut out, &format_args!("a{}", 1));
/// assert_eq!(out, br#""a1""#);
/// ```
pub fn shown(out: &mut Vec<u8>, value: &impl fmt::Display) {
    out.push(b'"');
    let start = out.len();
    // A vector takes all.
    let _ = write!(out, "{value}");
    if needs_escapes(&out[start..]) {
        out.truncate(start - 1);
        return text(out, &value.to_string());
    }
    out.push(b'"');
}

/// Appends an object: names that need no escapes, and for each the function that appends its value.
///
/// ```
/// use comity_report::{json, json_object};
///
/// let mut out = Vec::new();
/// json_object!(out, { "url": json::text("/a"), "line": json::value(&2), "origin": json::shown(&"http://a.test") });
/// assert_eq!(out, br#"{"url":"/a","line":2,"origin":"http://a.test"}"#);
/// ```
#[macro_export]
macro_rules! json_object {
    ($out:expr, {
        $name:literal: $($append:ident)::+($($value:tt)*)
        $(, $more:literal: $($append_more:ident)::+($($value_more:tt)*))* $(,)?
    }) => {{
        let out: &mut Vec<u8> = &mut $out;
        out.extend_from_slice(concat!("{\"", $name, "\":").as_bytes());
        $($append)::+(out, $($value)*);
        $(
            out.extend_from_slice(concat!(",\"", $more, "\":").as_bytes());
            $($append_more)::+(out, $($value_more)*);
        )*
        out.push(b'}');
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_serde_json_makes_of_them() {
        let octets: String = (0..=0x7F_u8).map(char::from).collect();
        let texts =
            ["", "a", "/private/page-17.html?a=b&c", "\u{7F}ü\u{2028}\u{1F600}", "a\u{1B}[2J", "\"", "\\", &octets];
        for given in texts {
            let mut out = Vec::new();
            text(&mut out, given);
            assert_eq!(out, serde_json::to_vec(given).unwrap());
            out.clear();
            shown(&mut out, &given);
            assert_eq!(out, serde_json::to_vec(given).unwrap());
        }
    }
}
