//! The tags of a page as comity-page and html5gum find them. html5gum passes the tests of the HTML Standard's
//! tokenizer.
//!
//! It is only a reference: the stack that it needs grows with the number of a tag's attributes.

use std::cell::Cell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::rc::Rc;

use comity::spelling::edit_distance;
use comity_page::{TagKind, Tags};
use html5gum::{Emitter, Error, Reader, State, Tokenizer};

/// A reader that returns a fixed number of bytes at a time.
pub(crate) struct Drip<'a>(pub(crate) &'a [u8], pub(crate) usize);

impl std::io::Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(into.len()).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// A tag that contains something for crawlers: its line, its kind, and its values.
pub(crate) type Found = (u32, &'static str, Vec<Vec<u8>>);

/// Returns the tags that comity-page finds if it reads `step` bytes at a time.
pub(crate) fn found(html: &[u8], step: usize) -> Vec<Found> {
    let described = |kind| match kind {
        TagKind::Meta { name, content, .. } => ("meta", vec![name, content]),
        TagKind::OtherMeta { name_in, name, content_in, content, .. } => {
            ("other", vec![name_in.into(), name, content_in.into(), content])
        }
        TagKind::NoSnippet => ("nosnippet", Vec::new()),
        TagKind::NofollowLink { href, .. } => ("nofollow", vec![href]),
        TagKind::License { href, media_type, .. } => ("license", vec![href, media_type.unwrap_or_default()]),
        TagKind::Canonical { href, .. } => ("canonical", vec![href]),
        TagKind::Style { href, .. } => ("style", vec![href]),
        TagKind::Script { src, .. } => ("script", vec![src]),
        TagKind::Image { src, .. } => ("image", vec![src]),
        TagKind::Base { href, .. } => ("base", vec![href]),
        other => panic!("{other:?} is not compared"),
    };
    let tags = Tags::new(Drip(html, step)).map(Result::unwrap);
    tags.map(|tag| (tag.line, described(tag.kind))).map(|(line, (kind, values))| (line, kind, values)).collect()
}

/// Returns the tags that html5gum finds.
pub(crate) fn expected(html: &[u8]) -> Vec<Found> {
    // The byte order mark of UTF-8 is removed before the tokenizer.
    let html = html.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(html);
    let described = |tag: Tag| {
        let value = |name| tag.attribute(name).unwrap_or_default();
        let href = || vec![value("href")];
        let (kind, values) = match tag.element.as_str() {
            "meta" => {
                let first = |right: &str, others: &[&str]| {
                    let is_near = |name: &[u8]| {
                        name.iter().all(u8::is_ascii_alphabetic) && edit_distance(name, right.as_bytes(), 1) == Some(1)
                    };
                    let is_other = |name: &[u8]| others.iter().any(|other| other.as_bytes() == name) || is_near(name);
                    tag.attributes.iter().find(|(name, _)| is_other(name)).cloned()
                };
                let right = |name: &str| tag.attribute(name).map(|value| (name.as_bytes().to_vec(), value));
                let name = right("name").or_else(|| first("name", &["property", "http-equiv", "itemprop"]));
                let content = right("content").or_else(|| first("content", &["value"]));
                match (right("name"), right("content"), right("robots")) {
                    (Some((_, name)), Some((_, content)), _) => ("meta", vec![name, content]),
                    (None, None, Some((robots, value))) => {
                        ("other", vec![robots.clone(), robots.clone(), robots, value])
                    }
                    (Some((_, name)), None, _) if content.is_none() => ("meta", vec![name, Vec::new()]),
                    _ => {
                        let ((name_in, name), (content_in, content)) = (name?, content.unwrap_or_default());
                        ("other", vec![name_in, name, content_in, content])
                    }
                }
            }
            "span" | "div" | "section" => {
                tag.attribute("data-nosnippet")?;
                ("nosnippet", Vec::new())
            }
            "a" | "area" | "link" if tag.has_word("rel", "nofollow") => ("nofollow", href()),
            "link" if tag.has_word("rel", "license") => ("license", vec![value("href"), value("type")]),
            "link" if tag.has_word("rel", "canonical") => ("canonical", href()),
            "link" if tag.has_word("rel", "stylesheet") && !tag.has_word("rel", "alternate") => {
                ("style", vec![tag.attribute("href")?])
            }
            "script" => ("script", vec![tag.attribute("src")?]),
            "img" => ("image", vec![tag.attribute("src")?]),
            "base" => ("base", vec![tag.attribute("href")?]),
            _ => return None,
        };
        Some((tag.line, kind, values))
    };
    start_tags(html).into_iter().filter_map(described).collect()
}

/// A start tag: its line, the element, and its attributes. Of several attributes with the same name, the first is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tag {
    line: u32,
    element: String,
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<Vec<u8>> {
        let (_, value) = self.attributes.iter().find(|(known, _)| known == name.as_bytes())?;
        Some(value.clone())
    }

    fn has_word(&self, attribute: &str, word: &str) -> bool {
        let value = self.attribute(attribute).unwrap_or_default();
        value.split(u8::is_ascii_whitespace).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// Returns all start tags of a page.
fn start_tags(html: &[u8]) -> Vec<Tag> {
    let line = Rc::new(Cell::new(1));
    let input = Input { rest: html, line: Rc::clone(&line) };
    let collector = Collector { line, ..Collector::default() };
    Tokenizer::new_with_emitter(input, collector).map(|tag| tag.unwrap_or_else(|never| match never {})).collect()
}

struct Input<'a> {
    rest: &'a [u8],
    line: Rc<Cell<u32>>,
}

impl Reader for Input<'_> {
    type Error = Infallible;

    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        let Some((first, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        self.line.set(self.line.get() + u32::from(*first == b'\n'));
        Ok(Some(*first))
    }

    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        let Some((start, rest)) = self.rest.split_at_checked(wanted.len()) else { return Ok(false) };
        let is_it = start == wanted || !case_sensitive && start.eq_ignore_ascii_case(wanted);
        if is_it {
            self.rest = rest;
        }
        Ok(is_it)
    }

    fn read_until<'b>(&'b mut self, _: &[u8], one: &'b mut [u8; 4]) -> Result<Option<&'b [u8]>, Infallible> {
        let Some(byte) = self.read_byte()? else { return Ok(None) };
        one[0] = byte;
        Ok(Some(&one[..1]))
    }
}

