//! The tag that is being read: the few attributes that matter, up to a limit for each.

use super::references;
use super::{Tag, TagKind};

/// The maximum number of bytes of an attribute that are stored, as written in the page. The rest is skipped, and
/// `is_cut` reports it.
const ATTRIBUTE_LIMIT: usize = 64 * 1024;

/// The length of the longest name of an element or attribute that matters.
const MAX_NAME: usize = "data-nosnippet".len();

/// An attribute that matters. If one tag has several with the same name, the first is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attribute {
    Name,
    Content,
    Rel,
    Href,
    Src,
    Type,
    NoSnippet,
    Property,
    HttpEquiv,
    ItemProp,
    Value,
    Robots,
}

impl Attribute {
    const COUNT: usize = 12;

    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"name" => Self::Name,
            b"content" => Self::Content,
            b"rel" => Self::Rel,
            b"href" => Self::Href,
            b"src" => Self::Src,
            b"type" => Self::Type,
            b"data-nosnippet" => Self::NoSnippet,
            b"property" => Self::Property,
            b"http-equiv" => Self::HttpEquiv,
            b"itemprop" => Self::ItemProp,
            b"value" => Self::Value,
            b"robots" => Self::Robots,
            _ => return None,
        })
    }

    /// Returns true if crawlers do not read the attribute. It matters only in a meta tag, where it replaces the right one.
    fn has_no_effect(self) -> bool {
        matches!(self, Self::Property | Self::HttpEquiv | Self::ItemProp | Self::Value | Self::Robots)
    }
}

/// A tag, as far as it has been read. One value is used for all tags of a page, so that buffers are reused.
#[derive(Debug, Default)]
pub(super) struct CurrentTag {
    line: u32,
    is_end: bool,
    name: Name,
    /// True in a start tag of an element whose attributes can matter to crawlers.
    has_attributes_that_matter: bool,
    attribute_name: Name,
    /// The attribute that is being read, if it matters.
    attribute: Option<Attribute>,
    values: [Value; Attribute::COUNT],
    /// True if an attribute of this tag or of an earlier one was cut.
    is_cut: bool,
}

/// A name in lower case, up to [`MAX_NAME`].
#[derive(Debug, Default)]
struct Name {
    bytes: [u8; MAX_NAME],
    /// More than [`MAX_NAME`] if the name is longer than any that matters.
    len: usize,
}

impl Name {
    fn push(&mut self, text: &[u8]) {
        for byte in text {
            let Some(place) = self.bytes.get_mut(self.len) else {
                self.len = MAX_NAME + 1;
                return;
            };
            *place = byte.to_ascii_lowercase();
            self.len += 1;
        }
    }

