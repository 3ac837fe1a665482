//! Finds the tags of an HTML page that matter to crawlers.
//!
//! Tags are found as the WHATWG HTML Standard finds them: text in a comment, a script or a title that looks like a tag
//! is not a tag. No tree is built, so tags that a browser would drop or move are found, too. So are tags after a start
//! tag such as `<script/>`, which is an empty element in SVG and XHTML, but not in HTML. A meta tag in the body is
//! included, as Google does. One in `noscript` is included because not every crawler runs scripts. One in `template`,
//! and one whose name has white space around it, are included because the more restrictive reading is the safer one.

mod current_tag;
mod references;
mod scanner;

use std::io::{self, BufRead, BufReader, Read};

use crate::decode::Decoded;
use crate::page::{Page, is_robots_name, meant_name, restricts};
use scanner::Scanner;

/// The default limit of the bytes of a page that are read. No search engine documents that it reads more.
pub const HTML_LIMIT: u64 = 15 * 1024 * 1024;

/// The maximum number of bytes of meta tags for crawlers and of licenses, together, that [`read_page`] takes from one
/// page. Real pages have less than a thousandth of that. The limit exists because a stored rule takes more memory than
/// its text.
const META_LIMIT: usize = 256 * 1024;

/// The number of bytes that each such tag adds to the bytes of its values, so that the number of empty tags is limited.
const TAG_COST: usize = 16;

/// A tag that matters to crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tag {
    /// The line of its `<`, from 1.
    pub line: u32,
    /// The kind of the tag, and the attributes that matter.
    pub kind: TagKind,
}

/// The kind of a tag that matters to crawlers. Values are as written in the page, with character references replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TagKind {
    /// A `meta` tag with any name.
    #[non_exhaustive]
    Meta {
        /// The name.
        name: Vec<u8>,
        /// The content; empty if the tag has none.
        content: Vec<u8>,
    },
    /// A `meta` tag that has its name or its content in an attribute that crawlers do not read.
    #[non_exhaustive]
    OtherMeta {
        /// The attribute that has the name: `name`, one that is often written in its place, such as `property`, or a
        /// misspelling. `robots` if this attribute has the content.
        name_in: String,
        /// The name for which a crawler would read the tag.
        name: Vec<u8>,
        /// The attribute that has the content: `content`, `value`, a misspelling, or `robots`. Empty if the tag has none.
        content_in: String,
        /// The content; empty if the tag has none.
        content: Vec<u8>,
    },
    /// A `span`, `div` or `section` with `data-nosnippet`: search engines must not quote its text.
    NoSnippet,
    /// A link with `rel=nofollow`.
    #[non_exhaustive]
    NofollowLink {
        /// The target; empty if the tag has none.
        href: Vec<u8>,
    },
    /// A `link` with `rel=license`.
    #[non_exhaustive]
    License {
        /// The address of the license; empty if the tag has none.
        href: Vec<u8>,
        /// The media type of the license, from its `type`.
        media_type: Option<Vec<u8>>,
    },
    /// A `link` with `rel=canonical`.
    #[non_exhaustive]
    Canonical {
        /// The canonical URL; empty if the tag has none.
        href: Vec<u8>,
    },
    /// A style sheet that the page loads.
    #[non_exhaustive]
    Style {
        /// The address of the style sheet.
        href: Vec<u8>,
    },
    /// A script that the page loads.
    #[non_exhaustive]
    Script {
        /// The address of the script.
        src: Vec<u8>,
    },
    /// An image of the page.
    #[non_exhaustive]
    Image {
        /// The address of the image.
        src: Vec<u8>,
    },
    /// The address that relative addresses on the page are relative to.
    #[non_exhaustive]
    Base {
        /// The address.
        href: Vec<u8>,
    },
}

/// An iterator over the tags of a page that matter to crawlers, in order.
///
/// It stores one tag at a time, and only the attributes that matter, up to 64 KiB of each. A tag may have any number of
/// other attributes.
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
    /// The page. `None` after the end, and after an error.
    html: Option<BufReader<Decoded<R>>>,
    /// The number of bytes that may still be read.
    left: u64,
    is_page_cut: bool,
    scanner: Scanner,
}

impl<R: Read> Tags<R> {
    /// Creates an iterator that reads at most [`HTML_LIMIT`] bytes.
    pub fn new(html: R) -> Self {
        Self::with_limit(html, HTML_LIMIT)
    }

    /// Creates an iterator that reads at most `limit` bytes. A page that starts with a byte order mark of UTF-16 is
    /// decoded; the limit applies to its UTF-8.
    pub fn with_limit(html: R, limit: u64) -> Self {
        let html = Some(BufReader::new(Decoded::new(html)));
        Self { html, left: limit, is_page_cut: false, scanner: Scanner::new() }
    }

    /// Returns true if something was left out so far: the page or an attribute is longer than its limit, or the page
    /// ends in an element whose content is text, such as a `script` that is never closed.
    pub fn is_cut(&self) -> bool {
        self.is_page_cut || self.scanner.is_cut()
    }

    /// Reads up to the next tag, or to the end.
    fn read(&mut self) -> io::Result<Option<Tag>> {
        let Some(html) = &mut self.html else { return Ok(None) };
        loop {
            let bytes = match html.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                self.is_page_cut |= self.scanner.may_have_missed_tags();
                return Ok(None);
            }
            let len = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
            if len == 0 {
                self.is_page_cut = true;
                return Ok(None);
            }
            let (read, tag) = self.scanner.scan(&bytes[..len]);
            html.consume(read);
            self.left -= read as u64;
            if tag.is_some() {
                return Ok(tag);
            }
        }
    }
}

impl<R: Read> Iterator for Tags<R> {
    type Item = io::Result<Tag>;

