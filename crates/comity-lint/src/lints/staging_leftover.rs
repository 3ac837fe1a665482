use comity::{Profile, RuleKind};

use crate::diagnostic::Diagnostics;
use crate::file::{File, GroupOf};
use crate::lint::lint;

lint! {
    /// The whole site is closed to every crawler, or to a search engine that brings visitors.
    ///
    /// ## What it does
    ///
    /// Finds a `Disallow: /` that binds every crawler, Googlebot or bingbot, with no `Allow` to open anything again. Files
    /// whose address names a test system (`--url https://staging.example.com/robots.txt`) are left in peace.
    ///
    /// ## Why is this bad?
    ///
    /// Test systems are often closed this way, and the file then goes live with the site. Within days, its pages are shown
    /// without a description, and then they are gone from the index. A better way to close a test system is a password:
    /// then both systems can have the same robots.txt.
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
    "L001" "staging-leftover", Error, concerns: "every crawler, or the one that is named"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if is_test_system(file.evidence.location.as_deref().unwrap_or_default()) {
        return;
    }
    let star = file.groups.iter().filter(|group| group.is_for_any());
    if let Some(line) = closed(star)
        && file.groups.iter().all(|group| closed(std::iter::once(group)).is_some())
    {
        out.add(line, file.said(line), "the whole site is closed to every crawler");
        return;
    }
    let mut last = 0;
    for name in ["Googlebot", "bingbot"] {
        let Some(profile) = file.known.find(name.as_bytes()) else { continue };
        if let Some(line) = closed_to(profile, &file.groups)
            && line != last
        {
            last = line;
            let found = out.add(line, file.said(line), format!("the whole site is closed to {name}"));
            // Above it, often far above, stands who is meant: user-agent lines that no rule parts are one group.
            if let Some(agent) = file.group_of(line).and_then(|group| {
                group.agents.iter().find(|agent| profile.chain().any(|token| agent.token.eq_ignore_ascii_case(token.as_bytes())))
            }) {
                found.related(agent.line, "this user-agent line belongs to the same group");
            }
        }
    }
}

/// The line that closes everything to a crawler: in its own groups, or those of `*`.
fn closed_to(profile: &Profile, groups: &[GroupOf<'_>]) -> Option<u32> {
    for token in profile.chain() {
        let names = |group: &&GroupOf<'_>| {
            group.agents.iter().any(|agent| agent.token.eq_ignore_ascii_case(token.as_bytes()))
        };
        if groups.iter().any(|group| names(&group)) {
            return closed(groups.iter().filter(names));
        }
    }
    closed(groups.iter().filter(|group| group.is_for_any()))
}

/// The rule that closes everything, if no `Allow` opens anything again.
fn closed<'g, 'f: 'g>(groups: impl Iterator<Item = &'g GroupOf<'f>>) -> Option<u32> {
    let mut line = None;
    for rule in groups.flat_map(|group| &group.rules) {
        match (rule.kind(), rule.pattern()) {
            (RuleKind::Allow, [_, ..]) => return None,
            (RuleKind::Disallow, b"/" | b"/*" | b"*") => line = line.or(Some(rule.line())),
            _ => {}
        }
    }
    line
}

/// Whether an address names a system that is no site for visitors.
fn is_test_system(location: &str) -> bool {
    const WORDS: [&str; 12] = [
        "staging", "stage", "stg", "test", "testing", "dev", "development", "qa", "uat", "preview", "localhost",
        "sandbox",
    ];
    let host = location.split("://").nth(1).unwrap_or_default().split(['/', ':']).next().unwrap_or_default();
    host.split(['.', '-']).any(|word| WORDS.contains(&word)) || host.rsplit('.').next() == Some("local")
}
