use crate::prelude::*;

lint! {
    /// A `$` in the middle of a pattern is a dollar sign, so the rule matches hardly any URL.
    ///
    /// Remove the `$`, or the text after it.
    ///
    /// ## What it does
    ///
    /// Finds rules with a `$` after a letter or digit and before text other than stars, such as `/*.php$x`, and
    /// variables (`/$ADMIN/`). A `$` at the start of another name (`/$metadata`) is intended, and is not reported.
    ///
    /// ## Why is this bad?
    ///
    /// A `$` matches the end of the URL only as the last character of a pattern. Elsewhere, it is an ordinary
    /// character, which hardly any URL contains.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*.php$?id=
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /*.php?id=
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.3: the special characters
    /// - Portent, The Complete Guide to Robots.txt: dollar signs
    "L056" "dollar-in-middle", Warning, affects: "crawlers that understand `$`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (_, _, value) in file.rules() {
        let Some(at) = misplaced(value) else { continue };
        let message = format!(
            "the `$` in `{}` is a dollar sign: only as the last character does it match the end of the URL",
            shown(value)
        );
        out.add(file.span(&value[at..=at]), message);
    }
}

/// Returns the position of the first `$` that looks like an end anchor and is followed by more text.
fn misplaced(value: &[u8]) -> Option<usize> {
    let dollars = value.iter().enumerate().filter(|(_, b)| **b == b'$').map(|(at, _)| at);
    dollars.into_iter().find(|at| {
        let rest = &value[at + 1..];
        let is_variable = *at > 0 && value[at - 1] == b'/' && rest.first().is_some_and(u8::is_ascii_uppercase);
        let follows_name = *at > 0 && value[at - 1].is_ascii_alphanumeric() || is_variable;
        // If only stars follow, a dollar sign is intended. `${` is from a template.
        follows_name
            && rest.iter().any(|b| !matches!(b, b'*' | b'$'))
            && !matches!(rest[0], b'{' | b'(')
            && !rest.starts_with(b"%7B")
    })
}
