//! The file that the checks look at: its lines with their places, and what comity made of it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use comity::{Content, Crawler, Effect, Group, Line, Profile, Robots, Rule, RuleKind, Rules, SourceText, Verdict};

use crate::agents::Agents;
use crate::evidence::{Evidence, Page};
use crate::fix::Edit;
use crate::shadows::{self, Priorities, Shadow, Yandex};
use crate::stop::Watch;

/// A robots.txt under the lens.
pub(crate) struct File<'a> {
    /// What spans are places in: the body, or what it says if it is UTF-16.
    pub(crate) source: &'a [u8],
    pub(crate) body: &'a [u8],
    pub(crate) text: &'a SourceText<'a>,
    pub(crate) lines: Vec<Line<'a>>,
    pub(crate) robots: &'a Robots,
    pub(crate) groups: Vec<GroupOf<'a>>,
    pub(crate) evidence: &'a Evidence,
    /// The crawlers that are known.
    pub(crate) known: &'a Agents<'a>,
    /// Asks the caller whether to go on; a check that is told to stop returns early.
    pub(crate) watch: &'a Watch<'a>,
    shadows: OnceCell<(Vec<Shadow>, bool)>,
    shared: OnceCell<Priorities>,
    /// The rules of each group's first crawler.
    compiled: Vec<OnceCell<Rules>>,
    pages: OnceCell<Vec<&'a Page>>,
}

/// A group with what is looked up for it again and again.
pub(crate) struct GroupOf<'a> {
    pub(crate) agents: Vec<AgentOf<'a>>,
    pub(crate) rules: Vec<Rule<'a>>,
    pub(crate) group: Group<'a>,
    /// No other group names one of its crawlers, so that its rules are not merged with others.
    pub(crate) alone: bool,
}

pub(crate) struct AgentOf<'a> {
    pub(crate) line: u32,
    pub(crate) value: &'a [u8],
    /// Empty if it names nobody.
    pub(crate) token: &'a [u8],
    pub(crate) known: Option<&'a Profile>,
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
        let mut groups: Vec<GroupOf<'_>> = robots
            .groups()
            .map(|group| GroupOf {
                agents: group
                    .agents()
                    .map(|agent| AgentOf {
                        line: agent.line(),
                        value: agent.value(),
                        token: agent.token(),
                        known: known.find(agent.token()).or_else(|| known.find(agent.value())),
                    })
                    .collect(),
                rules: group.rules().collect(),
                group,
                alone: true,
            })
            .collect();
        mark_shared(&mut groups);
        // Only real URLs are asked about.
        let compiled =
            if evidence.pages.is_empty() { Vec::new() } else { groups.iter().map(|_| OnceCell::new()).collect() };
        Self {
            source: text.source(),
            body,
            text,
            lines,
            robots,
            groups,
            evidence,
            known,
            watch,
            shadows: OnceCell::new(),
            shared: OnceCell::new(),
            compiled,
            pages: OnceCell::new(),
        }
    }

    /// Returns true if edits of the source are edits of the body.
    pub(crate) fn is_editable(&self) -> bool {
        !self.text.is_decoded()
    }

    /// Returns a crawler of the table.
    pub(crate) fn crawler(&self, name: &str) -> Option<Crawler<'a>> {
        self.known.find(name.as_bytes()).map(Crawler::from)
    }

    pub(crate) fn line(&self, number: u32) -> &Line<'a> {
        &self.lines[number as usize - 1]
    }

    /// Returns the range of the source that a part of a line is.
    pub(crate) fn span(&self, part: &[u8]) -> Range<usize> {
        self.text.span_of(part).expect("lints look at parts of the text")
    }

    /// Where a line's text stands, white space at its ends and its comment left out.
    pub(crate) fn said(&self, number: u32) -> Range<usize> {
        let text = self.line(number).text;
        let end = text.iter().position(|b| *b == b'#').unwrap_or(text.len());
        let said = text[..end].trim_ascii();
        if said.is_empty() { self.span(text) } else { self.span(said) }
    }

    /// Where the value of a line's record stands.
    pub(crate) fn value(&self, number: u32) -> Range<usize> {
        match self.line(number).content {
            Content::UserAgent { value, .. } | Content::Rule { value, .. } | Content::Other { value, .. }
                if !value.is_empty() =>
            {
                self.span(value)
            }
            _ => self.said(number),
        }
    }

    /// A line with its end.
    pub(crate) fn whole_line(&self, number: u32) -> Range<usize> {
        let start = self.line(number).span().start;
        let end = self.lines.get(number as usize).map_or(self.source.len(), |next| next.span().start);
        start..end
    }

    /// How the file ends its lines.
    pub(crate) fn line_end(&self) -> &'static str {
        match self.source.iter().position(|b| matches!(b, b'\r' | b'\n')) {
            Some(at) if self.source[at..].starts_with(b"\r\n") => "\r\n",
            Some(at) if self.source[at] == b'\r' => "\r",
            _ => "\n",
        }
    }

    /// Deletes a line, if nothing but its record is lost: a comment or a cut tail stays.
    pub(crate) fn without_line(&self, number: u32) -> Option<Vec<Edit>> {
        let line = self.line(number);
        let whole = self.whole_line(number);
        let plain = !line.comment && !line.too_long && !self.source[whole.clone()].contains(&0);
        plain.then(|| vec![Edit::new(whole, "")])
    }

    /// The rules that act or would, with their lines.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (&Line<'a>, RuleKind, &'a [u8])> {
        self.lines.iter().filter_map(|line| match line.content {
            Content::Rule { kind, value, effect: Effect::Acts, cut: false, .. } if !value.is_empty() => {
                Some((line, kind, value))
            }
            _ => None,
        })
    }

    /// The rules that others make useless, and whether all pairs were compared.
    pub(crate) fn shadows(&self) -> &(Vec<Shadow>, bool) {
        self.shadows.get_or_init(|| shadows::find(&self.groups, &Yandex::new(&self.lines)))
    }

    /// The pages that are known, sorted by path.
    pub(crate) fn pages(&self) -> &[&'a Page] {
        self.pages.get_or_init(|| {
            let mut pages: Vec<&Page> = self.evidence.pages.iter().collect();
            pages.sort_by(|a, b| a.path().cmp(b.path()));
            pages
        })
    }

    /// Those whose path starts like this.
    pub(crate) fn pages_under<'s>(&'s self, start: &'s [u8]) -> impl Iterator<Item = &'a Page> + use<'s, 'a> {
        let pages = self.pages();
        let from = pages.partition_point(|page| page.path().as_bytes() < start);
        pages[from..].iter().copied().take_while(move |page| page.path().as_bytes().starts_with(start))
    }

    /// The group that a line belongs to.
    pub(crate) fn group_of(&self, line: u32) -> Option<&GroupOf<'a>> {
        let behind = self.groups.partition_point(|group| group.first_line() <= line);
        behind.checked_sub(1).map(|index| &self.groups[index])
    }

    /// What the crawlers of the group that a line stands in are told about a page.
    pub(crate) fn verdict(&self, line: u32, page: &Page) -> Option<Verdict> {
        let group = self.group_of(line)?;
        let agent = group.agents.first()?;
        let rules = self
            .compiled
            .get(group.group.index())?
            .get_or_init(|| self.robots.rules_for(&Crawler::literal(agent.token)));
        Some(rules.check(page.path()))
    }

    /// The priorities of the rules that a group's own may meet.
    pub(crate) fn priorities(&self, group: &GroupOf<'_>) -> Cow<'_, Priorities> {
        if group.alone {
            return Cow::Owned(Priorities::new(&group.rules));
        }
        // Merged with others, it may meet any of theirs.
        Cow::Borrowed(self.shared.get_or_init(|| {
            Priorities::new(self.groups.iter().filter(|group| !group.alone).flat_map(|group| &group.rules))
        }))
    }

    /// Whether it is this line that forbids a page to the crawlers of its group.
    pub(crate) fn forbids(&self, line: u32, page: &Page) -> bool {
        self.verdict(line, page).is_some_and(|verdict| verdict.is_disallowed() && verdict.line() == Some(line))
    }

    /// Where a line ends, its comment included and its line end not.
    pub(crate) fn end_of(&self, number: u32) -> usize {
        let whole = self.whole_line(number);
        let line = &self.source[whole.clone()];
        let end = line.iter().rposition(|b| !matches!(b, b'\r' | b'\n')).map_or(0, |at| at + 1);
        whole.start + end
    }

    /// Replaces the value of a rule's line; each further value gets a line of its own below, alike.
    pub(crate) fn with_values(&self, number: u32, values: &[&[u8]]) -> Vec<Edit> {
        let value = self.value(number);
        let start = &self.source[self.whole_line(number).start..value.start];
        let mut edits = vec![Edit::new(value.clone(), values[0])];
        if values.len() > 1 {
            let mut more = Vec::new();
            for value in &values[1..] {
                more.extend_from_slice(self.line_end().as_bytes());
                more.extend_from_slice(start);
                more.extend_from_slice(value);
            }
            edits.push(Edit::new(self.end_of(number)..self.end_of(number), more));
        }
        edits
    }

    /// Whether the whole body is a page: an error page, mostly.
    pub(crate) fn is_page(&self) -> bool {
        self.text.as_bytes().trim_ascii_start().starts_with(b"<") && self.groups.is_empty()
    }
}

