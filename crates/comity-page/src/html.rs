//! Meta tags, and the few others that speak to crawlers, out of HTML as it is.
//!
//! The tokeniser is html5gum's, which follows the WHATWG standard: comments, scripts and titles that look like tags are
//! none. It builds no tree, so what a browser would drop or move is found all the same: a meta tag in the body counts,
//! as it does for Google. What stands in `noscript` counts too, for not every crawler runs scripts.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use comity::page::{Page, is_robots_name};
use html5gum::{Emitter, Error, Reader, State, Tokenizer};

use crate::decode::Decoded;

/// The bytes of a page that are read unless a caller says otherwise: no search engine says that it reads more.
pub const HTML_LIMIT: u64 = 15 * 1024 * 1024;

/// The bytes of an attribute that are kept; the rest is dropped, and [`Tags::is_cut`] is true.
const ATTRIBUTE_LIMIT: usize = 64 * 1024;

/// The bytes of meta tags for crawlers that [`read_page`] takes from one page: no real one has a thousandth of that, and
/// each rule takes more memory than it has letters.
const META_LIMIT: usize = 256 * 1024;

/// A tag that says something to crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tag {
    /// The line on which it starts, from 1.
    pub line: u32,
    /// What it says.
    pub kind: TagKind,
}

/// What a tag says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TagKind {
    /// A `meta` tag with a name, whichever.
    #[non_exhaustive]
    Meta {
        /// Its name as it stands.
        name: Vec<u8>,
        /// Its content; empty if it has none.
        content: Vec<u8>,
    },
    /// A `span`, `div` or `section` with `data-nosnippet`: its text is not for snippets.
    NoSnippet,
    /// A link with `rel=nofollow`.
    #[non_exhaustive]
    NofollowLink {
        /// Where it leads, as it stands.
        href: Vec<u8>,
    },
    /// A `link` with `rel=license`.
    #[non_exhaustive]
    License {
        /// Where the licence is, as it stands.
        href: Vec<u8>,
        /// Its `type`, as it stands.
        media_type: Option<Vec<u8>>,
    },
    /// A style sheet that the page loads.
    #[non_exhaustive]
    Style {
        /// Where it is, as it stands.
        href: Vec<u8>,
    },
    /// A script that the page loads.
    #[non_exhaustive]
    Script {
        /// Where it is, as it stands.
        src: Vec<u8>,
    },
    /// What relative addresses on the page are relative to.
    #[non_exhaustive]
    Base {
        /// As it stands.
        href: Vec<u8>,
    },
}

/// The tags of a page that say something to crawlers, in order.
///
/// ```
/// use comity_page::{TagKind, Tags};
///
/// let html = "<!-- <meta name=robots content=noindex> -->\n<META NAME='Robots' CONTENT='no&#105;ndex'>";
/// let tags: Vec<_> = Tags::new(html.as_bytes()).collect::<Result<_, _>>()?;
/// assert_eq!(tags.len(), 1);
/// assert_eq!(tags[0].line, 2);
/// assert!(matches!(&tags[0].kind, TagKind::Meta { content, .. } if content == b"noindex"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Tags<R: Read> {
    /// None behind an error.
    tokenizer: Option<Tokenizer<Source<R>, Finder>>,
    progress: Arc<Progress>,
}

impl<R: Read> Tags<R> {
    /// Reads at most [`HTML_LIMIT`] bytes.
    pub fn new(html: R) -> Self {
        Self::with_limit(html, HTML_LIMIT)
    }

    /// Reads at most so many bytes. UTF-16 is understood if it starts with a byte order mark.
    pub fn with_limit(html: R, limit: u64) -> Self {
        let progress = Arc::new(Progress { line: AtomicU32::new(1), is_cut: AtomicBool::new(false) });
        let source = Source {
            inner: BufReader::new(Decoded::new(html)),
            left: limit,
            ahead: VecDeque::new(),
            run: Vec::new(),
            progress: Arc::clone(&progress),
        };
        let finder = Finder { progress: Arc::clone(&progress), ..Finder::default() };
        Self { tokenizer: Some(Tokenizer::new_with_emitter(source, finder)), progress }
    }

