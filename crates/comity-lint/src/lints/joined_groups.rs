use std::cell::LazyCell;
use std::collections::BTreeSet;

use crate::prelude::*;
use crate::recognize::comments::comment_of;
use crate::recognize::groups::{copied_rules, rules_for_any};
use crate::recognize::records::{LastName, mistake, other_separator};

lint! {
    /// Crawlers read two groups as one, since no rule separates their user-agent lines.
    ///
    /// End the first group with the rules that it should have, or with an empty `Disallow:`.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines with only a `Crawl-delay`, another record or a blank line before the next user-agent
    /// line, so that the rules after it apply to both. If the next line names `*`, it is reported only if the rules
    /// block the whole site, or if a blank line separates the two. Crawlers to which the rules apply anyway, by a fallback
    /// token or in another group, are not reported, and neither is Yandex after a blank line, which ends its group. Also
    /// finds rules for which a user-agent line is missing: they are below `Disallow: /` of a named crawler, or directly below
    /// a user-agent line that is a comment.
    ///
    /// ## Why is this bad?
    ///
    /// Consecutive user-agent lines form one group, and only an `Allow` or `Disallow` line ends this list. Blank lines,
    /// `Crawl-delay` and `Sitemap` do not. So the rules for one crawler, often `Disallow: /`, also apply to another one
    /// that should only have a delay. An empty `Disallow:` is a rule that blocks nothing, and it ends the list.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: Slurp
    /// Crawl-delay: 2
    ///
    /// User-agent: MJ12bot
    /// Disallow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: Slurp
    /// Crawl-delay: 2
    /// Disallow:
    ///
    /// User-agent: MJ12bot
    /// Disallow: /
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.1 and §2.2.4: other records don't end a group
    /// - Google, How Google interprets the robots.txt specification: grouping of lines and rules
    "L054" "joined-groups", Warning, affects: "the crawlers that are named first"
}

/// The place between two user-agent lines of a group where an empty rule would separate them.
struct Gap {
    /// The index of the user-agent line after the place.
    next: usize,
    /// The line after which the rule is inserted.
    after: u32,
    /// The name of the last record between the two lines; `None` if there are only blank lines.
    record: Option<String>,
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    check_missing_agent(file, out);
    let repeated = repeated(file);
    let stars: Vec<&GroupOf<'_>> = file.groups.iter().filter(|group| group.is_for_any()).collect();
    let like_stars = LazyCell::new(|| stars.iter().map(|star| file.meaning(star)).collect::<BTreeSet<u64>>());
    let of_stars = LazyCell::new(|| copied_rules(file, rules_for_any(file)).filter(|copied| !copied.is_empty()));
    for group in file.groups.iter().filter(|group| group.agents.len() > 1) {
        // With the rules of `*`, the groups have the same effect if they are separate.
        if !group.forbids() || !group.is_for_any() && like_stars.contains(&file.meaning(group)) {
            continue;
        }
        let all = gaps(file, group);
        let of_records: Vec<&Gap> = all.iter().filter(|gap| gap.record.is_some()).collect();
        let closes = group.closes();
        // Rules after `*` and another crawler are probably meant for both, unless they close the site.
        if let Some(last) = of_records.last().filter(|_| closes || !group.is_for_any()) {
            report(file, group, last, &of_records, &repeated, of_stars.as_deref(), out);
        } else if of_records.is_empty()
            && let Some(last) = all.last()
            && let Some(found) =
                report(file, group, last, &all.iter().collect::<Vec<_>>(), &repeated, of_stars.as_deref(), out)
        {
            // A list of crawlers for AI that was to be blocked has the rules for everybody.
            let is_list_for_ai = last.next > 1
                && group.agents[last.next].token == b"*"
                && group.agents[..last.next].iter().all(|agent| agent.known.is_some_and(Profile::is_for_ai));
            found.severity_if(!is_list_for_ai, Severity::Note);
        }
    }
}

/// Returns the tokens, in lower case, of the crawlers that several groups name, all with the same rules.
fn repeated(file: &File<'_>) -> BTreeSet<Vec<u8>> {
    let of_same = file
        .repeated_agents
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|of_one| of_one.iter().any(|agent| agent.1 != of_one[0].1));
    let alike = of_same.filter(|of_one| of_one.iter().all(|agent| file.is_same_group(agent.2, of_one[0].2)));
    alike.map(|of_one| of_one[0].0.clone()).collect()
}

fn gaps(file: &File<'_>, group: &GroupOf<'_>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for (index, pair) in group.agents.windows(2).enumerate() {
        let between = &file.lines[pair[0].line as usize..pair[1].line as usize - 1];
        let record = between.iter().rev().find_map(|line| match line.content {
            Content::Other { name, .. } if !line.missing_colon => Some((line.number, shown(name))),
            _ => None,
        });
        let has_blank = between.iter().any(|line| matches!(line.content, Content::Blank));
        let is_same = pair[0].token.eq_ignore_ascii_case(pair[1].token);
        if let Some((after, name)) = record {
            gaps.push(Gap { next: index + 1, after, record: Some(name) });
        } else if has_blank && !is_same {
            gaps.push(Gap { next: index + 1, after: pair[0].line, record: None });
        }
    }
    gaps
}

