//! The lines of a text and their parsed content.

use core::ops::Range;

use memchr::{memchr, memchr2, memchr3};

use crate::dialect::{Dialect, LINE_LIMIT};
use crate::name::names;
use crate::parse::directive::{self, Field};

/// The kind of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RuleKind {
    /// `Disallow`
    Disallow,
    /// `Allow`
    Allow,
}

names! {
    RuleKind is "a kind of rule" {
        Disallow = "disallow",
        Allow = "allow",
    }
}

impl core::fmt::Display for RuleKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(match self {
            Self::Allow => "Allow",
            Self::Disallow => "Disallow",
        })
    }
}

/// A line, its content, and its anomalies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line<'a> {
    /// The line number, counted from 1. CR, LF and CRLF each end one line.
    pub number: u32,
    /// The text that is parsed: at most [`LINE_LIMIT`] bytes, up to a NUL, without the line end.
    pub text: &'a [u8],
    /// The content.
    pub content: Content<'a>,
    /// True if the line contains a comment.
    pub comment: bool,
    /// True if the field name is misspelled but recognized.
    pub typo: bool,
    /// True if the colon is missing but the record is recognized.
    pub missing_colon: bool,
    /// True if the line is longer than [`LINE_LIMIT`], so that its rest was dropped.
    pub too_long: bool,
    /// The offset in the source.
    start: usize,
}

impl Line<'_> {
    /// Returns the range of the [`text`](Self::text) in [`SourceText::source`](crate::SourceText::source): in the body,
    /// including the byte order mark, or in the decoded text if the body is UTF-16. It excludes the line end and the
    /// part that was dropped after a NUL or the line limit.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content<'a> {
    /// Nothing.
    Blank,
    /// A comment and nothing else.
    Comment,
    /// Text that is not a record, since the field name or the colon is missing.
    NoRecord,
    /// A user-agent line, which names crawlers that a group applies to.
    #[non_exhaustive]
    UserAgent {
        /// The value as written in the file.
        value: &'a [u8],
        /// True if it starts a new group, false if it continues the user-agent lines before it.
        opens: bool,
    },
    /// An `Allow` or `Disallow` rule.
    #[non_exhaustive]
    Rule {
        /// The kind of the rule.
        kind: RuleKind,
        /// The path pattern as written in the file.
        value: &'a [u8],
        /// The effect of the rule, if it has one.
        effect: RuleEffect,
        /// True if the value was cut at the line limit.
        cut: bool,
    },
    /// Another record. It neither starts nor ends a group.
    #[non_exhaustive]
    Other {
        /// The field that the name means.
        field: Field,
        /// The name as written in the file.
        name: &'a [u8],
        /// The value as written in the file.
        value: &'a [u8],
        /// True if it is inside a group. A sitemap never is.
        in_group: bool,
    },
}

/// The effect of a rule, or the reason why it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RuleEffect {
    /// The rule applies.
    Applies,
    /// No effect: there is no user-agent line before it.
    NoGroup,
    /// No effect: an `Allow` that was cut at the line limit would allow more than written.
    CutAllow,
    /// No effect: the rule is longer than the dialect allows.
    TooLong,
    /// No effect: the file has more rules than the dialect allows.
    TooMany,
}

names! {
    RuleEffect is "an effect" {
        Applies = "applies",
        NoGroup = "no-group",
        CutAllow = "cut-allow",
        TooLong = "too-long",
        TooMany = "too-many",
    }, Display
}

/// An iterator over the lines of a [`SourceText`](crate::SourceText).
///
/// The text after the last line end is a line too, even if empty. So an empty file has one line.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: Option<&'a [u8]>,
    /// The offset of the end of the last line in the source.
    end: usize,
    number: u32,
    dialect: Dialect,
    has_nul: bool,
    at: Place,
    rules: u32,
}

/// The position of a line relative to groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    AmongAgents,
    AmongRules,
}

impl<'a> Lines<'a> {
    /// Returns the lines of a text that starts at offset `start` of its source.
    pub(crate) fn new(text: &'a [u8], start: usize, dialect: &Dialect) -> Self {
        Self {
            rest: Some(text),
            end: start + text.len(),
            number: 0,
            dialect: *dialect,
            has_nul: memchr(0, text).is_some(),
            at: Place::Outside,
            rules: 0,
        }
    }

