//! Whether two files say the same: questions made of their own rules, put to both.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use comity::{Crawler, Dialect, Group, Robots, Rule, RuleKind};

use crate::shadows::is_literal;
use crate::stop::{Stopped, Watch};

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

/// The most steps of one comparison: some tenths of a second. A question is a step, and one more for each 64 patterns
/// with operators, which are tried one by one.
pub(crate) const MOST: usize = 1_000_000;
/// Those whose answers fixes promise to keep.
const DIALECTS: [Dialect; 2] = [Dialect::STANDARD, Dialect::GOOGLE];

/// Asks both files for every crawler that one of them names, about paths made of the rules that bind it. Takes the
/// steps from `steps`, and stops without them.
pub(crate) fn changes(
    before: &[u8],
    after: &[u8],
    steps: &mut usize,
    watch: &Watch<'_>,
) -> Result<Changes, Stopped> {
    let mut changes = Changes::default();
    if before == after {
        return Ok(changes);
    }
    for dialect in DIALECTS {
        let files = [before, after].map(|body| Robots::parse_with(body, &dialect));
        let groups = [groups(&files[0]), groups(&files[1])];
        let names: BTreeSet<&[u8]> = groups.iter().flat_map(|groups| groups.keys().map(Vec::as_slice)).collect();
        // Most crawlers are told what another one is told already.
        let mut told = HashSet::new();
        for name in names {
            let rules = [0, 1].map(|file| {
                let star = || groups[file].get(&b"*"[..]);
                let found = groups[file].get(name).or_else(star).into_iter().flatten();
                found.flat_map(Group::rules).collect::<Vec<_>>()
            });
            // A group of thousands of names and rules is read once for each name.
            let reading = (rules[0].len() + rules[1].len()) / 64;
            if *steps < reading {
                changes.cut = true;
                return Ok(changes);
            }
            *steps -= reading;
            let said = rules.each_ref().map(|rules| rules.iter().map(said_by).collect::<Vec<_>>());
            let same = said[0] == said[1];
            if !same && told.insert(said) && !ask(&mut changes, steps, &files, name, &rules, watch)? {
                return Ok(changes);
            }
        }
    }
    Ok(changes)
}

fn said_by<'r>(rule: &Rule<'r>) -> (RuleKind, &'r [u8]) {
    (rule.kind(), rule.pattern())
}

/// Asks about one crawler; returns whether all questions could be asked.
fn ask(
    changes: &mut Changes,
    steps: &mut usize,
    files: &[Robots; 2],
    name: &[u8],
    rules: &[Vec<Rule<'_>>; 2],
    watch: &Watch<'_>,
) -> Result<bool, Stopped> {
    let mut paths = paths(rules.iter().flatten());
    crossings(rules, &mut paths);
    let [old, new] = files.each_ref().map(|file| file.rules_for(Crawler::from(name)));
    let mut shown = [false; 2];
    let weight = 1 + rules.iter().flatten().filter(|rule| !is_literal(rule.pattern())).count() / 64;
    for path in &paths {
        if *steps < weight {
            changes.cut = true;
            return Ok(false);
        }
        *steps -= weight;
        watch.step(weight)?;
        changes.asked += 1;
        let (was, is) = (old.check(path).is_allowed(), new.check(path).is_allowed());
        if was == is {
            continue;
        }
        changes.count += 1;
        if !std::mem::replace(&mut shown[usize::from(is)], true) {
            changes.examples.push(Change {
                agent: String::from_utf8_lossy(&as_written(files, name)).into_owned(),
                dialect: files[0].dialect().name,
                path: String::from_utf8_lossy(path).into_owned(),
                allowed: is,
            });
        }
    }
    Ok(true)
}

/// A name as the files spell it.
fn as_written<'f>(files: &'f [Robots; 2], name: &'f [u8]) -> Cow<'f, [u8]> {
    let agents = files.iter().flat_map(Robots::groups).flat_map(|group| group.agents());
    let mut spelled = agents.flat_map(|agent| [agent.token().to_vec(), agent.value().to_vec()]);
    spelled.find(|spelled| spelled.eq_ignore_ascii_case(name)).map_or(Cow::Borrowed(name), Cow::Owned)
}

/// The groups of each name, in lower case: of tokens, of values that can be asked for as a whole, and of `*`.
fn groups(file: &Robots) -> BTreeMap<Vec<u8>, Vec<Group<'_>>> {
    let mut groups: BTreeMap<Vec<u8>, Vec<Group<'_>>> = BTreeMap::new();
    groups.insert(b"*".to_vec(), Vec::new());
    for group in file.groups() {
        for agent in group.agents() {
            let (token, value) = (agent.token().to_ascii_lowercase(), agent.value().to_ascii_lowercase());
            let whole = (value != token && !agent.is_any()).then_some(value);
            for name in std::iter::once(token).chain(whole) {
                let of_name = groups.entry(name).or_default();
                if of_name.last().is_none_or(|last| last.index() != group.index()) {
                    of_name.push(group);
                }
            }
        }
    }
    groups
}

