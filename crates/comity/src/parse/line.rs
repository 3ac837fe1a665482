//! A text's lines, and what each of them says at its place.

use core::ops::Range;

use memchr::{memchr, memchr2, memchr3};

use crate::dialect::{Dialect, LINE_LIMIT};
use crate::parse::directive::{self, Field};

/// Whether a rule allows or disallows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum RuleKind {
    /// `Disallow`
    Disallow,
    /// `Allow`
    Allow,
}

crate::__names! {
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

/// A line, what it says, and what is odd about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line<'a> {
    /// Its number, from 1. CR, LF and CRLF each end one line.
    pub number: u32,
    /// What counts of it: at most [`LINE_LIMIT`] bytes, up to a NUL, without the line end.
    pub text: &'a [u8],
    /// What it says.
    pub content: Content<'a>,
    /// It holds a comment.
    pub comment: bool,
    /// The field name is misspelt, and understood all the same.
    pub typo: bool,
    /// The colon is missing, and the record is understood all the same.
    pub missing_colon: bool,
    /// It is longer than [`LINE_LIMIT`]; the rest was dropped.
    pub too_long: bool,
    /// Where it starts in the source.
    start: usize,
}

impl Line<'_> {
    /// Returns the range of [`SourceText::source`](crate::SourceText::source) that holds the [`text`](Self::text): of the body, byte
    /// order mark included, or of what it was decoded to if it is UTF-16. Without the line end, and without what was
    /// dropped after a NUL or the line limit.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content<'a> {
    /// Nothing.
    Blank,
    /// Only a comment.
    Comment,
    /// Something that is no record: no field name, or no colon.
    NoRecord,
    /// Whom the group is for.
    #[non_exhaustive]
    UserAgent {
        /// The value as it stands.
        value: &'a [u8],
        /// It starts a new group rather than joining the user-agent lines before it.
        opens: bool,
    },
    /// An `Allow` or `Disallow`.
    #[non_exhaustive]
    Rule {
        /// Which of the two.
        kind: RuleKind,
        /// The path pattern as it stands.
        value: &'a [u8],
        /// Whether the rule takes part in decisions.
        effect: Effect,
        /// The value was cut at the line limit.
        cut: bool,
    },
    /// Any other record. It neither starts nor ends a group.
    #[non_exhaustive]
    Other {
        /// What the name means.
        field: Field,
        /// The name as it stands.
        name: &'a [u8],
        /// The value as it stands.
        value: &'a [u8],
        /// It stands in a group. A sitemap never does.
        in_group: bool,
    },
}

/// Whether a rule takes part in decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Effect {
    /// It does.
    Acts,
    /// It doesn't: no user-agent line stands before it.
    NoGroup,
    /// It doesn't: an `Allow` that was cut at the line limit would allow more than was said.
    CutAllow,
    /// It doesn't: it is longer than the dialect's crawler takes.
    TooLong,
    /// It doesn't: the file has more rules than the dialect's crawler takes.
    TooMany,
}

crate::__names! {
    Effect is "an effect" {
        Acts = "acts",
        NoGroup = "no-group",
        CutAllow = "cut-allow",
        TooLong = "too-long",
        TooMany = "too-many",
    }, Display
}

/// The lines of a [`SourceText`](crate::SourceText).
///
/// Behind the last line end there is one more line, empty; so an empty file has one line.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: Option<&'a [u8]>,
    /// Where the last line ends in the source.
    end: usize,
    number: u32,
    dialect: Dialect,
    has_nul: bool,
    at: Place,
    rules: u32,
}

/// Where in a group a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    AmongAgents,
    AmongRules,
}

impl<'a> Lines<'a> {
    /// Creates the lines of a text that starts there in its source.
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

    /// The next line's text, as far as it counts; where its comment starts; and what was dropped of it.
    #[allow(clippy::inline_always, reason = "as `next`")]
    #[inline(always)]
    fn next_text(&mut self) -> Option<(&'a [u8], Option<usize>, &'a [u8])> {
        let rest = self.rest?;
        self.number = self.number.saturating_add(1);
        // One search finds what comes first, the line's end or its comment. A blank line needs none.
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
            Effect::NoGroup
        } else {
            self.at = Place::AmongRules;
            self.rules = self.rules.saturating_add(1);
            if cut && kind == RuleKind::Allow && self.dialect.cut_allow_ignored {
                Effect::CutAllow
            } else if self.dialect.max_rule_len.is_some_and(|max| value.len() > max as usize) {
                Effect::TooLong
            } else if self.dialect.max_rules.is_some_and(|max| self.rules > max) {
                Effect::TooMany
            } else {
                Effect::Acts
            }
        };
        Content::Rule { kind, value, effect, cut }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    #[allow(
        clippy::inline_always,
        reason = "a line is a hundred bytes; handed over in memory, it costs a tenth of all reading"
    )]
    #[inline(always)]
    fn next(&mut self) -> Option<Line<'a>> {
        let start = self.end - self.rest?.len();
        let (text, hash, dropped) = self.next_text()?;
        let said = directive::trim(&text[..hash.unwrap_or(text.len())]);
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
        if said.is_empty() {
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
        let Some(directive) = directive::parse(said, &self.dialect) else { return Some(line) };
        line.typo = directive.typo;
        line.missing_colon = directive.missing_colon;
        let value = directive.value;
        // A comment or a NUL before the limit, or nothing but white space up to one behind it, and the value is whole.
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
