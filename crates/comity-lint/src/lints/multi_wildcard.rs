use crate::prelude::*;

lint! {
    /// A pattern with several stars may match more than intended; the message shows examples.
    ///
    /// Check that both paths should match. If not, use fewer stars.
    ///
    /// ## What it does
    ///
    /// Shows the shortest path that a pattern with two or more stars matches, and a longer one. Stars at its end do not
    /// count.
    ///
    /// ## Why is this bad?
    ///
    /// Such patterns are valid. But a star also matches slashes and no text at all, so they match more than most people
    /// expect.
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
    /// - RFC 9309 §2.2.3: the meaning of a star
    "L019" "multi-wildcard", Note, affects: "crawlers that understand `*`", opt_in
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (_, _, value) in file.rules() {
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
        out.add(file.span(value), format!("it matches, for example, `{}` and `{}`", with(b""), with(b"x/y")));
    }
}
