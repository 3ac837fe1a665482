//! Recognizes groups that need the rules of `*`, and those for Yandex.

use crate::diagnostic::Diagnostic;
use crate::prelude::*;

/// The maximum number of bytes of rules that are copied.
const MAX_COPIED_BYTES: usize = 4_096;

/// Returns rules for `*` as lines to add to another group. Returns `None` if they are too long, so that the file
/// does not grow by many rules for each group, and if one starts with no slash: after that is fixed, the group would get
/// the rule once more.
pub(crate) fn copied_rules<'r, 'a: 'r>(file: &File<'_>, rules: impl Iterator<Item = &'r Rule<'a>>) -> Option<Vec<u8>> {
    let mut copied = Vec::new();
    for rule in rules {
        if rule.value().first().is_some_and(|first| !b"/*".contains(first)) {
            return None;
        }
        copied.extend_from_slice(format!("{}{}: ", file.line_end, rule.kind()).as_bytes());
        copied.extend_from_slice(rule.value());
        if copied.len() > MAX_COPIED_BYTES {
            return None;
        }
    }
    Some(copied)
}

/// Offers to copy the rules for `*`, which are these lines, to the end of a group.
pub(crate) fn offer_rules_for_any(file: &File<'_>, group: &GroupOf<'_>, rules: Option<&[u8]>, found: &mut Diagnostic) {
    if let Some(rules) = rules {
        found.unsafe_fix("copy the rules for `*`", vec![added(file, group, rules)]);
    }
}

/// Returns the edit that adds lines at the end of a group.
pub(crate) fn added(file: &File<'_>, group: &GroupOf<'_>, lines: &[u8]) -> Edit {
    let at = file.end_of(last_line(file, group));
    Edit::new(at..at, lines)
}

/// Returns the rules for `*`.
pub(crate) fn rules_for_any<'f, 'a>(file: &'f File<'a>) -> impl Iterator<Item = &'f Rule<'a>> {
    file.groups.iter().filter(|group| group.is_for_any()).flat_map(|group| &group.rules)
}

/// Records the bound that stopped a lint before it had compared these groups, if there are any.
pub(crate) fn bound_groups(bound: &str, file: &File<'_>, not_compared: &[usize], out: &mut Diagnostics) {
    let agents: Vec<_> = not_compared.iter().filter_map(|index| file.groups[*index].agents.first()).collect();
    if !agents.is_empty() {
        out.bound(format!("{bound}; not compared: the groups of {}", names_of(agents.into_iter())));
    }
}

/// Returns the number of the last line that is a rule or record of the group.
fn last_line(file: &File<'_>, group: &GroupOf<'_>) -> u32 {
    let last_agent = group.agents.last().map_or(1, |agent| agent.line);
    file.lines_below(group)
        .filter(|line| matches!(line.content, Content::Rule { .. } | Content::Other { in_group: true, .. }))
        .last()
        .map_or(last_agent, |line| line.number)
}

/// Returns the groups for named crawlers that only allow parts of the site, if the rules for `*` disallow something.
pub(crate) fn allow_only_groups<'f, 'a>(file: &'f File<'a>) -> impl Iterator<Item = &'f GroupOf<'a>> {
    let is_restricted = file.groups.iter().any(|group| group.is_for_any() && group.forbids());
    let narrow =
        |rule: &Rule<'_>| rule.kind() == RuleKind::Allow && !matches!(rule.pattern(), b"" | b"/" | b"/*" | b"*");
    file.groups.iter().filter(move |group| {
        let star_counts = || {
            group
                .agents
                .iter()
                .all(|agent| agent.known.is_none_or(|known| known.obeys_star && file.known.is_obeyed(known)))
        };
        let is_named = is_restricted && group.alone && !group.is_for_any() && !group.rules.is_empty();
        is_named && star_counts() && group.rules.iter().all(narrow)
    })
}

/// Returns true if the file names a crawler of Yandex, or has a record that only Yandex supports.
pub(crate) fn speaks_to_yandex(file: &File<'_>) -> bool {
    file.groups.iter().flat_map(|group| &group.agents).any(|agent| agent.is_of("Yandex"))
        || file
            .others()
            .any(|line| matches!(line.content, Content::Other { field: Field::Host | Field::CleanParam, .. }))
}
