use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A `$` in the middle of a pattern is no end, but a dollar sign.
    ///
    /// ## What it does
    ///
    /// Finds rules with a `$` after a letter or digit and with more than stars after it, such as `/*.php$x`. A `$` that starts
    /// a name (`/$metadata`) is a dollar sign that is meant.
    ///
    /// ## Why is this bad?
    ///
    /// Only as the last character of a pattern does `$` stand for the end of the URL. Anywhere else it is an ordinary
    /// character, and hardly any URL contains one, so the rule matches nothing.
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
    "L056" "dollar-in-middle", Warning, concerns: "crawlers that understand `$`"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for (line, _, value) in file.rules() {
        let Some(at) = misplaced(value) else { continue };
        let message = format!("this `$` in `{}` is a dollar sign: it stands for the end of the URL only at the end of a pattern", shown(value));
        out.add(line.number, file.span(&value[at..=at]), message);
    }
}

/// Returns the position of the first `$` that looks like an end anchor and is followed by more text.
fn misplaced(value: &[u8]) -> Option<usize> {
    let dollars = value.iter().enumerate().filter(|(_, b)| **b == b'$').map(|(at, _)| at);
    dollars.into_iter().find(|at| {
        let rest = &value[at + 1..];
        let follows_name = *at > 0 && value[at - 1].is_ascii_alphanumeric();
        // If only stars follow, a dollar sign is intended. `${` is from a template.
        follows_name && rest.iter().any(|b| !matches!(b, b'*' | b'$')) && !matches!(rest[0], b'{' | b'(') && !rest.starts_with(b"%7B")
    })
}
