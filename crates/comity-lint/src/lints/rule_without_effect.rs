use std::collections::BTreeSet;

use comity_meaning::DeadRule;

use crate::prelude::*;
use crate::recognize::groups::allow_only_groups;
use crate::recognize::records::except_google;

lint! {
    /// Without this rule, every URL gets the same answer for every crawler.
    ///
    /// ## What it does
    ///
    /// Finds rules that have no effect: an `Allow` for paths that no rule disallows, or only longer ones, or a rule whose URLs
    /// other rules decide alike, one by one or together, in the same group or in another one for the same crawlers. This is
    /// proven for all URLs and all crawlers, by RFC 9309. Rules that another lint finds to be useless are left to it: those
    /// that one rule covers (L025, L028, L029, L030), and those that match nothing (L010). `Allow: /` is left alone, since it
    /// states the default. There is no fix, since of two rules that replace each other one must stay; `comity minimize`
    /// deletes as many as can go together.
    ///
    /// ## Why is this bad?
    ///
    /// It does no harm. But the rule looks as if it opened or closed something, and does not: an `Allow` keeps no crawler from
    /// the rest of the site.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Allow: /shop/
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2: what no rule matches is allowed; the match with the most bytes decides
    "L061" "rule-without-effect", Note, affects: "whoever maintains the file", opt_in
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let dead = file.dead();
    out.bound_if(!dead.is_complete, "2,000,000 steps");
    let explained: BTreeSet<u32> = file.shadows().0.iter().map(|shadow| shadow.line).collect();
    let allow_only: BTreeSet<usize> = allow_only_groups(file).map(|group| group.group.index()).collect();
    let except = if dead.rules.is_empty() { String::new() } else { except_google(file) };
    for rule in &dead.rules {
        let Content::Rule { kind, value, .. } = file.line(rule.line).content else { continue };
        // A pattern without a slash or a star at its start matches nothing.
        let matches_nothing = !matches!(value.first(), Some(b'/' | b'*'));
        if matches_nothing || explained.contains(&rule.line) || kind == RuleKind::Allow && matches_everything(value) {
            continue;
        }
        // Of two rules that replace each other, the finding about the other one is sufficient.
        if !rule.because.is_empty() && rule.because.iter().all(|line| explained.contains(line)) {
            continue;
        }
        let group = file.group_of(rule.line);
        if group.is_some_and(|group| allow_only.contains(&group.group.index())) {
            continue;
        }
        let found = out.add(file.record_span(rule.line), message(rule, kind) + &except);
        for line in &rule.because {
            found.related(*line, "this rule decides for some of its URLs, or would without it");
        }
    }
}

fn message(rule: &DeadRule, kind: RuleKind) -> String {
    match (&*rule.because, kind) {
        ([], RuleKind::Allow) => {
            "this rule has no effect: what it allows is allowed without it, or a longer rule disallows it".to_owned()
        }
        ([], _) => "this rule has no effect".to_owned(),
        ([line], _) => format!("this rule has no effect: line {line} decides alike without it"),
        (lines, _) => format!("this rule has no effect: {} decide alike without it", numbered(lines, lines.len())),
    }
}