    /// Returns the parsed text of the next line, the start of its comment, and the part that was dropped.
    #[allow(clippy::inline_always, reason = "as `next`")]
    #[inline(always)]
    fn next_text(&mut self) -> Option<(&'a [u8], Option<usize>, &'a [u8])> {
        let rest = self.rest?;
        self.number = self.number.saturating_add(1);
        // One search finds the end of the line or its comment, whichever comes first. A blank line needs no search.
        let mut hash = None;
        let mut end = match rest.first() {
            Some(b'\n' | b'\r') => Some(0),
            _ => memchr3(b'\n', b'\r', b'#', rest),
        };
        if let Some(at) = end
            && rest[at] == b'#'
        {
            hash = end;
            end = memchr2(b'\n', b'\r', &rest[at..]).map(|i| at + i);
        }
        let mut text = rest;
        self.rest = None;
        if let Some(end) = end {
            let crlf = rest[end] == b'\r' && rest.get(end + 1) == Some(&b'\n');
            self.rest = Some(&rest[end + 1 + usize::from(crlf)..]);
            text = &rest[..end];
        }
        let (text_kept, dropped) = text.split_at(text.len().min(LINE_LIMIT));
        text = text_kept;
        if self.has_nul {
            text = &text[..memchr(0, text).unwrap_or(text.len())];
        }
        Some((text, hash.filter(|hash| *hash < text.len()), dropped))
    }

    fn rule(&mut self, kind: RuleKind, value: &'a [u8], cut: bool) -> Content<'a> {
        let effect = if self.at == Place::Outside {
            RuleEffect::NoGroup
        } else {
            self.at = Place::AmongRules;
            self.rules = self.rules.saturating_add(1);
            if cut && kind == RuleKind::Allow && self.dialect.cut_allow_ignored {
                RuleEffect::CutAllow
            } else if self.dialect.max_rule_len.is_some_and(|max| value.len() > max as usize) {
                RuleEffect::TooLong
            } else if self.dialect.max_rules.is_some_and(|max| self.rules > max) {
                RuleEffect::TooMany
            } else {
                RuleEffect::Applies
            }
        };
        Content::Rule { kind, value, effect, cut }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    #[allow(
        clippy::inline_always,
        reason = "a `Line` has a hundred bytes; returning it through memory costs a tenth of the parsing time"
    )]
    #[inline(always)]
    fn next(&mut self) -> Option<Line<'a>> {
        let start = self.end - self.rest?.len();
        let (text, hash, dropped) = self.next_text()?;
        let record = directive::trim(&text[..hash.unwrap_or(text.len())]);
        let mut line = Line {
            number: self.number,
            text,
            content: Content::NoRecord,
            comment: hash.is_some(),
            typo: false,
            missing_colon: false,
            too_long: !dropped.is_empty(),
            start,
        };
        if record.is_empty() {
            if hash.is_some() {
                line.content = Content::Comment;
            } else {
                line.content = Content::Blank;
                if self.dialect.blank_line_ends_group {
                    self.at = Place::Outside;
                }
            }
            return Some(line);
        }
        let Some(directive) = directive::parse(record, &self.dialect) else { return Some(line) };
        line.typo = directive.typo;
        line.missing_colon = directive.missing_colon;
        let value = directive.value;
        // The value is complete if a comment or a NUL comes before the limit, or only white space between the limit and
        // the next comment, NUL or line end.
        let cut = line.too_long && hash.is_none() && text.len() == LINE_LIMIT && {
            let value_end = memchr2(b'#', 0, dropped).unwrap_or(dropped.len());
            !directive::trim(&dropped[..value_end]).is_empty()
        };
        line.content = match directive.field {
            Field::UserAgent => {
                let opens = self.at != Place::AmongAgents;
                self.at = Place::AmongAgents;
                Content::UserAgent { value, opens }
            }
            Field::Allow => self.rule(RuleKind::Allow, value, cut),
            Field::Disallow => self.rule(RuleKind::Disallow, value, cut),
            field => {
                let in_group = self.at != Place::Outside && field != Field::Sitemap;
                Content::Other { field, name: directive.name, value, in_group }
            }
        };
        Some(line)
    }
}
