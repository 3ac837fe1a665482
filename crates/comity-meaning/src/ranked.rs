//! The rules of one crawler as ranked patterns, including those that the engine applies without a line of the file.

use alloc::vec::Vec;
use core::cmp::Reverse;

use comity::dialect::Precedence;
use comity::{Dialect, Group, Rule, RuleKind};

use crate::pattern::{OctetSet, Pattern};
use crate::spelling::{FileSpellings, Respelled};

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
    /// True if two dialects are compared and the rule matches other canonical paths than its text says.
    pub(crate) is_respelled: bool,
}

impl<'a> RankedRule<'a> {
    /// Returns the pattern that the rule matches: that of the directory for an index page's directory.
    pub(crate) fn matched_text(&self) -> &'a [u8] {
        if self.is_twin { index_directory(self.text).unwrap_or(self.text) } else { self.text }
    }

    /// Returns the whole pattern that the rule matches, with its anchor.
    pub(crate) fn matching_text(&self) -> Vec<u8> {
        match self.text {
            // An empty `Disallow` that decides matches everything.
            b"" if self.source.line().is_some() => b"/".to_vec(),
            text if !self.is_twin => text.to_vec(),
            _ => [self.matched_text(), b"$"].concat(),
        }
    }

    /// Returns what tells the rule from the others of its file. Only the readings of its pattern have the same.
    pub(crate) fn identity(&self) -> (Source, bool) {
        (self.source, self.is_twin)
    }
}

/// The rules of one file for one crawler.
#[derive(Clone, Debug)]
pub(crate) struct RuleList<'a> {
    pub(crate) rules: Vec<RankedRule<'a>>,
    /// The indices of the rules that disallow, and of those that allow.
    by_stem: [StemIndex<'a>; 2],
    /// The number of bytes of all patterns that are not literals.
    wildcard_octets: usize,
    /// False if some rule matches other paths as well.
    pub(crate) is_complete: bool,
}

pub(crate) const ROBOTS_TXT: &[u8] = b"/robots.txt";

impl<'a> RuleList<'a> {
    /// Returns an upper bound of the bytes that a rule takes in a list, and in the rules that the engine compiles.
    pub(crate) fn octets_of(rule: &Rule<'_>, spellings: &FileSpellings) -> usize {
        // An entry of a list is also in the indices of the list. The engine needs less than these numbers, which a test
        // checks with large files.
        const INDEXED: usize = size_of::<RankedRule<'_>>() + size_of::<Stem<'_>>() + 16;
        const COMPILED: usize = 96;
        const COMPILED_STARS: usize = 112;
        let text = rule.pattern();
        let stars = memchr::memchr_iter(b'*', text).count();
        let patterns = 1 + usize::from(rule.kind() == RuleKind::Allow && index_directory(text).is_some());
        let readings = 1 + usize::from(text.starts_with(b"*"));
        let readings = spellings.of(text).map_or(readings, Respelled::len);
        let compiled = COMPILED + if stars > 0 { COMPILED_STARS } else { 0 };
        patterns * (compiled + readings * (INDEXED + size_of::<&[u8]>() * stars))
    }

