//! The rules of one crawler as ranked patterns, including those that the engine applies without a line of the file.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use comity::dialect::Precedence;
use comity::{Dialect, Group, Rule, RuleKind};

use crate::pattern::Pattern;

/// The origin of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Source {
    /// No line: a URL that no rule matches is allowed.
    Default,
    /// No line: `/robots.txt` itself is always allowed (RFC 9309 §2.2.2).
    RobotsTxt,
    /// A line of the file, from 1.
    Line(u32),
}

impl Source {
    pub(crate) fn line(self) -> Option<u32> {
        match self {
            Self::Line(line) => Some(line),
            Self::Default | Self::RobotsTxt => None,
        }
    }
}

/// A rule with its pattern, its answer and its rank.
#[derive(Clone, Debug)]
pub(crate) struct RankedRule<'a> {
    /// One reading of its pattern. A rule with two readings is in the list twice.
    pub(crate) pattern: Pattern<'a>,
    /// Its pattern in normal form, which identifies it.
    pub(crate) text: &'a [u8],
    /// True if the rule allows its URLs, as an empty `Disallow` does.
    pub(crate) allows: bool,
    /// The rank. Of the rules that match, the one with the greatest key decides.
    pub(crate) key: u64,
    pub(crate) source: Source,
    /// True for the directory that an `Allow` of an index page allows as well.
    pub(crate) is_twin: bool,
}

/// The rules of one file for one crawler.
#[derive(Clone, Debug)]
pub(crate) struct RuleList<'a> {
    pub(crate) rules: Vec<RankedRule<'a>>,
    /// Indices into `rules` by stem.
    by_stem: BTreeMap<&'a [u8], Vec<u32>>,
    stem_lengths: BTreeSet<usize>,
    /// The number of octets of all patterns that are not literals.
    wildcard_octets: usize,
}

const ROBOTS_TXT: &[u8] = b"/robots.txt";

impl<'a> RuleList<'a> {
    pub(crate) fn new(groups: &[Group<'a>], dialect: &Dialect) -> Self {
        let mut rules = alloc::vec![RankedRule {
            pattern: Pattern::everything(),
            text: b"",
            allows: true,
            key: 0,
            source: Source::Default,
            is_twin: false,
        }];
        if dialect.robots_txt_allowed {
            rules.push(RankedRule {
                pattern: Pattern { segments: alloc::vec![ROBOTS_TXT], anchored: true },
                text: b"/robots.txt$",
                allows: true,
                key: u64::MAX,
                source: Source::RobotsTxt,
                is_twin: false,
            });
        }
        for rule in groups.iter().flat_map(Group::rules) {
            push(&rule, dialect, &mut rules);
        }
        let mut list = Self { rules, by_stem: BTreeMap::new(), stem_lengths: BTreeSet::new(), wildcard_octets: 0 };
        for (index, rule) in list.rules.iter().enumerate() {
            list.by_stem.entry(rule.pattern.stem()).or_default().push(index as u32);
            list.stem_lengths.insert(rule.pattern.stem().len());
            if !rule.pattern.is_literal() {
                list.wildcard_octets += rule.text.len();
            }
        }
        list
    }

    /// Returns the number of steps that one check takes. A hostile file makes the engine search for every segment.
    pub(crate) fn question_steps(&self) -> usize {
        4 + self.wildcard_octets / 64
    }

    /// Returns the rules that may match a path that starts with `stem`: one of the two stems is a prefix of the other.
    pub(crate) fn near(&self, stem: &'a [u8]) -> impl Iterator<Item = &RankedRule<'a>> {
        let shorter = self.stem_lengths.range(..stem.len()).filter_map(|len| self.by_stem.get(&stem[..*len]));
        let longer = self.by_stem.range(stem..).take_while(move |(other, _)| other.starts_with(stem));
        shorter.chain(longer.map(|(_, rules)| rules)).flatten().map(|index| &self.rules[*index as usize])
    }

    /// Returns the rule that decides a path in normal form, among those that `accept` admits.
    pub(crate) fn decide(&self, path: &[u8], accept: impl Fn(&RankedRule<'a>) -> bool) -> Option<&RankedRule<'a>> {
        let stems = self.stem_lengths.range(..=path.len()).filter_map(|len| self.by_stem.get(&path[..*len]));
        let mut best: Option<&RankedRule<'a>> = None;
        for rule in stems.flatten().map(|index| &self.rules[*index as usize]) {
            if best.is_none_or(|best| rule.key > best.key) && accept(rule) && rule.pattern.matches(path) {
                best = Some(rule);
            }
        }
        best
    }

    /// Returns the answer and the pattern of each rule. Two rules with the same answer and pattern are the same rule,
    /// wherever they are in their files.
    pub(crate) fn texts(&self) -> BTreeSet<(bool, &'a [u8])> {
        self.rules.iter().map(|rule| (rule.allows, rule.text)).collect()
    }
}

/// Adds a rule of the file, once for each reading of its pattern. Skips a rule that never decides.
fn push<'a>(rule: &Rule<'a>, dialect: &Dialect, rules: &mut Vec<RankedRule<'a>>) {
    let (text, source) = (rule.pattern(), Source::Line(rule.line()));
    let is_allow = rule.kind() == RuleKind::Allow;
    if text.is_empty() {
        // Here the first match decides, so an empty `Disallow` allows everything that no rule before it matched.
        if dialect.precedence == Precedence::FirstMatch && !is_allow {
            let (pattern, key) = (Pattern::everything(), key(0, false, rule.line(), dialect));
            rules.push(RankedRule { pattern, text, allows: true, key, source, is_twin: false });
        }
        return;
    }
    let mut add = |pattern, priority, is_twin| {
        let key = key(priority, is_allow, rule.line(), dialect);
        rules.push(RankedRule { pattern, text, allows: is_allow, key, source, is_twin });
    };
    for pattern in Pattern::readings(text, dialect.wildcards) {
        add(pattern, text.len(), false);
    }
    let directory = if dialect.allow_index_allows_directory && is_allow { index_directory(text) } else { None };
    for mut pattern in directory.into_iter().flat_map(|directory| Pattern::readings(directory, dialect.wildcards)) {
        pattern.anchored = true;
        add(pattern, directory.map_or(0, <[u8]>::len) + 1, true);
    }
}

/// Returns the directory of an index page, which some engines allow together with the page.
fn index_directory(text: &[u8]) -> Option<&[u8]> {
    let slash = text.iter().rposition(|octet| *octet == b'/')?;
    text[slash..].starts_with(b"/index.htm").then(|| &text[..=slash])
}

/// Returns the rank of a rule: by the octets of its pattern, then `Allow`, then the earlier line (RFC 9309 §2.2.2); or
/// by its line alone. A key is greater than the default's and less than that of `/robots.txt` itself.
fn key(priority: usize, is_allow: bool, line: u32, dialect: &Dialect) -> u64 {
    let early = u64::from(u32::MAX - line);
    match dialect.precedence {
        Precedence::FirstMatch => early + 1,
        _ => (priority as u64) << 33 | u64::from(is_allow) << 32 | early,
    }
}
