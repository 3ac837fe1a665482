use crate::prelude::*;
use crate::recognize::groups::speaks_to_yandex;

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
    "L046" "blank-line-in-group", Note, affects: "Yandex, and parsers that follow the drafts of the 1990s"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if !speaks_to_yandex(file) {
        return;
    }
    let has_own = file.groups.iter().flat_map(|group| &group.agents).any(is_main);
    let (mut bound, mut blank) = (false, None);
    let mut first = None;
    let mut count = 0;
    for line in &file.lines {
        match line.content {
            Content::Blank => blank = Some(line.number),
            Content::UserAgent { opens, .. } => {
                // For Yandex, a blank line between two user-agent lines ends a group as well.
                let continues = !opens && blank.is_none();
                bound = continues && bound || binds(file, line.number, has_own);
                blank = None;
            }
            Content::Rule { effect: RuleEffect::Applies, .. } if bound && blank.is_some() => {
                first = first.or(Some((line.number, blank.unwrap_or(0))));
                count += 1;
            }
            _ => {}
        }
    }
    if let Some((line, blank)) = first {
        let more = if count > 1 { format!("this rule and {} more", count - 1) } else { "this rule".to_owned() };
        out.add(file.record_span(line), format!("Yandex asks for no blank line here, and may ignore {more}"))
            .related(blank, "the blank line");
    }
}

/// Returns true if the rules after a user-agent line apply to a crawler of Yandex: by name, or because the line names all
/// crawlers and Yandex has no group of its own.
fn binds(file: &File<'_>, line: u32, has_own: bool) -> bool {
    let agents = file.group_of(line).map_or(&[][..], |group| &group.agents);
    let agent = agents.binary_search_by_key(&line, |agent| agent.line).ok().map(|at| &agents[at]);
    agent.is_some_and(|agent| agent.is_of("Yandex") || agent.token == b"*" && !has_own)
}

/// Returns true if a user-agent line names the main crawler of Yandex.
fn is_main(agent: &AgentOf<'_>) -> bool {
    is_in("Yandex YandexBot", agent.token)
}
