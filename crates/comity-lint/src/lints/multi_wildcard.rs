use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A pattern has several stars; here is what it matches.
    ///
    /// ## What it does
    ///
    /// Shows, for patterns with two or more stars inside, the shortest path that they match and a longer one.
    ///
    /// ## Why is this bad?
    ///
    /// It is legal. But a star stands for slashes too, and for nothing at all, so such patterns match more than most people
    /// see in them.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /base/*/sub/*/page
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /base/*/page
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: what a star stands for
    "L019" "multi-wildcard", Note, concerns: "crawlers that understand `*`", opt_in
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, _, value) in file.rules() {
        let body = value.strip_suffix(b"$").unwrap_or(value);
        let body = &body[..body.iter().rposition(|b| *b != b'*').map_or(0, |at| at + 1)];
        if body.split(|b| *b == b'*').count() < 3 || body.len() > 200 || body.windows(2).any(|pair| pair == b"**") {
            continue;
        }
        let with = |star: &[u8]| {
            let mut path: Vec<u8> = body.split(|b| *b == b'*').collect::<Vec<_>>().join(star);
            if path.first() != Some(&b'/') {
                path.insert(0, b'/');
            }
            shown(&path)
        };
        out.add(line.number, file.span(value), format!("it matches `{}` and `{}`", with(b""), with(b"x/y")));
    }
}