    /// Whether something was left out so far: the page, or an attribute, is longer than what is read of it.
    pub fn is_cut(&self) -> bool {
        self.progress.is_cut.load(Ordering::Relaxed)
    }
}

impl<R: Read> Iterator for Tags<R> {
    type Item = io::Result<Tag>;

    fn next(&mut self) -> Option<io::Result<Tag>> {
        let next = self.tokenizer.as_mut()?.next();
        if !matches!(next, Some(Ok(_))) {
            self.tokenizer = None;
        }
        next
    }
}

/// What was found in a page beside its meta tags, by [`read_page`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// How many meta tags speak to crawlers.
    pub metas: usize,
    /// The lines of elements with `data-nosnippet`, the first thousand of them.
    pub nosnippet: Vec<u32>,
    /// How many links have `rel=nofollow`.
    pub nofollow_links: usize,
    /// Where the style sheets are that it loads, as that stands there; the first thousand of them.
    pub styles: Vec<String>,
    /// The same of its scripts.
    pub scripts: Vec<String>,
    /// What these are relative to, if the page says so: its first `base`.
    pub base: Option<String>,
    /// The page, an attribute in it, or all of its meta tags together are longer than what is read of them.
    pub is_cut: bool,
}

/// Reads a page, and puts into `page` the licences that it names and the meta tags that speak to crawlers: those whose names are `robots`, a known
/// crawler's, or like one ([`is_robots_name`]), and those named in `also`.
pub fn read_page(html: impl Read, page: &mut Page, also: &[&str]) -> io::Result<Found> {
    const MOST: usize = 1_000;
    let mut tags = Tags::new(html);
    let mut found = Found::default();
    let mut left = META_LIMIT;
    for tag in &mut tags {
        let tag = tag?;
        match tag.kind {
            TagKind::Meta { name, content } => {
                let name = name.trim_ascii();
                if is_robots_name(name) || also.iter().any(|also| also.as_bytes().eq_ignore_ascii_case(name)) {
                    let len = name.len() + content.len();
                    if len > left {
                        found.is_cut = true;
                        continue;
                    }
                    left -= len;
                    page.meta_at(name, &content, tag.line);
                    found.metas += 1;
                }
            }
            TagKind::NoSnippet if found.nosnippet.len() < MOST => found.nosnippet.push(tag.line),
            TagKind::License { href, media_type } => {
                let len = href.len() + media_type.as_ref().map_or(0, Vec::len);
                if len > left {
                    found.is_cut = true;
                    continue;
                }
                left -= len;
                page.license(&href, media_type.as_deref(), tag.line);
            }
            TagKind::NofollowLink { .. } => found.nofollow_links += 1,
            TagKind::Style { href } if found.styles.len() < MOST => found.styles.push(text(&href)),
            TagKind::Script { src } if found.scripts.len() < MOST => found.scripts.push(text(&src)),
            TagKind::Base { href } if found.base.is_none() => found.base = Some(text(&href)),
            TagKind::NoSnippet | TagKind::Style { .. } | TagKind::Script { .. } | TagKind::Base { .. } => {}
        }
    }
    found.is_cut |= tags.is_cut();
    Ok(found)
}

/// An address as it stands, white space around it left out.
fn text(address: &[u8]) -> String {
    String::from_utf8_lossy(address.trim_ascii()).into_owned()
}

/// What the reader knows and the finder needs.
#[derive(Debug, Default)]
struct Progress {
    line: AtomicU32,
    is_cut: AtomicBool,
}

/// Hands bytes to the tokeniser, and counts them and the lines.
#[derive(Debug)]
struct Source<R: Read> {
    inner: BufReader<Decoded<R>>,
    left: u64,
    /// What was looked at and not taken.
    ahead: VecDeque<u8>,
    /// What was handed over last.
    run: Vec<u8>,
    progress: Arc<Progress>,
}

