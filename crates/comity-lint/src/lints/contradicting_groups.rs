use std::collections::{BTreeMap, BTreeSet};

use crate::prelude::*;

lint! {
    /// One group closes the site to a crawler, and another group opens it to the same crawler.
    ///
    /// Remove the group that is wrong.
    ///
    /// ## What it does
    ///
    /// Finds crawlers that are named by two groups, one with `Disallow: /` and one with `Allow: /`.
    ///
    /// ## Why is this bad?
    ///
    /// Groups for the same crawler are read as one, wherever they are in the file. Of two rules of the same length,
    /// `Allow` wins, so the crawler that seems to be blocked may fetch everything that no longer rule disallows. Crawlers
    /// that read only the first or the last group do what that group says.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: GPTBot
    /// Disallow: /
    ///
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// User-agent: GPTBot
    /// Allow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: GPTBot
    /// Disallow: /
    ///
    /// User-agent: *
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: groups for one crawler are combined into one
    /// - RFC 9309 §2.2.2: if equivalent, Allow should be used
    "L063" "contradicting-groups", Warning, affects: "every crawler"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    // The group and the rule that open the site to each crawler, with the longest pattern.
    let mut open: BTreeMap<Vec<u8>, (usize, &Rule<'_>)> = BTreeMap::new();
    let shared = || file.groups.iter().filter(|group| !group.alone);
    for group in shared() {
        let Some(rule) = group.rules.iter().filter(|rule| allows_all(rule)).max_by_key(|rule| rule.priority()) else {
            continue;
        };
        for agent in group.agents.iter().filter(|agent| !agent.token.is_empty()) {
            let opens = open.entry(agent.token.to_ascii_lowercase()).or_insert((group.group.index(), rule));
            if rule.priority() > opens.1.priority() {
                *opens = (group.group.index(), rule);
            }
        }
    }
    let mut told = BTreeSet::new();
    for group in shared() {
        let Some(rule) = group.rules.iter().filter(|rule| closes(rule)).max_by_key(|rule| rule.priority()) else {
            continue;
        };
        for agent in &group.agents {
            let Some((index, allow)) = open.get(&agent.token.to_ascii_lowercase()) else { continue };
            // A shorter rule does not win, and another lint compares the rules of one group.
            if *index == group.group.index() || allow.priority() < rule.priority() || !told.insert(rule.line()) {
                continue;
            }
            let (line, name) = (allow.line(), shown(agent.token));
            let message = format!(
                "line {line} allows everything for `{name}` in another group: they are read as one, and `Allow` wins, so this rule does not block it"
            );
            out.add(file.record_span(rule.line()), message)
                .related(line, "allowed here")
                .help("delete the group that is wrong");
        }
    }
}
