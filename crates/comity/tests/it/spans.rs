//! The span of each line holds its text, and spans with their line ends cover all that is read of a body.

use comity::{Content, Dialect, LINE_LIMIT, SIZE_LIMIT, SourceText};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn check(body: &[u8], dialect: &Dialect) {
    let text = SourceText::new(body, dialect);
    let (source, read) = (text.source(), text.span());
    assert_eq!(&source[read.clone()], text.as_bytes());
    if !text.is_decoded() {
        assert_eq!(source, body);
    }
    let mut next = read.start;
    for line in text.lines() {
        let span = line.span();
        assert_eq!(&source[span.clone()], line.text, "line {}", line.number);
        assert_eq!(text.span_of(line.text), Some(span.clone()));
        assert_eq!(span.start, next, "line {} starts after the end of the one before", line.number);
        if let Content::UserAgent { value, .. } | Content::Rule { value, .. } | Content::Other { value, .. } =
            line.content
        {
            let inner = text.span_of(value).unwrap();
            assert!(span.start <= inner.start && inner.end <= span.end);
            assert_eq!(&source[inner], value);
        }
        // What follows up to the line end was dropped.
        let rest = &source[span.end..read.end];
        let dropped = rest.iter().position(|b| matches!(b, b'\r' | b'\n')).unwrap_or(rest.len());
        assert!(dropped == 0 || rest[0] == 0 || line.text.len() == LINE_LIMIT, "line {}", line.number);
        let line_end = match &rest[dropped..] {
            [b'\r', b'\n', ..] => 2,
            [_, ..] => 1,
            [] => 0,
        };
        next = span.end + dropped + line_end;
    }
    assert_eq!(next, read.end);
}

fn utf16(text: &[u8], unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
}

const PIECES: &[&[u8]] = &[
    b"\n",
    b"\r",
    b"\r\n",
    b"\0",
    b"#",
    b" ",
    b"User-agent: *",
    b"Disallow: /a",
    b"allow /b",
    b"Sitemap: http://h/s",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"\xFF\xFE",
    b"\xFE\xFF",
    b"\xC3\xBC",
    b"\xF0\x9F\x98\x80",
    b"\xFF",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn spans_cover_what_is_read(pieces in vec(select(PIECES), 0..24), long in 0..3_usize, at in 0..24_usize) {
        let mut pieces: Vec<Vec<u8>> = pieces.into_iter().map(<[u8]>::to_vec).collect();
        pieces.insert(at.min(pieces.len()), vec![b'x'; long * (LINE_LIMIT - 8)]);
        let body = pieces.concat();
        for dialect in Dialect::ALL {
            check(&body, dialect);
            check(&utf16(&body, u16::to_le_bytes), dialect);
            check(&utf16(&body, u16::to_be_bytes), dialect);
        }
    }
}

#[test]
fn spans_end_where_reading_does() {
    for line_end in ["\n", "\r\n"] {
        for start in ["", "\u{FEFF}"] {
            for more in 0..4 {
                let mut body = format!("{start}Disallow: /a{line_end}").repeat(2).into_bytes();
                body.resize(SIZE_LIMIT - 1, b'/');
                body.extend_from_slice(&b"\n\nab"[..more]);
                for dialect in Dialect::ALL {
                    check(&body, dialect);
                    check(&utf16(&body, u16::to_le_bytes), dialect);
                }
            }
        }
    }
}
