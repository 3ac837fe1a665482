use comity::RuleKind;

use crate::blocking::matches_everything;
use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::fix::Edit;
use crate::group::{GroupOf, names_of};
use crate::lint::lint;
use crate::recognize::groups::{copied_rules, last_line};
use crate::recognize::opened::{MAX_STEPS, Opened, concerned, opened};
use crate::text::{numbered, shown};

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
    /// previews, archives, and reports or checks that a site asks for.
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
    let stars: Vec<&GroupOf<'_>> = file.groups.iter().filter(|group| group.is_for_any()).collect();
    let is_disallow = |rule: &comity::Rule<'_>| rule.kind() == RuleKind::Disallow;
    let closes = |rule: &comity::Rule<'_>| is_disallow(rule) && matches_everything(rule.pattern());
    let mut of_stars = stars.iter().flat_map(|star| &star.rules);
    // If the site is closed to all other crawlers, such groups open it on purpose.
    if !stars.iter().any(|star| star.forbids()) || of_stars.any(closes) {
        return;
    }
    let allows_everything = |rule: &comity::Rule<'_>| !is_disallow(rule) && matches_everything(rule.pattern());
    // An empty `Disallow` states that nothing is disallowed. Of 79 open groups in real files, 66 had one, and many of
    // these list the crawlers for which the rules for `*` are not meant.
    let is_open = |group: &&GroupOf<'_>| {
        let welcomes = group.rules.iter().any(allows_everything) && !group.rules.iter().any(is_disallow);
        welcomes && group.alone && !group.is_for_any()
    };
    let (mut steps, mut copied) = (MAX_STEPS, None);
    let mut wholly: Option<Opened> = None;
    for group in file.groups.iter().filter(is_open) {
        let names = concerned(file, group);
        let Some(rule) = group.rules.iter().find(|rule| allows_everything(rule)) else { continue };
        if names.is_empty() {
            continue;
        }
        // Groups that only allow everything open the same.
        let is_plain = group.rules.iter().all(allows_everything);
        let known = if is_plain { wholly.clone() } else { None };
        let Some(opens) = known.or_else(|| opened(file, &stars, group, &mut steps)) else {
            out.bound("500,000 steps to compare groups with the rules for `*`");
            continue;
        };
        if is_plain {
            wholly.get_or_insert_with(|| opens.clone());
        }
        let Some(first) = opens.lines.first() else { continue };
        let names = names_of(names.into_iter());
        let (lines, example) = (numbered(&opens.lines, 3), shown(opens.example.as_bytes()));
        let message = format!("{names} may fetch `{example}`, which is blocked for others: this group does not repeat {lines}");
        let found = out.add(rule.line(), file.record_span(rule.line()), message);
        found.related(*first, "for example, this rule does not apply");
        if let Some(copied) = copied.get_or_insert_with(|| copied_rules(file, &stars)) {
            let at = file.end_of(last_line(file, group));
            found.unsafe_fix("copy the rules for `*`", vec![Edit::new(at..at, copied.clone())]);
        }
    }
}
