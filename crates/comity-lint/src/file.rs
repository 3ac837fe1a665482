//! The file that the checks examine: its lines with their positions, and the parsed groups and records.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use comity::{Content, Crawler, Field, Line, Robots, RuleEffect, RuleKind, Rules, SourceText, Verdict};

use comity_meaning::{DeadRules, dead_rules_while};

use crate::agents::Agents;
use crate::evidence::{Evidence, KnownPage};
use crate::fix::Edit;
use crate::group::{self, GroupOf, SharedAgents};
use crate::readers::Reader;
use crate::recognize::content::other_content;
use crate::recognize::records::{LastName, mistake, other_separator, read_by_google};
use crate::recognize::standing::{Standings, standings};
use crate::shadows::{self, Priorities, Shadow, Yandex};
use crate::stated::StatedRules;
use crate::stop::Watch;

/// The maximum number of steps of the search for rules without effect. The most expensive real file needs half of it.
const MAX_DEAD_STEPS: u64 = 2_000_000;

/// A robots.txt that is being checked.
pub(crate) struct File<'a> {
    /// The text that spans refer to: the body or, if it is UTF-16, its UTF-8 form.
    pub(crate) source: &'a [u8],
    pub(crate) body: &'a [u8],
    pub(crate) text: &'a SourceText<'a>,
    pub(crate) lines: Vec<Line<'a>>,
    pub(crate) robots: &'a Robots,
    pub(crate) groups: Vec<GroupOf<'a>>,
    /// The user-agent lines of the groups that share a crawler with another one, sorted.
    pub(crate) repeated_agents: SharedAgents,
    /// The rules that take effect and are not empty, by line. Nearly all lints look at each of them.
    rules: Vec<(u32, RuleKind, &'a [u8])>,
    /// The lines of other records.
    others: Vec<u32>,
    pub(crate) evidence: &'a Evidence,
    /// The table of known crawlers.
    pub(crate) known: &'a Agents<'a>,
    /// The line end of the first line, or else a line feed.
    pub(crate) line_end: &'static str,
    /// The only reader whose rejections are reported, if there is one.
    pub(crate) reader: Option<&'static Reader>,
    /// Asks the caller whether to continue. A check returns early if the caller stops it.
    pub(crate) watch: &'a Watch<'a>,
    shadows: OnceCell<(Vec<Shadow>, bool)>,
    dead: OnceCell<DeadRules>,
    shared: OnceCell<Priorities>,
    /// The rules of each group's first crawler.
    compiled: Vec<OnceCell<Rules>>,
    pages: OnceCell<Vec<&'a KnownPage>>,
    /// The lines of the user-agent lines, by token in lower case. Of several for one token, the first.
    named: OnceCell<BTreeMap<Vec<u8>, u32>>,
    /// The values of the rules that take effect.
    values: OnceCell<BTreeSet<&'a [u8]>>,
    stated: OnceCell<StatedRules<'a>>,
    standings: OnceCell<Standings>,
    /// The meaning of each group.
    meanings: Vec<OnceCell<u64>>,
}

impl<'a> File<'a> {
    pub(crate) fn new(
        body: &'a [u8],
        text: &'a SourceText<'a>,
        robots: &'a Robots,
        evidence: &'a Evidence,
        known: &'a Agents<'a>,
        watch: &'a Watch<'a>,
    ) -> Self {
        let mut lines = Vec::with_capacity(robots.line_count() as usize);
        lines.extend(text.lines());
        let (mut rules, mut others) = (Vec::new(), Vec::new());
        for line in &lines {
            match line.content {
                Content::Rule { kind, value, effect: RuleEffect::Applies, cut: false, .. } if !value.is_empty() => {
                    rules.push((line.number, kind, value));
                }
                Content::Other { .. } => others.push(line.number),
                _ => {}
            }
        }
        let (groups, repeated_agents) = group::groups_of(robots, known);
        let meanings = groups.iter().map(|_| OnceCell::new()).collect();
        // Compiled rules are only needed to check real URLs.
        let compiled =
            if evidence.pages.is_empty() { Vec::new() } else { groups.iter().map(|_| OnceCell::new()).collect() };
        Self {
            source: text.source(),
            body,
            text,
            lines,
            robots,
            groups,
            repeated_agents,
            rules,
            others,
            evidence,
            known,
            line_end: line_end(text.source()),
            reader: None,
            watch,
            shadows: OnceCell::new(),
            dead: OnceCell::new(),
            shared: OnceCell::new(),
            compiled,
            pages: OnceCell::new(),
            named: OnceCell::new(),
            values: OnceCell::new(),
            stated: OnceCell::new(),
            standings: OnceCell::new(),
            meanings,
        }
    }

