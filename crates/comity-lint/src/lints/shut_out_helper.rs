use comity::Crawler;

use crate::prelude::*;
use crate::recognize::groups::rules_for_any;

lint! {
    /// A group shuts out a crawler that checks the pages of ads or makes the previews of shared links, or a file that programs look for.
    ///
    /// Remove these crawlers from the group, unless the site has no ads and needs no previews. Allow the file.
    ///
    /// ## What it does
    ///
    /// Finds groups that disallow everything and name AdsBot-Google, another crawler for the ads or products of a site, or
    /// crawlers for link previews such as facebookexternalhit, or Applebot in a file that blocks
    /// crawlers which train models. Finds crawlers for AI search that are blocked while the one of the same operator for training is not, in such a file. Also finds rules for AdsBot-Google that block landing pages, such
    /// as `/lp/`, or URLs with `gclid`, which all clicks on ads have; and rules for `*` that block `/ads.txt`, `/favicon.ico` or
    /// `/.well-known/`. Files that close the site to every crawler are not reported.
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
    check_files(file, out);
    let closed = || file.groups.iter().filter(|group| group.closes());
    let is_training =
        closed().flat_map(|group| &group.agents).any(trains) && file.line_naming("Applebot-Extended").is_none();
    let is_apples: fn(&Profile) -> bool = if is_training { |known| known.token == "Applebot" } else { |_| false };
    check_swapped(file, out);
    for group in closed() {
        // A rule that allows something shows that the group is thought out.
        if group.rules.iter().any(|rule| rule.kind() == RuleKind::Allow) {
            continue;
        }
        let of = |is_helper: fn(&Profile) -> bool| -> Vec<&AgentOf<'_>> {
            group
                .agents
                .iter()
                .filter(|agent| agent.known.is_some_and(|known| !known.retired && is_helper(known)))
                .collect()
        };
        for (mut helpers, cost) in [
            (of(|known| known.purpose == Purpose::Preview), "links that people share have no preview"),
            (of(|known| known.token.starts_with("AdsBot-Google")), "Google may reject the ads of the site"),
            (of(|known| known.token == "adidxbot"), "Microsoft may reject the ads of the site"),
            (of(|known| known.token == "Storebot-Google"), "Google Shopping may not show the products of the site"),
            (of(is_apples), "Siri and Spotlight do not find the site; the name for training is `Applebot-Extended`"),
            (of(|known| known.token == "Google-InspectionTool"), "the tests of Search Console fail"),
        ] {
            helpers.dedup_by(|a, b| a.token.eq_ignore_ascii_case(b.token));
            let Some(first) = helpers.first() else { continue };
            let (line, names) = (first.line, names_of(helpers.into_iter()));
            out.add(file.value(line), format!("this group shuts out {names}: {cost}"));
        }
    }
}

/// Returns true for a crawler whose pages train models, other than that of a search engine.
fn trains(agent: &AgentOf<'_>) -> bool {
    agent.trains() && agent.known.is_some_and(|known| known.purpose != Purpose::Search)
}

fn have_one_operator(one: &AgentOf<'_>, other: &AgentOf<'_>) -> bool {
    one.known.map(|known| &known.operator) == other.known.map(|known| &known.operator)
}

/// Reports a blocked crawler for AI search whose operator may train models by another one, in a file that blocks others for
/// training.
fn check_swapped(file: &File<'_>, out: &mut Diagnostics) {
    let agents = |is_closed: bool| {
        let groups = file.groups.iter().filter(move |group| group.closes() == is_closed);
        groups.flat_map(|group| &group.agents)
    };
    if agents(true).filter(|agent| trains(agent)).take(MIN_BLOCKED).count() < MIN_BLOCKED {
        return;
    }
    // The first one of each operator, which are few: a file may name thousands of crawlers, and each blocked one is
    // looked up. A map would be 1.6 KB of WebAssembly.
    let mut open: Vec<&AgentOf<'_>> = Vec::new();
    for agent in agents(false).filter(|agent| trains(agent)) {
        if !open.iter().any(|other| have_one_operator(other, agent)) {
            open.push(agent);
        }
    }
    for agent in agents(true) {
        let Some(known) = agent.known.filter(|known| known.purpose == Purpose::AiSearch) else { continue };
        if let Some(other) = open.iter().find(|other| have_one_operator(other, agent)) {
            let (own, operator, other_name) = (&known.token, &known.operator, shown(other.token));
            let message = format!(
                "`{own}`, which trains no models, is blocked, but `{other_name}` of {operator} is not: are they swapped?"
            );
            out.add(file.value(agent.line), message)
                .severity(Severity::Warning)
                .related(other.line, "the crawler for training");
        }
    }
}

