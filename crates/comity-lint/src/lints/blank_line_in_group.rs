use comity::{Content, RuleEffect, Field};

use crate::diagnostic::Diagnostics;
use crate::file::{AgentOf, File, GroupOf};
use crate::lint::lint;

lint! {
    /// A blank line separates rules from their user-agent line, so Yandex and old parsers ignore them.
    ///
    /// Remove the blank line.
    ///
    /// ## What it does
    ///
    /// Finds rules with a blank line between them and their user-agent line, in files that name a crawler of Yandex or
    /// have a `Clean-param` or `Host` line. Only the first one is reported.
    ///
    /// ## Why is this bad?
    ///
    /// In RFC 9309 and for Google, blank lines have no meaning. Yandex documents that a group must not contain any, and
    /// in the drafts of the 1990s a blank line ended a record. For such parsers, the rules after it apply to no
    /// crawler.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: Yandex
    ///
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: Yandex
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - Yandex, Using the robots.txt file: no blank lines between directives of a group
    /// - draft-koster-robots-00 §3.2
    "L046" "blank-line-in-group", Note, concerns: "Yandex, and parsers that follow the drafts of the 1990s"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if !speaks_to_yandex(file) {
        return;
    }
    let bound = bound_groups(file);
    let mut blank = None;
    let mut first = None;
    let mut count = 0;
    for line in &file.lines {
        match line.content {
            Content::Blank => blank = Some(line.number),
            Content::UserAgent { .. } => blank = None,
            Content::Rule { effect: RuleEffect::Acts, .. }
                if blank.is_some() && file.group_of(line.number).is_some_and(|group| bound[group.group.index()]) =>
            {
                first = first.or(Some((line.number, blank.unwrap_or(0))));
                count += 1;
            }
            _ => {}
        }
    }
    if let Some((line, blank)) = first {
        let more = if count > 1 { format!("this rule and {} more", count - 1) } else { "this rule".to_owned() };
        out.add(line, file.said(line), format!("Yandex asks for no blank line here, and may ignore {more}"))
            .related(blank, "the blank line");
    }
}

fn is_of_yandex(agent: &AgentOf<'_>) -> bool {
    agent.known.is_some_and(|known| known.operator == "Yandex")
}

/// Returns true if the file names a crawler of Yandex, or has a record that only Yandex supports.
pub(crate) fn speaks_to_yandex(file: &File<'_>) -> bool {
    file.groups.iter().flat_map(|group| &group.agents).any(is_of_yandex)
        || file.lines.iter().any(|line| matches!(line.content, Content::Other { field: Field::Host | Field::CleanParam, .. }))
}

/// Returns true for each group that applies to a crawler of Yandex: by name, or as a group for all crawlers if Yandex
/// has no group of its own.
fn bound_groups(file: &File<'_>) -> Vec<bool> {
    let is_main = |agent: &AgentOf<'_>| {
        [&b"Yandex"[..], b"YandexBot"].iter().any(|name| agent.token.eq_ignore_ascii_case(name))
    };
    let has_own = file.groups.iter().flat_map(|group| &group.agents).any(is_main);
    let binds = |group: &GroupOf<'_>| group.agents.iter().any(is_of_yandex) || group.is_for_any() && !has_own;
    file.groups.iter().map(binds).collect()
}
