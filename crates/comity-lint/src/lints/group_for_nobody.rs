use crate::diagnostic::Diagnostics;
use crate::file::{File, shown};
use crate::lint::lint;

lint! {
    /// A user-agent line names no crawler, so the rules of its group apply to none.
    ///
    /// Write the product token of a crawler, or `*` for all crawlers.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines without a product token: empty lines, and lines with a value that does not start with a
    /// letter or a digit, such as `*bot`.
    ///
    /// ## Why is this bad?
    ///
    /// No crawler obeys the rules after such a line. A star means every crawler only if it is alone. In names, it is
    /// not a wildcard.
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
            [] => "this line names no crawler".to_owned(),
            [b'*', ..] => format!("`{}` names no crawler: in names, a star is not a wildcard", shown(agent.value)),
            value => format!("`{}` names no crawler: the name of a crawler starts with a letter", shown(value)),
        };
        out.add(agent.line, file.value(agent.line), message);
    }
}
