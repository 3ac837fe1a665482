use crate::blocking::is_home_or_file;
use crate::prelude::*;
use crate::recognize::host::is_test_host;
use crate::recognize::records::except_google;

lint! {
    /// The whole site is blocked for every crawler, or for a search engine that brings visitors.
    ///
    /// If the site is live, remove the `/` after `Disallow:`. If it is a test system, protect it with a password
    /// instead: then both systems can have the same robots.txt, and it can't go live by mistake.
    ///
    /// ## What it does
    ///
    /// Finds `Disallow: /` for every crawler, for Googlebot or for bingbot, unless an `Allow` rule opens a page again.
    /// Rules that allow only files such as `/favicon.ico`, `/ads.txt` and `/wp-admin/admin-ajax.php` make no difference. If a rule allows only the home
    /// page (`/$`), which is hardly an accident, the finding is a note.
    /// Files at the address of a test system (`--url https://staging.example.com/robots.txt`) are not reported.
    ///
    /// ## Why is this bad?
    ///
    /// Test systems are often blocked this way, and then the file is published with the site. Within days, search
    /// engines show its pages without a description. Later, they drop them from the index.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: *
    /// Disallow:
    /// ```
    ///
    /// ## Sources
    ///
    /// - RFC 9309 §2.2.2
    /// - Portent, The Complete Guide to Robots.txt: blocking a site by mistake
    "L001" "staging-leftover", Error, affects: "every crawler, or the one that is named"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if is_test_system(file.evidence.location.as_deref().unwrap_or_default()) {
        return;
    }
    let star = closed(file.groups.iter().filter(|group| group.is_for_any()));
    let open: Vec<&GroupOf<'_>> =
        file.groups.iter().filter(|group| !group.is_for_any() && closed([*group]).is_none()).collect();
    if let Some(line) = star
        && open.is_empty()
    {
        let stars = || file.groups.iter().filter(|group| group.is_for_any());
        let what = blocked(stars());
        let found =
            out.add(file.record_span(line), format!("{what} is blocked for every crawler{}", except_google(file)));
        found.severity(severity(what));
        // With other user-agent lines after it, the line of `*` looks as if it had no rules.
        let agents = file.group_of(line).map_or(&[][..], |group| &group.agents);
        if let [before @ .., _] = agents
            && let Some(agent) = before.iter().find(|agent| agent.token == b"*")
        {
            found.related(agent.line, "this user-agent line belongs to the same group");
        }
        return;
    }
    let mut told = Vec::new();
    for name in ["Googlebot", "bingbot"] {
        let Some(profile) = file.known.find(name.as_bytes()) else { continue };
        let Some(line) = closed_to(profile, &file.groups).filter(|line| !told.contains(line)) else { continue };
        told.push(line);
        let Some(group) = file.group_of(line) else { continue };
        let what = blocked([group]);
        // The user-agent line may be far above the rule, since user-agent lines without a rule between them form one
        // group.
        let own = profile
            .chain()
            .find_map(|token| group.agents.iter().find(|agent| agent.token.eq_ignore_ascii_case(token.as_bytes())));
        let Some(agent) = own.filter(|_| star != Some(line)) else {
            let names: Vec<&AgentOf<'_>> = open.iter().flat_map(|group| &group.agents).collect();
            let others =
                if names.is_empty() { String::new() } else { format!(" except {}", names_of(names.into_iter())) };
            let message = format!("{what} is blocked for every crawler{others}, and so for {name}");
            out.add(file.record_span(line), message).severity(severity(what));
            continue;
        };
        let is_own = agent.token.eq_ignore_ascii_case(name.as_bytes());
        let other = format!(", which obeys the group for `{}`", shown(agent.token));
        let follows = if is_own { String::new() } else { other };
        // With other user-agent lines after it, the line looks as if it belonged to another group.
        let is_last = group.agents.last().is_some_and(|last| last.line == agent.line);
        let joined = if is_last { String::new() } else { format!(": line {} belongs to this group", agent.line) };
        let found = out.add(file.record_span(line), format!("{what} is blocked for {name}{follows}{joined}"));
        found.severity(severity(what));
        found.related(agent.line, "this user-agent line belongs to the same group");
        // A group for bingbot alone is hardly an accident.
        found.severity_if(name != "Googlebot" && group.agents.len() == 1 && star.is_none(), Severity::Warning);
    }
}

const WHOLE_SITE: &str = "the whole site";

/// Returns the part of the site that groups block which disallow everything: all of it, or all but the home page.
fn blocked<'g, 'f: 'g>(groups: impl IntoIterator<Item = &'g GroupOf<'f>>) -> &'static str {
    let is_home = |rule: &Rule<'_>| rule.kind() == RuleKind::Allow && rule.pattern() == b"/$";
    let allows_home = groups.into_iter().flat_map(|group| &group.rules).any(is_home);
    if allows_home { "the whole site except the home page" } else { WHOLE_SITE }
}

/// Returns the severity of a finding. To open only the home page is hardly an accident.
fn severity(blocked: &str) -> Severity {
    if blocked == WHOLE_SITE { Severity::Error } else { Severity::Note }
}

/// Returns the line that disallows everything for a crawler, in its own groups or else in those of `*`.
fn closed_to(profile: &Profile, groups: &[GroupOf<'_>]) -> Option<u32> {
    for token in profile.chain() {
        let names = |group: &&GroupOf<'_>| group.names_token(token);
        if groups.iter().any(|group| names(&group)) {
            return closed(groups.iter().filter(names));
        }
    }
    closed(groups.iter().filter(|group| group.is_for_any()))
}

/// Returns the line of the rule that disallows everything, if no `Allow` rule allows any page.
fn closed<'g, 'f: 'g>(groups: impl IntoIterator<Item = &'g GroupOf<'f>>) -> Option<u32> {
    let mut line = None;
    for rule in groups.into_iter().flat_map(|group| &group.rules) {
        match (rule.kind(), rule.pattern()) {
            (RuleKind::Allow, pattern @ [_, ..]) if !is_home_or_file(pattern) => return None,
            (RuleKind::Disallow, b"/" | b"/*" | b"*") => line = line.or(Some(rule.line())),
            _ => {}
        }
    }
    line
}

/// Returns true if a URL is on a test system, which is not meant for visitors.
fn is_test_system(location: &str) -> bool {
    is_test_host(location.split("://").nth(1).unwrap_or_default().split(['/', ':']).next().unwrap_or_default())
}
