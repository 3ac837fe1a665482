use comity::RuleKind;

use crate::diagnostic::Diagnostics;
use crate::file::{File, GroupOf};
use crate::fix::Edit;
use crate::lint::lint;
use crate::lints::specific_group_hides_star::{copied_rules, last_line};

lint! {
    /// A crawler's own group only allows some paths, which is what everything is anyway.
    ///
    /// ## What it does
    ///
    /// Finds groups for named crawlers that have `Allow` rules for parts of the site and no `Disallow`, in files whose rules
    /// for `*` forbid something. A group that allows the whole site (`Allow: /`) says what it means and does not count.
    ///
    /// ## Why is this bad?
    ///
    /// What is not forbidden is allowed, so the `Allow` lines do nothing: neither do they let the crawler prefer those
    /// paths, nor keep it to them. What the group does is to free the crawler of all rules for `*`.
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
    "L023" "allow-only-group", Warning, concerns: "the crawlers that the group names"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let forbids = |group: &GroupOf<'_>| {
        group.rules.iter().any(|rule| rule.kind() == RuleKind::Disallow && rule.priority() > 0)
    };
    let stars: Vec<&GroupOf<'_>> = file.groups.iter().filter(|group| group.is_for_any()).collect();
    if !stars.iter().any(|group| forbids(group)) {
        return;
    }
    let copied = copied_rules(file, &stars);
    for group in file.groups.iter().filter(|group| group.alone && !group.is_for_any()) {
        let Some(first) = group.rules.first() else { continue };
        let narrow = |rule: &comity::Rule<'_>| {
            rule.kind() == RuleKind::Allow && !matches!(rule.pattern(), b"" | b"/" | b"/*" | b"*")
        };
        let star_counts = group.agents.iter().all(|agent| agent.known.is_none_or(|known| known.obeys_star));
        if star_counts && group.rules.iter().all(narrow) {
            let message =
                format!("{} may fetch everything, not just this: it is free of the rules for `*`", group.names());
            let found = out.add(first.line(), file.said(first.line()), message);
            found.related(group.first_line(), "the group starts here");
            if let Some(copied) = &copied {
                let at = file.end_of(last_line(file, group));
                found.unsafe_fix("copy the rules of `*`", vec![Edit::new(at..at, copied.clone())]);
            }
        }
    }
}
