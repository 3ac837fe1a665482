use crate::prelude::*;
use crate::recognize::groups::rules_for_any;

lint! {
    /// A group is for a crawler that no longer exists or that has another name now.
    ///
    /// Remove the group, or use the new name of the crawler.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines for crawlers that their operators have retired or renamed. A crawler is not reported if
    /// another one obeys its groups, as bingbot obeys groups for msnbot. Names that an operator no longer documents, such as
    /// `anthropic-ai`, are reported as a warning if the file does not name the operator's crawler (`ClaudeBot`).
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
    check_legacy(file, out);
    let is_gone = |agent: &AgentOf<'_>| agent.known.is_some_and(|known| known.retired && !file.known.is_obeyed(known));
    // A group that disallows nothing need not be obeyed.
    for group in file.groups.iter().filter(|group| group.forbids()) {
        let effect =
            if group.agents.iter().all(is_gone) { "no crawler obeys this group" } else { "this line has no effect" };
        for agent in group.agents.iter().filter(|agent| is_gone(agent)) {
            let Some(known) = agent.known else { continue };
            let found =
                out.add(file.value(agent.line), format!("{} has retired {}: {effect}", known.operator, known.token));
            // Other notes are about how the crawler worked.
            if known.note.contains(" obeys ") {
                found.help(known.note.trim_end_matches('.').trim_start_matches("Retired. "));
            }
        }
    }
}

/// Reports names that an operator no longer documents, if the file names none of its crawlers for the same purpose: these
/// stay allowed. Of several such names of an operator, the first is reported.
fn check_legacy(file: &File<'_>, out: &mut Diagnostics) {
    // If everything is blocked for `*`, the other crawlers are blocked as well.
    if rules_for_any(file).any(closes) {
        return;
    }
    let mut told: Vec<&str> = Vec::new();
    for group in file.groups.iter().filter(|group| group.forbids()) {
        for (agent, known) in group.agents.iter().filter_map(|agent| Some((agent, agent.known?))) {
            if !known.note.starts_with("A legacy token") || told.contains(&&*known.operator) {
                continue;
            }
            let is_sibling = |row: &&Profile| {
                let is_same = row.operator == known.operator && row.purpose == known.purpose;
                is_same && !row.retired && !row.note.starts_with("A legacy token")
            };
            let mut siblings = file.known.table().iter().filter(is_sibling).peekable();
            let Some(first) = siblings.peek().copied() else { continue };
            if siblings.any(|row| file.line_naming(&row.token).is_some()) {
                continue;
            }
            told.push(&known.operator);
            let span = file.value(agent.line);
            let message = format!(
                "{} documents no `{}`, so its crawler {} is not blocked by this group",
                known.operator, known.token, first.token
            );
            let line = [file.line_end.as_bytes(), b"User-agent: ", first.token.as_bytes()].concat();
            let at = file.end_of(agent.line);
            let found = out.add(span, message);
            found.severity_if(known.is_for_ai(), Severity::Warning);
            found.unsafe_fix(format!("add `{}`", first.token), vec![Edit::new(at..at, line)]);
        }
    }
}
