//! Sitemaps in XML: page lists, indexes, RSS and Atom.

use std::collections::VecDeque;
use std::io::Read;

use comity::url::{join_url, parse_url};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::error::{Kind, SitemapError};
use super::{Entry, EntryKind, Format, LOCATION_LIMIT, Source};

/// The maximum nesting depth of elements. Sitemaps with all known extensions need six.
const DEPTH_LIMIT: usize = 32;

/// The maximum length of a name in an error, in characters. Names of a hostile document are long.
const MAX_NAME: usize = 80;

/// The maximum number of files that are kept until their entry ends. Search engines read no more of a page.
const MAX_FILES: usize = 1_000;

#[derive(Debug)]
pub(super) struct Xml<R: Read> {
    reader: Reader<Source<R>>,
    buffer: Vec<u8>,
    format: Format,
    /// The prefix of the outermost element's name, with its colon. An element of an entry belongs to the sitemap's own
    /// language, and not to an extension, if it has the same prefix.
    prefix: String,
    depth: usize,
    /// The depth of the current entry.
    entry_depth: Option<usize>,
    /// True if the current entry is where the format has none.
    is_misplaced: bool,
    /// True if an entry was found where the format has it.
    has_entry: bool,
    /// The first thing that is where the format has entries, or looks like an entry, and is none: its line and name.
    stranger: Option<(u64, String)>,
    location: String,
    /// The permanent address of an entry of RSS, which is used if it has no other.
    guid: String,
    /// The `xml:base` of an Atom feed, and that of the current entry.
    bases: [Option<String>; 2],
    /// The encoding that the document declares.
    encoding: Option<String>,
    /// True if the current entry has more than one location.
    has_several: bool,
    modified: String,
    /// The part that the current text belongs to.
    into: Option<Part>,
    /// True if files of pages are returned, too.
    has_files: bool,
    /// The URL of the current file.
    file: String,
    /// The files of the current entry, which follow it.
    files: VecDeque<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Location,
    Guid,
    Modified,
    File(EntryKind),
}

/// The result of an event.
enum Found {
    Nothing,
    FileEnds(EntryKind),
    EntryEnds,
    End,
}

impl<R: Read> Xml<R> {
    /// Reads up to the outermost element, which determines the format.
    pub(super) fn new(source: Source<R>) -> Result<Self, SitemapError> {
        let mut reader = Reader::from_reader(source);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true; // URLs often contain unescaped ampersands
        let mut xml = Self {
            reader,
            buffer: Vec::new(),
            format: Format::UrlSet,
            prefix: String::new(),
            depth: 0,
            entry_depth: None,
            is_misplaced: false,
            has_entry: false,
            stranger: None,
            location: String::new(),
            guid: String::new(),
            bases: [None, None],
            encoding: None,
            has_several: false,
            modified: String::new(),
            into: None,
            has_files: false,
            file: String::new(),
            files: VecDeque::new(),
        };
        while xml.depth == 0 {
            if let Found::End = xml.step()? {
                return Err(Kind::Empty(xml.line()).into());
            }
        }
        Ok(xml)
    }

    pub(super) fn set_files(&mut self) {
        self.has_files = true;
    }

    pub(super) fn format(&self) -> Format {
        self.format
    }

    fn line(&self) -> u64 {
        self.reader.get_ref().line
    }

