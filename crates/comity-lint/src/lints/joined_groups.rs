use comity::{Content, RuleKind};

use crate::diagnostic::Diagnostics;
use crate::file::{AgentOf, File, GroupOf, shown};
use crate::fix::Edit;
use crate::lint::{Severity, lint};

lint! {
    /// Crawlers read two groups as one, since no rule separates their user-agent lines.
    ///
    /// End the first group with the rules that it should have, or with an empty `Disallow:`.
    ///
    /// ## What it does
    ///
    /// Finds user-agent lines with only a `Crawl-delay`, another record or a blank line before the next user-agent
    /// line, so that the rules after it apply to both. If the next line names `*`, it is reported only if the rules
    /// block the whole site, or if a blank line separates the two.
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
    "L054" "joined-groups", Warning, concerns: "the crawlers that are named first"
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
    for group in file.groups.iter().filter(|group| group.agents.len() > 1) {
        let forbids = group.rules.iter().any(|rule| rule.kind() == RuleKind::Disallow && rule.priority() > 0);
        if !forbids {
            continue;
        }
        let all = gaps(file, group);
        let of_records: Vec<&Gap> = all.iter().filter(|gap| gap.record.is_some()).collect();
        let closes = group.rules.iter().any(|rule| rule.kind() == RuleKind::Disallow && matches!(rule.pattern(), b"/" | b"/*" | b"*"));
        let is_for_any = |gap: &&Gap| group.agents[gap.next..].iter().any(|agent| agent.token == b"*");
        if let Some(last) = of_records.last().filter(|gap| closes || !is_for_any(gap)) {
            report(file, group, last, &of_records, out);
        } else if of_records.is_empty()
            && let Some(last) = all.last()
        {
            report(file, group, last, &all.iter().collect::<Vec<_>>(), out).severity(Severity::Note);
        }
    }
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
    out: &'o mut Diagnostics,
) -> &'o mut crate::Diagnostic {
    let name = |agent: &AgentOf<'_>| shown(agent.value);
    let before = &group.agents[..last.next];
    let who = match before {
        [one] => format!("`{}`", name(one)),
        [first, second] => format!("`{}` and `{}`", name(first), name(second)),
        [first, others @ ..] => format!("`{}` and {} others", name(first), others.len()),
        [] => String::new(),
    };
    let next = &group.agents[last.next];
    let separator = last.record.as_ref().map_or("a blank line".to_owned(), |record| format!("`{record}`"));
    let message = format!("the rules for `{}` also apply to {who}: {separator} does not end a list of user-agent lines", name(next));
    let found = out.add(next.line, file.value(next.line), message);
    found.related(before[0].line, "the group starts here");
    let edits = gaps.iter().map(|gap| {
        let at = file.end_of(gap.after);
        Edit::new(at..at, format!("{}Disallow:", file.line_end()))
    });
    let title = format!("end the list before it with an empty `Disallow:`, which allows everything for {who}");
    found.unsafe_fix(title, edits.collect())
}
