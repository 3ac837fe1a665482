use comity::Content;

use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::{Severity, lint};

lint! {
    /// A `#` cuts a rule short: what follows is a comment.
    ///
    /// ## What it does
    ///
    /// Finds rules with a `#` right behind the path, and no space before it.
    ///
    /// ## Why is this bad?
    ///
    /// A comment starts at the first `#`, wherever it stands. `Disallow: /#/cart` is `Disallow: /` and closes the whole site.
    /// What follows a `#` in an address never reaches the server, so no rule can speak of it; a `#` that is part of a path is
    /// written `%23`.
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
    "L042" "hash-cuts-path", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for line in file.lines.iter().filter(|line| line.comment) {
        let Content::Rule { value, .. } = line.content else { continue };
        let Some(hash) = line.text.iter().position(|b| *b == b'#') else { continue };
        let behind = &line.text[hash + 1..];
        if value.is_empty() || line.text[hash - 1].is_ascii_whitespace() || behind.first().is_none_or(u8::is_ascii_whitespace) {
            continue;
        }
        let found = out.add(line.number, file.span(&line.text[hash..]), format!("a comment starts here: the rule is `{}`", shown(value)));
        found.help("a `#` that is part of a path is written %23; what follows it in an address never reaches the server");
        if value == b"/" {
            found.severity(Severity::Error);
        }
    }
}