impl<R: Read> Source<R> {
    /// The next byte, wherever it is kept.
    fn byte(&mut self) -> io::Result<Option<u8>> {
        if let Some(byte) = self.ahead.pop_front() {
            return Ok(Some(byte));
        }
        let byte = loop {
            match self.inner.fill_buf() {
                Ok(buffer) => break buffer.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        if byte.is_some() && self.left == 0 {
            self.progress.is_cut.store(true, Ordering::Relaxed);
            return Ok(None);
        }
        if byte.is_some() {
            self.inner.consume(1);
            self.left -= 1;
        }
        Ok(byte)
    }

    fn count(&self, bytes: &[u8]) {
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u32;
        if lines > 0 {
            self.progress.line.fetch_add(lines, Ordering::Relaxed);
        }
    }
}

impl<R: Read> Reader for Source<R> {
    type Error = io::Error;

    fn read_byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.byte()?;
        self.count(byte.as_slice());
        Ok(byte)
    }

    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> io::Result<bool> {
        let mut looked_at = Vec::with_capacity(wanted.len());
        while looked_at.len() < wanted.len() {
            let Some(byte) = self.byte()? else { break };
            looked_at.push(byte);
        }
        let is_it = looked_at == wanted || !case_sensitive && looked_at.eq_ignore_ascii_case(wanted);
        if !is_it {
            for byte in looked_at.into_iter().rev() {
                self.ahead.push_front(byte);
            }
        }
        Ok(is_it)
    }

    fn read_until<'b>(&'b mut self, needle: &[u8], one: &'b mut [u8; 4]) -> io::Result<Option<&'b [u8]>> {
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let run = if self.ahead.is_empty() {
            let buffer = self.inner.buffer();
            let buffer = &buffer[..buffer.len().min(left)];
            buffer.iter().position(|byte| needle.contains(byte)).unwrap_or(buffer.len())
        } else {
            0
        };
        if run == 0 {
            let Some(byte) = self.read_byte()? else { return Ok(None) };
            one[0] = byte;
            return Ok(Some(&one[..1]));
        }
        // Copied, for a buffer can't be lent and consumed at once.
        self.run.clear();
        self.run.extend_from_slice(&self.inner.buffer()[..run]);
        self.inner.consume(run);
        self.left -= run as u64;
        self.count(&self.run);
        Ok(Some(&self.run))
    }
}

/// Keeps the tag at hand and what it finds; text, comments and everything else are passed over as they come.
#[derive(Debug, Default)]
struct Finder {
    progress: Arc<Progress>,
    found: VecDeque<Tag>,
    tag: CurrentTag,
    last_start_tag: Vec<u8>,
}

#[derive(Debug, Default)]
struct CurrentTag {
    line: u32,
    is_end: bool,
    name: Vec<u8>,
    /// Of the attributes, those that matter; of equal names the first counts.
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

impl CurrentTag {
    fn attribute(&self, name: &str) -> Option<&[u8]> {
        let (_, value) = self.attributes.iter().find(|(known, _)| known == name.as_bytes())?;
        Some(value)
    }

    /// Whether one of the words of an attribute is this.
    fn has_word(&self, name: &str, word: &str) -> bool {
        self.attribute(name).is_some_and(|value| {
            value.split(u8::is_ascii_whitespace).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        })
    }

    fn kind(&self) -> Option<TagKind> {
        let value = |name| whole_words(self.attribute(name).unwrap_or_default()).to_vec();
        match self.name.as_slice() {
            b"meta" if self.attribute("name").is_some() => {
                Some(TagKind::Meta { name: value("name"), content: value("content") })
            }
            b"span" | b"div" | b"section" if self.attribute("data-nosnippet").is_some() => Some(TagKind::NoSnippet),
            b"a" | b"area" | b"link" if self.has_word("rel", "nofollow") => {
                Some(TagKind::NofollowLink { href: value("href") })
            }
            b"link" if self.has_word("rel", "license") => {
                Some(TagKind::License { href: value("href"), media_type: self.attribute("type").map(<[u8]>::to_vec) })
            }
            // An alternate one is there for readers to choose.
            b"link" if self.has_word("rel", "stylesheet") && !self.has_word("rel", "alternate") => {
                self.attribute("href").map(|href| TagKind::Style { href: href.to_vec() })
            }
            b"script" => self.attribute("src").map(|src| TagKind::Script { src: src.to_vec() }),
            b"base" => self.attribute("href").map(|href| TagKind::Base { href: href.to_vec() }),
            _ => None,
        }
    }
}

const WANTED: [&str; 7] = ["name", "content", "rel", "href", "src", "type", "data-nosnippet"];

impl Emitter for Finder {
    type Token = Tag;