#[derive(Default)]
struct Collector {
    line: Rc<Cell<u32>>,
    found: VecDeque<Tag>,
    tag: Tag,
    is_end: bool,
    is_self_closing: bool,
    last_start_tag: Vec<u8>,
}

impl Collector {
    fn drop_duplicate(&mut self) {
        if let Some((last, before)) = self.tag.attributes.split_last()
            && before.iter().any(|(name, _)| *name == last.0)
        {
            self.tag.attributes.pop();
        }
    }
}

impl Emitter for Collector {
    type Token = Tag;

    fn start_open_tag(&mut self) {
        self.tag.line = self.line.get();
    }

    fn init_start_tag(&mut self) {
        self.tag = Tag { line: self.tag.line, ..Tag::default() };
        (self.is_end, self.is_self_closing) = (false, false);
    }

    fn init_end_tag(&mut self) {
        self.init_start_tag();
        self.is_end = true;
    }

    fn push_tag_name(&mut self, text: &[u8]) {
        // The page is decoded as Latin-1, so that a character that is split between pieces is kept.
        self.tag.element.extend(text.iter().map(|byte| char::from(*byte)));
    }

    fn init_attribute(&mut self) {
        self.drop_duplicate();
        self.tag.attributes.push((Vec::new(), Vec::new()));
    }

    fn push_attribute_name(&mut self, text: &[u8]) {
        self.tag.attributes.last_mut().unwrap().0.extend_from_slice(text);
    }

    fn push_attribute_value(&mut self, text: &[u8]) {
        self.tag.attributes.last_mut().unwrap().1.extend_from_slice(text);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.drop_duplicate();
        if self.is_end {
            self.last_start_tag.clear();
            return None;
        }
        self.found.push_back(self.tag.clone());
        self.last_start_tag = self.tag.element.clone().into_bytes();
        // The parser decides about the content of an element, not the tokenizer. `<script/>` is empty in SVG, in MathML
        // and in XHTML, and comity-page, which builds no tree, reads it so everywhere.
        if self.is_self_closing {
            return None;
        }
        match self.tag.element.as_str() {
            "title" | "textarea" => Some(State::RcData),
            "script" => Some(State::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(State::RawText),
            "plaintext" => Some(State::PlainText),
            _ => None,
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        let name = self.tag.element.as_bytes();
        self.is_end && !self.last_start_tag.is_empty() && name == self.last_start_tag
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

    fn set_self_closing(&mut self) {
        self.is_self_closing = true;
    }

    fn init_doctype(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn set_force_quirks(&mut self) {}
    fn emit_current_doctype(&mut self) {}
}