    /// Returns the next entry.
    pub(super) fn entry(&mut self) -> Result<Option<Entry>, SitemapError> {
        if self.entry_depth.is_none()
            && let Some(file) = self.files.pop_front()
        {
            return Ok(Some(file));
        }
        loop {
            match self.step()? {
                Found::Nothing => {}
                Found::End => {
                    return match self.stranger.take().filter(|_| !self.has_entry) {
                        Some((line, found)) => {
                            Err(Kind::NotUnderstood { line, found, expected: self.expected() }.into())
                        }
                        None => Ok(None),
                    };
                }
                Found::FileEnds(kind) => {
                    let file = Entry {
                        kind,
                        location: std::mem::take(&mut self.file).trim().to_owned(),
                        modified: None,
                        line: self.line(),
                        has_several: false,
                        is_misplaced: false,
                    };
                    if self.files.len() == MAX_FILES {
                        return Ok(Some(file));
                    }
                    self.files.push_back(file);
                }
                Found::EntryEnds => {
                    self.has_entry |= !self.is_misplaced;
                    let kind = if self.format == Format::Index { EntryKind::Sitemap } else { EntryKind::Page };
                    if self.location.trim_ascii().is_empty() {
                        std::mem::swap(&mut self.location, &mut self.guid);
                    }
                    let modified = std::mem::take(&mut self.modified).trim().to_owned();
                    return Ok(Some(Entry {
                        kind,
                        location: std::mem::take(&mut self.location).trim().to_owned(),
                        modified: (!modified.is_empty()).then_some(modified),
                        line: self.line(),
                        has_several: self.has_several,
                        is_misplaced: self.is_misplaced,
                    }));
                }
            }
        }
    }

    /// Returns the place of an entry, for people.
    fn expected(&self) -> String {
        let prefix = &self.prefix;
        match self.format {
            Format::Index => format!("<{prefix}sitemap> directly in <{prefix}sitemapindex>"),
            Format::Rss => "<item> in <channel>".to_owned(),
            Format::Atom => format!("<{prefix}entry> directly in <{prefix}feed>"),
            _ => format!("<{prefix}url> directly in <{prefix}urlset>"),
        }
    }