    fn next(&mut self) -> Option<io::Result<Tag>> {
        let next = self.read().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.html = None;
        }
        next
    }
}

/// A summary of the tags that [`read_page`] found in a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "if `is_cut` is true, the page may be more restrictive than what was found"]
#[non_exhaustive]
pub struct Found {
    /// The number of meta tags that were added to the page.
    pub metas: usize,
    /// The lines of elements with `data-nosnippet`, up to 1,000.
    pub nosnippet: Vec<u32>,
    /// The number of links with `rel=nofollow`.
    pub nofollow_links: usize,
    /// The addresses of the style sheets that the page loads, as written, up to 1,000.
    pub styles: Vec<String>,
    /// The addresses of the scripts that the page loads, as written, up to 1,000.
    pub scripts: Vec<String>,
    /// The addresses of the images of the page, as written, up to 1,000.
    pub images: Vec<String>,
    /// The base of these addresses, from the first `base` of the page.
    pub base: Option<String>,
    /// True if something was left out because the page, an attribute that matters, or all meta tags together exceed a
    /// limit, or because an element whose content is text, such as a `script`, is never closed. The page may then be
    /// more restrictive than what was found.
    pub is_cut: bool,
}

/// Reads an HTML page. Adds to `page` the licenses and the canonical URL that it names, and the meta tags for crawlers. These are the tags
/// whose name is `robots`, is or looks like the name of a known crawler ([`is_robots_name`]), or is in `also`.
///
/// If [`Found::is_cut`] is true, a tag that was not read may forbid more.
pub fn read_page(mut html: impl Read, page: &mut Page<'_>, also: &[&str]) -> io::Result<Found> {
    read(&mut html, page, also)
}

/// Reads an HTML page as [`read_page`] does. It is compiled once, not for each kind of reader.
fn read(html: &mut dyn Read, page: &mut Page<'_>, also: &[&str]) -> io::Result<Found> {
    const MAX_LISTED: usize = 1_000;
    /// The maximum number of meta tags whose names are compared with those of all crawlers, which takes microseconds.
    const MAX_COMPARED: usize = 1_000;
    let mut tags = Tags::new(html);
    let mut found = Found::default();
    let mut left = META_LIMIT;
    let (crawlers, mut compared) = (page.crawlers(), 0);
    let mut meant = |name: &[u8], content: &[u8]| {
        if compared == MAX_COMPARED || !restricts(content) {
            return None;
        }
        compared += 1;
        meant_name(name, crawlers)
    };
    for tag in &mut tags {
        let tag = tag?;
        match tag.kind {
            TagKind::Meta { name, content } => {
                let name = name.trim_ascii();
                let is_asked = also.iter().any(|also| also.as_bytes().eq_ignore_ascii_case(name));
                if !is_asked && let Some(meant) = meant(name, &content) {
                    add_other(&mut left, page, meant, [("name", name), ("content", &content)], tag.line);
                } else if is_asked || is_robots_name(name, crawlers) {
                    let len = TAG_COST + name.len() + content.len();
                    if len > left {
                        found.is_cut = true;
                        continue;
                    }
                    left -= len;
                    page.meta_at(name, &content, tag.line);
                    found.metas += 1;
                }
            }
            TagKind::OtherMeta { name_in, name, content_in, content } => {
                let name = name.trim_ascii();
                let known = || str::from_utf8(name).ok().filter(|_| is_robots_name(name, crawlers));
                if let Some(meant) = meant(name, &content).or_else(known) {
                    add_other(&mut left, page, meant, [(&name_in, name), (&content_in, &content)], tag.line);
                }
            }
            TagKind::NoSnippet if found.nosnippet.len() < MAX_LISTED => found.nosnippet.push(tag.line),
            TagKind::License { href, media_type } => {
                let len = TAG_COST + href.len() + media_type.as_ref().map_or(0, Vec::len);
                if len > left {
                    found.is_cut = true;
                    continue;
                }
                left -= len;
                page.license(&href, media_type.as_deref(), tag.line);
            }
            TagKind::Canonical { href } => page.canonical_at(&href, tag.line),
            TagKind::NofollowLink { .. } => found.nofollow_links += 1,
            TagKind::Style { href } if found.styles.len() < MAX_LISTED => found.styles.push(text(&href)),
            TagKind::Script { src } if found.scripts.len() < MAX_LISTED => found.scripts.push(text(&src)),
            TagKind::Image { src } if found.images.len() < MAX_LISTED => found.images.push(text(&src)),
            TagKind::Base { href } if found.base.is_none() => found.base = Some(text(&href)),
            TagKind::NoSnippet
            | TagKind::Style { .. }
            | TagKind::Script { .. }
            | TagKind::Image { .. }
            | TagKind::Base { .. } => {}
        }
    }
    found.is_cut |= tags.is_cut();
    Ok(found)
}

/// Adds a meta tag that has no effect, if there is room for it: nothing is lost without it. `attributes` has the names and
/// the values of those that are in place of `name` and `content`, and may be one.
fn add_other(left: &mut usize, page: &mut Page<'_>, meant: &str, attributes: [(&str, &[u8]); 2], line: u32) {
    let [name, content] = attributes.map(|(name, value)| format!("{name}=\"{}\"", String::from_utf8_lossy(value)));
    let is_one = attributes[0].0 == attributes[1].0;
    let written = if is_one { format!("<meta {content}>") } else { format!("<meta {name} {content}>") };
    if let Some(room) = left.checked_sub(TAG_COST + written.len()) {
        *left = room;
        page.other_meta(meant.as_bytes(), attributes[1].1, written.as_bytes(), line);
    }
}

/// Returns an address without white space around it.
fn text(address: &[u8]) -> String {
    String::from_utf8_lossy(address.trim_ascii()).into_owned()
}