fn report<'o>(
    file: &File<'_>,
    group: &GroupOf<'_>,
    last: &Gap,
    gaps: &[&Gap],
    repeated: &BTreeSet<Vec<u8>>,
    of_stars: Option<&[u8]>,
    out: &'o mut Diagnostics,
) -> Option<&'o mut crate::Diagnostic> {
    let before = bound(group, last, file, repeated);
    let first = before.first()?;
    let who = names_of(before.iter().copied());
    let next = &group.agents[last.next];
    let separator = last.record.as_ref().map_or("a blank line".to_owned(), |record| format!("`{record}`"));
    let name = shown(next.value);
    let message =
        format!("the rules for `{name}` also apply to {who}: {separator} does not end a list of user-agent lines");
    let found = out.add(file.value(next.line), message);
    found.related(first.line, "the group starts here");
    // Whoever lists crawlers for AI wants to block some of them. An empty rule would open the site to all.
    if before.iter().all(|agent| agent.is_for_ai()) {
        found.help("to block them, end their list with `Disallow: /`; to allow everything, with an empty `Disallow:`");
        return Some(found);
    }
    // Without rules of their own, these crawlers would obey `*`.
    let is_for_any = group.agents.iter().any(|agent| agent.token == b"*");
    let copied = of_stars.filter(|copied| !is_for_any && gaps.len() * copied.len() <= MAX_COPIED);
    let title = match &copied {
        Some(_) => format!("end the list above with the rules for `*`, for {who}"),
        None => format!("end the list above with an empty `Disallow:`, which allows everything to {who}"),
    };
    let copied = copied.map_or_else(|| format!("{}Disallow:", file.line_end).into_bytes(), <[u8]>::to_vec);
    let edits = gaps.iter().map(|gap| {
        let at = file.end_of(gap.after);
        Edit::new(at..at, copied.clone())
    });
    Some(found.unsafe_fix(title, edits.collect()))
}

/// The maximum number of bytes that one fix copies.
const MAX_COPIED: usize = 64 * 1024;

/// Returns the crawlers that are named before a place and that the rules bind only because the groups are joined.
fn bound<'g, 'a>(
    group: &'g GroupOf<'a>,
    gap: &Gap,
    file: &File<'_>,
    repeated: &BTreeSet<Vec<u8>>,
) -> Vec<&'g AgentOf<'a>> {
    let (before, after) = group.agents.split_at(gap.next);
    // The fallback tokens of known crawlers are few, so this is a constant number of steps for each user-agent line.
    let next = &after[0];
    let between = &file.lines[group.first_line() as usize..next.line as usize];
    let last_blank = between.iter().rev().find(|line| matches!(line.content, Content::Blank));
    let last_blank = last_blank.map_or(0, |line| line.number);
    let is_bound = |agent: &&AgentOf<'a>| {
        agent.known.is_none_or(|known| {
            // For Yandex, a blank line ends a group. Googlebot-Image obeys a group for Googlebot anyway.
            let is_ended = known.dialect.blank_line_ends_group && last_blank > agent.line;
            let obeys_anyway = known.chain().any(|token| next.token.eq_ignore_ascii_case(token.as_bytes()));
            !is_ended && !obeys_anyway
        })
    };
    let is_repeated = |agent: &&AgentOf<'a>| repeated.contains(&agent.token.to_ascii_lowercase());
    before.iter().filter(|agent| is_bound(agent) && !is_repeated(agent)).collect()
}

/// The minimum number of rules below `Disallow: /` that are not there by accident.
const MIN_RULES: usize = 3;

/// Reports rules for which a user-agent line is missing: it is a comment, or they are below `Disallow: /` of a named crawler.
fn check_missing_agent(file: &File<'_>, out: &mut Diagnostics) {
    for group in &file.groups {
        // Without a line between them, rules were written together.
        let parted = group.rules.windows(2).map(|pair| (&pair[0], &pair[1])).filter(|(a, b)| b.line() > a.line() + 1);
        for (before, rule) in parted {
            let is_below_closing = before.line() == group.rules[0].line() && closes(before) && !group.is_for_any();
            let above = file.whole_line(rule.line() - 1).start;
            let at = file.whole_line(rule.line()).start;
            let (message, title, edit) = if let Some(agent) = agent_in_comment(file.line(rule.line() - 1)) {
                let message =
                    format!("the user-agent line above this rule is a comment, so the rule is for {}", group.names());
                (message, "remove the `#` above it", Edit::new(above..file.span(agent).start, ""))
            } else if is_below_closing
                && group.rules.len() > MIN_RULES
                && !file.lines[before.line() as usize..rule.line() as usize]
                    .iter()
                    .any(|line| is_misspelled(file, line))
            {
                let verb = if group.agents.len() == 1 { "is" } else { "are" };
                let (count, names) = (group.rules.len() - 1, group.names());
                let message = format!(
                    "{count} rules from here on only apply to {names}, which {verb} shut out anyway: a user-agent line is missing"
                );
                (message, "add `User-agent: *` before it", Edit::new(at..at, format!("User-agent: *{}", file.line_end)))
            } else {
                continue;
            };
            out.add(file.record_span(rule.line()), message).severity(Severity::Warning).unsafe_fix(title, vec![edit]);
        }
    }
}

/// Returns the user-agent line that a comment contains.
fn agent_in_comment<'a>(line: &Line<'a>) -> Option<&'a [u8]> {
    let agent = comment_of(line.text)?.trim_ascii_start();
    let is_agent = matches!(line.content, Content::Comment) && agent.get(..11)?.eq_ignore_ascii_case(b"user-agent:");
    is_agent.then_some(agent)
}

/// Returns true for a user-agent line with a mistake, which other lints report and correct.
fn is_misspelled<'a>(file: &File<'a>, line: &Line<'a>) -> bool {
    let field = mistake(file, line, &mut LastName::default()).map(|mistake| mistake.field);
    field.or_else(|| Some(other_separator(line.text)?.0)) == Some(Field::UserAgent)
}
