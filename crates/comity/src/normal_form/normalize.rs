//! Path patterns: making them comparable, and matching one.

use alloc::vec::Vec;

use memchr::{memchr, memchr2, memchr3_iter};

use crate::dialect::{Dialect, Escapes};
use crate::matcher::search::Search;

/// The most octets of a pattern: a line's bytes, each escaped. So lengths fit in 16 bits.
const _: () = assert!(crate::dialect::LINE_LIMIT * 3 < u16::MAX as usize);

/// Appends the comparable form of a path pattern. `cut`: the value was cut at the line limit.
pub(crate) fn normalise(mut value: &[u8], cut: bool, dialect: &Dialect, out: &mut impl Sink) {
    if cut && !matches!(dialect.escapes, Escapes::PatternOnly | Escapes::PatternAndNonAscii) {
        // What is left of a cut escape would match nothing; without it, the rule is a prefix of what it was.
        let tail = value.len().saturating_sub(2);
        value = &value[..memchr(b'%', &value[tail..]).map_or(value.len(), |i| tail + i)];
    }
    match dialect.escapes {
        Escapes::PatternOnly | Escapes::PatternAndNonAscii => escape(value, Operators::Keep, false, out),
        Escapes::Decoded => decode(value, out),
        // Without wildcards, both are octets like others, on both sides.
        Escapes::Normalised if !dialect.wildcards => escape(value, Operators::Escape, true, out),
        Escapes::Normalised => match value.split_last() {
            Some((b'$', body)) if !cut => {
                escape(body, Operators::EscapeDollar, true, out);
                out.put(b"$");
            }
            _ => escape(value, Operators::EscapeDollar, true, out),
        },
    }
}

/// Whether a pattern is its own comparable form, which most are.
#[inline]
pub(crate) fn is_normal(value: &[u8], cut: bool, dialect: &Dialect) -> bool {
    !cut && memchr(b'%', value).is_none()
        && value.is_ascii()
        && (dialect.escapes != Escapes::Normalised
            || if dialect.wildcards {
                memchr(b'$', value).is_none_or(|dollar| dollar + 1 == value.len())
            } else {
                memchr2(b'*', b'$', value).is_none()
            })
}

/// Whether a URL's path is its own comparable form, which most are. It may be so where this says no.
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
        Escapes::Normalised => path.is_ascii() && memchr3_iter(b'%', b'*', b'$', path).all(stays),
    }
}

