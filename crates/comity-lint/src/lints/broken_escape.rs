use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A percent sign in a rule is not followed by two hexadecimal digits, so the rule may match no page.
    ///
    /// Write `%25` for a percent sign.
    ///
    /// ## What it does
    ///
    /// Finds rules such as `/100%`, in which a `%` does not start an escape.
    ///
    /// ## Why is this bad?
    ///
    /// In URLs, `%` starts an escape, and a percent sign is written `%25`. Browsers and crawlers request `/100%25`,
    /// which the rule does not match.
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
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 3986 §2.1: percent-encoding
    /// - RFC 9309 §2.2.2
    "L057" "broken-escape", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, _, value) in file.rules() {
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
        let message = format!("the `%` in `{}` does not start an escape: in URLs, a percent sign is `%25`", shown(value));
        out.add(line.number, file.span(&value[first..=first]), message)
            .unsafe_fix("write `%25`", file.with_values(line.number, &[&fixed]));
    }
}

/// Returns the position of the next percent sign that does not start an escape. Skips one if a star is among the next
/// two octets, because the star may match the rest of the escape.
fn broken(value: &[u8], from: usize) -> Option<usize> {
    let is_broken = |at: usize| {
        let digits = &value[at + 1..value.len().min(at + 3)];
        let is_escape = digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit);
        !is_escape && !digits.contains(&b'*')
    };
    let octets = value.iter().enumerate().skip(from);
    octets.filter(|(_, octet)| **octet == b'%').map(|(at, _)| at).find(|at| is_broken(*at))
}
