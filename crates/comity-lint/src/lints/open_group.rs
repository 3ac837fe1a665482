use std::cell::LazyCell;

use crate::prelude::*;
use crate::recognize::groups::{bound_groups, copied_rules, offer_rules_for_any, rules_for_any};
use crate::recognize::opened::{OPENED_BOUND, welcomed};
use crate::recognize::standing::Standing;

lint! {
    /// A group welcomes a crawler with `Allow: /`, and so opens what is blocked for all others.
    ///
    /// Copy the rules for `*` into the group, or remove the group.
    ///
    /// ## What it does
    ///
    /// Finds groups of known crawlers that allow the whole site with `Allow: /`, while rules for `*` disallow parts of it.
    /// For all URLs, it is proven which rules for `*` are lost. Not reported are files that disallow everything for `*`,
    /// groups with an empty `Disallow`, which says that nothing is disallowed, and groups of crawlers for ads, link
    /// previews, archives, and reports or checks that a site asks for. Also finds a crawler that brings no visitors, with
    /// an empty `Disallow` between groups that close the site.
    ///
    /// ## Why is this bad?
    ///
    /// Groups do not add up: a crawler obeys only the group that names it. A crawler that may fetch `/` anyway needs no
    /// group, so the only effect of the group is that the crawler may fetch pages such as the cart, the internal search
    /// and the administration.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /keystatic
    /// Disallow: /api/
    ///
    /// User-agent: GPTBot
    /// Allow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /keystatic
    /// Disallow: /api/
    ///
    /// User-agent: GPTBot
    /// Allow: /
    /// Disallow: /keystatic
    /// Disallow: /api/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: the most specific group, and no other
    /// - Portent, The Complete Guide to Robots.txt: a specific group replaces the general one
    "L062" "open-group", Warning, affects: "the crawlers that the group names"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    check_list(file, out);
    let copied = LazyCell::new(|| copied_rules(file, rules_for_any(file)));
    for (index, standing) in &file.standings().of_groups {
        let (Standing::Opens(opens), group) = (standing, &file.groups[*index]) else { continue };
        let Some(rule) = group.rules.iter().find(|rule| allows_all(rule)) else { continue };
        let Some(first) = opens.lines.first() else { continue };
        let names = names_of(welcomed(file, group).into_iter());
        let (lines, example) = (numbered(&opens.lines, 3), shown(opens.example.as_bytes()));
        let message =
            format!("{names} may fetch `{example}`, which is blocked for others: this group does not repeat {lines}");
        let found = out.add(file.record_span(rule.line()), message);
        found.related(*first, "for example, this rule does not apply");
        offer_rules_for_any(file, group, copied.as_deref(), found);
    }
    bound_groups(OPENED_BOUND, file, &file.standings().not_compared, out);
}

/// Reports the only group with an empty `Disallow` in a list of groups that close the site.
fn check_list(file: &File<'_>, out: &mut Diagnostics) {
    let closes = |group: &GroupOf<'_>| !group.is_for_any() && group.closes();
    let is_empty = |group: &GroupOf<'_>| matches!(&group.rules[..], [rule] if rule.kind() == RuleKind::Disallow && rule.priority() == 0);
    let mut lonely =
        file.groups.windows(3).filter(|three| is_empty(&three[1]) && closes(&three[0]) && closes(&three[2]));
    let (Some(three), None) = (lonely.next(), lonely.next()) else { return };
    let (group, rule) = (&three[1], &three[1].rules[0]);
    let brings_visitors = |known: &Profile| {
        matches!(known.purpose, Purpose::Search | Purpose::AiSearch | Purpose::Preview | Purpose::Ads)
    };
    let is_unwanted = |agent: &AgentOf<'_>| agent.known.is_some_and(|known| !brings_visitors(known));
    if group.agents.iter().all(is_unwanted) && file.groups.iter().filter(|group| is_empty(group)).count() == 1 {
        let message = format!("{} may fetch everything, unlike the crawlers above and below it", group.names());
        out.add(file.record_span(rule.line()), message).help("to block it as well, write `Disallow: /`");
    }
}