    /// Reads and processes one event.
    fn step(&mut self) -> Result<Found, SitemapError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.reader.get_mut().next_piece();
        let event = self.reader.read_event_into(&mut buffer);
        let found = match event {
            Ok(event) => self.take(&event),
            Err(error) => Err(self.error(error)),
        };
        self.buffer = buffer;
        found
    }

    fn error(&self, error: quick_xml::Error) -> SitemapError {
        let source = self.reader.get_ref();
        match error {
            quick_xml::Error::Encoding(_) => Kind::Encoding(source.line, self.encoding.clone()).into(),
            quick_xml::Error::Io(io) => source.error(std::io::Error::new(io.kind(), io)),
            other => Kind::Malformed(source.line, other.into()).into(),
        }
    }

    fn take(&mut self, event: &Event<'_>) -> Result<Found, SitemapError> {
        match event {
            Event::Start(element) => self.start(element)?,
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                if let Some(Part::File(kind)) = self.into.take() {
                    return Ok(Found::FileEnds(kind));
                }
                if self.entry_depth == Some(self.depth + 1) {
                    self.entry_depth = None;
                    return Ok(Found::EntryEnds);
                }
            }
            Event::Text(text) => self.text(text),
            Event::CData(text) => self.text(text),
            Event::GeneralRef(reference) => self.reference(reference)?,
            // Most often, the server sent an HTML page instead of the sitemap.
            Event::DocType(kind) if kind.trim_ascii_start().to_ascii_lowercase().starts_with("html") => {
                return Err(Kind::NotASitemap("html".to_owned()).into());
            }
            Event::DocType(_) => return Err(Kind::DocumentType(self.line()).into()),
            Event::Eof if self.depth > 0 => {
                return Err(Kind::Cut(self.line()).into());
            }
            Event::Eof => return Ok(Found::End),
            Event::Decl(declaration) => {
                let encoding = declaration.encoding().and_then(Result::ok);
                self.encoding = encoding.map(|name| name.chars().take(MAX_NAME).collect());
            }
            // Empty elements come as a start and an end.
            Event::Empty(_) | Event::Comment(_) | Event::PI(_) => {}
        }
        Ok(Found::Nothing)
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), SitemapError> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(Kind::TooDeep(self.line()).into());
        }
        let name = element.name();
        let (prefix, local) = split(name.as_ref());
        if self.depth == 1 {
            self.format = match local {
                "urlset" => Format::UrlSet,
                "sitemapindex" => Format::Index,
                "rss" | "RDF" => Format::Rss,
                "feed" => Format::Atom,
                other => return Err(Kind::NotASitemap(other.to_owned()).into()),
            };
            // Elements of RSS 2.0 have no namespace. In RSS 1.0, the outermost element has that of RDF, unlike its
            // entries.
            prefix.clone_into(&mut self.prefix);
            match self.format {
                Format::Rss => self.prefix.clear(),
                Format::Atom => self.bases[0] = self.attribute(element, "xml:base")?,
                _ => {}
            }
            return Ok(());
        }
        self.into = None;
        let is_own = prefix == self.prefix;
        match self.entry_depth {
            None => {
                let is_entry = is_own
                    && match self.format {
                        Format::UrlSet => local == "url" && self.depth == 2,
                        Format::Index => local == "sitemap" && self.depth == 2,
                        Format::Rss => local == "item" && self.depth <= 3,
                        _ => local == "entry" && self.depth == 2,
                    };
                // A feed has other elements besides its entries, and `url` is one of them.
                let is_feed = matches!(self.format, Format::Rss | Format::Atom);
                let is_bare = !is_feed && local.eq_ignore_ascii_case("loc");
                let names: &[_] = if is_feed { &["item", "entry"] } else { &["url", "sitemap", "item", "entry"] };
                let is_like_entry = is_bare || names.iter().any(|name| local.eq_ignore_ascii_case(name));
                if !is_entry && (is_like_entry || (!is_feed && self.depth == 2)) {
                    let line = self.line();
                    self.stranger.get_or_insert_with(|| {
                        (line, format!("<{}>", name.as_ref().chars().take(MAX_NAME).collect::<String>()))
                    });
                }
                if is_entry || is_like_entry {
                    self.entry_depth = Some(self.depth);
                    self.is_misplaced = !is_entry;
                    self.location.clear();
                    self.guid.clear();
                    self.has_several = false;
                    self.modified.clear();
                    if self.format == Format::Atom {
                        self.bases[1] = self.attribute(element, "xml:base")?;
                    }
                    self.into = is_bare.then_some(Part::Location);
                }
            }
            // All names of locations are taken, to show which entry it is.
            Some(depth) if self.is_misplaced => {
                let is_location = ["loc", "link"].iter().any(|name| local.eq_ignore_ascii_case(name));
                if self.depth == depth + 1 && is_location && self.location.is_empty() {
                    self.into = Some(Part::Location);
                }
            }
            // Extensions, such as those for images, have locations of their own.
            Some(_) if !is_own => {
                let kind = match (prefix.trim_end_matches(':'), local) {
                    ("image", "loc") => EntryKind::Image,
                    ("video", "content_loc" | "thumbnail_loc" | "player_loc") => EntryKind::Video,
                    ("xhtml", "link") => EntryKind::Alternate,
                    _ => return Ok(()),
                };
                if self.has_files && self.format == Format::UrlSet {
                    self.start_file(kind, element)?;
                }
            }
            Some(depth) if self.depth == depth + 1 => {
                self.into = match (self.format, local) {
                    (Format::UrlSet | Format::Index, "loc") | (Format::Rss, "link") => Some(Part::Location),
                    (Format::UrlSet | Format::Index, "lastmod")
                    | (Format::Rss, "pubDate")
                    | (Format::Atom, "updated") => Some(Part::Modified),
                    (Format::Rss, "guid") if self.attribute(element, "isPermaLink")?.is_none_or(|is| is != "false") => {
                        self.guid.clear();
                        Some(Part::Guid)
                    }
                    (Format::Atom, "link") => {
                        self.atom_link(element)?;
                        None
                    }
                    _ => None,
                };
                // The locations would be joined to the URL of another page.
                if self.into == Some(Part::Location) && !self.location.trim_ascii_end().is_empty() {
                    self.has_several = true;
                    self.location.push(' ');
                }
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn start_file(&mut self, kind: EntryKind, element: &BytesStart<'_>) -> Result<(), SitemapError> {
        self.file.clear();
        self.into = Some(Part::File(kind));
        if kind == EntryKind::Alternate {
            let is_alternate = self.attribute(element, "rel")?.is_some_and(|rel| rel == "alternate");
            match self.attribute(element, "href")?.filter(|_| is_alternate) {
                Some(href) => self.text(&href),
                None => self.into = None,
            }
        }
        Ok(())
    }

    /// Takes the location of an entry from a `link` without a relation, or with the relation `alternate`.
    fn atom_link(&mut self, element: &BytesStart<'_>) -> Result<(), SitemapError> {
        let is_page = self.attribute(element, "rel")?.is_none_or(|rel| rel == "alternate");
        let href = self.attribute(element, "href")?;
        if let Some(href) = href.filter(|_| is_page && self.location.is_empty()) {
            let base = self.attribute(element, "xml:base")?;
            let location = self.resolved(&href, base.as_deref());
            self.into = Some(Part::Location);
            self.text(location.as_deref().unwrap_or(&href));
        }
        Ok(())
    }

    /// Returns the URL of a relative reference in an Atom feed, if an `xml:base` of the feed, the entry or the link makes it
    /// absolute (RFC 4287 §2).
    fn resolved(&self, href: &str, base: Option<&str>) -> Option<String> {
        if parse_url(href).is_ok() {
            return None;
        }
        let bases = self.bases.iter().filter_map(Option::as_deref).chain(base);
        let base = bases.fold(None, |outer, base| {
            let joined = outer.as_ref().and_then(|outer| join_url(outer, base).ok());
            joined.or_else(|| parse_url(base).ok())
        });
        Some(String::from(join_url(&base?, href).ok()?))
    }

    /// Returns the value of an attribute.
    fn attribute(&self, element: &BytesStart<'_>, name: &str) -> Result<Option<String>, SitemapError> {
        let line = self.line();
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| Kind::Malformed(line, error.into()))?;
            if attribute.key.as_ref() == name {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                return Ok(Some(value.map_err(|error| Kind::Malformed(line, error.into()))?.into_owned()));
            }
        }
        Ok(None)
    }

    /// Adds text to the current part. Stores no more than is needed to detect that a location is too long.
    fn text(&mut self, text: &str) {
        if self.depth == 1 && matches!(self.format, Format::UrlSet | Format::Index) && !text.trim_ascii().is_empty() {
            let line = self.line();
            self.stranger.get_or_insert_with(|| (line, "text".to_owned()));
        }
        let part = match self.into {
            Some(Part::Location) => &mut self.location,
            Some(Part::Guid) => &mut self.guid,
            Some(Part::Modified) => &mut self.modified,
            Some(Part::File(_)) => &mut self.file,
            None => return,
        };
        // Leading white space does not use up the limit.
        let text = if part.is_empty() { text.trim_start() } else { text };
        let room = (4 * LOCATION_LIMIT).saturating_sub(part.len());
        let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        part.push_str(&text[..end.unwrap_or(0)]);
    }

    /// Adds the character of a reference by number, or by one of the five names that XML defines.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), SitemapError> {
        let line = self.line();
        if let Some(c) = reference.resolve_char_ref().map_err(|error| Kind::Malformed(line, error.into()))? {
            self.text(c.encode_utf8(&mut [0; 4]));
            return Ok(());
        }
        let name: &str = reference;
        let known = quick_xml::escape::resolve_xml_entity(name);
        self.text(known.ok_or_else(|| Kind::Entity(line, name.to_owned()))?);
        Ok(())
    }
}

fn split(name: &str) -> (&str, &str) {
    match name.find(':') {
        Some(colon) => (&name[..=colon], &name[colon + 1..]),
        None => ("", name),
    }
}