/// Finds the groups that share a crawler with another one.
fn mark_shared(groups: &mut [GroupOf<'_>]) {
    let mut tokens: Vec<(Vec<u8>, usize)> = groups
        .iter()
        .enumerate()
        .flat_map(|(index, group)| group.agents.iter().map(move |agent| (agent.token.to_ascii_lowercase(), index)))
        .collect();
    tokens.sort_unstable();
    for pair in tokens.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1 {
            groups[pair[0].1].alone = false;
            groups[pair[1].1].alone = false;
        }
    }
}

impl GroupOf<'_> {
    /// The line of its first user-agent line.
    pub(crate) fn first_line(&self) -> u32 {
        self.agents.first().map_or(1, |agent| agent.line)
    }

    pub(crate) fn is_for_any(&self) -> bool {
        self.group.is_for_any()
    }

    /// Its crawlers as words, the first few.
    pub(crate) fn names(&self) -> String {
        let mut names: Vec<String> = self
            .agents
            .iter()
            .take(3)
            .map(|agent| format!("`{}`", shown(if agent.token.is_empty() { agent.value } else { agent.token })))
            .collect();
        if self.agents.len() > 3 {
            names.push(format!("{} more", self.agents.len() - 3));
        }
        match names.as_slice() {
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
            [] => String::new(),
        }
    }
}

/// A part of the file as it is quoted in messages: safe to print, and no longer than a person reads.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 80;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MOST)]).into_owned();
    let cut: String = text.chars().take(MOST).collect();
    let more = if cut.len() < text.len() || bytes.len() > 4 * MOST { "…" } else { "" };
    // Bytes that are no UTF-8 are shown as such.
    if bytes.len() <= 4 * MOST && more.is_empty() {
        comity::Escaped(bytes).to_string()
    } else {
        format!("{}{more}", comity::Escaped(cut.as_bytes()))
    }
}
