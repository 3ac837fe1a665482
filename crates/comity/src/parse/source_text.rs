//! The part of a body that is parsed, after applying size limit, byte order mark and encoding.

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

use memchr::memrchr2;

use crate::dialect::{ByteOrderMark, Dialect, SIZE_LIMIT, SizeLimit};
use crate::name::names;
use crate::parse::line::Lines;

/// The maximum number of bytes of a body that are read in any dialect; half of that for UTF-16. The rest is cut off.
///
/// Offsets have 32 bits, a pattern is up to three times as long as its value, which is stored too, and three bytes of
/// UTF-8 can come from two of UTF-16.
pub const MAX_BYTES: usize = (1 << 30) - 2;

/// The text of a robots.txt body: its bytes up to the size limit, without byte order mark, as bytes that should be
/// UTF-8.
///
/// ```
/// use comity::{Content, Dialect, SourceText};
///
/// let text = SourceText::new(b"\xEF\xBB\xBFUser-agent: *\r\nDisallow: /a # why not\n", &Dialect::STANDARD);
/// let lines: Vec<_> = text.lines().map(|line| line.content).collect();
/// assert!(matches!(lines[0], Content::UserAgent { value: b"*", .. }));
/// assert!(matches!(lines[1], Content::Rule { value: b"/a", .. }));
/// assert!(matches!(lines[2], Content::Blank)); // after the last line end
/// ```
#[derive(Clone, Debug)]
pub struct SourceText<'a> {
    body: &'a [u8],
    /// The length of the byte order mark; 0 if the body was decoded.
    mark: usize,
    bytes: Cow<'a, [u8]>,
    dialect: Dialect,
    encoding: Encoding,
    size: Size,
}

/// The encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8 without a byte order mark. Invalid bytes are kept.
    Utf8,
    /// UTF-8 with a byte order mark, which was dropped.
    Utf8WithMark,
    /// UTF-16, little-endian by its byte order mark.
    Utf16Le,
    /// UTF-16, big-endian by its byte order mark.
    Utf16Be,
}

names! {
    Encoding is "an encoding" {
        Utf8 = "utf8",
        Utf8WithMark = "utf8-with-mark",
        Utf16Le = "utf16-le",
        Utf16Be = "utf16-be",
    }, Display
}

/// The extent to which a body was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Size {
    /// The whole body was read.
    Whole,
    /// Only the bytes up to the size limit were read. The dialect determines whether they end with a complete line.
    Cut,
    /// The body was ignored, since it is larger than the dialect allows.
    Refused,
}

names! {
    Size is "a size" {
        Whole = "whole",
        Cut = "cut",
        Refused = "refused",
    }, Display
}

impl<'a> SourceText<'a> {
    /// Returns the text of `body` that is parsed in this dialect.
    ///
    /// When fetching a body, keep [`READ_LIMIT`](crate::READ_LIMIT) bytes: more than are parsed, since they tell
    /// whether the last line was cut.
    pub fn new(body: &'a [u8], dialect: &Dialect) -> Self {
        let (mut kept, mut size) = match dialect.size_limit {
            SizeLimit::Cut | SizeLimit::CutMidLine if body.len() > SIZE_LIMIT => (&body[..SIZE_LIMIT], Size::Cut),
            SizeLimit::NoFile if body.len() > SIZE_LIMIT => (&body[..0], Size::Refused),
            _ => (&body[..body.len().min(MAX_BYTES)], Size::Whole),
        };
        let (encoding, mark) = match dialect.byte_order_mark {
            ByteOrderMark::Utf8Prefix => {
                let mark = kept.iter().zip(UTF8_MARK).take_while(|(byte, mark)| **byte == *mark).count();
                (if mark > 0 { Encoding::Utf8WithMark } else { Encoding::Utf8 }, mark)
            }
            ByteOrderMark::Unicode => match kept {
                [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8WithMark, 3),
                [0xFF, 0xFE, 0, 0, ..] => (Encoding::Utf8, 0), // UTF-32 is not decoded
                [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
                [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
                _ => (Encoding::Utf8, 0),
            },
        };
        if matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be) {
            kept = &kept[..kept.len().min(MAX_BYTES / 2)];
        }
        if kept.len() < body.len() && size == Size::Whole {
            size = Size::Cut;
        }
        let mut bytes = match encoding {
            Encoding::Utf16Le => Cow::Owned(decode_utf16(&kept[mark..], u16::from_le_bytes)),
            Encoding::Utf16Be => Cow::Owned(decode_utf16(&kept[mark..], u16::from_be_bytes)),
            Encoding::Utf8 | Encoding::Utf8WithMark => Cow::Borrowed(&kept[mark..]),
        };
        if size == Size::Cut {
            let finished =
                bytes.last().is_some_and(|b| is_line_end(*b)) || starts_with_line_end(&body[kept.len()..], encoding);
            if !finished && dialect.size_limit == SizeLimit::Cut {
                let end = memrchr2(b'\n', b'\r', &bytes).map_or(0, |i| i + 1);
                match &mut bytes {
                    Cow::Borrowed(bytes) => *bytes = &bytes[..end],
                    Cow::Owned(bytes) => bytes.truncate(end),
                }
            }
        }
        let mark = if matches!(bytes, Cow::Borrowed(_)) { mark } else { 0 };
        Self { body, mark, bytes, dialect: *dialect, encoding, size }
    }

    /// Returns the lines with their parsed content.
    pub fn lines(&self) -> Lines<'_> {
        Lines::new(&self.bytes, self.mark, &self.dialect)
    }

