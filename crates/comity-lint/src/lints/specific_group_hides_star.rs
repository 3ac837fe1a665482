use std::cell::LazyCell;

use comity::Governed;

use crate::prelude::*;
use crate::recognize::crawlers::{crawler_meant, misnomer};
use crate::recognize::groups::{copied_rules, offer_rules_for_any, rules_for_any};
use crate::recognize::records::second_record;

lint! {
    /// A crawler with its own group does not obey the rules for `*`, and its group seems to lack them.
    ///
    /// Copy the rules for `*` that should also apply to this crawler into its group.
    ///
    /// ## What it does
    ///
    /// Finds groups without rules, with only a `Crawl-delay` or with a long list of crawlers, and groups with other rules but
    /// none of those for `*`. Several groups for the same crawlers are read as one. Groups that allow everything on purpose
    /// (`Disallow:` or `Allow: /`) are not reported, and neither are crawlers that never obey the groups for `*`, and names
    /// that no crawler has. For unknown crawlers and for tools, the finding is a note.
    ///
    /// ## Why is this bad?
    ///
    /// Groups do not add up: a crawler obeys only the group that names it. So a group that only contains a delay or an
    /// additional rule allows this crawler everything that is blocked for others.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// User-agent: bingbot
    /// Crawl-delay: 10
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /cart/
    ///
    /// User-agent: bingbot
    /// Crawl-delay: 10
    /// Disallow: /cart/
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.1: the most specific group, and no other
    /// - Portent, The Complete Guide to Robots.txt: a specific group replaces the general one
    "L009" "specific-group-hides-star", Warning, affects: "the crawlers that the group names"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    let stars: Vec<&GroupOf<'_>> = file.groups.iter().filter(|group| group.is_for_any()).collect();
    let mut hidden = stars.iter().flat_map(|group| &group.rules).filter(|rule| disallows(rule)).peekable();
    let Some(first_hidden) = hidden.peek().copied().copied() else { return };
    // If the site is closed to all other crawlers, the groups are probably meant to replace the rules of `*`.
    if stars.iter().any(|group| group.closes()) {
        return;
    }
    for group in file.groups.iter().filter(|group| group.rules.is_empty() && group.agents.len() >= MIN_LIST) {
        let line = group.agents.last().map_or(1, |agent| agent.line);
        let message = without_rules(group);
        out.add(file.value(line), message)
            .related(first_hidden.line(), "this rule, for example, does not apply to them")
            .help("to block them, add `Disallow: /` below this line; otherwise delete the list");
    }
    let copied = LazyCell::new(|| copied_rules(file, rules_for_any(file)));
    let mut compared = 0;
    for groups in by_crawlers(file) {
        let group = groups[0];
        let rules: Vec<Rule<'_>> = groups.iter().flat_map(|group| &group.rules).copied().collect();
        if rules.is_empty() && group.agents.len() >= MIN_LIST {
            continue;
        }
        // Googlebot-News fetches as Googlebot. Its groups select the pages for Google News.
        let bound = |known: &Profile| {
            known.obeys_star
                && known.governed != Governed::No
                && file.known.is_obeyed(known)
                && known.token != "Googlebot-News"
        };
        if group.agents.iter().any(|agent| agent.token.is_empty() || agent.known.is_some_and(|known| !bound(known))) {
            continue;
        }
        // The rules for `*` are about pages. Of 15 such groups in real files, none seemed to forget them.
        if !rules.is_empty() && group.agents.iter().all(|agent| is_for_files(agent.token)) {
            continue;
        }
        let line = group.agents.last().map_or(1, |agent| agent.line);
        let message = if rules.is_empty() {
            // A group without rules is reported only if it has a crawl-delay or request rate. Otherwise it may be meant
            // to replace the rules of `*`.
            if !groups.iter().any(|group| has_delay(file, group)) {
                continue;
            }
            without_rules(group)
        } else if rules.iter().any(|rule| rule.priority() == 0 || rule.kind() == RuleKind::Allow)
            || rules.iter().any(closes)
            || repeats(&rules, &stars, &mut compared)
        {
            continue;
        } else {
            let replaced_by = if groups.len() > 1 { "its groups replace" } else { "this group replaces" };
            format!("the rules for `*` do not apply to {}: {replaced_by} them", group.names())
        };
        // Other lints report such names, and such rules.
        let is_joined = |rule: &Rule<'_>| second_record(rule.value()).is_some();
        if group.agents.iter().any(|agent| is_no_name(agent, file)) || rules.iter().any(is_joined) {
            continue;
        }
        let found = out.add(file.value(line), message);
        found.related(first_hidden.line(), "for example, this rule does not apply");
        // Other names are often those of the site's own programs, or of crawlers that are gone. A tool fetches for the
        // person who starts it.
        let may_be_tool = |agent: &AgentOf<'_>| agent.known.is_none_or(|known| known.purpose == Purpose::Tool);
        found.severity_if(group.agents.iter().all(may_be_tool), Severity::Note);
        offer_rules_for_any(file, group, copied.as_deref(), found);
        if copied.is_none() {
            found.help(format!(
                "copy the rules for `*` that should apply to it, or add a user-agent line for `{}` to that group",
                shown(group.agents[0].token)
            ));
        }
    }
    out.bound_if(compared > MAX_PAIRS, "1,000,000 pairs of rules");
}

