use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::group::AgentOf;
use crate::lint::lint;

lint! {
    /// A group is for a crawler that no longer exists or that has another name now.
    ///
    /// Remove the group, or use the new name of the crawler.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines for crawlers that their operators have retired or renamed. A crawler is not reported if
    /// another one obeys its groups, as bingbot obeys groups for msnbot.
    ///
    /// ## Why is this bad?
    ///
    /// The group has no effect. If the crawler has another name now, that name needs the rules.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: googleweblight
    /// Disallow: /app/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: Googlebot
    /// Disallow: /app/
    /// ```
    ///
    /// ## Sources
    ///
    /// - The operators' pages, which `comity crawlers NAME` names
    "L035" "retired-crawler", Note, affects: "the crawler that is named"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let is_gone = |agent: &AgentOf<'_>| agent.known.is_some_and(|known| known.retired && !file.known.is_obeyed(known));
    // A group that disallows nothing need not be obeyed.
    for group in file.groups.iter().filter(|group| group.forbids()) {
        let effect = if group.agents.iter().all(is_gone) { "no crawler obeys this group" } else { "this line has no effect" };
        for agent in group.agents.iter().filter(|agent| is_gone(agent)) {
            let Some(known) = agent.known else { continue };
            let found = out.add(agent.line, file.value(agent.line), format!("{} has retired {}: {effect}", known.operator, known.token));
            // Other notes are about how the crawler worked.
            if known.note.contains(" obeys ") {
                found.help(known.note.trim_end_matches('.').trim_start_matches("Retired. "));
            }
        }
    }
}
