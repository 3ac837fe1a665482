use comity::Encoding;

use crate::prelude::*;
use crate::recognize::characters::invisible;
use crate::recognize::records::{affected, effect, read_by_google};

lint! {
    /// The file is not plain UTF-8 text, so crawlers may read it in different ways or find no rules.
    ///
    /// Save it as plain text in UTF-8 without a byte order mark, and serve it as `text/plain; charset=utf-8`.
    ///
    /// ## What it does
    ///
    /// Finds files that are web pages, JSON, PDF, images, compressed, EBCDIC, or text without any line for crawlers, such as
    /// "Not Found", with one finding for the file; UTF-16; byte order marks before a record; NUL and other control
    /// characters; bytes that are not UTF-8; and invisible characters in rules and user-agent lines, such as a no-break
    /// space. With `--fetch`, it also finds a `Content-Type` that is not `text/plain` or that names another encoding.
    ///
    /// ## Why is this bad?
    ///
    /// A web page has no rules, so everything is allowed. Most crawlers find no rules in UTF-16. Some parsers ignore
    /// the first line if there is a byte order mark, which is safe to remove. An invisible character is part of the
    /// pattern, which then matches nothing.
    ///
    /// ## Example
    ///
    /// ```robots
    /// <!DOCTYPE html>
    /// <title>Not found</title>
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow:
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.3: the file is UTF-8 text, `text/plain`
    "L022" "not-plain-text", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // Other findings about a web page or an image would hide what is wrong.
    if let Some(kind) = file.other_content() {
        check_type(file, out);
        let message = format!("this is {kind}, not a robots.txt: it has no rules, so everything is allowed");
        let found = out.add(file.record_span(1), message);
        found.severity(Severity::Error);
        match kind {
            "gzip data" | "zlib data" | "zstd data" | "xz data" | "bzip2 data" => {
                found.help(
                    "serve it uncompressed, or compressed once with the `Content-Encoding` that names its coding",
                );
            }
            kind if kind.starts_with("UTF") || kind == "EBCDIC" || kind.ends_with("(RTF)") => {
                _ = found.help("save it as UTF-8");
            }
            _ => {}
        }
        return;
    }
    match file.text.encoding() {
        Encoding::Utf16Le | Encoding::Utf16Be => {
            out.add(file.record_span(1), "the file is UTF-16: most crawlers find no rules in it")
                .help("save it as UTF-8");
        }
        // If the first line is blank or a comment, nothing is lost.
        Encoding::Utf8WithMark if !matches!(file.line(1).content, Content::Blank | Content::Comment) => {
            let whole = file.whole_line(1);
            out.add(
                whole.start.saturating_sub(3)..file.record_span(1).end,
                "the file starts with a byte order mark: some parsers then ignore this line",
            )
            .severity(Severity::Note)
            .safe("remove the byte order mark", vec![Edit::new(0..3, "")]);
        }
        _ => {}
    }
    check_type(file, out);
    let text = file.text.as_bytes();
    // Fast path: nearly all files are plain ASCII.
    // Without an early end, the loop is vectorized.
    if text.is_ascii() && !text.iter().fold(false, |found, byte| found | is_control(*byte)) {
        return;
    }
    let (mut no_utf8, mut has_controls) = (None, false);
    for line in &file.lines {
        let whole = &file.source[file.whole_line(line.number)];
        // Of the lines that are no records, only the first is reported: binary data has many.
        if (!has_controls || matches!(line.content, Content::UserAgent { .. } | Content::Rule { .. }))
            && whole.iter().any(|b| is_control(*b))
        {
            has_controls = true;
            out.add(file.record_span(line.number), "some parsers stop reading this line at its control character");
        }
        if line.text.is_ascii() {
            continue;
        }
        if std::str::from_utf8(line.text).is_err() {
            no_utf8 = no_utf8.or(Some(line.number));
            continue;
        }
        let (part, is_name) = match line.content {
            Content::UserAgent { value, .. } | Content::Rule { value, .. } => (value, false),
            Content::Other { name, .. } => (name, true),
            _ => continue,
        };
        let Some((at, code)) = invisible(part) else { continue };
        let span = file.span(&part[at]);
        let read = read_by_google(line).filter(|_| is_name);
        let message = if is_name {
            format!("this field name contains an invisible character ({code}){}", effect(read.as_ref()))
        } else {
            format!("this value contains an invisible character ({code}), so it does not mean what it seems to")
        };
        let found = out.add(span.clone(), message).unsafe_fix("remove it", vec![Edit::new(span, "")]);
        if is_name {
            found.affects = affected(read.as_ref());
        }
    }
    if let Some(line) = no_utf8 {
        out.add(file.record_span(line), "this line is not UTF-8: crawlers may read it in different ways")
            .help("save it as UTF-8");
    }
}

/// Checks the `Content-Type` of the response. A response without one is not reported, since crawlers treat it as text.
fn check_type(file: &File<'_>, out: &mut Diagnostics) {
    let served = file.evidence.served.as_ref().filter(|served| served.status.is_some_and(|status| status / 100 == 2));
    let Some(content_type) = served.and_then(|served| served.content_type.as_deref()) else { return };
    let mut parts = content_type.split(';').map(str::trim);
    let is_text = parts.next().is_some_and(|media_type| media_type.eq_ignore_ascii_case("text/plain"));
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    let is_utf8 =
        |charset: &str| ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known));
    let shown = comity::Escaped(content_type.as_bytes());
    if !is_text {
        let message = format!("the file is served as `{shown}`: some crawlers only accept `text/plain`");
        out.add(file.record_span(1), message).help("serve it as `text/plain; charset=utf-8`");
    } else if let Some(charset) = charset
        && !is_utf8(charset)
        && !file.text.as_bytes().is_ascii()
    {
        let message = format!("the file is served as `{shown}`, but crawlers read it as UTF-8");
        out.add(file.record_span(1), message).help("save it as UTF-8, and serve it as `text/plain; charset=utf-8`");
    }
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\r' | b'\n' | 0x0B | 0x0C)
}