fn without_rules(group: &GroupOf<'_>) -> String {
    let names = group.names();
    format!("this group has no rules: everything is allowed for {names}, and the rules for `*` do not apply")
}

/// Returns the groups that are not for `*`. Those of the same crawlers are together, since crawlers read them as one. Those
/// that share only some of their crawlers are left out.
fn by_crawlers<'f, 'a>(file: &'f File<'a>) -> Vec<Vec<&'f GroupOf<'a>>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let (mut place, mut is_partial) = (vec![usize::MAX; file.groups.len()], vec![false; file.groups.len()]);
    for same in file.repeated_agents.chunk_by(|a, b| a.0 == b.0) {
        let mut groups: Vec<usize> = same.iter().map(|agent| agent.1).collect();
        groups.dedup();
        let known = place[groups[0]];
        // Another crawler of these groups: it must be in all of them, and in no others.
        let is_same = all.get(known).is_none_or(|before| *before == groups);
        for group in &groups {
            is_partial[*group] |= !is_same || place[*group] != known;
            place[*group] = if known == usize::MAX { all.len() } else { known };
        }
        if known == usize::MAX {
            all.push(groups);
        }
    }
    let of = |groups: Vec<usize>| groups.into_iter().map(|group| &file.groups[group]).collect::<Vec<_>>();
    all.retain(|groups| !groups.iter().any(|group| is_partial[*group]));
    let alone = file.groups.iter().filter(|group| group.alone).map(|group| vec![group]);
    alone.chain(all.into_iter().map(of)).filter(|groups| !groups[0].is_for_any()).collect()
}

/// The minimum number of crawlers in a group without rules for which the rules are probably missing.
const MIN_LIST: usize = 20;

/// Returns true if no crawler has the name of a user-agent line: a misspelled one, that of a company or a library, or
/// several words.
fn is_no_name(agent: &AgentOf<'_>, file: &File<'_>) -> bool {
    let has_words = agent.value[agent.token.len()..].trim_ascii().iter().any(u8::is_ascii_alphabetic)
        && agent.value.get(agent.token.len()).is_some_and(u8::is_ascii_whitespace);
    agent.known.is_none()
        && (has_words
            || agent.token.eq_ignore_ascii_case(b"Mozilla")
            || is_listed(agent.token, words::LIBRARY)
            || misnomer(agent, file.known).is_some()
            || crawler_meant(agent.token, file.known).is_some())
}

/// The maximum number of pairs of rules that are compared.
const MAX_PAIRS: usize = 1_000_000;

/// Returns true if a crawler has one of the rules of `*`, or a wider or narrower one. Also returns true if the bound on
/// pairs is reached.
fn repeats(rules: &[Rule<'_>], stars: &[&GroupOf<'_>], compared: &mut usize) -> bool {
    // A rule that allows everything changes nothing, and covers every rule.
    for rule in stars.iter().flat_map(|star| &star.rules).filter(|rule| !allows_all(rule)) {
        for own in rules {
            *compared += 1;
            if *compared > MAX_PAIRS || own.covers(rule) || rule.covers(own) {
                return true;
            }
        }
    }
    false
}

/// Returns true if a crawler fetches only images or videos, or only the pages of ads.
fn is_for_files(token: &[u8]) -> bool {
    let token = token.to_ascii_lowercase();
    [&b"-image"[..], b"-video", b"images", b"adidxbot"].iter().any(|last| token.ends_with(last))
}

/// Returns true if the group has a crawl-delay or a request rate.
fn has_delay(file: &File<'_>, group: &GroupOf<'_>) -> bool {
    let is_delay =
        |line: &Line<'_>| matches!(line.content, Content::Other { field: Field::CrawlDelay | Field::RequestRate, .. });
    file.lines_below(group).any(is_delay)
}