    /// Returns true if edits of the source are edits of the body.
    pub(crate) fn is_editable(&self) -> bool {
        !self.text.is_decoded()
    }

    /// Returns the crawler of this name in the table.
    pub(crate) fn crawler(&self, name: &str) -> Option<Crawler<'a>> {
        self.known.find(name.as_bytes()).map(Crawler::from)
    }

    pub(crate) fn line(&self, number: u32) -> &Line<'a> {
        &self.lines[number as usize - 1]
    }

    /// Returns the number of the line that contains a position in the source. Is fastest for a line just below `last`.
    pub(crate) fn line_at(&self, position: usize, last: u32) -> u32 {
        let is_before = |line: &Line<'_>| line.span().start <= position;
        let after = (last as usize..last as usize + 3).find(|at| !self.lines.get(*at).is_some_and(is_before));
        match after {
            Some(after) if after > 0 && self.lines.get(after - 1).is_some_and(is_before) => after as u32,
            _ => self.lines.partition_point(is_before).max(1) as u32,
        }
    }

    /// Returns the range of a part of a line in the source.
    pub(crate) fn span(&self, part: &[u8]) -> Range<usize> {
        self.text.span_of(part).expect("lints look at parts of the text")
    }

    /// Returns the range of a line's text, without white space at its ends and without its comment.
    pub(crate) fn record_span(&self, number: u32) -> Range<usize> {
        let text = self.line(number).text;
        let end = text.iter().position(|b| *b == b'#').unwrap_or(text.len());
        let record = text[..end].trim_ascii();
        if record.is_empty() { self.span(text) } else { self.span(record) }
    }

    /// Returns the range of the value of a line's record, or that of the line's text if there is no value.
    pub(crate) fn value(&self, number: u32) -> Range<usize> {
        match self.line(number).content {
            Content::UserAgent { value, .. } | Content::Rule { value, .. } | Content::Other { value, .. }
                if !value.is_empty() =>
            {
                self.span(value)
            }
            _ => self.record_span(number),
        }
    }

    /// Returns the range of a line with its line end.
    pub(crate) fn whole_line(&self, number: u32) -> Range<usize> {
        let start = self.line(number).span().start;
        let end = self.lines.get(number as usize).map_or(self.source.len(), |next| next.span().start);
        start..end
    }

    /// Returns the edit that deletes a line. Returns `None` if more than the record would be lost, such as a comment or
    /// the rest of a line that was cut.
    pub(crate) fn without_line(&self, number: u32) -> Option<Vec<Edit>> {
        let line = self.line(number);
        let whole = self.whole_line(number);
        let plain = !line.comment && !line.too_long && !self.source[whole.clone()].contains(&0);
        plain.then(|| vec![Edit::new(whole, "")])
    }

    /// Returns the rules that take effect and are not empty, with their lines.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (&Line<'a>, RuleKind, &'a [u8])> {
        self.rules.iter().map(|(line, kind, value)| (self.line(*line), *kind, *value))
    }

    /// Returns the rules of [`rules`](Self::rules) that disallow, with their lines.
    pub(crate) fn disallowed(&self) -> impl Iterator<Item = (&Line<'a>, &'a [u8])> {
        self.rules().filter_map(|(line, kind, value)| (kind == RuleKind::Disallow).then_some((line, value)))
    }

    /// Returns the lines of records other than user-agent lines and rules.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Line<'a>> {
        self.others.iter().map(|line| self.line(*line))
    }

    /// Returns the `Sitemap` lines, with their values.
    pub(crate) fn sitemaps(&self) -> impl Iterator<Item = (&Line<'a>, &'a [u8])> {
        self.others().filter_map(|line| match line.content {
            Content::Other { field: Field::Sitemap, value, .. } => Some((line, value)),
            _ => None,
        })
    }

    /// Returns the first user-agent line for a token or for a name of several words, ignoring ASCII case and versions.
    pub(crate) fn line_naming(&self, name: &str) -> Option<u32> {
        let named = self.named.get_or_init(|| {
            let mut named = BTreeMap::new();
            for agent in self.groups.iter().flat_map(|group| &group.agents) {
                let without_version = agent.value.split(|b| *b == b'/').next().unwrap_or_default();
                for name in [agent.token, without_version] {
                    named.entry(name.to_ascii_lowercase()).or_insert(agent.line);
                }
            }
            named
        });
        named.get(name.to_ascii_lowercase().as_bytes()).copied()
    }

    /// Returns true if a rule that takes effect has this value.
    pub(crate) fn has_rule(&self, value: &[u8]) -> bool {
        self.values.get_or_init(|| self.rules().map(|(_, _, value)| value).collect()).contains(value)
    }

    /// Returns true if the group of a line has another rule of this kind that is written as this value.
    pub(crate) fn is_stated(&self, line: u32, kind: RuleKind, value: &[u8]) -> bool {
        self.group_of(line).is_some_and(|group| self.stated().contains(group.group.index(), kind, value))
    }

    /// Returns true if a pattern, written instead of the rule in a line, would have no effect, since the group of the line
    /// has another rule of this kind that covers it.
    pub(crate) fn is_covered(&self, line: u32, kind: RuleKind, pattern: &[u8]) -> bool {
        self.group_of(line).is_some_and(|group| self.stated().covers(group.group.index(), kind, pattern))
    }

    fn stated(&self) -> &StatedRules<'a> {
        self.stated.get_or_init(|| StatedRules::new(self))
    }

    /// Returns true if the groups of two lines allow and disallow the same.
    pub(crate) fn is_same_group(&self, a: u32, b: u32) -> bool {
        match (self.group_of(a), self.group_of(b)) {
            (Some(a), Some(b)) => self.meaning(a) == self.meaning(b),
            _ => false,
        }
    }

    /// Returns a number that is equal for groups that allow and disallow the same.
    pub(crate) fn meaning(&self, group: &GroupOf<'_>) -> u64 {
        *self.meanings[group.group.index()].get_or_init(|| group.meaning())
    }

    /// Returns the rules that others make useless, and true if all pairs were compared.
    pub(crate) fn shadows(&self) -> &(Vec<Shadow>, bool) {
        let is_dead = |line| self.dead().contains(line);
        self.shadows.get_or_init(|| {
            let (mut found, complete) = shadows::find(&self.groups, &Yandex::new(&self.lines), &is_dead);
            if found.is_empty() {
                return (found, complete);
            }
            // For Google's parser, a group starts at each of these lines.
            let starts = self.lines.iter().filter(|line| {
                let is_unknown =
                    matches!(line.content, Content::NoRecord | Content::Other { field: Field::Unknown, .. });
                is_unknown && read_by_google(line).is_some_and(|read| read.field == Field::UserAgent)
            });
            let starts: Vec<u32> = starts.map(|line| line.number).collect();
            let groups_before = |line: u32| starts.partition_point(|start| *start < line);
            found.retain(|shadow| groups_before(shadow.line) == groups_before(shadow.by));
            (found, complete)
        })
    }

    /// Returns the rules that have no effect, for any URL and any crawler.
    pub(crate) fn dead(&self) -> &DeadRules {
        self.dead.get_or_init(|| {
            let budget = comity_meaning::Budget::of_steps(MAX_DEAD_STEPS);
            dead_rules_while(self.robots, self.known.table(), budget, &|| self.watch.ask().is_ok())
        })
    }

    /// Returns the differences of the groups of known crawlers from the group for `*`.
    pub(crate) fn standings(&self) -> &Standings {
        self.standings.get_or_init(|| standings(self))
    }

    /// Returns the known pages, sorted by path.
    pub(crate) fn pages(&self) -> &[&'a KnownPage] {
        self.pages.get_or_init(|| {
            let mut pages: Vec<&KnownPage> = self.evidence.pages.iter().collect();
            pages.sort_by(|a, b| a.path().cmp(b.path()));
            pages
        })
    }

    /// Returns the known pages whose path starts with `start`.
    pub(crate) fn pages_under<'s>(&'s self, start: &'s [u8]) -> impl Iterator<Item = &'a KnownPage> + use<'s, 'a> {
        let pages = self.pages();
        let from = pages.partition_point(|page| page.path().as_bytes() < start);
        pages[from..].iter().copied().take_while(move |page| page.path().as_bytes().starts_with(start))
    }

    /// Returns the pages that a crawler may not fetch, by the line of the rule.
    pub(crate) fn blocked<'p>(
        &self,
        crawler: &str,
        pages: impl Iterator<Item = &'p KnownPage>,
    ) -> BTreeMap<u32, Vec<&'p KnownPage>> {
        let (mut pages, mut blocked) = (pages.peekable(), BTreeMap::<u32, Vec<&KnownPage>>::new());
        let Some(crawler) = pages.peek().and_then(|_| self.crawler(crawler)) else { return blocked };
        let rules = self.robots.rules_for(&crawler);
        for page in pages {
            let verdict = rules.check(&page.url);
            if let Some(line) = verdict.line().filter(|_| verdict.is_disallowed()) {
                blocked.entry(line).or_default().push(page);
            }
        }
        blocked
    }

    /// Returns the group that contains a line.
    pub(crate) fn group_of(&self, line: u32) -> Option<&GroupOf<'a>> {
        let next_group = self.groups.partition_point(|group| group.first_line() <= line);
        next_group.checked_sub(1).map(|index| &self.groups[index])
    }

    /// Returns the lines below the user-agent lines of a group, up to the next group.
    pub(crate) fn lines_below(&self, group: &GroupOf<'_>) -> impl Iterator<Item = &Line<'a>> {
        let last = group.agents.last().map_or(0, |agent| agent.line);
        let is_agent = |line: &&Line<'a>| matches!(line.content, Content::UserAgent { .. });
        self.lines[last as usize..].iter().take_while(move |line| !is_agent(line))
    }

    /// Returns the verdict about a page for the first crawler of the group that contains a line.
    pub(crate) fn verdict(&self, line: u32, page: &KnownPage) -> Option<Verdict> {
        let group = self.group_of(line)?;
        let agent = group.agents.first()?;
        let rules = self
            .compiled
            .get(group.group.index())?
            .get_or_init(|| self.robots.rules_for(&Crawler::literal(agent.token)));
        Some(rules.check(&page.url))
    }

    /// Returns the priorities of the rules that can apply together with those of a group.
    pub(crate) fn priorities(&self, group: &GroupOf<'_>) -> Cow<'_, Priorities> {
        if group.alone {
            return Cow::Owned(Priorities::new(&group.rules));
        }
        // The group is merged with others, and its rules can apply together with any of theirs.
        Cow::Borrowed(self.shared.get_or_init(|| {
            Priorities::new(self.groups.iter().filter(|group| !group.alone).flat_map(|group| &group.rules))
        }))
    }

    /// Returns true if this line is the one that disallows a page for the crawlers of its group.
    pub(crate) fn forbids(&self, line: u32, page: &KnownPage) -> bool {
        self.verdict(line, page).is_some_and(|verdict| verdict.is_disallowed() && verdict.line() == Some(line))
    }

    /// Returns the end of a line, after its comment and before its line end.
    pub(crate) fn end_of(&self, number: u32) -> usize {
        let whole = self.whole_line(number);
        let line = &self.source[whole.clone()];
        let end = line.iter().rposition(|b| !matches!(b, b'\r' | b'\n')).map_or(0, |at| at + 1);
        whole.start + end
    }

    /// Returns the edits that replace the value of a line. Each further value is inserted as a line of its own below,
    /// with the same field name.
    pub(crate) fn with_values(&self, number: u32, values: &[&[u8]]) -> Vec<Edit> {
        let value = self.value(number);
        let start = &self.source[self.whole_line(number).start..value.start];
        let mut edits = vec![Edit::new(value.clone(), values[0])];
        if values.len() > 1 {
            let mut more = Vec::new();
            for value in &values[1..] {
                more.extend_from_slice(self.line_end.as_bytes());
                more.extend_from_slice(start);
                more.extend_from_slice(value);
            }
            edits.push(Edit::new(self.end_of(number)..self.end_of(number), more));
        }
        edits
    }

    /// Returns the kind of the body if it is no robots.txt by its looks, such as a web page, which is usually an error
    /// page.
    pub(crate) fn other_content(&self) -> Option<&'static str> {
        if !self.groups.is_empty() {
            return None;
        }
        other_content(self.text.as_bytes()).or_else(|| self.is_prose().then_some("text of another kind"))
    }

    /// Returns true if no line can have been meant for crawlers, as in `Not Found`. Misspelled records, records in the words
    /// of people, and bare URLs can.
    fn is_prose(&self) -> bool {
        let mut last = LastName::default();
        let is_foreign = |line: &Line<'a>| match line.content {
            Content::NoRecord => {
                // `block /private` names a path, and a sentence may, too.
                let words = line.text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
                let names_path = words <= 3 && line.text.contains(&b'/');
                !names_path && other_separator(line.text).is_none() && read_by_google(line).is_none()
            }
            Content::Other { field: Field::Unknown, value, .. } => {
                let is_target = value.iter().any(|byte| matches!(byte, b'/' | b'*'));
                !is_target && read_by_google(line).is_none() && mistake(self, line, &mut last).is_none()
            }
            _ => false,
        };
        let mut lines = self.lines.iter().filter(|line| !matches!(line.content, Content::Blank)).peekable();
        lines.peek().is_some() && lines.all(is_foreign)
    }
}

/// Returns the line end that the first line of a text has. Defaults to a line feed.
fn line_end(source: &[u8]) -> &'static str {
    match source.iter().position(|b| matches!(b, b'\r' | b'\n')) {
        Some(at) if source[at..].starts_with(b"\r\n") => "\r\n",
        Some(at) if source[at] == b'\r' => "\r",
        _ => "\n",
    }
}
