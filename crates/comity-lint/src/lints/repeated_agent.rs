use std::cell::LazyCell;

use crate::managed::parts_of;
use crate::prelude::*;

lint! {
    /// The rules for a crawler are in several groups, and some crawlers only read the first one.
    ///
    /// Move all rules for the crawler into one group.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines with a token that an earlier group also names. Each token is reported once,
    /// unless its groups allow and disallow the same. It is an error if one of the groups for `*` blocks the whole site, and
    /// another one only parts of it.
    ///
    /// ## Why is this bad?
    ///
    /// RFC 9309 and Google merge such groups. Older parsers use only the first one, and ignore the rules of the second
    /// one. People who read the first group may overlook the second one, too.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// User-agent: *
    /// Disallow: /login
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    /// Disallow: /login
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: groups of the same crawler are combined
    /// - Yandex, Using the robots.txt file: its validator reports an error
    "L033" "repeated-agent", Note, affects: "crawlers that only read the first group"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.groups.iter().all(|group| group.alone) {
        return;
    }
    let differ = |a: usize, b: usize| file.meaning(&file.groups[a]) != file.meaning(&file.groups[b]);
    // A crawler that ignores a later group without effect loses nothing.
    let has_effect = |group: usize| {
        let allows_all = |rule: &Rule<'_>| matches!(rule.pattern(), b"" | b"/" | b"/*" | b"*");
        let group = &file.groups[group];
        group.forbids() || !group.rules.iter().all(allows_all)
    };
    let managed = LazyCell::new(|| parts_of(&file.lines));
    for same in file.repeated_agents.chunk_by(|a, b| a.0 == b.0) {
        let (token, first_group, first_line) = &same[0];
        // `token-cut` reports whole headers, which name `Mozilla`.
        if let Some((_, _, line)) = same.iter().find(|(_, group, _)| {
            differ(*group, *first_group) && has_effect(*group) && !token.is_empty() && token != b"mozilla"
        }) {
            let value = &file.source[file.value(*line)];
            let name = value.get(..token.len()).unwrap_or(token);
            let (whole, name) = (shown(value), shown(name));
            let is_whole = value.eq_ignore_ascii_case(token);
            let read_as = if is_whole { String::new() } else { format!("`{whole}` is read as `{name}`: ") };
            let crawlers = if token == b"*" { "all crawlers".to_owned() } else { format!("`{name}`") };
            // Somebody who blocks single paths for all crawlers did not mean to block the whole site for them.
            let rules = || same.iter().filter(|_| token == b"*").flat_map(|(_, group, _)| &file.groups[*group].rules);
            let disallows = || rules().filter(|rule| rule.kind() == RuleKind::Disallow && !rule.pattern().is_empty());
            let has_parts = disallows().any(|rule| !matches_everything(rule.pattern()));
            let closed = match disallows().find(|rule| matches_everything(rule.pattern())) {
                Some(rule) if has_parts => format!(", so line {} blocks all that no `Allow` opens", rule.line()),
                _ => String::new(),
            };
            let found = out.add(file.value(*line), format!("{read_as}line {first_line} already has a group for {crawlers}: the rules of both apply{closed}, and a few crawlers obey only the first"))
                .related(*first_line, "the first group");
            if !closed.is_empty() {
                found.severity(Severity::Error).help("if the site is live, delete that line");
                continue;
            }
            // Rules that other crawlers share can't be moved, nor those that a CDN adds.
            let is_own = |line: u32| !managed.iter().any(|part| part.contains(line));
            if same.iter().all(|(_, group, line)| file.groups[*group].agents.len() == 1 && is_own(*line)) {
                let later = same.iter().map(|(_, group, _)| *group).filter(|group| group != first_group);
                let lines: Vec<u32> = later.flat_map(|group| &file.groups[group].rules).map(Rule::line).collect();
                found.help(format!("move {} to the group of line {first_line}", numbered(&lines, 4)));
            }
        }
    }
}
