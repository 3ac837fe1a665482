//! Conversion of patterns and paths to normal form, in which they are compared byte by byte.

use alloc::vec::Vec;

use memchr::{memchr, memchr2, memchr3_iter};

use crate::dialect::{Dialect, Escapes};
use crate::inline_vec::InlineVec;

/// A pattern has at most three bytes for each byte of a line, since each byte may be escaped. So lengths fit in 16
/// bits.
const _: () = assert!(crate::dialect::LINE_LIMIT * 3 < u16::MAX as usize);

/// Appends the normal form of a path pattern to `out`. `cut` is true if the value was cut at the line limit.
pub(crate) fn normalize(mut value: &[u8], cut: bool, dialect: &Dialect, out: &mut impl Sink) {
    if cut && !matches!(dialect.escapes, Escapes::PatternOnly | Escapes::PatternAndNonAscii) {
        // The rest of an escape that was cut would match nothing. Without it, the rule matches a prefix of the original
        // pattern.
        let tail = value.len().saturating_sub(2);
        value = &value[..memchr(b'%', &value[tail..]).map_or(value.len(), |i| tail + i)];
    }
    match dialect.escapes {
        Escapes::PatternOnly | Escapes::PatternAndNonAscii => escape(value, Operators::Keep, false, out),
        Escapes::Decoded => decode(value, out),
        // Without wildcards, `*` and `$` are ordinary octets, in patterns and in paths.
        Escapes::Normalized if !dialect.wildcards => escape(value, Operators::Escape, true, out),
        Escapes::Normalized => match value.split_last() {
            Some((b'$', body)) if !cut => {
                escape(body, Operators::EscapeDollar, true, out);
                out.put(b"$");
            }
            _ => escape(value, Operators::EscapeDollar, true, out),
        },
    }
}

/// Returns true if a pattern is already in normal form, as most patterns are.
#[inline]
pub(crate) fn is_normal(value: &[u8], cut: bool, dialect: &Dialect) -> bool {
    !cut && memchr(b'%', value).is_none()
        && value.is_ascii()
        && (dialect.escapes != Escapes::Normalized
            || if dialect.wildcards {
                memchr(b'$', value).is_none_or(|dollar| dollar + 1 == value.len())
            } else {
                memchr2(b'*', b'$', value).is_none()
            })
}

/// Returns true if the path of a URL is already in normal form, as most paths are. False negatives are possible.
pub(crate) fn is_normal_path(path: &[u8], dialect: &Dialect) -> bool {
    let stays = |at: usize| {
        let digits = &path[at + 1..];
        let is_written_so = |octet| digits.starts_with(&hexadecimal(octet)) && !is_unreserved(octet);
        path[at] == b'%' && octet(digits).is_none_or(is_written_so)
    };
    match dialect.escapes {
        Escapes::PatternOnly => true,
        Escapes::PatternAndNonAscii => path.is_ascii(),
        Escapes::Decoded => memchr(b'%', path).is_none(),
        Escapes::Normalized => path.is_ascii() && memchr3_iter(b'%', b'*', b'$', path).all(stays),
    }
}

/// Appends the normal form of a URL path to `out`.
pub(crate) fn normalize_path(path: &[u8], dialect: &Dialect, out: &mut impl Sink) {
    match dialect.escapes {
        Escapes::PatternOnly => out.put(path),
        Escapes::PatternAndNonAscii => escape_non_ascii(path, out),
        Escapes::Decoded => decode(path, out),
        Escapes::Normalized => escape(path, Operators::Escape, true, out),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operators {
    Keep,
    EscapeDollar,
    /// `$` and `*`
    Escape,
}

/// A buffer that bytes can be appended to.
pub(crate) trait Sink {
    fn put(&mut self, octets: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, octets: &[u8]) {
        self.extend_from_slice(octets);
    }
}

impl<const N: usize> Sink for InlineVec<u8, N> {
    fn put(&mut self, octets: &[u8]) {
        self.add(octets);
    }
}

/// Normalizes escapes in one pass from left to right, without decoding the output again. A `%` that is not followed by
/// two hexadecimal digits is kept.
fn escape(bytes: &[u8], operators: Operators, decode_unreserved: bool, out: &mut impl Sink) {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|octet| matches!(octet, b'%' | b'$' | b'*' | 0x80..)) {
        let (byte, tail) = (rest[at], &rest[at + 1..]);
        out.put(&rest[..at]);
        rest = tail;
        match byte {
            b'%' => match octet(tail) {
                Some(octet) => {
                    rest = &tail[2..];
                    if decode_unreserved && is_unreserved(octet) {
                        out.put(&[octet]);
                    } else {
                        push_escaped(octet, out);
                    }
                }
                None => out.put(b"%"),
            },
            b'$' if operators == Operators::Keep => out.put(b"$"),
            b'*' if operators != Operators::Escape => out.put(b"*"),
            _ => push_escaped(byte, out),
        }
    }
    out.put(rest);
}

/// Escapes bytes outside ASCII and keeps all others unchanged.
fn escape_non_ascii(bytes: &[u8], out: &mut impl Sink) {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|octet| !octet.is_ascii()) {
        out.put(&rest[..at]);
        push_escaped(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.put(rest);
}

/// Decodes every escape except that of the slash.
fn decode(bytes: &[u8], out: &mut impl Sink) {
    let mut rest = bytes;
    while let Some(at) = memchr(b'%', rest) {
        out.put(&rest[..at]);
        rest = &rest[at + 1..];
        match octet(rest) {
            Some(octet) => {
                rest = &rest[2..];
                if octet == b'/' {
                    push_escaped(octet, out);
                } else {
                    out.put(&[octet]);
                }
            }
            None => out.put(b"%"),
        }
    }
    out.put(rest);
}

/// Returns the byte that two hexadecimal digits encode.
fn octet(digits: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    match digits {
        [high, low, ..] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    }
}

fn push_escaped(octet: u8, out: &mut impl Sink) {
    let [high, low] = hexadecimal(octet);
    out.put(&[b'%', high, low]);
}

fn hexadecimal(octet: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [DIGITS[usize::from(octet >> 4)], DIGITS[usize::from(octet & 15)]]
}

/// Returns true for unreserved characters (RFC 3986 §2.3).
fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}