/// Appends the comparable form of a URL's path.
pub(crate) fn normalise_path(path: &[u8], dialect: &Dialect, out: &mut impl Sink) {
    match dialect.escapes {
        Escapes::PatternOnly => out.put(path),
        Escapes::PatternAndNonAscii => escape_non_ascii(path, out),
        Escapes::Decoded => decode(path, out),
        Escapes::Normalised => escape(path, Operators::Escape, true, out),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operators {
    Keep,
    EscapeDollar,
    /// `$` and `*`
    Escape,
}

/// Somewhere to put octets.
pub(crate) trait Sink {
    fn put(&mut self, octets: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, octets: &[u8]) {
        self.extend_from_slice(octets);
    }
}

/// One pass from left to right; the output is not read again. A `%` without two hexadecimal digits is itself.
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

/// Escapes octets outside ASCII and leaves all others as they are.
fn escape_non_ascii(bytes: &[u8], out: &mut impl Sink) {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|octet| !octet.is_ascii()) {
        out.put(&rest[..at]);
        push_escaped(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.put(rest);
}

/// Decodes every escape but that of the slash.
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

/// The octet that two hexadecimal digits stand for.
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

/// RFC 3986 §2.3
fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

/// Whether a pattern with operators, in its comparable form, matches a path in its comparable form.
pub(crate) fn matches(pattern: &[u8], search: &mut Search<'_>, wildcards: bool) -> bool {
    if !wildcards {
        return search.path().starts_with(pattern);
    }
    match pattern.split_last() {
        Some((b'$', body)) => matches_segments(body, true, 0, search),
        _ => matches_segments(pattern, false, 0, search),
    }
}

/// Whether the segments between the stars of `pattern` occur in the path one behind the other, the first at `from`
/// and, if `anchored`, the last at the path's end.
///
/// Taking each segment where it occurs first leaves the most for the others, so nothing is ever tried twice.
pub(crate) fn matches_segments(pattern: &[u8], anchored: bool, mut from: usize, search: &mut Search<'_>) -> bool {
    let path = search.path();
    let Some(star) = memchr(b'*', pattern) else {
        return if anchored { path[from..] == *pattern } else { path[from..].starts_with(pattern) };
    };
    let (first, mut pattern) = (&pattern[..star], &pattern[star + 1..]);
    if !path[from..].starts_with(first) {
        return false;
    }
    from += first.len();
    let mut end = path.len();
    if anchored {
        // The end is a quick look, and the other segments stand before it.
        let (middle, last) = pattern.split_at(memchr::memrchr(b'*', pattern).map_or(0, |star| star + 1));
        if !path[from..].ends_with(last) {
            return false;
        }
        (pattern, end) = (middle, end - last.len());
    }
    for segment in pattern.split(|octet| *octet == b'*') {
        match search.find(segment, from) {
            Some(at) if at + segment.len() <= end => from = at + segment.len(),
            _ => return false,
        }
    }
    true
}

/// Whether `pattern` matches whatever `other` matches; both in comparable form.
///
/// A star of `other` stands for anything, so only a star of `pattern` may take it. Literals hold no stars: read as a
/// path, `other` is matched just so.
pub(crate) fn covers(pattern: &[u8], other: &[u8], wildcards: bool) -> bool {
    if !wildcards {
        return other.starts_with(pattern);
    }
    let matches = |pattern, anchored, other| matches_segments(pattern, anchored, 0, &mut Search::new(other));
    match (pattern.split_last(), other.split_last()) {
        (Some((b'$', body)), Some((b'$', other))) => matches(body, true, other),
        // What has no end of its own is only covered up to an end if a star stands before that.
        (Some((b'$', body)), _) => body.ends_with(b"*") && matches(body, false, other),
        (_, Some((b'$', other))) => matches(pattern, false, other),
        _ => matches(pattern, false, other),
    }
}

/// The directory that Google's parser takes an `Allow` of `…/index.htm…` to mean too: the length of the pattern up to
/// and with its last slash.
pub(crate) fn index_twin(pattern: &[u8]) -> Option<usize> {
    let slash = memchr::memrchr(b'/', pattern)?;
    pattern[slash..].starts_with(b"/index.htm").then_some(slash + 1)
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::covers;
    use crate::matcher::search::Search;

    fn matches(pattern: &[u8], path: &[u8]) -> bool {
        super::matches(pattern, &mut Search::new(path), true)
    }

    /// All patterns of up to four octets over a small alphabet, and all paths of up to five: a pattern that covers
    /// another matches wherever that one does, and one that does not is told apart by some path.
    #[test]
    fn covering_is_what_paths_say() {
        let words = |alphabet: &[u8], most: usize| {
            let mut all = vec![Vec::new()];
            let mut from = 0;
            for _ in 0..most {
                let until = all.len();
                for i in from..until {
                    for octet in alphabet {
                        let mut word: Vec<u8> = all[i].clone();
                        word.push(*octet);
                        all.push(word);
                    }
                }
                from = until;
            }
            all
        };
        let with_end = words(b"/a*", 3).into_iter().flat_map(|p| [[&*p, b"$"].concat(), p]);
        let patterns: Vec<Vec<u8>> = with_end.collect();
        // An octet that no pattern names stands for all others.
        let paths = words(b"/ab", 5);
        for a in &patterns {
            for b in &patterns {
                let by_paths = paths.iter().all(|path| !matches(b, path) || matches(a, path));
                assert_eq!(covers(a, b, true), by_paths, "{} {}", a.escape_ascii(), b.escape_ascii());
            }
        }
    }
}