    pub(crate) fn new(groups: &[Group<'a>], dialect: &Dialect, spellings: &'a FileSpellings) -> Self {
        let lines = groups.iter().map(|group| group.rules().len()).sum::<usize>();
        let mut rules = Vec::with_capacity(lines + 2);
        rules.push(RankedRule {
            pattern: Pattern::everything(),
            text: b"",
            allows: true,
            key: 0,
            source: Source::Default,
            is_twin: false,
            is_respelled: false,
        });
        if dialect.robots_txt_allowed {
            rules.push(RankedRule {
                pattern: Pattern::literal(ROBOTS_TXT, true),
                text: b"/robots.txt$",
                allows: true,
                key: u64::MAX,
                source: Source::RobotsTxt,
                is_twin: false,
                is_respelled: false,
            });
        }
        for rule in groups.iter().flat_map(Group::rules) {
            push(&rule, dialect, spellings, &mut rules);
        }
        let wildcards = rules.iter().filter(|rule| !rule.pattern.is_literal());
        let wildcard_octets = wildcards.map(|rule| rule.text.len()).sum();
        debug_assert!(rules.is_sorted_by_key(|rule| rule.source), "groups are in the order of their lines");
        let by_stem = [false, true].map(|allows| StemIndex::new(&rules, allows));
        let is_complete = rules.iter().all(|rule| spellings.covers(rule.text));
        Self { rules, by_stem, wildcard_octets, is_complete }
    }

    /// Returns the number of steps that one check takes. A hostile file makes the engine search for every segment.
    pub(crate) fn question_steps(&self) -> usize {
        4 + self.wildcard_octets / 64
    }

    /// Returns the rules with this answer that may match a path that starts with `stem`, each with its index: one of the
    /// two stems is a prefix of the other.
    pub(crate) fn near(&self, stem: &[u8], allows: bool) -> impl Iterator<Item = (usize, &RankedRule<'a>)> {
        let index = &self.by_stem[usize::from(allows)];
        // Those with an equal stem are among the ones that start with it.
        let shorter = index.prefixes(&stem[..stem.len().saturating_sub(1)]).flat_map(|stem| index.rules_of(stem));
        let places = shorter.chain(index.starting_with(stem));
        places.map(|place| (*place as usize, &self.rules[*place as usize]))
    }

    /// Returns the rule that decides a path in normal form, among those that `accept` admits.
    pub(crate) fn decide(&self, path: &[u8], accept: impl Fn(&RankedRule<'a>) -> bool) -> Option<&RankedRule<'a>> {
        let mut best: Option<&RankedRule<'a>> = None;
        let mut octets = None;
        for index in &self.by_stem {
            for stem in index.prefixes(path) {
                // The strongest rule comes first.
                let rules = index.rules_of(stem).iter().map(|place| &self.rules[*place as usize]);
                let weaker = best.map(|best| best.key);
                let mut stronger = rules.take_while(|rule| weaker.is_none_or(|key| rule.key > key));
                let mut may_match = |pattern: &Pattern<'_>| {
                    pattern.is_literal() || pattern.may_match(*octets.get_or_insert_with(|| OctetSet::of(path)))
                };
                let mut decides =
                    |rule: &RankedRule<'a>| may_match(&rule.pattern) && accept(rule) && rule.pattern.matches(path);
                best = stronger.find(|rule| decides(rule)).or(best);
            }
        }
        best
    }

    /// Returns the rules of a line: one for each reading of its pattern, and those of an index page's directory.
    pub(crate) fn of_source(&self, source: Source) -> &[RankedRule<'a>] {
        let from = self.rules.partition_point(|rule| rule.source < source);
        let len = self.rules[from..].iter().take_while(|rule| rule.source == source).count();
        &self.rules[from..from + len]
    }
}

/// The rules with one answer, by stem.
#[derive(Clone, Debug)]
struct StemIndex<'a> {
    /// Indices of rules, sorted by stem. Of those with the same stem, the strongest rule comes first.
    places: Vec<u32>,
    /// The distinct stems, sorted.
    stems: Vec<Stem<'a>>,
}

/// A stem of one or more rules.
#[derive(Clone, Debug)]
struct Stem<'a> {
    text: &'a [u8],
    /// The end of its rules in the places. They start at the end of the stem before.
    end: u32,
    /// The index of the longest other stem that starts this one.
    parent: Option<u32>,
}