    fn start_open_tag(&mut self) {
        self.tag.line = self.progress.line.load(Ordering::Relaxed);
    }

    fn init_start_tag(&mut self) {
        self.tag = CurrentTag { line: self.tag.line, ..CurrentTag::default() };
    }

    fn init_end_tag(&mut self) {
        self.tag = CurrentTag { line: self.tag.line, is_end: true, ..CurrentTag::default() };
    }

    fn push_tag_name(&mut self, text: &[u8]) {
        push(&mut self.tag.name, text);
    }

    fn init_attribute(&mut self) {
        self.drop_unwanted();
        self.tag.attributes.push((Vec::new(), Vec::new()));
    }

    fn push_attribute_name(&mut self, text: &[u8]) {
        if let Some((name, _)) = self.tag.attributes.last_mut() {
            push(name, text);
        }
    }

    fn push_attribute_value(&mut self, text: &[u8]) {
        if let Some((_, value)) = self.tag.attributes.last_mut()
            && push(value, text)
        {
            self.progress.is_cut.store(true, Ordering::Relaxed);
        }
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.drop_unwanted();
        if self.tag.is_end {
            self.last_start_tag.clear();
            return None;
        }
        if let Some(kind) = self.tag.kind() {
            self.found.push_back(Tag { line: self.tag.line, kind });
        }
        self.last_start_tag.clone_from(&self.tag.name);
        // What these hold is text, or something that looks like tags and is not.
        match self.tag.name.as_slice() {
            b"title" | b"textarea" => Some(State::RcData),
            b"script" => Some(State::ScriptData),
            b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => Some(State::RawText),
            b"plaintext" => Some(State::PlainText),
            _ => None,
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.tag.is_end && !self.last_start_tag.is_empty() && self.tag.name == self.last_start_tag
    }

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start_tag = name.unwrap_or_default().to_vec();
    }

    fn pop_token(&mut self) -> Option<Tag> {
        self.found.pop_front()
    }

    fn emit_eof(&mut self) {}
    fn emit_error(&mut self, _: Error) {}
    fn emit_string(&mut self, _: &[u8]) {}
    fn init_comment(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn emit_current_comment(&mut self) {}
    fn set_self_closing(&mut self) {}
    fn init_doctype(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn set_force_quirks(&mut self) {}
    fn emit_current_doctype(&mut self) {}
}

impl Finder {
    /// A tag may have very many attributes; few matter.
    fn drop_unwanted(&mut self) {
        if let Some((last, before)) = self.tag.attributes.split_last() {
            let is_wanted = WANTED.iter().any(|wanted| wanted.as_bytes() == last.0);
            if !is_wanted || before.iter().any(|(name, _)| *name == last.0) {
                self.tag.attributes.pop();
            }
        }
    }
}

/// A value without the word in which it was cut, if it was: what is left of that is not what was said.
fn whole_words(value: &[u8]) -> &[u8] {
    if value.len() < ATTRIBUTE_LIMIT {
        return value;
    }
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';');
    &value[..value.iter().rposition(is_between).unwrap_or(0)]
}

/// Appends as much as may be kept; true if something was dropped.
fn push(to: &mut Vec<u8>, text: &[u8]) -> bool {
    let room = ATTRIBUTE_LIMIT - to.len().min(ATTRIBUTE_LIMIT);
    to.extend_from_slice(&text[..text.len().min(room)]);
    text.len() > room
}
