//! Sitemaps (sitemaps.org), as streams: XML, index, text, RSS and Atom, compressed or not.
//!
//! Sitemaps are untrusted input. A document type, and so every entity that a document may define, is refused. Bytes,
//! entries, nesting and the size of each piece of markup are limited.

mod error;
mod gunzip;
mod text;
mod xml;

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use crate::decode::Decoded;
use error::Kind;
pub use error::SitemapError;
pub use gunzip::Gunzip;
use text::Text;
use xml::Xml;

/// The maximum size of a sitemap in bytes, uncompressed (sitemaps.org).
pub const SIZE_LIMIT: u64 = 52_428_800;

/// The maximum number of entries of a sitemap (sitemaps.org).
pub const ENTRY_LIMIT: u32 = 50_000;

/// The length of a location in characters must be less than this (sitemaps.org).
pub const LOCATION_LIMIT: usize = 2_048;

/// Limits on the part of a sitemap that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum number of bytes, uncompressed.
    pub bytes: u64,
    /// The maximum number of entries.
    pub entries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: SIZE_LIMIT, entries: ENTRY_LIMIT }
    }
}

/// The form of a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `<urlset>`: pages.
    UrlSet,
    /// `<sitemapindex>`: other sitemaps.
    Index,
    /// RSS, 2.0 or 1.0.
    Rss,
    /// An Atom feed.
    Atom,
    /// A URL on each line.
    Text,
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::UrlSet => "XML",
            Self::Index => "index",
            Self::Rss => "RSS",
            Self::Atom => "Atom",
            Self::Text => "text",
        })
    }
}

/// One entry of a sitemap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The kind of the entry: a page, another sitemap, or a file.
    pub kind: EntryKind,
    /// The URL as written, without the white space around it.
    pub location: String,
    /// The time of the last change, as written.
    pub modified: Option<String>,
    /// The last line of the entry, from 1.
    pub line: u64,
    has_several: bool,
    is_misplaced: bool,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A page.
    Page,
    /// Another sitemap, listed by an index.
    Sitemap,
    /// An image of the page whose entry it is in (`image:loc`).
    Image,
    /// A video of the page, its thumbnail or its player (`video:content_loc`, `video:thumbnail_loc`, `video:player_loc`).
    Video,
    /// Another language or form of the page (`xhtml:link`).
    Alternate,
}

/// An error in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// It is not where the format has its entries, so crawlers may not read it.
    Misplaced,
    /// It has no location.
    Empty,
    /// Its location is not an absolute URL.
    NotAbsolute,
    /// Its location has [`LOCATION_LIMIT`] characters or more.
    TooLong,
    /// It has more than one location.
    Several,
    /// Its location contains a tab or a line end, which parsers of URLs remove.
    LineEnd,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Misplaced => "expected <url> directly in <urlset>, or <sitemap> directly in <sitemapindex>",
            Self::Empty => "it has no location",
            Self::NotAbsolute => "expected an absolute URL",
            Self::TooLong => "expected fewer than 2,048 characters",
            Self::Several => "expected one location, found several",
            Self::LineEnd => "expected a URL, found a tab or a line end in it",
        })
    }
}

impl Entry {
    /// Returns the error in the entry, if there is one.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let is_absolute = || {
            let scheme = self.location.split_once("://").map(|(scheme, rest)| (scheme, rest.is_empty()));
            scheme.is_some_and(|(scheme, is_bare)| {
                !is_bare && ["http", "https"].iter().any(|s| scheme.eq_ignore_ascii_case(s))
            })
        };
        if self.is_misplaced {
            Some(Problem::Misplaced)
        } else if self.location.is_empty() {
            Some(Problem::Empty)
        } else if self.has_several {
            Some(Problem::Several)
        } else if self.location.chars().count() >= LOCATION_LIMIT {
            Some(Problem::TooLong)
        } else if self.location.contains(['\t', '\n', '\r']) {
            Some(Problem::LineEnd)
        } else if is_absolute() {
            None
        } else {
            Some(Problem::NotAbsolute)
        }
    }
}

/// An iterator over the entries of a sitemap. It ends after the first error.
#[derive(Debug)]
pub struct Sitemap<R: Read> {
    form: Form<R>,
    left: u32,
    is_over: bool,
}

#[derive(Debug)]
enum Form<R: Read> {
    Xml(Box<Xml<R>>),
    Text(Box<Text<R>>),
}

impl<R: Read> Sitemap<R> {
    /// Reads a sitemap up to the limits of sitemaps.org. The format is detected from the first bytes, not from a file
    /// name or a media type.
    pub fn read(sitemap: R) -> Result<Self, SitemapError> {
        Self::read_with(sitemap, Limits::default())
    }

