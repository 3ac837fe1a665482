use std::iter::successors;

use crate::prelude::*;
use crate::recognize::host::host_len;
use crate::recognize::regex::{placeholder, regex};

lint! {
    /// A rule is written as a regular expression, which crawlers do not support.
    ///
    /// Write `*` for any text and a final `$` for the end of the URL, or write several rules.
    ///
    /// ## What it does
    ///
    /// Finds `^` at the start, `.+`, `\d`, `\*`, character classes such as `[0-9]`, and alternatives such as `(a|b)`
    /// and `/a|/b` in rules, `.*` after a slash or between lowercase letters, and placeholders of frameworks such as `/:id/`
    /// and `/[slug]`. Also finds paths with backslashes, as on Windows. `/page.*` may mean pages with any extension, and is not reported.
    ///
    /// ## Why is this bad?
    ///
    /// Only `*` and a final `$` have a special meaning. Every other character matches itself. `/page.*` matches paths
    /// with a dot after `page`, and `/[0-9]+` matches hardly any URL.
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
    "L045" "regex-syntax", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, kind, value) in file.rules() {
        // `host-in-path` reports whole addresses.
        if host_len(value).is_some() {
            continue;
        }
        if is_windows_path(value) {
            let fixed: Vec<u8> = value.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
            out.add(file.span(value), "paths of URLs have slashes, not backslashes: this rule matches no page")
                .unsafe_fix(format!("write `{}`", shown(&fixed)), file.with_values(line.number, &[&fixed]));
            continue;
        }
        let found = regex(value).or_else(|| if value.contains(&b':') { placeholder(value) } else { None });
        let Some((at, len)) = found else { continue };
        let part = &value[at..at + len];
        // Some files contain the correct rule as well.
        // The fix is the final form: `/.*\.pdf$` becomes `/*.pdf$`.
        let next =
            |plain: &Vec<u8>| regex(plain).and_then(|(at, len)| without_operator(plain, at, &plain[at..at + len]));
        let plain = successors(without_operator(value, at, part), next).take(MAX_OPERATORS).last();
        if plain
            .as_ref()
            .is_some_and(|plain| file.is_stated(line.number, kind, plain) || file.is_covered(line.number, kind, plain))
        {
            continue;
        }
        let found = out.add(
            file.span(part),
            format!("`{}` has no special meaning in a rule: only `*` and a final `$` have", shown(part)),
        );
        if let Some(plain) = plain {
            found.unsafe_fix(format!("write `{}`", shown(&plain)), file.with_values(line.number, &[&plain]));
        } else if part == b"|" {
            let parts: Vec<&[u8]> = value.split(|b| *b == b'|').collect();
            found.unsafe_fix("write each path on its own line", file.with_values(line.number, &parts));
        }
    }
}

/// Returns true for a path such as `\downloads\internal`: names of two or more letters follow its backslashes.
fn is_windows_path(value: &[u8]) -> bool {
    if !matches!(value, [b'\\', ..] | [b'/', b'\\', ..]) {
        return false;
    }
    let mut names = value.split(|byte| *byte == b'\\').skip(1);
    names.all(|name| name.is_empty() || name.len() > 1 && name[..2].iter().all(u8::is_ascii_alphabetic))
}

/// The maximum number of operators that a fix replaces.
const MAX_OPERATORS: usize = 8;

/// Returns the pattern that a value with `.*` or a backslash at a position means.
fn without_operator(value: &[u8], at: usize, part: &[u8]) -> Option<Vec<u8>> {
    let (start, rest) = (&value[..at], &value[at + part.len()..]);
    match part {
        // `/video/.*` is meant to block everything below `/video/`, which `/video/` already does.
        b".*" if rest.is_empty() => Some(start.to_vec()),
        b".*" => Some([start, b"*", rest].concat()),
        [b':', ..] | [b'[', .., b']'] if start.ends_with(b"/") && !part.contains(&b'-') => {
            Some([start, b"*", rest].concat())
        }
        b"\\*" | b"\\." | b"\\?" | b"\\/" if regex(rest).is_none() => Some([start, &part[1..], rest].concat()),
        _ => None,
    }
}
