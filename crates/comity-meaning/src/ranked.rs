//! The rules of one crawler as ranked patterns, including those that the engine applies without a line of the file.

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

impl<'a> RankedRule<'a> {
    /// Returns the pattern that the rule matches: that of the directory for an index page's directory.
    pub(crate) fn matched_text(&self) -> &'a [u8] {
        if self.is_twin { index_directory(self.text).unwrap_or(self.text) } else { self.text }
    }
}

/// The rules of one file for one crawler.
#[derive(Clone, Debug)]
pub(crate) struct RuleList<'a> {
    pub(crate) rules: Vec<RankedRule<'a>>,
    /// The indices of the rules that disallow, and of those that allow.
    by_stem: [StemIndex; 2],
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
        let wildcards = rules.iter().filter(|rule| !rule.pattern.is_literal());
        let wildcard_octets = wildcards.map(|rule| rule.text.len()).sum();
        debug_assert!(rules.is_sorted_by_key(|rule| rule.source), "groups are in the order of their lines");
        let by_stem = [false, true].map(|allows| StemIndex::new(&rules, allows));
        Self { rules, by_stem, wildcard_octets }
    }

    /// Returns the number of steps that one check takes. A hostile file makes the engine search for every segment.
    pub(crate) fn question_steps(&self) -> usize {
        4 + self.wildcard_octets / 64
    }

    /// Returns the rules with this answer that may match a path that starts with `stem`: one of the two stems is a
    /// prefix of the other.
    pub(crate) fn near(&self, stem: &[u8], allows: bool) -> impl Iterator<Item = &RankedRule<'a>> {
        let mut walk = self.by_stem[usize::from(allows)].walk(&self.rules);
        let mut places = Vec::new();
        let shorter = &stem[..stem.len().saturating_sub(1)];
        while let Some(equal) = walk.next(shorter) {
            places.extend_from_slice(equal);
        }
        places.into_iter().chain(walk.starting_with(stem).iter().copied()).map(|place| &self.rules[place as usize])
    }

    /// Returns the rule that decides a path in normal form, among those that `accept` admits.
    pub(crate) fn decide(&self, path: &[u8], accept: impl Fn(&RankedRule<'a>) -> bool) -> Option<&RankedRule<'a>> {
        let mut best: Option<&RankedRule<'a>> = None;
        for index in &self.by_stem {
            let mut walk = index.walk(&self.rules);
            while let Some(places) = walk.next(path) {
                for rule in places.iter().map(|place| &self.rules[*place as usize]) {
                    if best.is_none_or(|best| rule.key > best.key) && accept(rule) && rule.pattern.matches(path) {
                        best = Some(rule);
                    }
                }
            }
        }
        best
    }

    /// Returns the rules of a line: one for each reading of its pattern, and those of an index page's directory.
    pub(crate) fn of_source(&self, source: Source) -> &[RankedRule<'a>] {
        let from = self.rules.partition_point(|rule| rule.source < source);
        let len = self.rules[from..].partition_point(|rule| rule.source == source);
        &self.rules[from..from + len]
    }

    /// Returns the answer and the pattern of each rule, sorted. Two rules with the same answer and pattern are the same
    /// rule, wherever they are in their files.
    pub(crate) fn texts(&self) -> Vec<(bool, &'a [u8])> {
        let mut texts: Vec<_> = self.rules.iter().map(|rule| (rule.allows, rule.text)).collect();
        texts.sort_unstable();
        texts
    }
}

/// The rules with one answer, by stem.
#[derive(Clone, Debug)]
struct StemIndex {
    /// Indices of rules, sorted by stem.
    places: Vec<u32>,
    /// The distinct lengths of the stems, the shortest first.
    lengths: Vec<usize>,
}

impl StemIndex {
    fn new(rules: &[RankedRule<'_>], allows: bool) -> Self {
        let is_in = |(_, rule): &(usize, &RankedRule<'_>)| rule.allows == allows;
        let mut places: Vec<u32> = rules.iter().enumerate().filter(is_in).map(|(index, _)| index as u32).collect();
        places.sort_by_key(|index| rules[*index as usize].pattern.stem());
        let mut lengths: Vec<usize> = places.iter().map(|index| rules[*index as usize].pattern.stem().len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        Self { places, lengths }
    }

    fn walk<'i, 'a>(&'i self, rules: &'i [RankedRule<'a>]) -> Walk<'i, 'a> {
        Walk { rules, places: &self.places, lengths: &self.lengths }
    }
}

/// The rules whose stem starts a path, found with one length of stems after the other.
struct Walk<'i, 'a> {
    rules: &'i [RankedRule<'a>],
    /// The rules whose stem starts with the part of the path that was compared, sorted by stem.
    places: &'i [u32],
    lengths: &'i [usize],
}

impl<'i, 'a> Walk<'i, 'a> {
    /// Returns the rules of the next stem that starts a path. `None` if there are no more. Each call gets the same path.
    fn next(&mut self, path: &[u8]) -> Option<&'i [u32]> {
        while let Some((&len, lengths)) = self.lengths.split_first() {
            // Stems that continue as the path does become fewer with each length, and mostly there are none soon.
            if len > path.len() || self.places.is_empty() {
                return None;
            }
            self.lengths = lengths;
            self.places = self.starting_with(&path[..len]);
            let equal = self.places.partition_point(|place| self.stem(*place).len() == len);
            if equal > 0 {
                return Some(&self.places[..equal]);
            }
        }
        None
    }

    /// Returns the rules that are left whose stem starts with `start`.
    fn starting_with(&self, start: &[u8]) -> &'i [u32] {
        let from = self.places.partition_point(|place| self.stem(*place) < start);
        let len = self.places[from..].partition_point(|place| self.stem(*place).starts_with(start));
        &self.places[from..from + len]
    }

    fn stem(&self, place: u32) -> &'a [u8] {
        self.rules[place as usize].pattern.stem()
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
