//! Views of a document: groups, user-agent lines, rules and records, which borrow from its arrays.

use core::fmt;

use super::Document;
use super::entries::{AgentEntry, GroupEntry, RecordEntry, RuleEntry};
use crate::dialect::Dialect;
use crate::escape::Escaped;
use crate::parse::directive::Field;
use crate::parse::line::RuleKind;
use crate::parse::token;

/// A group: user-agent lines and the rules for the crawlers that they name (RFC 9309 §2.1). Returned by
/// [`Robots::groups`](crate::Robots::groups) and [`Robots::groups_for`](crate::Robots::groups_for).
///
/// It borrows from the [`Robots`](crate::Robots) and is [`Copy`].
///
/// ```
/// use comity::Robots;
///
/// let robots = Robots::parse(b"User-agent: Googlebot\nUser-agent: *\nDisallow: /private/\n");
/// let group = robots.groups().next().unwrap();
/// let agents: Vec<(u32, &[u8])> = group.agents().map(|agent| (agent.line(), agent.value())).collect();
/// assert_eq!(agents, [(1, &b"Googlebot"[..]), (2, &b"*"[..])]);
/// assert!(group.is_for_any());
/// assert_eq!(group.rules().len(), 1);
/// ```
#[derive(Clone, Copy)]
pub struct Group<'a> {
    pub(super) document: &'a Document,
    pub(super) index: usize,
}

impl<'a> Group<'a> {
    /// Returns the index of the group in the file, counted from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    fn entry(&self) -> GroupEntry {
        self.document.groups[self.index]
    }

    /// Returns the user-agent lines of the group. There is at least one.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = Agent<'a>> + Clone + use<'a> {
        let document = self.document;
        let start = self.entry().agents as usize;
        let end = document.groups.get(self.index + 1).map_or(document.agents.len(), |next| next.agents as usize);
        document.agents[start..end].iter().map(move |entry| Agent { document, entry: *entry })
    }

    /// Returns the rules of the group, in file order, without those that have no [effect](crate::RuleEffect).
    pub fn rules(&self) -> impl ExactSizeIterator<Item = Rule<'a>> + Clone + use<'a> {
        let (document, group) = (self.document, self.entry());
        let entries = &document.rules[group.rules as usize..][..group.rule_count as usize];
        let (mut start, mut line) = (group.texts, group.line);
        entries.iter().map(move |entry| {
            line += entry.lines().unwrap_or_else(|| document.number(start + u32::from(entry.len)));
            let rule = Rule { document, entry: *entry, start, line };
            start = rule.end();
            rule
        })
    }

    /// Returns true if one of the user-agent lines is `*`.
    pub fn is_for_any(&self) -> bool {
        self.agents().any(|agent| agent.is_any())
    }

    /// Returns true if one of the user-agent lines names this token.
    pub(crate) fn names(&self, asked: &[u8]) -> bool {
        self.agents().any(|agent| agent.names(asked))
    }
}

/// A user-agent line. Returned by [`Group::agents`].
///
/// ```
/// use comity::Robots;
///
/// let robots = Robots::parse(b"User-agent: HobbyBot/2.0 (beta)\nDisallow: /\n");
/// let agent = robots.groups().next().unwrap().agents().next().unwrap();
/// assert_eq!((agent.value(), agent.token()), (&b"HobbyBot/2.0 (beta)"[..], &b"HobbyBot"[..]));
/// ```
#[derive(Clone, Copy)]
pub struct Agent<'a> {
    document: &'a Document,
    entry: AgentEntry,
}

impl<'a> Agent<'a> {
    /// Returns the line number, counted from 1.
    pub fn line(&self) -> u32 {
        self.entry.line
    }

    /// Returns the value as written in the file.
    pub fn value(&self) -> &'a [u8] {
        self.document.text(self.entry.start, self.entry.len)
    }

    /// Returns the product token in the value. The dialect determines how much of the value belongs to it. Returns `*`
    /// for a line that names every crawler, and an empty token for a line that names none.
    pub fn token(&self) -> &'a [u8] {
        if self.is_any() { b"*" } else { token::product_token(self.value(), &self.document.dialect) }
    }

    /// Returns true if the line names every crawler (`*`).
    pub fn is_any(&self) -> bool {
        self.entry.is_star
    }

    pub(crate) fn names(&self, asked: &[u8]) -> bool {
        !self.is_any() && token::names(self.value(), asked, &self.document.dialect)
    }
}

/// A rule of a group. Returned by [`Group::rules`].
///
/// ```
/// use comity::{Robots, RuleKind};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /café/*.pdf$\n");
/// let rule = robots.groups().next().unwrap().rules().next().unwrap();
/// assert_eq!((rule.line(), rule.kind(), rule.value()), (2, RuleKind::Disallow, "/café/*.pdf$".as_bytes()));
/// assert_eq!(rule.pattern(), b"/caf%C3%A9/*.pdf$"); // this form is matched, and ranks the rule
/// assert_eq!(rule.priority(), 17);
/// ```
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    document: &'a Document,
    entry: RuleEntry,
    start: u32,
    line: u32,
}

