//! The approximate positions of a file's lines, to show one of them without reading all lines before it.

use comity::dialect::ByteOrderMark;
use comity::{Dialect, LINE_LIMIT, SourceText};

/// The starts of some lines.
#[derive(Debug)]
pub(crate) struct Marks {
    marks: Vec<Mark>,
    /// The text, if the body is UTF-16. Decoding it again for each line would take most of the time.
    decoded: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The line's number, from 1.
    number: u32,
    /// The offset of the line in [`SourceText::source`].
    start: usize,
}

/// The minimum distance between two marks in bytes: a thousand marks for the largest file, and a dozen lines to read.
const MARK_INTERVAL: usize = 512;

impl Marks {
    pub(crate) fn new(body: &[u8], dialect: &Dialect) -> Self {
        let text = SourceText::new(body, dialect);
        let mut marks: Vec<Mark> = Vec::new();
        for line in text.lines() {
            let start = line.span().start;
            if marks.last().is_none_or(|last| start - last.start >= MARK_INTERVAL) {
                marks.push(Mark { number: line.number, start });
            }
        }
        Self { marks, decoded: text.is_decoded().then(|| text.source().to_vec()) }
    }

    /// Returns a line as written, within the part of the file that is parsed.
    pub(crate) fn line<'b>(&'b self, body: &'b [u8], dialect: &Dialect, number: u32) -> Option<&'b [u8]> {
        let (source, end) = match &self.decoded {
            Some(decoded) => (decoded.as_slice(), decoded.len()),
            None => (body, SourceText::new(body, dialect).span().end),
        };
        let mark = self.marks[..self.marks.partition_point(|mark| mark.number <= number)].last()?;
        let part = &source[mark.start..end.min(mark.start + MARK_INTERVAL + LINE_LIMIT)];
        // A byte order mark in the middle of the file is not one.
        let mut dialect = *dialect;
        dialect.byte_order_mark = ByteOrderMark::Utf8Prefix;
        let part = SourceText::new(part, &dialect);
        let line = part.lines().nth((number - mark.number) as usize)?;
        let span = line.span();
        source.get(mark.start + span.start..mark.start + span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the lines that the marks lead to with those from reading all lines.
    #[test]
    fn marks_lead_to_the_same_lines() {
        let long = format!("Disallow: /{}", "x".repeat(LINE_LIMIT));
        let lines = ["User-agent: *", "", "# a comment", &long, "Allow: /a\0b", "Disallow: /ü", "\u{FEFF}Disallow: /b"];
        for (mark, ends) in [("", ["\n", "\n"]), ("\u{FEFF}", ["\r\n", "\r"]), ("", ["\r", "\r\n"])] {
            let mut body = mark.to_owned();
            for nth in 0..400 {
                body += lines[nth % lines.len()];
                body += ends[nth % 2];
            }
            let utf16: Vec<u8> =
                "\u{FEFF}".encode_utf16().chain(body.encode_utf16()).flat_map(u16::to_le_bytes).collect();
            for body in [body.as_bytes(), &utf16] {
                for dialect in [&Dialect::STANDARD, &Dialect::GOOGLE] {
                    let (text, marks) = (SourceText::new(body, dialect), Marks::new(body, dialect));
                    let mut count = 0;
                    for line in text.lines() {
                        let found = marks.line(body, dialect, line.number).unwrap();
                        let without_mark = line.text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line.text);
                        assert!(found == line.text || found == without_mark, "line {}", line.number);
                        count = line.number;
                    }
                    assert_eq!(marks.line(body, dialect, count + 1), None);
                    assert_eq!(marks.line(body, dialect, 0), None);
                    assert!(marks.marks.len() <= body.len() / MARK_INTERVAL + 1);
                }
            }
        }
    }
}
