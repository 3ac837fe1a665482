use std::fmt::Write as _;

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;
use crate::lint::Severity;
use crate::lints::two_records_in_one_line::second_record;

lint! {
    /// A rule contains characters that are escaped in URLs, so it may match no page.
    ///
    /// Escape them: write `/my%20files/` for `/my files/`. Write each path on its own line, without quotes.
    ///
    /// ## What it does
    ///
    /// Finds spaces, quotes, angle brackets and non-ASCII letters in the values of rules. A rule is not reported if another
    /// one of its group matches the escaped path already.
    ///
    /// ## Why is this bad?
    ///
    /// For `/my files/`, a browser requests `/my%20files/`, so a rule with a space matches nothing. Google and RFC 9309
    /// escape non-ASCII letters before they compare, but other crawlers may not. With escapes, the rule works for every
    /// crawler. The fix is safe for letters. For other characters, it makes a rule match that did not.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /my files/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /my%20files/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: percent-encoding
    /// - Portent, The Complete Guide to Robots.txt: unsafe characters
    "L012" "unescaped-unsafe", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, kind, value) in file.rules() {
        if let Some(inner) = quoted(value) {
            let message = format!("the quotes are part of `{}`, which matches nothing", shown(value));
            out.add(line.number, file.span(value), message)
                .unsafe_fix("remove the quotes", file.with_values(line.number, &[inner]));
            continue;
        }
        let is_unsafe = |b: &u8| matches!(b, b' ' | b'\t' | b'"' | b'<' | b'>');
        let never = value.iter().find(|b| is_unsafe(b));
        if never.is_none() && value.is_ascii() || std::str::from_utf8(value).is_err() || has_invisible(value) {
            continue;
        }
        if second_record(value).is_some() {
            continue;
        }
        if let Some((path, comment, text)) = other_comment(value) {
            let message = format!("`{}` is part of the path: comments start with `#`", shown(comment));
            let fixed = [path, b" # ", text].concat();
            out.add(line.number, file.span(comment), message)
                .unsafe_fix("make it a comment", file.with_values(line.number, &[&fixed]));
            continue;
        }
        let parts: Vec<&[u8]> = value
            .split(|b| matches!(b, b' ' | b'\t'))
            .map(|part| part.strip_suffix(b",").or_else(|| part.strip_suffix(b";")).unwrap_or(part))
            .filter(|part| !part.is_empty())
            .collect();
        if parts.len() > 1 && parts.iter().all(|part| matches!(part[0], b'/' | b'*')) {
            let message = format!("`{}` is one path that contains spaces, so it matches nothing", shown(value));
            out.add(line.number, file.span(value), message)
                .unsafe_fix("write each path on its own line", file.with_values(line.number, &parts));
            continue;
        }
        let mut escaped = String::with_capacity(value.len() * 2);
        for byte in value {
            if is_unsafe(byte) || !byte.is_ascii() {
                let _ = write!(escaped, "%{byte:02X}");
            } else {
                escaped.push(char::from(*byte));
            }
        }
        // Some files contain both forms on purpose, and a shorter rule makes either one useless.
        if file.has_rule(escaped.as_bytes()) || file.is_covered(line.number, kind, escaped.as_bytes()) {
            continue;
        }
        let edits = file.with_values(line.number, &[escaped.as_bytes()]);
        if let Some(byte) = never {
            let what = match byte {
                b' ' | b'\t' => "white space",
                b'"' => "a quote",
                _ => "an angle bracket",
            };
            let found = out.add(line.number, file.span(value), format!("`{}` contains {what}, which is always escaped in URLs: it matches nothing", shown(value)));
            // A space after a star is hardly part of the URL.
            if !value.windows(2).any(|pair| pair == b"* ") {
                found.unsafe_fix("escape it", edits);
            }
        } else {
            out.add(line.number, file.span(value), format!("`{}` contains non-ASCII letters, which not every crawler escapes before it compares", shown(value)))
                .severity(Severity::Note)
                .safe("escape them", edits);
        }
    }
}

/// Returns the text between the quotes around a pattern, if there are any.
pub(crate) fn quoted(value: &[u8]) -> Option<&[u8]> {
    const QUOTES: [(&str, &str); 4] = [("\"", "\""), ("'", "'"), ("`", "`"), ("\u{201C}", "\u{201D}")];
    QUOTES.iter().find_map(|(open, close)| {
        let inner = value.strip_prefix(open.as_bytes())?.strip_suffix(close.as_bytes())?;
        matches!(inner, [b'/' | b'*', ..]).then_some(inner)
    })
}

/// Returns the path in a value, the comment in the syntax of another language after it, and the text of that comment.
fn other_comment(value: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let gap = value.windows(3).position(|part| matches!(part, [b' ' | b'\t', b'/', b'/' | b'*']))?;
    let (path, comment) = (value[..gap].trim_ascii_end(), &value[gap + 1..]);
    let text = match comment {
        [b'/', b'*', text @ .., b'*', b'/'] => text.trim_ascii(),
        [b'/', b'/', text @ ..] if !text.contains(&b'/') || text[0] == b' ' => text.trim_ascii(),
        _ => return None,
    };
    (!path.is_empty() && !text.is_empty()).then_some((path, comment, text))
}

/// Returns true if a value contains invisible characters, which `not-plain-text` reports.
fn has_invisible(value: &[u8]) -> bool {
    !value.is_ascii() && crate::lints::not_plain_text::invisible(value).is_some()
}