impl<'a> Rule<'a> {
    /// Returns the line number, counted from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the kind of the rule: `Allow` or `Disallow`.
    pub fn kind(&self) -> RuleKind {
        self.entry.kind()
    }

    /// Returns the pattern as written in the file.
    pub fn value(&self) -> &'a [u8] {
        if !self.entry.is_rewritten() {
            return self.pattern();
        }
        let (len, value) = self.document.texts[self.value_start() as usize..].split_at(2);
        &value[..usize::from(u16::from_le_bytes([len[0], len[1]]))]
    }

    /// Returns the offset of the stored value and its length, which follow the pattern if it differs from the value.
    fn value_start(&self) -> u32 {
        let lines = if self.entry.lines().is_none() { size_of::<u32>() as u32 } else { 0 };
        self.start + u32::from(self.entry.len) + lines
    }

    /// Returns the offset of the text of the next rule.
    fn end(&self) -> u32 {
        let value = if self.entry.is_rewritten() { 2 + self.value().len() as u32 } else { 0 };
        self.value_start() + value
    }

    /// Returns the pattern in normal form. This form is matched, and its length ranks the rule (RFC 9309 §2.2.2).
    pub fn pattern(&self) -> &'a [u8] {
        self.document.text(self.start, self.entry.len)
    }

    /// Returns the length of the pattern in bytes. Of several matching rules, the longest decides.
    pub fn priority(&self) -> u16 {
        self.entry.len
    }

    /// Returns the dialect that the file was parsed in.
    pub(crate) fn dialect(&self) -> &'a Dialect {
        &self.document.dialect
    }

    /// Returns the offset of the pattern in [`Document::texts`].
    pub(crate) fn start(&self) -> u32 {
        self.start
    }
}

/// A record that is neither a user-agent line nor a rule. Such a record never starts or ends a group (RFC 9309 §2.2.4).
/// Returned by [`Robots::records`](crate::Robots::records) and [`Robots::sitemaps`](crate::Robots::sitemaps).
///
/// ```
/// use comity::{Meaning, Robots};
/// use std::time::Duration;
///
/// let robots = Robots::parse(b"User-agent: a\nDisallow: /\nCrawl-delay: 2.5\n\nUser-agent: b\nCrawl-delay: soon\n");
/// let mut records = robots.records();
/// let (first, second) = (records.next().unwrap(), records.next().unwrap());
/// assert_eq!((first.group(), first.meaning()), (Some(0), Meaning::CrawlDelay(Duration::from_millis(2_500))));
/// assert_eq!((second.group(), second.value()), (Some(1), &b"soon"[..]));
/// assert!(matches!(second.meaning(), Meaning::NotUnderstood { .. }));
/// ```
#[derive(Clone, Copy)]
pub struct Record<'a> {
    pub(super) document: &'a Document,
    pub(super) entry: RecordEntry,
    pub(super) start: usize,
}

impl<'a> Record<'a> {
    /// Returns the line number, counted from 1.
    pub fn line(&self) -> u32 {
        self.entry.line
    }

    /// Returns the field that the name means, or [`Field::Unknown`].
    pub fn field(&self) -> Field {
        self.entry.field
    }

    /// Returns the name: in its usual spelling, or as written in the file if it is unknown.
    pub fn name(&self) -> &'a [u8] {
        match self.entry.field {
            Field::Unknown => &self.document.texts[self.start..][..usize::from(self.entry.name_len)],
            field => field.name().as_bytes(),
        }
    }

    /// Returns the value as written in the file.
    pub fn value(&self) -> &'a [u8] {
        let start = self.start + usize::from(self.entry.name_len);
        &self.document.texts[start..][..usize::from(self.entry.value_len)]
    }

    /// Returns the index of the group that contains the record, which is the last group that starts before it. Returns
    /// `None` for a sitemap, wherever it is.
    pub fn group(&self) -> Option<usize> {
        let agents = &self.document.agents;
        let starts_before = |group: &GroupEntry| agents[group.agents as usize].line < self.entry.line;
        let groups_before = || self.document.groups.partition_point(starts_before);
        if self.entry.in_group { groups_before().checked_sub(1) } else { None }
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group")
            .field("index", &self.index)
            .field("agents", &List(self.agents()))
            .field("rules", &List(self.rules()))
            .finish()
    }
}

impl fmt::Debug for Agent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: User-agent: {}", self.line(), Escaped(self.value()))
    }
}

impl fmt::Debug for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.line(), self.kind(), Escaped(self.value()))
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.line(), Escaped(self.name()), Escaped(self.value()))
    }
}

struct List<I>(I);

impl<I: Iterator<Item: fmt::Debug> + Clone> fmt::Debug for List<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.clone()).finish()
    }
}
