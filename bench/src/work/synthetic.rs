//! Single files that are made to be hard for parsers.

use std::fmt::Write as _;

use super::generator::WORDS;
use super::random::Random;
use super::{AGENT, Body, Case, SITE, case};

/// Returns 16,700 rules in 500 KiB, half of them with wildcards.
pub(super) fn many_rules(questions: usize) -> Case {
    let (text, urls) = rules_and_urls(16_700, 500, questions);
    case(&Body::new("16,700 rules", text.into_bytes()), AGENT, urls)
}

/// Returns a file with this number of rules, of which `wildcards` in a thousand have wildcards, and URLs. Half of the
/// URLs are derived from the rules.
pub(super) fn rules_and_urls(rules: usize, wildcards: usize, questions: usize) -> (String, Vec<String>) {
    let mut random = Random::new(rules as u64);
    let mut text = String::from("User-agent: *\n");
    let mut paths = Vec::new();
    for rule in 0..rules {
        let (word, other) = (random.pick(&WORDS), random.pick(&WORDS));
        let number = format!("{:05x}", random.below(1 << 20));
        let pattern = match (random.per_mille(wildcards), rule % 4) {
            (true, 0) => format!("/{word}/*{number}-{other}"),
            (true, 1) => format!("/*/{word}?{number}="),
            (true, 2) => format!("/{word}*/{other}/{number}$"),
            (true, _) => format!("*{word}-{number}.pdf"),
            (false, 0) => format!("/{word}-{other}/{number}/"),
            (false, _) => format!("/{word}/{other}/{number}"),
        };
        let verb = if rule % 12 == 0 { "Allow" } else { "Disallow" };
        let _ = writeln!(text, "{verb}: {pattern}");
        paths.push(pattern.trim_end_matches('$').replace('*', "/any"));
    }
    let url = |index: usize| {
        let path = match index % 2 {
            0 => paths[random.below(paths.len())].clone(),
            _ => format!("/{}/{:x}/{}", random.pick(&WORDS), random.below(1 << 24), random.pick(&WORDS)),
        };
        format!("{SITE}{path}")
    };
    let urls = (0..questions).map(url).collect();
    (text, urls)
}

/// Returns 1,000 rules `/*a*a*…*b`, and a path of 2 KB of `a`. Each rule fails to match at the last possible byte.
pub(super) fn stars(anchored: bool) -> Case {
    let text = star_rules(1_000, 20, if anchored { "*b$" } else { "*b" });
    let url = format!("{SITE}/{}", "a".repeat(2_047));
    case(&Body::new("1,000 rules of stars", text.into_bytes()), AGENT, vec![url; 50])
}

/// Returns rules with this number of stars. The bits of a rule's number determine which of its segments are `aa`, so
/// that no two rules are equal.
pub(super) fn star_rules(rules: usize, stars: usize, end: &str) -> String {
    let mut text = String::from("User-agent: *\n");
    for rule in 0..rules {
        text += "Disallow: /";
        for star in 0..stars {
            text += if rule >> star & 1 == 1 { "*aa" } else { "*a" };
        }
        let _ = writeln!(text, "{end}");
    }
    text
}
