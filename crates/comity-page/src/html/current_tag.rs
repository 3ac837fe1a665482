//! The tag that is being read: the few attributes that matter, up to a limit for each.

use comity::spelling::edit_distance;

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
    /// One in place of `name`.
    OtherName,
    /// One in place of `content`.
    OtherContent,
    Robots,
}

impl Attribute {
    const COUNT: usize = 10;

    fn named(name: &[u8], is_meta: bool) -> Option<Self> {
        Some(match name {
            b"name" => Self::Name,
            b"content" => Self::Content,
            b"rel" => Self::Rel,
            b"href" => Self::Href,
            b"src" => Self::Src,
            b"type" => Self::Type,
            b"data-nosnippet" => Self::NoSnippet,
            b"robots" if is_meta => Self::Robots,
            b"property" | b"http-equiv" | b"itemprop" if is_meta => Self::OtherName,
            b"value" if is_meta => Self::OtherContent,
            _ if is_meta && name.iter().all(u8::is_ascii_alphabetic) => {
                let is_near = |known| edit_distance(name, known, 1).is_some();
                match (is_near(b"name"), is_near(b"content")) {
                    (true, _) => Self::OtherName,
                    (_, true) => Self::OtherContent,
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// Returns true if crawlers do not read the attribute. It replaces the right one in a meta tag.
    fn has_no_effect(self) -> bool {
        matches!(self, Self::OtherName | Self::OtherContent | Self::Robots)
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
#[derive(Clone, Copy, Debug, Default)]
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
    /// The name of the attribute, in lower case.
    name: Name,
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
        let matters =
            |attribute: &Attribute| self.has_attributes_that_matter && !self.values[*attribute as usize].is_there;
        let is_meta = self.name.get() == b"meta";
        self.attribute = Attribute::named(self.attribute_name.get(), is_meta).filter(matters);
        if let Some(attribute) = self.attribute {
            let value = &mut self.values[attribute as usize];
            (value.is_there, value.is_cut, value.name) = (true, false, self.attribute_name);
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
        let (name, content) = (self.value(Attribute::Name), self.value(Attribute::Content));
        let (other_name, other_content) = (self.value(Attribute::OtherName), self.value(Attribute::OtherContent));
        let written = |attribute| {
            let value = &self.values[attribute as usize];
            String::from_utf8_lossy(if value.is_there { value.name.get() } else { b"" }).into_owned()
        };
        if let (None, None, Some(content)) = (&name, &content, self.value(Attribute::Robots)) {
            let attribute = written(Attribute::Robots);
            let (name_in, content_in, name) = (attribute.clone(), attribute, b"robots".to_vec());
            return Some(TagKind::OtherMeta { name_in, name, content_in, content });
        }
        let (name_in, name) = match (name, other_name) {
            (Some(name), _) => (Attribute::Name, name),
            (None, other) => (Attribute::OtherName, other?),
        };
        let (content_in, content) = match (content, other_content) {
            (None, Some(other)) => (Attribute::OtherContent, other),
            // Without any content, the tag has no effect either.
            (content, _) => (Attribute::Content, content.unwrap_or_default()),
        };
        if (name_in, content_in) == (Attribute::Name, Attribute::Content) {
            return Some(TagKind::Meta { name, content });
        }
        Some(TagKind::OtherMeta { name_in: written(name_in), name, content_in: written(content_in), content })
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
