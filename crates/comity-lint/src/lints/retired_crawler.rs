use crate::diagnostic::Diagnostics;
use crate::file::File;
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
    "L035" "retired-crawler", Note, concerns: "the crawler that is named"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    for agent in file.groups.iter().flat_map(|group| &group.agents) {
        if let Some(known) = agent.known.filter(|known| known.retired && !file.known.is_obeyed(known)) {
            let found = out.add(agent.line, file.value(agent.line), format!("{} has retired {}: no crawler obeys this group", known.operator, known.token));
            if known.note != "Retired." {
                found.help(known.note.trim_end_matches('.').trim_start_matches("Retired. "));
            }
        }
    }
}
