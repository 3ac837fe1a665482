//! A state machine that finds the tags in HTML.
//!
//! The states and their transitions are those of the WHATWG HTML Standard, §13.2.5, "Tokenization". States that differ
//! only in what they store of text, comments and document types are one state here, since none of that is stored.
//!
//! Each step looks at the available bytes, consumes some or none of them, and sets the next state. So the stack does
//! not grow with the input, each byte is looked at a limited number of times, and input can be split anywhere. The
//! memory that a [`CurrentTag`] takes is bounded, whatever the tag.

use memchr::{memchr, memchr_iter, memchr2};

use super::Tag;
use super::current_tag::CurrentTag;

/// A tokenizer that keeps its state from one piece of input to the next.
#[derive(Debug)]
pub(super) struct Scanner {
    state: State,
    /// The line of the next byte, from 1.
    line: u32,
    tag: CurrentTag,
    raw_text: RawText,
    /// True directly after a slash in a tag that is not part of a value.
    is_after_slash: bool,
    /// The first element whose content is text and whose start tag ended with `/>`, until its end tag.
    empty_raw_text: Option<EmptyRawText>,
    /// True if the end tag of such an element was a part of a comment, an attribute or another text. So the element was
    /// not empty, and tags after its end may have been parts of these, too.
    has_hidden_end_tag: bool,
    /// The tag that just ended, if it matters.
    found: Option<Tag>,
}

/// A state of §13.2.5.
#[derive(Clone, Copy, Debug)]
enum State {
    Data,
    TagOpen,
    EndTagOpen,
    TagName,
    /// Includes the states "self-closing start tag" and "after attribute value (quoted)".
    BeforeAttributeName,
    AttributeName,
    AfterAttributeName,
    BeforeAttributeValue,
    /// A value that ends at this quotation mark.
    QuotedValue(u8),
    UnquotedValue,
    MarkupDeclarationOpen,
    /// After `<!-`.
    MarkupDeclarationDash,
    /// Includes document types and CDATA sections: each ends at its first `>`, even in a quoted identifier.
    BogusComment,
    CommentStart,
    CommentStartDash,
    Comment,
    CommentEndDash,
    CommentEnd,
    CommentEndBang,
    RawText,
    RawTextLessThan,
    /// After `</` and this many letters of the element's name.
    RawTextEndTag(usize),
    ScriptEscapeStart,
    ScriptEscapeStartDash,
    /// After `<` or `</` and this many letters of `script`.
    ScriptDoubleEscape(usize),
    PlainText,
}

/// The content of an element in which tags are text.
#[derive(Clone, Copy, Debug)]
struct RawText {
    /// The element, whose end tag ends the text.
    element: &'static str,
    escape: Escape,
    /// The number of successive dashes before the next byte, at most 2. Used only in escaped scripts.
    dashes: u8,
}

/// An element that is empty in SVG, in `MathML` and in XHTML, and whose content is text elsewhere.
#[derive(Clone, Copy, Debug)]
struct EmptyRawText {
    element: &'static str,
    /// The number of bytes of its end tag that were just read.
    matched: usize,
}

impl EmptyRawText {
    /// Returns true if the end tag's name ends in the next bytes.
    fn finds_end_tag(&mut self, bytes: &[u8]) -> bool {
        let mut is_found = false;
        for byte in bytes {
            let expected = match self.matched {
                0 => b'<',
                1 => b'/',
                letters => self.element.as_bytes()[letters - 2],
            };
            // The first byte occurs nowhere else in an end tag.
            self.matched =
                if byte.eq_ignore_ascii_case(&expected) { self.matched + 1 } else { usize::from(*byte == b'<') };
            if self.matched == self.element.len() + 2 {
                (self.matched, is_found) = (0, true);
            }
        }
        is_found
    }
}

/// A level of escaping in a `script`: none, in a comment, or in a `script` in a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    Escaped,
    DoubleEscaped,
}

impl RawText {
    const fn of(element: &'static str) -> Self {
        Self { element, escape: Escape::None, dashes: 0 }
    }
}

const SCRIPT: &str = "script";
/// The other elements whose content is text up to their end tag.
const RAW_TEXT_ELEMENTS: [&str; 7] = ["title", "textarea", "style", "xmp", "iframe", "noembed", "noframes"];

