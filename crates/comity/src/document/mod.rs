//! A parsed robots.txt: groups, their rules, and other records.
//!
//! The body is not stored. A document consists of a few flat arrays: all texts in one arena, and everything else as
//! offsets into it. Equal rule lists are stored once; only their line numbers differ. On 2,973 real files (4,554 bytes
//! on average), two of three groups repeat the rules of another group in the same file.

mod entries;
mod inline_vec;
mod read;

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;
use core::time::Duration;

use self::entries::{AgentEntry, GroupEntry, RecordEntry, RuleEntry};
use crate::dialect::Dialect;
use crate::escape::Escaped;
use crate::parse::directive::Field;
use crate::parse::line::RuleKind;
use crate::parse::source_text::{Encoding, Size, SourceText};
use crate::parse::token;

#[doc = include_str!("../../docs/robots.md")]
#[derive(Clone)]
pub struct Robots {
    document: Arc<Document>,
}

#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) dialect: Dialect,
    pub(crate) size: Size,
    encoding: Encoding,
    lines: u32,
    /// The values of user-agent lines and the patterns, then the names and values of other records.
    texts: Box<[u8]>,
    /// The offset in `texts` at which those of other records start.
    others: u32,
    agents: Box<[AgentEntry]>,
    groups: Box<[GroupEntry]>,
    rules: Box<[RuleEntry]>,
    records: Box<[RecordEntry]>,
}

impl Robots {
    /// Parses a file in the [`STANDARD`](Dialect::STANDARD) dialect.
    ///
    /// The time is proportional to the number of bytes. This dialect reads the first 512,000 bytes
    /// ([`SIZE_LIMIT`](crate::SIZE_LIMIT)), up to the last complete line; [`size`](Self::size) tells whether there were
    /// more.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// // A byte order mark, line ends of Windows, and an octet that is not UTF-8.
    /// let robots = Robots::parse(b"\xEF\xBB\xBFUser-agent: *\r\nDisallow: /caf\xE9\r\n");
    /// assert!(robots.check(&Crawler::ANY, "/caf%E9").is_disallowed());
    ///
    /// // A page in place of the file has no rules.
    /// let page = Robots::parse(b"<!DOCTYPE html><title>Not found</title>");
    /// assert_eq!((page.groups().count(), page.check(&Crawler::ANY, "/").is_allowed()), (0, true));
    /// ```
    pub fn parse(body: impl AsRef<[u8]>) -> Self {
        Self::parse_with(body, &Dialect::STANDARD)
    }

    /// Parses a file in a dialect, which also applies to all checks of the file.
    ///
    /// Use [`Profile::dialect`](crate::Profile::dialect) to read a file as a known crawler reads it, and
    /// [`parse`](Self::parse) for a crawler of your own.
    ///
    /// ```
    /// use comity::{Crawler, Dialect, Robots};
    ///
    /// // The draft of 1996 has no wildcards.
    /// let body = b"User-agent: *\nDisallow: /*.pdf\n";
    /// let ask = |dialect| Robots::parse_with(body, dialect).check(&Crawler::ANY, "/map.pdf").is_allowed();
    /// assert_eq!((ask(&Dialect::STANDARD), ask(&Dialect::NOROBOTS_1996)), (false, true));
    /// ```
    pub fn parse_with(body: impl AsRef<[u8]>, dialect: &Dialect) -> Self {
        Self { document: Arc::new(Document::read(&SourceText::new(body.as_ref(), dialect), dialect)) }
    }

    pub(crate) fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// Returns the dialect that the file was parsed in, which also applies to all checks.
    ///
    /// ```
    /// use comity::{Dialect, Robots};
    ///
    /// assert_eq!(Robots::parse(b"").dialect(), &Dialect::STANDARD);
    /// assert_eq!(Robots::parse_with(b"", &Dialect::BING).dialect().name, "bing");
    /// ```
    pub fn dialect(&self) -> &Dialect {
        &self.document.dialect
    }

