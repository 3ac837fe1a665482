use comity::{Crawler, Profile, Purpose, Rule, RuleKind};

use crate::diagnostic::Diagnostics;
use crate::file::File;
use crate::group::{AgentOf, names_of};
use crate::lint::{Severity, lint};

lint! {
    /// A group shuts out a crawler that checks the pages of ads, or that makes the previews of shared links.
    ///
    /// Remove these crawlers from the group, unless the site has no ads and needs no previews.
    ///
    /// ## What it does
    ///
    /// Finds groups that disallow everything and name AdsBot-Google, or crawlers for link previews such as
    /// facebookexternalhit. Also finds rules for AdsBot-Google that block URLs with `gclid`, which all clicks on ads have. Files
    /// that close the site to every crawler are not reported.
    ///
    /// ## Why is this bad?
    ///
    /// Such crawlers index nothing and train no models. Without them, Google may reject the ads of the site, and links to its
    /// pages have no picture and no title in social networks and messengers.
    ///
    /// ## Example
    ///
    /// ```robots
    /// User-agent: AhrefsBot
    /// User-agent: facebookexternalhit
    /// Disallow: /
    /// ```
    ///
    /// ## Use instead
    ///
    /// ```robots
    /// User-agent: AhrefsBot
    /// Disallow: /
    /// ```
    ///
    /// ## Sources
    ///
    /// - Google, Special-case crawlers: `AdsBot`
    /// - Meta, Web crawlers: facebookexternalhit
    "L074" "shut-out-helper", Note, affects: "owners of ads, and people who share links"
}

fn check(file: &File<'_>, out: &mut Diagnostics) {
    if file.groups.iter().any(|group| group.is_for_any() && group.closes()) {
        return;
    }
    check_landing_pages(file, out);
    for group in file.groups.iter().filter(|group| group.closes()) {
        // A rule that allows something shows that the group is thought out.
        if group.rules.iter().any(|rule| rule.kind() == RuleKind::Allow) {
            continue;
        }
        let of = |is_helper: fn(&Profile) -> bool| -> Vec<&AgentOf<'_>> {
            group.agents.iter().filter(|agent| agent.known.is_some_and(|known| !known.retired && is_helper(known))).collect()
        };
        for (helpers, cost) in [
            (of(|known| known.purpose == Purpose::Preview), "links that people share have no preview"),
            (of(|known| known.token == "AdsBot-Google"), "Google may reject the ads of the site"),
        ] {
            let Some(first) = helpers.first() else { continue };
            let (line, names) = (first.line, names_of(helpers.into_iter()));
            out.add(line, file.value(line), format!("this group shuts out {names}: {cost}"));
        }
    }
}

/// Reports a rule that keeps AdsBot-Google from the URLs of ads only.
fn check_landing_pages(file: &File<'_>, out: &mut Diagnostics) {
    let Some(group) = file.groups.iter().find(|group| group.names_token("AdsBot-Google")) else { return };
    let is_about_clicks = |rule: &&Rule<'_>| rule.pattern().windows(5).any(|part| part == b"gclid");
    if !group.rules.iter().any(|rule| is_about_clicks(&rule)) {
        return;
    }
    // The rules are compiled once: a file may have thousands of such rules.
    let verdict = file.robots.rules_for(&Crawler::literal(b"AdsBot-Google")).check_bytes(b"/a?gclid=a");
    let mut deciding = group.rules.iter().filter(|rule| verdict.line() == Some(rule.line()));
    if let Some(rule) = deciding.find(is_about_clicks).filter(|_| verdict.is_disallowed()) {
        let message = "AdsBot-Google may not fetch the pages of ads: the URLs of all clicks have `gclid`";
        out.add(rule.line(), file.value(rule.line()), message).severity(Severity::Warning);
    }
}