    /// Returns the name, or nothing if it is longer than any that matters.
    fn get(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// The value of an attribute, as written in the page.
#[derive(Debug, Default)]
struct Value {
    is_there: bool,
    is_cut: bool,
    raw: Vec<u8>,
}

impl CurrentTag {
    /// Begins a tag whose `<` is on this line.
    pub(super) fn start(&mut self, line: u32, is_end: bool) {
        (self.line, self.is_end) = (line, is_end);
        self.name.len = 0;
        self.has_attributes_that_matter = false;
        self.attribute = None;
        self.values.iter_mut().for_each(|value| value.is_there = false);
    }

    pub(super) fn push_name(&mut self, text: &[u8]) {
        self.name.push(text);
    }

    pub(super) fn end_name(&mut self) {
        let can_matter = matches!(
            self.name.get(),
            b"meta" | b"span" | b"div" | b"section" | b"a" | b"area" | b"link" | b"script" | b"img" | b"base"
        );
        self.has_attributes_that_matter = can_matter && !self.is_end;
    }

    pub(super) fn start_attribute(&mut self) {
        self.attribute_name.len = 0;
    }

    pub(super) fn push_attribute_name(&mut self, text: &[u8]) {
        self.attribute_name.push(text);
    }

    pub(super) fn end_attribute_name(&mut self) {
        let matters = |attribute: &Attribute| {
            self.has_attributes_that_matter
                && !self.values[*attribute as usize].is_there
                && (!attribute.has_no_effect() || self.name.get() == b"meta")
        };
        self.attribute = Attribute::named(self.attribute_name.get()).filter(matters);
        if let Some(attribute) = self.attribute {
            let value = &mut self.values[attribute as usize];
            (value.is_there, value.is_cut) = (true, false);
            value.raw.clear();
        }
    }

    pub(super) fn push_attribute_value(&mut self, text: &[u8]) {
        let Some(attribute) = self.attribute else { return };
        let value = &mut self.values[attribute as usize];
        let room = ATTRIBUTE_LIMIT - value.raw.len();
        value.raw.extend_from_slice(&text[..text.len().min(room)]);
        if text.len() > room {
            value.is_cut = true;
            // An image with so long an address is written in the page itself, as `data:`, and is not fetched.
            self.is_cut |= self.name.get() != b"img" && !attribute.has_no_effect();
        }
    }

    /// Ends the tag. Returns it if it matters to crawlers.
    pub(super) fn end(&self) -> Option<Tag> {
        let kind = if self.has_attributes_that_matter { self.kind()? } else { return None };
        Some(Tag { line: self.line, kind })
    }

    /// Returns the name of the element that the tag starts. It is empty for an end tag, and for a name that is too long
    /// to matter.
    pub(super) fn element_name(&self) -> &[u8] {
        if self.is_end { b"" } else { self.name.get() }
    }

    /// Returns true if an attribute of this tag or of an earlier one was cut.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn kind(&self) -> Option<TagKind> {
        let value = |attribute| self.value(attribute).unwrap_or_default();
        Some(match self.name.get() {
            b"meta" => self.meta()?,
            b"span" | b"div" | b"section" => {
                self.value(Attribute::NoSnippet)?;
                TagKind::NoSnippet
            }
            b"a" | b"area" | b"link" if self.has_word(Attribute::Rel, "nofollow") => {
                TagKind::NofollowLink { href: value(Attribute::Href) }
            }
            b"link" if self.has_word(Attribute::Rel, "license") => {
                TagKind::License { href: value(Attribute::Href), media_type: self.value(Attribute::Type) }
            }
            b"link" if self.has_word(Attribute::Rel, "canonical") => {
                TagKind::Canonical { href: value(Attribute::Href) }
            }
            // An alternate style sheet is loaded only if the reader chooses it.
            b"link" if self.has_word(Attribute::Rel, "stylesheet") && !self.has_word(Attribute::Rel, "alternate") => {
                TagKind::Style { href: self.value(Attribute::Href)? }
            }
            b"script" => TagKind::Script { src: self.value(Attribute::Src)? },
            b"img" if !self.values[Attribute::Src as usize].is_cut => {
                TagKind::Image { src: self.value(Attribute::Src)? }
            }
            b"base" => TagKind::Base { href: self.value(Attribute::Href)? },
            _ => return None,
        })
    }

    fn meta(&self) -> Option<TagKind> {
        let content = self.value(Attribute::Content);
        if let Some(name) = self.value(Attribute::Name) {
            return Some(match (content, self.value(Attribute::Value)) {
                // Without any content, the tag has no effect either.
                (None, Some(content)) => TagKind::OtherMeta { attribute: "value", name, content },
                (content, _) => TagKind::Meta { name, content: content.unwrap_or_default() },
            });
        }
        let names = [
            (Attribute::Property, "property"),
            (Attribute::HttpEquiv, "http-equiv"),
            (Attribute::ItemProp, "itemprop"),
        ];
        if let (Some(content), None) = (self.value(Attribute::Robots), &content) {
            return Some(TagKind::OtherMeta { attribute: "robots", name: b"robots".to_vec(), content });
        }
        let (attribute, name) =
            names.iter().find_map(|(attribute, written)| Some((*written, self.value(*attribute)?)))?;
        Some(TagKind::OtherMeta { attribute, name, content: content.unwrap_or_default() })
    }

    /// Returns true if an attribute contains this word. Words are separated by white space.
    fn has_word(&self, attribute: Attribute, word: &str) -> bool {
        self.value(attribute).is_some_and(|value| {
            value.split(u8::is_ascii_whitespace).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        })
    }

    /// Returns the decoded value of an attribute. Without the last word if the value was cut at the size limit, because only
    /// a part of that word is known.
    fn value(&self, attribute: Attribute) -> Option<Vec<u8>> {
        let value = &self.values[attribute as usize];
        if !value.is_there {
            return None;
        }
        if !value.is_cut {
            return Some(references::decode(&value.raw));
        }
        let mut decoded = references::decode(references::without_unfinished(&value.raw));
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';');
        decoded.truncate(decoded.iter().rposition(is_between).unwrap_or(0));
        Some(decoded)
    }
}
