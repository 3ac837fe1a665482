use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A user-agent line names nobody.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines without a product token: empty ones, and those that start with something else than a letter or
    /// a digit, such as `*bot`.
    ///
    /// ## Why is this bad?
    ///
    /// The rules below bind no crawler. A star stands for every crawler if it is alone; it is no wildcard in names.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *bot
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: product tokens
    "L031" "group-for-nobody", Warning, concerns: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for agent in file.groups.iter().flat_map(|group| &group.agents).filter(|agent| agent.token.is_empty()) {
        let message = match agent.value {
            [] => "this line names nobody".to_owned(),
            [b'*', ..] => format!("`{}` names nobody: a star is no wildcard in names", shown(agent.value)),
            value => format!("`{}` names nobody: a crawler's name starts with a letter", shown(value)),
        };
        out.add(agent.line, file.value(agent.line), message);
    }
}