    /// Reads a sitemap up to these limits.
    pub fn read_with(sitemap: R, limits: Limits) -> Result<Self, SitemapError> {
        let mut source = Source::new(sitemap, limits.bytes)?;
        let is_xml = source.starts_like_xml()?;
        if !is_xml && source.fill_buf().is_ok_and(<[u8]>::is_empty) {
            return Err(Kind::Nothing.into());
        }
        let form =
            if is_xml { Form::Xml(Box::new(Xml::new(source)?)) } else { Form::Text(Box::new(Text::new(source))) };
        Ok(Self { form, left: limits.entries, is_over: false })
    }

    /// Includes the files and alternates that the entries of a page list name: those of a page follow it, except that from
    /// the 1,001st on they precede it. By default, only the entries are returned. Files do not count for
    /// [`Limits::entries`].
    #[must_use]
    pub fn with_files(mut self) -> Self {
        if let Form::Xml(xml) = &mut self.form {
            xml.set_files();
        }
        self
    }

    /// Returns the format.
    pub fn format(&self) -> Format {
        match &self.form {
            Form::Xml(xml) => xml.format(),
            Form::Text(_) => Format::Text,
        }
    }
}

impl<R: Read> Iterator for Sitemap<R> {
    type Item = Result<Entry, SitemapError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = match &mut self.form {
            Form::Xml(xml) => xml.entry(),
            Form::Text(text) => text.entry(),
        };
        let next = match next {
            Ok(Some(entry)) if matches!(entry.kind, EntryKind::Page | EntryKind::Sitemap) => {
                let left = self.left.checked_sub(1);
                self.left = left.unwrap_or_default();
                Some(left.map(|_| entry).ok_or_else(|| Kind::TooMany.into()))
            }
            next => next.transpose(),
        };
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// A reader of the uncompressed bytes in UTF-8, which counts and limits them.
#[derive(Debug)]
struct Source<R: Read> {
    inner: BufReader<Decoded<Plain<R>>>,
    left: u64,
    /// The number of bytes that may still be read before `next_piece` is called.
    piece: usize,
    line: u64,
    stopped: Option<Stop>,
}

/// The limit that ended the reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Size,
    Piece,
}

/// The maximum number of bytes of one tag, one text between tags, or one line.
const PIECE_LIMIT: usize = 256 * 1024;

impl<R: Read> Source<R> {
    fn new(mut reader: R, limit: u64) -> Result<Self, SitemapError> {
        let mut head = Vec::with_capacity(2);
        (&mut reader).take(2).read_to_end(&mut head).map_err(Kind::Io)?;
        let is_gzip = head == [0x1F, 0x8B];
        let whole = Cursor::new(head).chain(reader);
        let plain = if is_gzip { Plain::Gzip(Gunzip::new(whole)) } else { Plain::Raw(whole) };
        Ok(Self { inner: BufReader::new(Decoded::new(plain)), left: limit, piece: PIECE_LIMIT, line: 1, stopped: None })
    }

    /// Skips white space. Returns true if the next byte is `<`.
    fn starts_like_xml(&mut self) -> Result<bool, SitemapError> {
        loop {
            let buffer = match self.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) => return Err(self.error(error)),
            };
            let blank = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if blank < buffer.len() || buffer.is_empty() {
                let is_xml = buffer.get(blank) == Some(&b'<');
                self.consume(blank);
                return Ok(is_xml);
            }
            self.consume(blank);
        }
    }

    fn next_piece(&mut self) {
        self.piece = PIECE_LIMIT;
    }

    /// Returns the limit that ended the reading as an error, or else the error of the reader.
    fn error(&self, error: io::Error) -> SitemapError {
        match self.stopped {
            Some(Stop::Size) => Kind::TooLarge.into(),
            Some(Stop::Piece) => Kind::PieceTooLarge(self.line).into(),
            None => Kind::Io(error).into(),
        }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let buffer = self.fill_buf()?;
        let count = buffer.len().min(into.len());
        into[..count].copy_from_slice(&buffer[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let buffer = self.inner.fill_buf()?;
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.piece);
        if !buffer.is_empty() && most == 0 {
            self.stopped = Some(if self.left == 0 { Stop::Size } else { Stop::Piece });
            return Err(io::Error::other("more than is read"));
        }
        Ok(&buffer[..buffer.len().min(most)])
    }

    fn consume(&mut self, count: usize) {
        let lines = memchr::memchr_iter(b'\n', &self.inner.buffer()[..count]).count();
        self.line += lines as u64;
        self.left -= count as u64;
        self.piece -= count;
        self.inner.consume(count);
    }
}

/// A reader of bytes that may be compressed.
#[derive(Debug)]
enum Plain<R: Read> {
    Raw(Chain<Cursor<Vec<u8>>, R>),
    Gzip(Gunzip<Chain<Cursor<Vec<u8>>, R>>),
}

impl<R: Read> Read for Plain<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Raw(bytes) => bytes.read(into),
            Self::Gzip(bytes) => bytes.read(into),
        }
    }
}
