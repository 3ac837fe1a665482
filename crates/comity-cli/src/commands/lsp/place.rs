//! Conversion between positions of the protocol and byte offsets in a text.

use std::ops::Range;

use serde_json::Value;

use super::protocol::{Position, Range as LspRange};

/// The unit of the columns of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// Returns UTF-8 if the client offers it; otherwise UTF-16, which every client supports.
    pub(super) fn offered(params: &Value) -> Self {
        let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
        if offered.is_some_and(|offered| offered.iter().any(|name| name == "utf-8")) { Self::Utf8 } else { Self::Utf16 }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
        }
    }
}

/// A text with its lines.
pub(super) struct Places<'a> {
    text: &'a str,
    /// The byte offset of the start of each line. Lines end as in a robots.txt: at CR, LF, or both.
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = (0..bytes.len())
            .filter(|at| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        Self { text, starts: std::iter::once(0).chain(ends.map(|at| at + 1)).collect(), encoding }
    }

    /// Returns the byte offset of a position. A position after the end of its line becomes that end.
    pub(super) fn offset(&self, position: Position) -> usize {
        let Some(line) = self.line(position.line as usize) else { return self.text.len() };
        let mut left = position.character as usize;
        for (at, c) in self.text[line.clone()].char_indices() {
            let width = if self.encoding == Encoding::Utf8 { c.len_utf8() } else { c.len_utf16() };
            if left < width {
                return line.start + at;
            }
            left -= width;
        }
        line.end
    }

    pub(super) fn range(&self, span: &Range<usize>) -> LspRange {
        LspRange { start: self.position(span.start), end: self.position(span.end) }
    }

    fn position(&self, mut offset: usize) -> Position {
        offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = &self.text[self.starts[line]..offset];
        let character = if self.encoding == Encoding::Utf8 { before.len() } else { before.encode_utf16().count() };
        Position { line: line as u32, character: character as u32 }
    }

    /// Returns the byte range of a line without its line ending. The number counts from 0.
    pub(super) fn line(&self, number: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(number)?;
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        Some(start..start + self.text[start..end].trim_end_matches(['\r', '\n']).len())
    }

    /// Returns the number of the line, from 0, that contains a byte.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_what_was_agreed() {
        let text = "a: 😀é\rb\r\nc";
        for (encoding, column) in [(Encoding::Utf8, 7), (Encoding::Utf16, 5)] {
            let places = Places::new(text, encoding);
            let after_smile = Position { line: 0, character: column };
            assert_eq!(places.offset(after_smile), 7, "{encoding:?}");
            assert_eq!(places.position(7), after_smile, "{encoding:?}");
            assert_eq!(places.offset(Position { line: 1, character: 99 }), 11);
            assert_eq!(places.position(13), Position { line: 2, character: 0 });
            assert_eq!(places.offset(Position { line: 9, character: 0 }), text.len());
        }
    }
}
