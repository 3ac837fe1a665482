//! Whether two files say the same: questions made of their own rules, put to both.

use std::collections::{BTreeMap, BTreeSet};

use comity::{Crawler, Dialect, Robots};

/// Verdicts that differ between two files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Changes {
    /// One example for each crawler and dialect, of each direction.
    pub examples: Vec<Change>,
    /// How many of the questions got another answer.
    pub count: usize,
    /// How many questions were asked.
    pub asked: usize,
    /// There would have been more questions than the bound allows.
    pub cut: bool,
}

/// A verdict that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Change {
    /// The product token; `*` for crawlers that no group names.
    pub agent: String,
    /// The dialect.
    pub dialect: &'static str,
    /// The path.
    pub path: String,
    /// Whether it is allowed now; before, it was the other way round.
    pub allowed: bool,
}

impl Changes {
    /// Whether nothing differs, and all questions were asked.
    pub fn is_none(&self) -> bool {
        self.count == 0 && !self.cut
    }
}

/// The most questions. A file with 50 groups of 100 rules needs a tenth of it.
const MOST: usize = 1_000_000;
/// Those whose answers fixes promise to keep.
const DIALECTS: [Dialect; 2] = [Dialect::STANDARD, Dialect::GOOGLE];

/// Asks both files for every crawler that one of them names, about paths made of the rules of both.
pub(crate) fn changes(before: &[u8], after: &[u8]) -> Changes {
    let mut changes = Changes::default();
    if before == after {
        return changes;
    }
    for dialect in DIALECTS {
        let files = [Robots::parse_with(before, &dialect), Robots::parse_with(after, &dialect)];
        let paths = paths(&files);
        for (agent, _) in agents(&files) {
            let [old, new] = [&files[0], &files[1]].map(|file| file.rules_for(Crawler::from(&agent[..])));
            let mut shown = [false; 2];
            for path in &paths {
                if changes.asked == MOST {
                    changes.cut = true;
                    return changes;
                }
                changes.asked += 1;
                let (was, is) = (old.check(path).is_allowed(), new.check(path).is_allowed());
                if was != is {
                    changes.count += 1;
                    if !std::mem::replace(&mut shown[usize::from(is)], true) {
                        changes.examples.push(Change {
                            agent: String::from_utf8_lossy(&agent).into_owned(),
                            dialect: dialect.name,
                            path: String::from_utf8_lossy(path).into_owned(),
                            allowed: is,
                        });
                    }
                }
            }
        }
    }
    changes
}

/// The tokens that the files name, and `*`; of those that stand in the same groups of both files, one.
fn agents(files: &[Robots; 2]) -> Vec<(Vec<u8>, Vec<(usize, usize)>)> {
    let mut groups: BTreeMap<Vec<u8>, Vec<(usize, usize)>> = BTreeMap::new();
    groups.insert(b"*".to_vec(), Vec::new());
    for (which, file) in files.iter().enumerate() {
        for group in file.groups() {
            for agent in group.agents() {
                groups.entry(agent.token().to_ascii_lowercase()).or_default().push((which, group.index()));
                // A value that is no single token can be asked for as a whole.
                if agent.value() != agent.token() && !agent.is_any() {
                    groups.entry(agent.value().to_ascii_lowercase()).or_default().push((which, group.index()));
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    groups.into_iter().filter(|(_, groups)| seen.insert(groups.clone())).collect()
}

/// Paths at the edges of what the patterns match: what stands for their stars, and what follows them.
fn paths(files: &[Robots; 2]) -> BTreeSet<Vec<u8>> {
    let mut patterns: BTreeSet<&[u8]> = BTreeSet::new();
    for group in files.iter().flat_map(Robots::groups) {
        for rule in group.rules() {
            patterns.insert(rule.pattern());
            patterns.insert(rule.value());
        }
    }
    let mut paths: BTreeSet<Vec<u8>> = [&b"/"[..], b"/a", b"/a/b.html?c=d", b"/robots.txt"].map(<[u8]>::to_vec).into();
    for pattern in patterns {
        let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
        for star in [&b""[..], b"x", b"/x/y"] {
            let mut path = Vec::with_capacity(body.len() + 8);
            for byte in body {
                if *byte == b'*' { path.extend_from_slice(star) } else { path.push(*byte) }
            }
            if path.first() != Some(&b'/') {
                path.insert(0, b'/');
            }
            for tail in [&b""[..], b"x", b"/", b"/x.html", b"?q=1", b"$"] {
                paths.insert([&path, tail].concat());
            }
            path.pop();
            paths.insert(path);
            if !body.contains(&b'*') {
                break;
            }
        }
        // Stop collecting where asking would stop anyway.
        if paths.len() > MOST {
            break;
        }
    }
    paths
}
