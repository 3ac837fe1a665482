use crate::prelude::*;

lint! {
    /// A `#` ends a rule early, since the text after it is a comment.
    ///
    /// If the `#` is part of the path, write `%23`. If a comment is meant, write a space before it.
    ///
    /// ## What it does
    ///
    /// Finds rules with a `#` directly after the path, without a space. A rule is not reported if another one of its group
    /// blocks the path before the `#` anyway.
    ///
    /// ## Why is this bad?
    ///
    /// A comment starts at the first `#`, wherever it is. `Disallow: /#/cart` means `Disallow: /`, which blocks the
    /// whole site. The part of a URL after a `#` is never sent to the server, so no rule can match it.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /#/cart
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2: comments
    "L042" "hash-cuts-path", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for line in file.lines.iter().filter(|line| line.comment) {
        let Content::Rule { kind, value, .. } = line.content else { continue };
        let Some(hash) = line.text.iter().position(|b| *b == b'#') else { continue };
        let after = &line.text[hash + 1..];
        if value.is_empty()
            || line.text[hash - 1].is_ascii_whitespace()
            || after.first().is_some_and(u8::is_ascii_whitespace)
        {
            continue;
        }
        // The rest of the rule does no harm if it is also stated without the `#`.
        if file.is_stated(line.number, kind, value) || file.is_covered(line.number, kind, value) {
            continue;
        }
        let found = out.add(
            file.span(&line.text[hash..]),
            format!("a comment starts here, so the rule is only `{}`", shown(value)),
        );
        found.help("in a path, `#` is written `%23`; the part of a URL after a `#` is never sent to the server");
        found.severity_if(value == b"/", Severity::Error);
    }
}
