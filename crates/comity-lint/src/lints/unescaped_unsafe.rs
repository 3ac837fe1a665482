use std::fmt::Write as _;

use comity::unsent_octets;

use crate::prelude::*;
use crate::recognize::characters::{invisible, quoted};
use crate::recognize::records::second_record;
use crate::recognize::regex::regex;

lint! {
    /// A rule contains characters that are escaped in URLs, so it may match no page.
    ///
    /// Escape them: write `/my%20files/` for `/my files/`. Write each path on its own line, without quotes.
    ///
    /// ## What it does
    ///
    /// Finds spaces, quotes, angle brackets and non-ASCII letters in the values of rules, and letters whose encoding was
    /// misread, such as `Ã©` for `é`; braces, backticks and backslashes before the query, which may contain them; and commas
    /// between paths or after one. A
    /// rule is not reported if another one of its group matches the escaped path already, or if it is an `Allow` rule
    /// and nothing near it is disallowed.
    ///
    /// ## Why is this bad?
    ///
    /// For `/my files/`, a browser requests `/my%20files/`, so a rule with a space matches nothing. For `/{id}`, it
    /// requests `/%7Bid%7D`, and a backslash is sent as a slash. Google and RFC 9309 escape non-ASCII letters before they
    /// compare, but other crawlers may not. With escapes, the rule works for every crawler. The fix is safe for letters.
    /// For other characters, it makes a rule match that did not. If `{id}` is a placeholder, write `*` instead.
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
    "L012" "unescaped-unsafe", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, kind, value) in file.rules() {
        if let Some(inner) = quoted(value) {
            let message = format!("the quotes are part of `{}`, which matches nothing", shown(value));
            out.add(file.span(value), message).unsafe_fix("remove the quotes", file.with_values(line.number, &[inner]));
            continue;
        }
        // `not-plain-text` reports control characters.
        let never = unsent_octets(value).map(|at| value[at]).find(|octet| !octet.is_ascii_control() || *octet == b'\t');
        let is_list = value.len() > 3
            && value.contains(&b',')
            && (value.ends_with(b",") || value.windows(2).any(|pair| pair == b",/"))
            || value.len() > 3 && value.ends_with(b"/;");
        if never.is_none() && value.is_ascii() && !is_list
            || std::str::from_utf8(value).is_err()
            || invisible(value).is_some()
        {
            continue;
        }
        let templates = ["{{", "{%", "<%", "<?", "${"];
        if let Some(at) = templates.iter().find_map(|mark| value.windows(2).position(|part| part == mark.as_bytes())) {
            let rest = shown(&value[at..]);
            let message = format!("`{rest}` is from a template that was not filled in: this rule matches nothing");
            out.add(file.span(&value[at..]), message)
                .help("write the path itself, or repair the program that writes the file");
            continue;
        }
        if second_record(value).is_some() {
            continue;
        }
        // `regex-syntax` reports `/\d{2}` as a whole, and `missing-leading-slash` `\admin\`.
        let is_only_of_paths = matches!(never, Some(b'{' | b'}' | b'`' | b'\\'));
        if is_only_of_paths && (value[0] == b'\\' || regex(value).is_some()) {
            continue;
        }
        if let Some((path, comment, text)) = other_comment(value) {
            let message = format!("`{}` is part of the path: comments start with `#`", shown(comment));
            let fixed = [path, b" # ", text].concat();
            out.add(file.span(comment), message)
                .unsafe_fix("make it a comment", file.with_values(line.number, &[&fixed]));
            continue;
        }
        let parts: Vec<&[u8]> = value
            .split(|b| matches!(b, b' ' | b'\t') || is_list && matches!(b, b',' | b';'))
            .map(|part| part.strip_suffix(b",").or_else(|| part.strip_suffix(b";")).unwrap_or(part))
            .filter(|part| !part.is_empty())
            .collect();
        if (parts.len() > 1 || is_list) && parts.iter().all(|part| matches!(part[0], b'/' | b'*')) {
            let message = match &parts[..] {
                [_] => format!("`{}` ends in a sign that is part of the path", shown(value)),
                _ if is_list => format!("`{}` is one path that contains commas: a rule has one path", shown(value)),
                _ => format!("`{}` is one path that contains spaces, so it matches nothing", shown(value)),
            };
            out.add(file.span(value), message)
                .unsafe_fix("write each path on its own line", file.with_values(line.number, &parts));
            continue;
        }
        if never.is_none() && value.is_ascii() {
            continue;
        }
        let escaped = escape(value);
        // Some files contain both forms on purpose, and a shorter rule makes either one useless.
        if file.has_rule(escaped.as_bytes()) || file.is_covered(line.number, kind, escaped.as_bytes()) {
            continue;
        }
        // An `Allow` rule is an exception. If nothing near it is disallowed, it does nothing with escapes, either.
        if kind == RuleKind::Allow && !is_near_disallowed(file, line.number, escaped.as_bytes()) {
            continue;
        }
        let edits = file.with_values(line.number, &[escaped.as_bytes()]);
        if let Some(byte) = never {
            let message = format!("`{}` contains {}: it matches nothing", shown(value), described(byte));
            let found = out.add(file.span(value), message);
            // A space after a star is hardly part of the URL, and a regular expression needs more than escapes.
            if !value.windows(2).any(|pair| pair == b"* ") && regex(value).is_none() {
                found.unsafe_fix("escape it", edits);
            }
        } else if let Some(meant) = decoded_twice(value) {
            let message =
                format!("`{}` is UTF-8 that was read as another encoding: `{meant}` was probably meant", shown(value));
            let meant = escape(meant.as_bytes());
            out.add(file.span(value), message)
                .severity(Severity::Note)
                .unsafe_fix(format!("write `{meant}`"), file.with_values(line.number, &[meant.as_bytes()]));
        } else {
            out.add(
                file.span(value),
                format!(
                    "`{}` contains non-ASCII letters, which not every crawler escapes before it compares",
                    shown(value)
                ),
            )
            .severity(Severity::Note)
            .safe("escape them", edits);
        }
    }
}