    /// Returns the encoding of the body, by its byte order mark.
    ///
    /// ```
    /// use comity::{Crawler, Encoding, Robots};
    ///
    /// let text = "\u{FEFF}User-agent: *\nDisallow: /\n";
    /// let robots = Robots::parse(text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    /// assert_eq!(robots.encoding(), Encoding::Utf16Le);
    /// assert!(robots.check(&Crawler::ANY, "/").is_disallowed());
    /// ```
    pub fn encoding(&self) -> Encoding {
        self.document.encoding
    }

    /// Returns whether the whole body was read, or only a part of it.
    ///
    /// ```
    /// use comity::{Crawler, Dialect, Robots, Size};
    ///
    /// let mut body = b"User-agent: *\nDisallow: /\n".to_vec();
    /// body.resize(600_000, b'\n');
    /// assert_eq!(Robots::parse(&body).size(), Size::Cut);
    /// // Yandex treats such a file as missing.
    /// let robots = Robots::parse_with(&body, &Dialect::YANDEX);
    /// assert_eq!((robots.size(), robots.check(&Crawler::ANY, "/").is_allowed()), (Size::Refused, true));
    /// ```
    pub fn size(&self) -> Size {
        self.document.size
    }

    /// Returns the number of lines that were read, including the empty one after the last line end.
    ///
    /// ```
    /// assert_eq!(comity::Robots::parse(b"User-agent: *\r\nDisallow: /\r\n").line_count(), 3);
    /// ```
    pub fn line_count(&self) -> u32 {
        self.document.lines
    }

    /// Returns the groups, in file order. For those that apply to a crawler, use [`groups_for`](Self::groups_for).
    ///
    /// ```
    /// use comity::{Escaped, Robots, RuleKind};
    ///
    /// let robots = Robots::parse(b"User-agent: a\nDisallow: /x\nAllow: /x/y\n\nUser-agent: *\nDisallow: /z\n");
    /// let mut disallowed = Vec::new();
    /// for group in robots.groups() {
    ///     for rule in group.rules().filter(|rule| rule.kind() == RuleKind::Disallow) {
    ///         disallowed.push(format!("group {}, line {}: {}", group.index(), rule.line(), Escaped(rule.value())));
    ///     }
    /// }
    /// assert_eq!(disallowed, ["group 0, line 2: /x", "group 1, line 6: /z"]);
    /// ```
    pub fn groups(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        (0..self.document.groups.len()).map(|index| self.document.group(index))
    }

    /// Returns the `Sitemap` records, which belong to no group. Their values are returned as written: they may be
    /// relative, on another host, or no URLs at all. [`Record::meaning`] checks that a value is an absolute URL.
    ///
    /// ```
    /// use comity::{Meaning, Robots};
    ///
    /// let robots = Robots::parse(b"Sitemap: https://example.com/a.xml\nSitemap: /b.xml\n");
    /// let urls: Vec<&[u8]> = robots
    ///     .sitemaps()
    ///     .filter_map(|record| match record.meaning() {
    ///         Meaning::Sitemap(url) => Some(url),
    ///         _ => None,
    ///     })
    ///     .collect();
    /// assert_eq!(urls, [b"https://example.com/a.xml"]);
    /// ```
    pub fn sitemaps(&self) -> impl Iterator<Item = Record<'_>> {
        self.records().filter(|record| record.field() == Field::Sitemap)
    }

    /// Returns all records except user-agent lines and rules, in file order.
    ///
    /// ```
    /// use comity::{Field, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: *\ncrawl-delay: 2\nHalf-life: 3 days\nDisallow: /\n");
    /// let records: Vec<_> = robots.records().map(|record| (record.line(), record.field(), record.name())).collect();
    /// assert_eq!(records, [
    ///     (2, Field::CrawlDelay, &b"Crawl-delay"[..]), // in its usual spelling
    ///     (3, Field::Unknown, &b"Half-life"[..]),
    /// ]);
    /// ```
    pub fn records(&self) -> impl ExactSizeIterator<Item = Record<'_>> {
        let document = &*self.document;
        let mut start = document.others as usize;
        document.records.iter().map(move |entry| {
            let record = Record { document, entry: *entry, start };
            start += usize::from(entry.name_len) + usize::from(entry.value_len);
            record
        })
    }

    /// Returns the memory that this value uses, in bytes, including the heap. Clones share it. Takes constant time.
    ///
    /// ```
    /// let robots = comity::Robots::parse(b"User-agent: *\nDisallow: /private/\n");
    /// assert!(robots.memory() < 1_000);
    /// ```
    pub fn memory(&self) -> usize {
        let document = &*self.document;
        size_of::<Document>()
            + 2 * size_of::<usize>() // the reference counts
            + document.texts.len()
            + size_of_val(&*document.agents)
            + size_of_val(&*document.groups)
            + size_of_val(&*document.rules)
            + size_of_val(&*document.records)
    }
}