impl Scanner {
    pub(super) fn new() -> Self {
        Self {
            state: State::Data,
            line: 1,
            tag: CurrentTag::default(),
            raw_text: RawText::of(SCRIPT),
            is_after_slash: false,
            empty_raw_text: None,
            has_hidden_end_tag: false,
            found: None,
        }
    }

    /// Returns true if tags may have been missed in a page that ends here: an element whose content is text is still
    /// open, or one that ended with `/>` was not empty and its text looked like an unfinished tag or comment.
    pub(super) fn may_have_missed_tags(&self) -> bool {
        match self.state {
            State::RawText
            | State::RawTextLessThan
            | State::RawTextEndTag(_)
            | State::ScriptEscapeStart
            | State::ScriptEscapeStartDash
            | State::ScriptDoubleEscape(_) => true,
            State::Data => false,
            _ => self.empty_raw_text.is_some(),
        }
    }

    /// Looks for the end tag of an element that was taken for an empty one, in bytes that were just read in this state.
    fn look_for_end_tag(&mut self, state: State, bytes: &[u8]) {
        let Some(empty) = self.empty_raw_text.as_mut().filter(|_| !bytes.is_empty()) else { return };
        if !empty.finds_end_tag(bytes) {
            return;
        }
        let is_end_tag = match state {
            State::TagName => true,
            State::RawTextEndTag(_) => self.raw_text.element == empty.element,
            _ => false,
        };
        if is_end_tag {
            // Whether the element was empty or not, what follows is outside.
            self.empty_raw_text = None;
        } else {
            self.has_hidden_end_tag = true;
        }
    }

    /// Returns true if an attribute was longer than its limit, or if tags may have been missed so far.
    pub(super) fn is_cut(&self) -> bool {
        self.tag.is_cut() || self.has_hidden_end_tag
    }

