use crate::prelude::*;

lint! {
    /// A percent sign in a rule starts no escape, or escapes the `?` of a query, so the rule may miss pages.
    ///
    /// Write `%25` for a percent sign, in a rule of its own, and `?` for the start of a query.
    ///
    /// ## What it does
    ///
    /// Finds rules such as `/100%`, in which a `%` does not start an escape, and rules such as `/search%3Fq=`, in which the
    /// `?` before a parameter is escaped.
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
        if let Some(at) = escaped_query(value) {
            let fixed = [&value[..at], b"?", &value[at + 3..]].concat();
            let message = "`%3F` is a question mark in a path: it does not start the query, so the rule matches no parameter";
            let found = out.add(line.number, file.span(&value[at..at + 3]), message);
            if !file.is_stated(line.number, kind, &fixed) {
                found.unsafe_fix("write `?`", file.with_values(line.number, &[&fixed]));
            }
        }
        let Some(first) = broken(value, 0) else { continue };
        // `dollar-in-middle` reports text after a `$`.
        if first > 0 && value[first - 1] == b'$' {
            continue;
        }
        let mut fixed = Vec::with_capacity(value.len() + 2);
        let mut from = 0;
        while let Some(at) = broken(value, from) {
            fixed.extend_from_slice(&value[from..=at]);
            fixed.extend_from_slice(b"25");
            from = at + 1;
        }
        fixed.extend_from_slice(&value[from..]);
        if file.is_stated(line.number, kind, &fixed) {
            continue;
        }
        let span = file.span(&value[first..=first]);
        if is_start_of_escape(&value[first..]) {
            let message = format!("the `%` at the end of `{}` matches the start of any escape: a percent sign is `%25`", shown(value));
            out.add(line.number, span, message).unsafe_fix("write `%25`", file.with_values(line.number, &[&fixed]));
        } else {
            let message = format!("`{}` matches only invalid URLs: in a valid one, a percent sign is `%25`", shown(value));
            out.add(line.number, span, message)
                .unsafe_fix("add a line with `%25`", file.with_values(line.number, &[value, &fixed]));
        }
    }
}

/// Returns the position of an escaped question mark that is probably meant to start the query.
fn escaped_query(value: &[u8]) -> Option<usize> {
    let at = value.windows(3).position(|escape| escape.eq_ignore_ascii_case(b"%3F"))?;
    let rest = &value[at + 3..];
    let is_query = rest.is_empty() || rest.contains(&b'=') || rest.windows(3).any(|escape| escape.eq_ignore_ascii_case(b"%3D"));
    (is_query && !value[..at].contains(&b'?')).then_some(at)
}

/// Returns true if a pattern ends within an escape, so that it matches all escapes that start like this.
fn is_start_of_escape(rest: &[u8]) -> bool {
    rest.len() < 3 && rest[1..].iter().all(u8::is_ascii_hexdigit)
}

/// Returns the position of the next percent sign that does not start an escape. Skips one if a star is among the next
/// two bytes, because the star may match the rest of the escape.
fn broken(value: &[u8], from: usize) -> Option<usize> {
    let is_broken = |at: usize| {
        let digits = &value[at + 1..value.len().min(at + 3)];
        let is_escape = digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit);
        !is_escape && !digits.contains(&b'*')
    };
    let octets = value.iter().enumerate().skip(from);
    octets.filter(|(_, octet)| **octet == b'%').map(|(at, _)| at).find(|at| is_broken(*at))
}
