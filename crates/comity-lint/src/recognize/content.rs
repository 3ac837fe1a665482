//! Recognizes bodies that are no text, or text of another kind.

/// Returns the kind of a body that is no robots.txt by its looks, such as `gzip data`. Call it only for a body without
/// groups, since a few odd bytes take no rules away.
#[must_use]
pub fn other_content(body: &[u8]) -> Option<&'static str> {
    const STARTS: [(&[u8], &str); 14] = [
        (b"{\\rtf", "a document of a word processor (RTF)"),
        (b"\x1F\x8B", "gzip data"),
        (b"\x78\x01", "zlib data"),
        (b"\x78\x9C", "zlib data"),
        (b"\x78\xDA", "zlib data"),
        (b"\x28\xB5\x2F\xFD", "zstd data"),
        (b"\xFD7zXZ\0", "xz data"),
        (b"BZh", "bzip2 data"),
        (b"\0\0\x01\0", "an icon"),
        (b"\xFF\xD8\xFF", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF-", "a PDF"),
        (b"\x89PNG", "a PNG image"),
        (b"PK\x03\x04", "a ZIP archive"),
    ];
    if let Some((_, kind)) = STARTS.iter().find(|(start, _)| body.starts_with(start)) {
        return Some(kind);
    }
    let text = body.trim_ascii();
    if text.starts_with(b"{%") || text.starts_with(b"{{") {
        return Some("a template that was not filled in");
    }
    // Servers of files answer with an error in XML. XHTML is a page.
    if text.starts_with(b"<?xml") && !body.windows(5).any(|tag| tag.eq_ignore_ascii_case(b"<html")) {
        return Some("XML");
    }
    if text.starts_with(b"<") {
        return Some("a web page");
    }
    if let ([b'{', .., b'}'] | [b'[', .., b']'], Ok(_)) = (text, std::str::from_utf8(text)) {
        return Some("JSON");
    }
    let count = |is: fn(&u8) -> bool| body.iter().filter(|byte| is(byte)).count();
    // ASCII text has one NUL for each character in UTF-16, and three in UTF-32. Data has other control characters, too.
    let is_data = body.iter().any(|byte| *byte != 0 && byte.is_ascii_control() && !byte.is_ascii_whitespace());
    match count(|byte| *byte == 0) {
        _ if is_data => {}
        nul if nul * 8 > body.len() * 5 => return Some("UTF-32"),
        nul if nul * 8 > body.len() * 3 => return Some("UTF-16 without a byte order mark"),
        _ => {}
    }
    // Letters, digits, space, line ends and the signs of a record.
    let in_ebcdic = count(
        |byte| matches!(byte, 0x0D | 0x15 | 0x25 | 0x40 | 0x4B | 0x5C | 0x60 | 0x61 | 0x7A | 0x81..=0xA9 | 0xC1..=0xE9 | 0xF0..=0xF9),
    );
    (std::str::from_utf8(body).is_err() && in_ebcdic * 10 >= body.len() * 9).then_some("EBCDIC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_recognized() {
        let text = "User-agent: *\nDisallow: /x\n";
        let utf16: Vec<u8> = text.bytes().flat_map(|byte| [byte, 0]).collect();
        let utf32: Vec<u8> = text.bytes().flat_map(|byte| [0, 0, 0, byte]).collect();
        // "User-agent: *" in code page 037.
        let ebcdic = b"\xE4\xA2\x85\x99\x60\x81\x87\x85\x95\xA3\x7A\x40\x5C\x25";
        let cases: [(&[u8], Option<&str>); 22] = [
            (b"{% for group in groups %}\n{% endfor %}", Some("a template that was not filled in")),
            (b"{\\rtf1\\ansi}", Some("a document of a word processor (RTF)")),
            (b"\x1F\x8B\x08\0\0\0\0\0\0\x03", Some("gzip data")),
            (b"\x78\x9C\x4B\x2D", Some("zlib data")),
            (b"\x28\xB5\x2F\xFD\x04", Some("zstd data")),
            (b"\xFD7zXZ\0\0\x04Disallow: /x\n", Some("xz data")),
            (b"BZh91AY&SY", Some("bzip2 data")),
            (b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0", Some("an icon")),
            (b"\0\0\x02\0\x01\0\0\0\0\0\x01\0", None),
            (b"<?xml version='1.0'?>\n<Error><Code>AccessDenied</Code></Error>", Some("XML")),
            (b"<?xml version='1.0'?>\n<HTML></HTML>", Some("a web page")),
            (b"\xFF\xD8\xFF\xE0\0\x10JFIF", Some("a JPEG image")),
            (b"%PDF-1.7\n", Some("a PDF")),
            (b"\x89PNG\r\n", Some("a PNG image")),
            (b"PK\x03\x04\x14", Some("a ZIP archive")),
            (b" <!DOCTYPE html>", Some("a web page")),
            (b"{\"error\":\"not found\"}\n", Some("JSON")),
            (&utf16, Some("UTF-16 without a byte order mark")),
            (&utf32, Some("UTF-32")),
            (ebcdic, Some("EBCDIC")),
            (text.as_bytes(), None),
            (b"", None),
        ];
        for (body, kind) in cases {
            assert_eq!(other_content(body), kind, "{}", body.escape_ascii());
        }
        // Text in Latin-1 and in Cyrillic is text.
        assert_eq!(other_content(b"# caf\xE9\n"), None);
        assert_eq!(other_content("Запрещено\n".as_bytes()), None);
    }
}