    /// Reads up to the end of a tag that matters, or all bytes. Returns the number of consumed bytes, and the tag.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, Option<Tag>) {
        let (mut at, mut counted) = (0, 0);
        while at < bytes.len() && self.found.is_none() {
            let rest = &bytes[at..];
            let state = self.state;
            let consumed = match state {
                State::Data => match memchr(b'<', rest) {
                    Some(offset) => {
                        self.count_lines(&bytes[counted..at + offset]);
                        counted = at + offset;
                        self.state = State::TagOpen;
                        offset + 1
                    }
                    None => rest.len(),
                },
                State::PlainText => rest.len(),
                State::TagOpen | State::EndTagOpen => self.open_tag(rest[0]),
                State::TagName
                | State::BeforeAttributeName
                | State::AttributeName
                | State::AfterAttributeName
                | State::BeforeAttributeValue
                | State::QuotedValue(_)
                | State::UnquotedValue => self.read_tag(rest),
                State::MarkupDeclarationOpen
                | State::MarkupDeclarationDash
                | State::BogusComment
                | State::CommentStart
                | State::CommentStartDash
                | State::Comment
                | State::CommentEndDash
                | State::CommentEnd
                | State::CommentEndBang => self.read_comment(rest),
                State::RawText => self.read_raw_text(rest),
                State::RawTextLessThan
                | State::RawTextEndTag(_)
                | State::ScriptEscapeStart
                | State::ScriptEscapeStartDash
                | State::ScriptDoubleEscape(_) => self.read_raw_text_markup(rest[0]),
            };
            self.look_for_end_tag(state, &rest[..consumed]);
            at += consumed;
        }
        self.count_lines(&bytes[counted..at]);
        (at, self.found.take())
    }

    fn count_lines(&mut self, bytes: &[u8]) {
        let lines = u32::try_from(memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX);
        self.line = self.line.saturating_add(lines);
    }

    /// Continues after `<` or `</`.
    fn open_tag(&mut self, byte: u8) -> usize {
        let is_end = matches!(self.state, State::EndTagOpen);
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {
                self.tag.start(self.line, is_end);
                self.go(State::TagName, 0)
            }
            b'/' if !is_end => self.go(State::EndTagOpen, 1),
            b'!' if !is_end => self.go(State::MarkupDeclarationOpen, 1),
            b'>' if is_end => self.go(State::Data, 1),
            _ if is_end || byte == b'?' => self.go(State::BogusComment, 0),
            _ => self.go(State::Data, 0),
        }
    }

    fn read_tag(&mut self, rest: &[u8]) -> usize {
        let byte = rest[0];
        let is_after_slash = std::mem::take(&mut self.is_after_slash);
        match self.state {
            State::TagName => {
                let end = rest.iter().position(|byte| ends_name(*byte));
                self.tag.push_name(&rest[..end.unwrap_or(rest.len())]);
                let Some(end) = end else { return rest.len() };
                self.tag.end_name();
                self.go(State::BeforeAttributeName, end)
            }
            State::AttributeName => {
                let end = rest.iter().position(|byte| ends_name(*byte) || *byte == b'=');
                self.tag.push_attribute_name(&rest[..end.unwrap_or(rest.len())]);
                let Some(end) = end else { return rest.len() };
                self.tag.end_attribute_name();
                self.go(State::AfterAttributeName, end)
            }
            State::QuotedValue(quote) => {
                let end = memchr(quote, rest);
                self.tag.push_attribute_value(&rest[..end.unwrap_or(rest.len())]);
                let Some(end) = end else { return rest.len() };
                self.go(State::BeforeAttributeName, end + 1)
            }
            State::UnquotedValue => {
                let end = rest.iter().position(|byte| is_space(*byte) || *byte == b'>');
                self.tag.push_attribute_value(&rest[..end.unwrap_or(rest.len())]);
                let Some(end) = end else { return rest.len() };
                self.go(State::BeforeAttributeName, end)
            }
            _ if is_space(byte) => 1,
            _ if byte == b'>' => self.end_tag(is_after_slash),
            State::BeforeAttributeValue => match byte {
                b'"' | b'\'' => self.go(State::QuotedValue(byte), 1),
                _ => self.go(State::UnquotedValue, 0),
            },
            State::AfterAttributeName if byte == b'=' => self.go(State::BeforeAttributeValue, 1),
            // After a slash comes an attribute, or the end of the tag.
            _ if byte == b'/' => {
                self.is_after_slash = true;
                self.go(State::BeforeAttributeName, 1)
            }
            // Here, `=` is a part of the name.
            _ => {
                self.tag.start_attribute();
                self.tag.push_attribute_name(&rest[..1]);
                self.go(State::AttributeName, 1)
            }
        }
    }

    /// Continues after the `>` of a tag.
    fn end_tag(&mut self, is_self_closing: bool) -> usize {
        self.found = self.tag.end();
        let name = self.tag.element_name();
        let raw_text = [SCRIPT].into_iter().chain(RAW_TEXT_ELEMENTS).find(|raw| raw.as_bytes() == name);
        let is_plain_text = name == b"plaintext";
        // In SVG, in MathML and in XHTML, such an element is empty, and tags follow it. Elsewhere, text follows it, and
        // tags that are found in the text are accepted.
        if is_self_closing && (raw_text.is_some() || is_plain_text) {
            self.empty_raw_text.get_or_insert(EmptyRawText { element: raw_text.unwrap_or("plaintext"), matched: 0 });
            return self.go(State::Data, 1);
        }
        if let Some(element) = raw_text {
            self.raw_text = RawText::of(element);
            return self.go(State::RawText, 1);
        }
        self.go(if is_plain_text { State::PlainText } else { State::Data }, 1)
    }

    /// Reads markup that starts with `<!`, `<?` or `</` and is not a tag.
    fn read_comment(&mut self, rest: &[u8]) -> usize {
        match (self.state, rest[0]) {
            (State::MarkupDeclarationOpen, b'-') => self.go(State::MarkupDeclarationDash, 1),
            (State::MarkupDeclarationDash, b'-') => self.go(State::CommentStart, 1),
            (State::MarkupDeclarationOpen | State::MarkupDeclarationDash, _) => self.go(State::BogusComment, 0),
            (State::BogusComment, _) => match memchr(b'>', rest) {
                Some(end) => self.go(State::Data, end + 1),
                None => rest.len(),
            },
            (State::Comment, _) => match memchr(b'-', rest) {
                Some(dash) => self.go(State::CommentEndDash, dash + 1),
                None => rest.len(),
            },
            (State::CommentStart, b'-') => self.go(State::CommentStartDash, 1),
            (State::CommentStartDash | State::CommentEndDash | State::CommentEnd, b'-') => {
                self.go(State::CommentEnd, 1)
            }
            (State::CommentEndBang, b'-') => self.go(State::CommentEndDash, 1),
            (State::CommentEnd, b'!') => self.go(State::CommentEndBang, 1),
            (State::CommentStart | State::CommentStartDash | State::CommentEnd | State::CommentEndBang, b'>') => {
                self.go(State::Data, 1)
            }
            _ => self.go(State::Comment, 0),
        }
    }

    /// Reads the text of an element in which tags are text.
    fn read_raw_text(&mut self, rest: &[u8]) -> usize {
        let text = &mut self.raw_text;
        if text.escape == Escape::None {
            return match memchr(b'<', rest) {
                Some(offset) => self.go(State::RawTextLessThan, offset + 1),
                None => rest.len(),
            };
        }
        if text.dashes == 0 {
            let Some(offset) = memchr2(b'-', b'<', rest) else { return rest.len() };
            if offset > 0 {
                return offset;
            }
        }
        let dashes = std::mem::take(&mut text.dashes);
        match rest[0] {
            b'-' => text.dashes = (dashes + 1).min(2),
            b'>' if dashes == 2 => text.escape = Escape::None,
            b'<' => self.state = State::RawTextLessThan,
            _ => {}
        }
        1
    }

    /// Reads markup that starts with `<` in such a text, and returns to the text if it is not the end tag.
    fn read_raw_text_markup(&mut self, byte: u8) -> usize {
        let RawText { element, escape, .. } = self.raw_text;
        match (self.state, byte) {
            (State::RawTextLessThan, b'/') if escape == Escape::DoubleEscaped => {
                self.go(State::ScriptDoubleEscape(0), 1)
            }
            (State::RawTextLessThan, b'/') => self.go(State::RawTextEndTag(0), 1),
            (State::RawTextLessThan, b'!') if escape == Escape::None && element == SCRIPT => {
                self.go(State::ScriptEscapeStart, 1)
            }
            (State::RawTextLessThan, _) if escape == Escape::Escaped => self.go(State::ScriptDoubleEscape(0), 0),
            (State::RawTextEndTag(read), _) if is_letter_of(element, read, byte) => {
                self.go(State::RawTextEndTag(read + 1), 1)
            }
            (State::RawTextEndTag(read), _) if read == element.len() && ends_name(byte) => {
                self.tag.start(self.line, true);
                self.go(State::BeforeAttributeName, 0)
            }
            (State::ScriptEscapeStart, b'-') => self.go(State::ScriptEscapeStartDash, 1),
            (State::ScriptEscapeStartDash, b'-') => {
                (self.raw_text.escape, self.raw_text.dashes) = (Escape::Escaped, 2);
                self.go(State::RawText, 1)
            }
            (State::ScriptDoubleEscape(read), _) if is_letter_of(SCRIPT, read, byte) => {
                self.go(State::ScriptDoubleEscape(read + 1), 1)
            }
            (State::ScriptDoubleEscape(read), _) if read == SCRIPT.len() && ends_name(byte) => {
                self.raw_text.escape = if escape == Escape::Escaped { Escape::DoubleEscaped } else { Escape::Escaped };
                self.go(State::RawText, 1)
            }
            _ => self.go(State::RawText, 0),
        }
    }

    /// Sets the next state. Returns `consumed`.
    fn go(&mut self, state: State, consumed: usize) -> usize {
        self.state = state;
        consumed
    }
}

/// Returns true if the tokenizer treats this as white space. A carriage return is, because it is read as a line feed.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ')
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

/// Returns true if a byte is the letter at index `read` of a lower-case name, in either case.
fn is_letter_of(name: &str, read: usize, byte: u8) -> bool {
    name.as_bytes().get(read).is_some_and(|letter| letter.eq_ignore_ascii_case(&byte))
}