/// Paths that a pattern which is in one of the files only and another pattern both match, as far as stars tell: the
/// other one's stands where a star is. There a rule that is gone, or new, gets an opponent that it does not meet on
/// paths of its own.
fn crossings(rules: &[Vec<Rule<'_>>; 2], paths: &mut BTreeSet<Vec<u8>>) {
    /// The most of them: as many as leave steps for the rest.
    const MOST: usize = 10_000;
    let [before, after] = rules.each_ref().map(|rules| rules.iter().map(Rule::pattern).collect::<BTreeSet<_>>());
    let most = paths.len() + MOST;
    for changed in before.symmetric_difference(&after) {
        for other in before.union(&after).filter(|other| *other != changed) {
            for (wide, narrow) in [(changed, other), (other, changed)] {
                let Some(stem) = wide.iter().position(|byte| *byte == b'*') else { continue };
                if !narrow.starts_with(&wide[..stem]) {
                    continue;
                }
                let path = [narrow, &wide[stem + 1..]].concat();
                let path = path.strip_suffix(b"$").unwrap_or(&path);
                paths.insert(without(b"*", path));
                if path.contains(&b'$') {
                    paths.insert(without(b"*$", path));
                }
                if paths.len() > most {
                    return;
                }
            }
        }
    }
}

/// A path made of a pattern by leaving operators out.
fn without(operators: &[u8], pattern: &[u8]) -> Vec<u8> {
    let root = (pattern.first() != Some(&b'/')).then_some(b'/');
    root.into_iter().chain(pattern.iter().copied().filter(|byte| !operators.contains(byte))).collect()
}

/// Paths at the edges of what the patterns match: what stands for their stars, and what follows them.
fn paths<'r>(rules: impl Iterator<Item = &'r Rule<'r>>) -> BTreeSet<Vec<u8>> {
    let patterns: BTreeSet<&[u8]> = rules.flat_map(|rule| [rule.pattern(), rule.value()]).collect();
    let mut paths: BTreeSet<Vec<u8>> = [&b"/"[..], b"/a", b"/a/b.html?c=d", b"/robots.txt"].map(<[u8]>::to_vec).into();
    for pattern in patterns {
        let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
        // Operators at its end may be about to go, or to become others.
        let bare = body.iter().rposition(|byte| !matches!(byte, b'*' | b'$')).map_or(&b""[..], |last| &body[..=last]);
        paths.insert(without(b"*", bare));
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
            // Google's parser lets an `Allow` of an index page stand for its directory, too.
            if let Some(page) = path.windows(10).position(|part| part == b"/index.htm") {
                paths.insert(path[..=page].to_vec());
            }
            if path.len() > 1 {
                path.pop();
                paths.insert(path);
            }
            if !body.contains(&b'*') {
                break;
            }
        }
        // More than can be asked.
        if paths.len() > MOST {
            break;
        }
    }
    paths
}
