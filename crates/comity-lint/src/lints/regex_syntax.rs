use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A rule is written as a regular expression, which it is not.
    ///
    /// ## What it does
    ///
    /// Finds `^` at the start, `.*`, `.+`, `\d`, character classes such as `[0-9]` and alternatives such as `(a|b)` in rules.
    ///
    /// ## Why is this bad?
    ///
    /// Only `*` and a `$` at the end have a meaning; every other character is itself. `/page.*` matches what has a dot behind
    /// `page`, and `/[0-9]+` matches nothing that a site has.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /article/[0-9]+/print
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /article/*/print
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: the special characters
    "L045" "regex-syntax", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, _, value) in file.rules() {
        if let Some((at, len)) = regex(value) {
            let part = &value[at..at + len];
            out.add(line.number, file.span(part), format!("`{}` has no meaning here: only `*` and a `$` at the end do", shown(part)));
        }
    }
}

/// A part that only makes sense in a regular expression.
fn regex(value: &[u8]) -> Option<(usize, usize)> {
    // Most values hold none of these.
    let first = value.iter().position(|b| matches!(b, b'^' | b'\\' | b'[' | b'(' | b'+'))?;
    if first == 0 && value[0] == b'^' || value.starts_with(b"/^") {
        return Some((first, 1));
    }
    let rest = &value[first..];
    for part in [&b"[0-9]"[..], b"[a-z]", b"[A-Z]", b"[a-zA-Z]", b"[^/]", b"[a-z0-9]", b"[A-Za-z]", b"(.*)", b".+", b"[0-9", b"\\d", b"\\w", b"\\.", b"\\?", b"\\/"] {
        let from = first.saturating_sub(1);
        if let Some(at) = value[from..].windows(part.len()).position(|window| window == part) {
            return Some((from + at, part.len()));
        }
    }
    let open = rest.iter().position(|b| *b == b'(')?;
    let close = rest[open..].iter().position(|b| *b == b')')?;
    rest[open..open + close].contains(&b'|').then_some((first + open, close + 1))
}