impl<'a> StemIndex<'a> {
    fn new(rules: &[RankedRule<'a>], allows: bool) -> Self {
        let stem = |place: u32| rules[place as usize].pattern.stem();
        let is_in = |(_, rule): &(usize, &RankedRule<'_>)| rule.allows == allows;
        let count = rules.iter().enumerate().filter(is_in).count();
        let mut places = Vec::with_capacity(count);
        places.extend(rules.iter().enumerate().filter(is_in).map(|(index, _)| index as u32));
        places.sort_unstable_by_key(|place| (stem(*place), Reverse(rules[*place as usize].key)));
        let distinct = places.chunk_by(|one, other| stem(*one) == stem(*other));
        let mut stems: Vec<Stem<'a>> = Vec::with_capacity(distinct.clone().count());
        for equal in distinct {
            let text = stem(equal[0]);
            let start = stems.last().map_or(0, |last| last.end);
            // A stem that starts this one also starts all stems between the two.
            let mut parent = stems.len().checked_sub(1).map(|last| last as u32);
            while let Some(place) = parent
                && !text.starts_with(stems[place as usize].text)
            {
                parent = stems[place as usize].parent;
            }
            stems.push(Stem { text, end: start + equal.len() as u32, parent });
        }
        Self { places, stems }
    }

    /// Returns the indices of the stems that start a path, the longest first.
    fn prefixes(&self, path: &[u8]) -> impl Iterator<Item = u32> {
        // Like the parent of a stem, the longest one is the last stem before the path, or one that starts that stem.
        let after = self.stems.partition_point(|stem| stem.text <= path);
        let parent = |place: &u32| self.stems[*place as usize].parent;
        let mut longest = after.checked_sub(1).map(|last| last as u32);
        while let Some(place) = longest
            && !path.starts_with(self.stems[place as usize].text)
        {
            longest = parent(&place);
        }
        core::iter::successors(longest, parent)
    }

    /// Returns the rules with this stem.
    fn rules_of(&self, stem: u32) -> &[u32] {
        let stem = stem as usize;
        &self.places[self.end_before(stem)..self.stems[stem].end as usize]
    }

    /// Returns the rules whose stem starts with `start`.
    fn starting_with(&self, start: &[u8]) -> &[u32] {
        let from = self.stems.partition_point(|stem| stem.text < start);
        let len = self.stems[from..].partition_point(|stem| stem.text.starts_with(start));
        &self.places[self.end_before(from)..self.end_before(from + len)]
    }

    /// Returns the end of the rules of the stem before this one.
    fn end_before(&self, stem: usize) -> usize {
        stem.checked_sub(1).map_or(0, |before| self.stems[before].end as usize)
    }
}

/// Adds a rule of the file, once for each reading of its pattern. Skips a rule that never decides.
fn push<'a>(rule: &Rule<'a>, dialect: &Dialect, spellings: &'a FileSpellings, rules: &mut Vec<RankedRule<'a>>) {
    let (text, source) = (rule.pattern(), Source::Line(rule.line()));
    let is_allow = rule.kind() == RuleKind::Allow;
    if text.is_empty() {
        // Here the first match decides, so an empty `Disallow` allows everything that no rule before it matched.
        if dialect.precedence == Precedence::FirstMatch && !is_allow {
            let (pattern, key) = (Pattern::everything(), key(0, false, rule.line(), dialect));
            rules.push(RankedRule { pattern, text, allows: true, key, source, is_twin: false, is_respelled: false });
        }
        return;
    }
    let is_respelled = spellings.of(text).is_some();
    let mut add = |pattern, priority, is_twin| {
        let key = key(priority, is_allow, rule.line(), dialect);
        rules.push(RankedRule { pattern, text, allows: is_allow, key, source, is_twin, is_respelled });
    };
    for pattern in spellings.readings(text, dialect.wildcards) {
        add(pattern, text.len(), false);
    }
    let directory = if dialect.allow_index_allows_directory && is_allow { index_directory(text) } else { None };
    for mut pattern in directory.into_iter().flat_map(|directory| spellings.readings(directory, dialect.wildcards)) {
        pattern.anchored = true;
        add(pattern, directory.map_or(0, <[u8]>::len) + 1, true);
    }
}

/// Returns the directory of an index page, which some engines allow together with the page.
pub(crate) fn index_directory(text: &[u8]) -> Option<&[u8]> {
    let slash = text.iter().rposition(|octet| *octet == b'/')?;
    text[slash..].starts_with(b"/index.htm").then(|| &text[..=slash])
}

/// Returns the rank of a rule: by the bytes of its pattern, then `Allow`, then the earlier line (RFC 9309 §2.2.2); or
/// by its line alone. A key is greater than the default's and less than that of `/robots.txt` itself.
fn key(priority: usize, is_allow: bool, line: u32, dialect: &Dialect) -> u64 {
    let early = u64::from(u32::MAX - line);
    match dialect.precedence {
        Precedence::FirstMatch => early + 1,
        _ => (priority as u64) << 33 | u64::from(is_allow) << 32 | early,
    }
}