/// The number of blocked crawlers for training with which a file is against training.
const MIN_BLOCKED: usize = 2;

/// Reports a rule that keeps AdsBot-Google from the pages of ads.
fn check_landing_pages(file: &File<'_>, out: &mut Diagnostics) {
    const PATHS: [&str; 8] = ["/ads/", "/adwords", "/campaign", "/kampagne", "/landing", "/lp/", "/ppc/", "/sem/"];
    let Some(group) = file.groups.iter().find(|group| group.names_token("AdsBot-Google")) else { return };
    let is_click = |pattern: &[u8]| pattern.windows(4).any(|part| matches!(part, b"clid" | b"utm_"));
    // Ads do not lead to pages that are not public.
    let has =
        |pattern: &[u8], word: &str| pattern.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
    let is_public = |pattern: &[u8]| !["draft", "preview", "staging", "test"].iter().any(|word| has(pattern, word));
    let is_path = |pattern: &[u8]| PATHS.iter().any(|path| pattern.starts_with(path.as_bytes())) && is_public(pattern);
    let is_about_ads = |rule: &&Rule<'_>| disallows(rule) && (is_click(rule.pattern()) || is_path(rule.pattern()));
    let Some(rule) = group.rules.iter().find(is_about_ads) else { return };
    // The rules are compiled once: a file may have thousands of such rules.
    let rules = file.robots.rules_for(&Crawler::literal(b"AdsBot-Google"));
    let is_blocked = |url: &[u8]| rules.check_bytes(url).is_disallowed();
    let message = if is_click(rule.pattern()) && (is_blocked(b"/a?gclid=a") || is_blocked(b"/a?utm_source=a")) {
        "AdsBot-Google may not fetch the pages of ads: the URLs of all clicks have such parameters"
    } else if is_path(rule.pattern()) && is_blocked(rule.pattern()) {
        "AdsBot-Google may not fetch these pages: if ads lead to them, Google may reject the ads"
    } else {
        return;
    };
    out.add(file.value(rule.line()), message).severity(Severity::Warning);
}

/// Reports rules for `*` that block a file which programs look for at the same path of every site.
fn check_files(file: &File<'_>, out: &mut Diagnostics) {
    const FILES: [(&str, &str); 3] = [
        ("/ads.txt", "buyers of ads do not see who may sell them"),
        ("/favicon.ico", "search results show no icon of the site"),
        ("/.well-known/assetlinks.json", "apps and services do not find what belongs to the site"),
    ];
    let mut rules = None;
    for rule in rules_for_any(file).filter(|rule| disallows(rule)) {
        // The other patterns match none of these paths.
        if !matches!(rule.pattern(), [b'*', ..] | [b'/', b'*' | b'.' | b'a' | b'f', ..]) {
            continue;
        }
        let pattern =
            rule.pattern().strip_suffix(b"$").or_else(|| rule.pattern().strip_suffix(b"*")).unwrap_or(rule.pattern());
        if ![&b".txt"[..], b".ico", b"/.", b"/.well-known", b"/.well-known/"].iter().any(|end| pattern.ends_with(end)) {
            continue;
        }
        let rules = rules.get_or_insert_with(|| file.robots.rules_for(&Crawler::ANY));
        let is_blocked = |path: &str| {
            let verdict = rules.check(path);
            verdict.is_disallowed() && verdict.line() == Some(rule.line())
        };
        if let Some((path, cost)) = FILES.iter().find(|(path, _)| is_blocked(path)) {
            out.add(file.value(rule.line()), format!("`{}` blocks `{path}`: {cost}", shown(rule.value())));
        }
    }
}
