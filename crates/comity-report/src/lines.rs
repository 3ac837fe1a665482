//! The lines of a file in printable form.

use std::borrow::Cow;

use comity::{Content, Dialect, Escaped, Field, Robots, SourceText};

/// Returns the lines of a file, each without white space at its ends, escaped so that it is safe to print, and
/// shortened if it is long.
pub fn shown(body: &[u8], dialect: &Dialect) -> Vec<String> {
    SourceText::new(body, dialect).lines().map(|line| show(line.text).into_owned()).collect()
}

/// Returns a line in printable form.
pub(crate) fn show(line: &[u8]) -> Cow<'_, str> {
    let line = line.trim_ascii();
    // Nearly all lines are plain and short.
    if line.len() <= MAX_SHOWN
        && line.iter().all(|octet| matches!(octet, b' '..=b'~'))
        && let Ok(text) = str::from_utf8(line)
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(shorten(&Escaped(line).to_string(), MAX_SHOWN).into_owned())
}

/// The maximum number of characters of a line that are shown. A line of a hostile file may have sixteen thousand.
const MAX_SHOWN: usize = 500;

/// Returns the first characters of a text, followed by `…` if there are more.
///
/// ```
/// assert_eq!(comity_report::shorten("Disallow: /a", 8), "Disallow…");
/// assert_eq!(comity_report::shorten("Disallow", 8), "Disallow");
/// ```
pub fn shorten(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns a text whose first letter is in upper case.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Returns true if a body looks like a web page, which is usually an error page served instead of a robots.txt: the
/// first character is `<`, in UTF-8 or UTF-16. Comments before it do not count: some robots.txt files start with
/// `<!-- … -->`.
pub fn looks_like_html(body: &[u8]) -> bool {
    const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
    let mut text = MARKS.into_iter().find_map(|mark| body.strip_prefix(mark)).unwrap_or(body);
    while let Some(comment) = text.trim_ascii_start().strip_prefix(b"<!--") {
        let Some(end) = comment.windows(3).position(|three| three == b"-->") else { return true };
        text = &comment[end + 3..];
    }
    // In UTF-16, each octet of ASCII has a zero octet beside it.
    text.iter().find(|octet| !octet.is_ascii_whitespace() && **octet != 0) == Some(&b'<')
}

/// Returns what a body looks like, in words that follow `looks like`, if that is no robots.txt: an HTML page, or data or
/// text without any line of a robots.txt. `robots` is the parsed body.
#[must_use]
pub fn looks_like(robots: &Robots, body: &[u8]) -> Option<&'static str> {
    if looks_like_html(body) {
        return Some(if comity_lint::other_content(body) == Some("XML") { "XML" } else { "an HTML page" });
    }
    if robots.groups().len() > 0 {
        return None;
    }
    let is_foreign = |content| match content {
        Content::NoRecord | Content::Other { field: Field::Unknown, .. } => Some(true),
        Content::Blank => None,
        _ => Some(false),
    };
    let text = SourceText::new(body, robots.dialect());
    comity_lint::other_content(body).or_else(|| {
        let mut lines = text.lines().filter_map(|line| is_foreign(line.content)).peekable();
        (lines.peek().is_some() && lines.all(|is_foreign| is_foreign))
            .then(|| if body.contains(&0) { "data that is no text" } else { "text of another kind" })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_make_no_page() {
        for (body, is_html) in [
            (&b"<!-- shop -->\nUser-agent: *\nDisallow: /a\n"[..], false),
            (b"\xEF\xBB\xBF <!-- a --> <!-- b -->\n<!doctype html>", true),
            (b"<!-- User-agent: *", true),
            (b"<!--", true),
            (b"<p>", true),
        ] {
            assert_eq!(looks_like_html(body), is_html, "{}", body.escape_ascii());
        }
    }

    #[test]
    fn other_bodies_are_named() {
        for (body, kind) in [
            (&b"\x1F\x8B\x08\0\0\0\0\0\0\x03"[..], Some("gzip data")),
            (b"{\"error\":\"not found\"}", Some("JSON")),
            (b"Not Found\n", Some("text of another kind")),
            (b"\xFF\xD8\xFF\xE0\0\x10JFIF\0", Some("a JPEG image")),
            (b"\xFE\x01\xFF\xE0\0\x10\xFF\xFF\0", Some("data that is no text")),
            (b"Error: no such key\n\n", Some("text of another kind")),
            (b"<?xml version='1.0'?><Error/>", Some("XML")),
            (b"<html>\nUser-agent: *\nDisallow: /\n", Some("an HTML page")),
            (b"\x89PNG\r\nUser-agent: *\nDisallow: /\n", None),
            (b"Disallow: /x\n", None),
            (b"Sitemap: https://a.example/s.xml\nHello\n", None),
            (b"# nothing\nHello\n", None),
            (b"\n", None),
            (b"", None),
        ] {
            assert_eq!(looks_like(&Robots::parse(body), body), kind, "{}", Escaped(body));
        }
    }

    #[test]
    fn html_is_found_in_every_encoding() {
        for (text, is_html) in [
            ("<!doctype html>", true),
            ("\r\n\t <html>", true),
            ("User-agent: *\n# <a>\n", false),
            ("", false),
            ("\n", false),
        ] {
            let utf16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
            let (little, big) = (utf16(u16::to_le_bytes), utf16(u16::to_be_bytes));
            for (mark, body) in [
                (&b""[..], text.as_bytes()),
                (b"\xEF\xBB\xBF", text.as_bytes()),
                (b"\xFF\xFE", &little),
                (b"\xFE\xFF", &big),
                // Servers may omit the mark.
                (b"", &little),
                (b"", &big),
            ] {
                let body = [mark, body].concat();
                assert_eq!(looks_like_html(&body), is_html, "{}", Escaped(&body));
            }
        }
    }

    #[test]
    fn lines_are_shown_escaped_and_short() {
        let plain: String = (b' '..=b'~').map(char::from).collect();
        assert_eq!(show(plain.as_bytes()), Escaped(plain.trim().as_bytes()).to_string());
        assert_eq!(show(b" Allow: /\x1b[2J\xff\t"), Escaped(b"Allow: /\x1b[2J\xff").to_string());
        assert_eq!(show("ü".repeat(501).as_bytes()), "ü".repeat(500) + "…");
        assert_eq!(show("a".repeat(501).as_bytes()), "a".repeat(500) + "…");
        assert_eq!(show("a".repeat(500).as_bytes()), "a".repeat(500));
    }
}
