use std::cell::LazyCell;

use crate::blocking::names_something;
use crate::prelude::*;
use crate::recognize::groups::{allow_only_groups, copied_rules, offer_rules_for_any, rules_for_any};

lint! {
    /// A crawler's own group only allows some paths, so the crawler may fetch everything.
    ///
    /// Copy the rules for `*` into the group, or remove the group.
    ///
    /// ## What it does
    ///
    /// Finds groups for known crawlers with `Allow` rules for parts of the site and without a `Disallow`, in files with
    /// rules for `*` that block something. A group that allows the whole site (`Allow: /`) states its purpose, and is
    /// not reported. For crawlers that only fetch link previews, the finding is a note. So is one about a group for `*` with
    /// only such rules, which have no effect.
    ///
    /// ## Why is this bad?
    ///
    /// Everything that is not disallowed is allowed, so the `Allow` lines have no effect: the crawler does not prefer
    /// these paths, and is not limited to them. The only effect of the group is that the rules for `*` do not apply to
    /// the crawler.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// User-agent: bingbot
    /// Allow: /shop/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// User-agent: bingbot
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1 and §2.2.2
    /// - Portent, The Complete Guide to Robots.txt: `Allow` on its own
    "L023" "allow-only-group", Warning, affects: "the crawlers that the group names"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    check_any(file, out);
    let copied = LazyCell::new(|| copied_rules(file, rules_for_any(file)));
    // Groups for unknown crawlers are often for the site's own search, or for crawlers that are gone.
    let is_known = |group: &&GroupOf<'_>| group.agents.iter().any(|agent| agent.known.is_some());
    for group in allow_only_groups(file).filter(is_known) {
        let Some(first) = group.rules.first() else { continue };
        let message = format!("{} may fetch everything, not only this: the rules for `*` do not apply", group.names());
        let found = out.add(file.record_span(first.line()), message);
        found.related(group.first_line(), "the group starts here");
        // A crawler for link previews fetches only the pages that people share.
        let is_for_previews = |known: &Profile| known.purpose == Purpose::Preview;
        found.severity_if(group.agents.iter().filter_map(|agent| agent.known).all(is_for_previews), Severity::Note);
        offer_rules_for_any(file, group, copied.as_deref(), found);
    }
}

/// Reports a group for `*` that only allows some paths, which are allowed anyway.
fn check_any(file: &File<'_>, out: &mut Diagnostics) {
    let rules: Vec<&Rule<'_>> = rules_for_any(file).collect();
    let is_narrow = |rule: &&Rule<'_>| {
        rule.kind() == RuleKind::Allow && (rule.pattern() == b"/$" || names_something(rule.pattern()))
    };
    if rules.len() > 1 && rules.iter().all(is_narrow) {
        let first = rules[0].line();
        let message = "these rules have no effect: without a `Disallow`, everything is allowed";
        let found = out.add(file.record_span(first), message);
        found.severity(Severity::Note).help("to allow only this, add `Disallow: /`");
    }
}