/// Returns the empty file, which allows everything.
impl Default for Robots {
    fn default() -> Self {
        Self::parse([])
    }
}

impl Document {
    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }

    pub(crate) fn group(&self, index: usize) -> Group<'_> {
        Group { document: self, index }
    }

    pub(crate) fn texts(&self) -> &[u8] {
        &self.texts
    }

    fn text(&self, start: u32, len: u16) -> &[u8] {
        &self.texts[start as usize..][..usize::from(len)]
    }

    /// Returns a number that did not fit into an entry.
    fn number(&self, start: u32) -> u32 {
        self.texts[start as usize..].first_chunk().map_or(0, |octets| u32::from_le_bytes(*octets))
    }
}

/// A group: user-agent lines and the rules for the crawlers that they name (RFC 9309 §2.1). Returned by
/// [`Robots::groups`] and [`Robots::groups_for`].
///
/// It borrows from the [`Robots`] and is [`Copy`].
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
    document: &'a Document,
    index: usize,
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

    /// Returns the length of the pattern in octets. Of several matching rules, the longest decides.
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
/// Returned by [`Robots::records`] and [`Robots::sitemaps`].
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
    document: &'a Document,
    entry: RecordEntry,
    start: usize,
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

    /// Returns the delay of a `Crawl-delay`: digits, optionally with a decimal point. Returns `None` for anything else,
    /// such as a negative number, a unit or a decimal comma. There is no upper limit.
    pub fn crawl_delay(&self) -> Option<Duration> {
        if self.field() == Field::CrawlDelay { parse_seconds(self.value()) } else { None }
    }
}

/// Parses decimal seconds. Digits after the nanoseconds are dropped.
fn parse_seconds(value: &[u8]) -> Option<Duration> {
    let (whole, fraction) = match value.iter().position(|b| *b == b'.') {
        Some(point) => (&value[..point], &value[point + 1..]),
        None => (value, &[][..]),
    };
    let is_number = whole.iter().chain(fraction).all(u8::is_ascii_digit) && whole.len() + fraction.len() > 0;
    if !is_number {
        return None;
    }
    let digits = |digits: &[u8]| {
        digits.iter().fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
    };
    let mut nanos = [b'0'; 9];
    let known = fraction.len().min(nanos.len());
    nanos[..known].copy_from_slice(&fraction[..known]);
    Some(Duration::new(digits(whole), digits(&nanos) as u32))
}

/// A crawl-delay and the line that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrawlDelay {
    /// The minimum time between the starts of two requests.
    pub delay: Duration,
    /// The line number of the record.
    pub line: u32,
}

impl Robots {
    /// Returns the largest valid crawl-delay of these groups.
    pub(crate) fn largest_delay(&self, in_groups: impl Fn(usize) -> bool) -> Option<CrawlDelay> {
        self.records()
            .filter(|record| record.group().is_some_and(&in_groups))
            .filter_map(|record| Some(CrawlDelay { delay: record.crawl_delay()?, line: record.line() }))
            .max_by_key(|found| (found.delay, core::cmp::Reverse(found.line)))
    }
}

/// Writes a summary instead of all arrays.
impl fmt::Debug for Robots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Robots")
            .field("dialect", &self.dialect().name)
            .field("groups", &self.groups().len())
            .field("records", &self.records().len())
            .field("memory", &self.memory())
            .finish()
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
