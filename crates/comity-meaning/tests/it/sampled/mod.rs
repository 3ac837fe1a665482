//! A comparison of two files by samples, to compare the exact one with: it asks about paths made from the rules that only
//! one file has. It finds most differences, and its "same" is a guess.

use std::collections::BTreeSet;

use comity::{Crawler, Crawlers, Group, Robots, Rule, RuleKind};

/// The texts that replace a star.
const FOR_STARS: [&[u8]; 3] = [b"", b"x", b"/x/y"];

/// The texts that follow a pattern.
const TAILS: [&[u8]; 6] = [b"", b"x", b"/", b"/x.html", b"?q=1", b"$"];

/// Returns a path with different answers for a crawler that a file or the table names, or for any other one. `None` if no
/// sample has different answers.
pub(crate) fn difference(old: &Robots, new: &Robots, table: &Crawlers) -> Option<Vec<u8>> {
    let files = [old, new];
    let agents = files.into_iter().flat_map(Robots::groups).flat_map(|group| group.agents());
    let agents = agents.filter(|agent| !agent.is_any());
    let mut tokens: BTreeSet<Vec<u8>> = agents.map(|agent| agent.token().to_ascii_lowercase()).collect();
    for row in table {
        tokens.remove(row.token.to_ascii_lowercase().as_bytes());
    }
    let known = table.iter().map(Crawler::from);
    let named = tokens.iter().map(Crawler::literal);
    let mut asked = BTreeSet::new();
    for crawler in std::iter::once(Crawler::ANY).chain(known).chain(named) {
        let groups = files.map(|file| file.groups_for(&crawler).collect::<Vec<_>>());
        if !asked.insert(groups.each_ref().map(|groups| groups.iter().map(Group::index).collect::<Vec<_>>())) {
            continue;
        }
        let rules = groups.map(|groups| groups.iter().flat_map(Group::rules).collect::<Vec<_>>());
        let compiled = files.map(|file| file.rules_for(&crawler));
        let differs = |path: &Vec<u8>| {
            let url = [b"https://site.example", path.as_slice()].concat();
            let [was, is] = compiled.each_ref().map(|rules| rules.check_bytes(&url).is_allowed());
            was != is
        };
        if let Some(path) = samples(&rules).into_iter().find(differs) {
            return Some(path);
        }
    }
    None
}

/// Returns paths at the edges of each rule that only one file has, and where such a rule meets a rule of the other kind.
fn samples(rules: &[Vec<Rule<'_>>; 2]) -> Vec<Vec<u8>> {
    let key = |rule: &Rule<'_>| (rule.kind() == RuleKind::Allow, rule.pattern().to_vec());
    let keys = rules.each_ref().map(|rules| rules.iter().map(key).collect::<BTreeSet<_>>());
    let mut paths = vec![b"/".to_vec(), b"/a".to_vec(), b"/a/b.html?c=d".to_vec(), b"/robots.txt".to_vec()];
    for (is_allow, pattern) in keys[0].symmetric_difference(&keys[1]) {
        edges(pattern, &mut paths);
        for (_, other) in keys.iter().flatten().filter(|(kind, _)| kind != is_allow) {
            meetings(pattern, other, &mut paths);
            meetings(other, pattern, &mut paths);
        }
    }
    paths
}

fn edges(pattern: &[u8], paths: &mut Vec<Vec<u8>>) {
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    for star in FOR_STARS {
        let filled = body.split(|octet| *octet == b'*').collect::<Vec<_>>().join(star);
        paths.extend(TAILS.map(|tail| path(&[&filled, tail])));
        paths.push(path(&[&filled[..filled.len().saturating_sub(1)]]));
    }
}

/// Adds paths that match the narrow pattern and then what the wide one requires after its first star, if one starts as
/// the other does.
fn meetings(wide: &[u8], narrow: &[u8], paths: &mut Vec<Vec<u8>>) {
    let Some(star) = wide.iter().position(|octet| *octet == b'*') else { return };
    if !narrow.starts_with(&wide[..star]) {
        return;
    }
    let [rest, start] = [&wide[star + 1..], narrow].map(|part| part.strip_suffix(b"$").unwrap_or(part));
    let [rest, start] =
        [rest, start].map(|part| part.iter().copied().filter(|octet| *octet != b'*').collect::<Vec<_>>());
    paths.extend([&b""[..], b"x"].map(|between| path(&[&start, between, &rest])));
}

/// Returns a path that consists of these parts.
fn path(parts: &[&[u8]]) -> Vec<u8> {
    let text = parts.concat();
    if text.starts_with(b"/") { text } else { [b"/", text.as_slice()].concat() }
}
