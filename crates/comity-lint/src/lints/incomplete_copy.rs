use crate::prelude::*;
use crate::recognize::groups::{added, bound_groups, copied_rules, rules_for_any};
use crate::recognize::opened::{OPENED_BOUND, Opened, concerned};
use crate::recognize::standing::Standing;

lint! {
    /// A crawler's own group repeats some of the rules for `*`, but not all of them.
    ///
    /// Copy the missing rules into the group, or remove the group if it should do what `*` does.
    ///
    /// ## What it does
    ///
    /// Finds groups of known crawlers that repeat at least one `Disallow` for `*` and lack others, so that the crawler may
    /// fetch what is blocked for everybody else. For all URLs, it is proven which rules are lost. URLs that an `Allow` of
    /// the group names are not reported, and neither are crawlers for ads, link previews, and reports or checks that a
    /// site asks for.
    ///
    /// ## Why is this bad?
    ///
    /// Groups do not add up: a crawler obeys only the group that names it. Such a group was usually copied once, and rules
    /// that were added later are only in the group for `*`.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Disallow: /checkout
    /// Disallow: /internal/
    ///
    /// User-agent: Googlebot
    /// Disallow: /internal/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Disallow: /checkout
    /// Disallow: /internal/
    ///
    /// User-agent: Googlebot
    /// Disallow: /internal/
    /// Disallow: /cart/
    /// Disallow: /checkout
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: the most specific group, and no other
    /// - Portent, The Complete Guide to Robots.txt: a specific group replaces the general one
    "L064" "incomplete-copy", Note, affects: "the crawlers that the group names"
}

/// The number of missing rules that a message names.
const MAX_NAMED: usize = 3;

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // Groups that lack the same rules have one cause.
    let mut alike: Vec<(&Opened, Vec<&GroupOf<'_>>)> = Vec::new();
    for (index, standing) in &file.standings().of_groups {
        let (Standing::Lacks(opens), group) = (standing, &file.groups[*index]) else { continue };
        match alike.iter_mut().find(|(other, _)| other.lines == opens.lines) {
            Some((_, groups)) => groups.push(group),
            None => alike.push((opens, vec![group])),
        }
    }
    for (opens, groups) in alike {
        let lacks = |rule: &&Rule<'_>| opens.lines.binary_search(&rule.line()).is_ok();
        let missing: Vec<&Rule<'_>> = rules_for_any(file).filter(lacks).collect();
        let named: Vec<String> =
            missing.iter().take(MAX_NAMED).map(|rule| format!("`{}`", shown(rule.value()))).collect();
        let more = match missing.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (kept, of, crawlers) = (
            opens.kept,
            opens.of,
            names_of(groups.iter().flat_map(|group| concerned(file, group)).collect::<Vec<_>>().into_iter()),
        );
        let message =
            format!("{kept} of {of} rules for `*` also apply to {crawlers}; missing: {}{more}", named.join(", "));
        let line = groups[0].agents.last().map_or(1, |agent| agent.line);
        let found = out.add(file.value(line), message);
        found.related(missing[0].line(), "for example, this rule does not apply");
        // An exception to a missing rule is missing as well.
        let is_missing = |rule: &&Rule<'_>| {
            let is_exception = rule.kind() == RuleKind::Allow && missing.iter().any(|missing| missing.covers(rule));
            lacks(rule) || is_exception
        };
        if let Some(copied) = copied_rules(file, rules_for_any(file).filter(is_missing)) {
            found
                .unsafe_fix("copy the missing rules", groups.iter().map(|group| added(file, group, &copied)).collect());
        }
    }
    bound_groups(OPENED_BOUND, file, &file.standings().not_compared, out);
}