/// Returns the kind of a byte that no URL contains as it is.
fn described(byte: u8) -> &'static str {
    match byte {
        b' ' | b'\t' => "white space, which is always escaped in URLs",
        b'"' => "a quote, which is always escaped in URLs",
        b'<' | b'>' => "an angle bracket, which is always escaped in URLs",
        b'`' => "a backtick, which is always escaped in paths",
        b'\\' => "a backslash, which is sent as a slash",
        _ => "a brace, which is always escaped in paths",
    }
}

/// Returns a value with escapes for all bytes that are escaped in URLs.
fn escape(value: &[u8]) -> String {
    let mut escaped = String::with_capacity(value.len() * 2);
    let mut unsent = unsent_octets(value).peekable();
    for (at, byte) in value.iter().enumerate() {
        if unsent.next_if_eq(&at).is_some() || !byte.is_ascii() {
            let _ = write!(escaped, "%{byte:02X}");
        } else {
            escaped.push(char::from(*byte));
        }
    }
    escaped
}

/// Returns true if a group disallows a path that starts with this pattern, or the start of it.
fn is_near_disallowed(file: &File<'_>, line: u32, pattern: &[u8]) -> bool {
    file.group_of(line).is_some_and(|group| {
        let disallowed = group.rules.iter().filter(|rule| rule.kind() == RuleKind::Disallow).map(Rule::pattern);
        let is_near = |other: &[u8]| {
            !other.is_empty() && (other.contains(&b'*') || other.starts_with(pattern) || pattern.starts_with(other))
        };
        pattern.contains(&b'*') || disallowed.into_iter().any(is_near)
    })
}

/// Returns the text that a value had before its UTF-8 was read as Windows-1252 and written as UTF-8 again.
fn decoded_twice(value: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?;
    let octets: Option<Vec<u8>> = text.chars().map(windows_1252).collect();
    String::from_utf8(octets?).ok().filter(|meant| meant != text)
}

/// Returns the byte that Windows-1252 has for a character.
fn windows_1252(c: char) -> Option<u8> {
    /// The characters of the bytes from 80 to 9F. Five of these bytes have none.
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
    ];
    match u32::from(c) {
        code @ (0..=0x7F | 0xA0..=0xFF) => u8::try_from(code).ok(),
        _ => HIGH.iter().position(|high| *high == c).and_then(|at| u8::try_from(0x80 + at).ok()),
    }
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