    /// Returns the bytes that are parsed, without the byte order mark.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the text that spans refer to: the whole body, including its byte order mark. If the body is UTF-16, this
    /// is the decoded text as UTF-8, without the mark.
    ///
    /// ```
    /// use comity::{Dialect, SourceText};
    ///
    /// let text = SourceText::new(b"\xEF\xBB\xBFUser-agent: *\r\nDisallow: /a\n", &Dialect::STANDARD);
    /// let second = text.lines().nth(1).unwrap();
    /// assert_eq!(second.span(), 18..30);
    /// assert_eq!(&text.source()[second.span()], b"Disallow: /a");
    /// ```
    pub fn source(&self) -> &[u8] {
        if self.is_decoded() { &self.bytes } else { self.body }
    }

    /// Returns true if the [`source`](Self::source) is not the body, because the body is UTF-16.
    pub fn is_decoded(&self) -> bool {
        matches!(self.encoding, Encoding::Utf16Le | Encoding::Utf16Be)
    }

    /// Returns the range of the [`source`](Self::source) that is parsed.
    pub fn span(&self) -> Range<usize> {
        self.mark..self.mark + self.bytes.len()
    }

    /// Returns the range of a part of this text, such as the value of a line, in the [`source`](Self::source). Returns
    /// `None` if the part does not borrow from this text.
    ///
    /// ```
    /// use comity::{Content, Dialect, SourceText};
    ///
    /// let text = SourceText::new(b"Disallow: /a # why\n", &Dialect::STANDARD);
    /// let Content::Rule { value, .. } = text.lines().next().unwrap().content else { panic!() };
    /// assert_eq!(text.span_of(value), Some(10..12));
    /// assert_eq!(text.span_of(b"/a"), None);
    /// ```
    pub fn span_of(&self, part: &[u8]) -> Option<Range<usize>> {
        // `slice::subslice_range` does this, but not yet in the oldest Rust that is supported.
        let start = part.as_ptr().addr().checked_sub(self.bytes.as_ptr().addr())?;
        let end = start.checked_add(part.len())?;
        (end <= self.bytes.len()).then(|| self.mark + start..self.mark + end)
    }

    /// Returns the encoding of the body.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns whether the whole body was read, or only a part of it.
    pub fn size(&self) -> Size {
        self.size
    }
}

const UTF8_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns true if the part that was cut off starts with a line end, so that the last line is complete. Half of a
/// UTF-16 code unit is not a line end, whichever half is missing.
fn starts_with_line_end(rest: &[u8], encoding: Encoding) -> bool {
    match (encoding, rest) {
        (Encoding::Utf8 | Encoding::Utf8WithMark, [byte, ..])
        | (Encoding::Utf16Le, [byte, 0, ..])
        | (Encoding::Utf16Be, [0, byte, ..]) => is_line_end(*byte),
        _ => false,
    }
}

/// Decodes UTF-16. Lone surrogates and an odd last byte become U+FFFD.
fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> alloc::vec::Vec<u8> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.into_bytes()
}
