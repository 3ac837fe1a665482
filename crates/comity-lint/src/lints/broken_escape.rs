use crate::prelude::*;
use crate::text::replaced;

lint! {
    /// A percent sign in a rule starts no escape, or escapes a special character, so the rule may miss pages.
    ///
    /// Write `%25` for a percent sign, in a rule of its own, `?` for the start of a query, and `*` and `$` as they are.
    ///
    /// ## What it does
    ///
    /// Finds rules such as `/100%`, in which a `%` does not start an escape; rules such as `/search%3Fq=`, in which the `?`
    /// before a parameter is escaped, or a `*` anywhere, or a `$` at the end; and rules such as `/caf%25C3%25A9`, which are
    /// escaped twice.
    ///
    /// ## Why is this bad?
    ///
    /// In a valid URL, `%` starts an escape, and a percent sign is written `%25`. The rule `/100%/` does not match
    /// `/100%25/`. It matches only invalid URLs: browsers and some crawlers send a single `%` of a link unchanged. At the
    /// end of a rule, `%` matches the start of any escape, so `/100%` also blocks `/100%20years`.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /100%/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /100%25/
    /// Disallow: /100%/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 3986 §2.1: percent-encoding
    /// - RFC 9309 §2.2.2
    "L057" "broken-escape", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, kind, value) in file.rules() {
        if !value.contains(&b'%') {
            continue;
        }
        if let Some((at, len, plain, message)) = needless(value) {
            let fixed = match plain {
                b"%" => value[..at].iter().copied().chain(replaced(&value[at..], escaped_twice)).collect(),
                _ => [&value[..at], plain, &value[at + len..]].concat(),
            };
            let found = out.add(file.span(&value[at..at + len]), message);
            if !file.is_stated(line.number, kind, &fixed) {
                found.unsafe_fix(format!("write `{}`", shown(&fixed)), file.with_values(line.number, &[&fixed]));
            }
        }
        let Some(first) = (0..value.len()).find(|at| is_broken(&value[*at..])) else { continue };
        // `dollar-in-middle` reports text after a `$`.
        if first > 0 && value[first - 1] == b'$' {
            continue;
        }
        let fixed = replaced(value, |rest| is_broken(rest).then_some((1, b"%25")));
        if file.is_stated(line.number, kind, &fixed) {
            continue;
        }
        let span = file.span(&value[first..=first]);
        if is_start_of_escape(&value[first..]) {
            let own = shown(value);
            let message =
                format!("the `%` at the end of `{own}` matches the start of any escape: a percent sign is `%25`");
            out.add(span, message).unsafe_fix("write `%25`", file.with_values(line.number, &[&fixed]));
        } else {
            let message =
                format!("`{}` matches only invalid URLs: in a valid one, a percent sign is `%25`", shown(value));
            out.add(span, message).unsafe_fix("add a line with `%25`", file.with_values(line.number, &[value, &fixed]));
        }
    }
}

/// Returns the position and length of an escape that is probably not meant, what is meant, and the message.
fn needless(value: &[u8]) -> Option<(usize, usize, &'static [u8], &'static str)> {
    let is = |at: usize, escape: &[u8]| value[at..].get(..3).is_some_and(|own| own.eq_ignore_ascii_case(escape));
    let is_digit = |at: usize| value.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut starts = value.iter().enumerate().filter(|(_, byte)| **byte == b'%').map(|(at, _)| at);
    starts.find_map(|at| {
        let rest = &value[at + 3.min(value.len() - at)..];
        let is_query = || {
            rest.is_empty() || rest.contains(&b'=') || rest.windows(3).any(|escape| escape.eq_ignore_ascii_case(b"%3D"))
        };
        if is(at, b"%3F") && is_query() && !value[..at].contains(&b'?') {
            Some((
                at,
                3,
                &b"?"[..],
                "`%3F` is a question mark in a path: it does not start the query, so the rule matches no parameter",
            ))
        } else if is(at, b"%2A") {
            Some((at, 3, b"*", "`%2A` is a star in a path: it does not match any other text, as `*` does"))
        } else if is(at, b"%24") && rest.is_empty() {
            Some((at, 3, b"$", "`%24` is a dollar sign in a path: it does not end the pattern, as `$` does"))
        } else if is(at, b"%25") && is_digit(at + 3) && is_digit(at + 4) {
            Some((at, 5, b"%", "this path is escaped twice: in URLs, the escape is written without `25`"))
        } else {
            None
        }
    })
}

/// Returns the length of `%25` and a `%` for it if a text starts with `%25` before two hexadecimal digits.
fn escaped_twice(rest: &[u8]) -> Option<(usize, &'static [u8])> {
    let is_twice = matches!(rest, [b'%', b'2', b'5', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    is_twice.then_some((3, b"%"))
}

/// Returns true if a pattern ends within an escape, so that it matches all escapes that start like this.
fn is_start_of_escape(rest: &[u8]) -> bool {
    rest.len() < 3 && rest[1..].iter().all(u8::is_ascii_hexdigit)
}

/// Returns true if a text starts with a percent sign that does not start an escape. Returns false if a star is among the
/// next two bytes, because the star may match the rest of the escape.
fn is_broken(rest: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(b"%") else { return false };
    let digits = &rest[..rest.len().min(2)];
    let is_escape = digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit);
    !is_escape && !digits.contains(&b'*')
}
