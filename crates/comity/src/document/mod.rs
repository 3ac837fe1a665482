//! A parsed robots.txt: groups, their rules, and other records.
//!
//! The body is not stored. A document consists of a few flat arrays: all texts in one arena, and everything else as
//! offsets into it. Equal rule lists are stored once; only their line numbers differ. On 2,973 real files (4,554 bytes
//! on average), two of three groups repeat the rules of another group in the same file.

mod crawl_delay;
mod entries;
mod read;
mod views;

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;

pub use crawl_delay::CrawlDelay;
pub use views::{Agent, Group, Record, Rule};

use self::entries::{AgentEntry, GroupEntry, RecordEntry, RuleEntry};
use crate::crawler::identity::Crawler;
use crate::dialect::Dialect;
use crate::parse::directive::Field;
use crate::parse::source_text::{Encoding, Size, SourceText};

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

    /// Parses a file as a crawler of the table reads it: in its [dialect](Crawler::dialect). For a crawler that is not from
    /// a table, this is [`parse`](Self::parse).
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let body = b"User-agent: *\nDisallow: /a$b\n";
    /// let yandex = Crawler::known("YandexBot").unwrap();
    /// assert_eq!(Robots::parse_as(&yandex, body).dialect().name, "yandex");
    /// let googlebot = Crawler::known("Googlebot").unwrap();
    /// assert!(Robots::parse_as(&googlebot, body).check(&googlebot, "/a$b").is_disallowed());
    /// ```
    pub fn parse_as(crawler: &Crawler<'_>, body: impl AsRef<[u8]>) -> Self {
        Self::parse_with(body, &crawler.dialect())
    }

    /// Parses a file in a dialect, which also applies to all checks of the file.
    ///
    /// Use [`parse_as`](Self::parse_as) to read a file as a known crawler reads it, and [`parse`](Self::parse) for a crawler
    /// of your own.
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
