//! Verdicts: the answer for one URL and its reason.

use core::fmt;

use crate::crawler::identity::Crawler;
use crate::crawler::profile::Governed;
use crate::crawler::selection::Basis;
use crate::dialect::{Dialect, Precedence};
use crate::name::names;
use crate::parse::line::RuleKind;
use crate::parse::source_text::Size;

/// The answer of a robots.txt to whether a crawler may fetch a URL, with the reason.
///
/// It has twelve bytes and is [`Copy`]. For the details, see [`Explanation`](crate::Explanation).
///
/// It is not a `bool`, and has no conversion to one, because two answers are neither yes nor no: [not
/// governed](Answer::NotGoverned) and [out of scope](Answer::OutOfScope). [`is_allowed`](Self::is_allowed) and
/// [`is_disallowed`](Self::is_disallowed) are both false for them. Test `is_allowed` before a fetch, and match
/// [`answer`](Self::answer) to treat them separately.
///
/// ```
/// use comity::{Crawler, Reason, Robots};
///
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\n");
/// let verdict = robots.check(&Crawler::token("mybot")?, "/private/diary.html");
/// assert!(verdict.is_disallowed());
/// assert_eq!(verdict.reason(), Reason::Rule);
/// assert_eq!(verdict.line(), Some(2));
/// assert_eq!(verdict.to_string(), "disallowed by line 2");
/// # Ok::<(), comity::TokenError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "VerdictFields", try_from = "VerdictFields"))]
#[must_use]
pub struct Verdict {
    answer: Answer,
    reason: Reason,
    basis: Basis,
    kind: Option<RuleKind>,
    advisory: bool,
    priority: u16,
    line: u32,
}

/// An answer to "may this crawler fetch this URL?". In the last two cases the file does not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Answer {
    /// The crawler may fetch the URL.
    Allowed,
    /// The crawler may not fetch the URL.
    Disallowed,
    /// No decision: the crawler does not obey robots.txt.
    NotGoverned,
    /// No decision: the file belongs to another site than the URL, or the text is neither a URL nor a path.
    OutOfScope,
}

names! {
    Answer is "an answer" {
        Allowed = "allowed",
        Disallowed = "disallowed",
        NotGoverned = "not-governed",
        OutOfScope = "out-of-scope",
    }, Display
}

/// The reason for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Reason {
    /// This rule matches and takes precedence over all others that match (RFC 9309 §2.2.2).
    Rule,
    /// Only a rule with an empty pattern applies, which forbids nothing.
    EmptyRule,
    /// No rule in the crawler's groups matches.
    NoRuleMatches,
    /// No group applies to this crawler (RFC 9309 §2.2.1).
    NoGroup,
    /// Only groups for `*` could apply, and this crawler ignores them.
    StarIgnored,
    /// The URL is the robots.txt itself (RFC 9309 §2.2.2).
    RobotsTxt,
    /// The file is larger than this crawler accepts, so it is ignored.
    FileRefused,
    /// The crawler does not obey robots.txt.
    NotGoverned,
    /// The file belongs to another site than the URL, or the text is neither a URL nor a path.
    OutOfScope,
}

names! {
    Reason is "a reason" {
        Rule = "rule",
        EmptyRule = "empty-rule",
        NoRuleMatches = "no-rule-matches",
        NoGroup = "no-group",
        StarIgnored = "star-ignored",
        RobotsTxt = "robots-txt",
        FileRefused = "file-refused",
        NotGoverned = "not-governed",
        OutOfScope = "out-of-scope",
    }, Display
}

impl Reason {
    /// Returns the words for people: a clause in lower case, without a full stop.
    ///
    /// ```
    /// use comity::{Crawler, Robots};
    ///
    /// let verdict = Robots::parse(b"User-agent: ExampleBot\nDisallow: /\n").check(&Crawler::ANY, "/");
    /// assert_eq!(verdict.reason().label(), "no group is for this crawler");
    /// ```
    pub const fn label(self) -> &'static str {
        match self {
            Self::Rule => "a rule matches",
            Self::EmptyRule => "an empty rule forbids nothing",
            Self::NoRuleMatches => "no rule matches",
            Self::NoGroup => "no group is for this crawler",
            Self::StarIgnored => "only groups of `*` could forbid it, and they do not apply to this crawler",
            Self::RobotsTxt => "it is the robots.txt itself, which may always be fetched",
            Self::FileRefused => "the file is larger than this crawler reads, so it is treated as missing",
            Self::NotGoverned => "this crawler does not obey robots.txt",
            Self::OutOfScope => "it is not a URL that the file governs",
        }
    }
}

impl Answer {
    /// Returns true for [`Allowed`](Self::Allowed), false for [`Disallowed`](Self::Disallowed), and `None` for the
    /// answers that are neither.
    pub fn is_allowed(self) -> Option<bool> {
        match self {
            Self::Allowed => Some(true),
            Self::Disallowed => Some(false),
            Self::NotGoverned | Self::OutOfScope => None,
        }
    }
}

impl Verdict {
    /// Returns true if the crawler may fetch the URL. Returns false if the file does not decide.
    pub fn is_allowed(&self) -> bool {
        self.answer == Answer::Allowed
    }

    /// Returns true if the crawler may not fetch the URL. Returns false if the file does not decide; see
    /// [`answer`](Self::answer).
    pub fn is_disallowed(&self) -> bool {
        self.answer == Answer::Disallowed
    }

    /// Returns the answer.
    ///
    /// ```
    /// use comity::{Answer, Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: *\nDisallow: /\n");
    /// let verdict = robots.check(&Crawler::known("FeedFetcher-Google").unwrap(), "/feed");
    /// let advice = match verdict.answer() {
    ///     Answer::Allowed => "fetch it",
    ///     Answer::NotGoverned => "its operator decides", // Google documents that it ignores robots.txt
    ///     _ => "do not fetch it",
    /// };
    /// assert_eq!(advice, "its operator decides");
    /// assert!(!verdict.is_allowed() && !verdict.is_disallowed());
    /// ```
    pub fn answer(&self) -> Answer {
        self.answer
    }

    /// Returns the reason for the answer. With [`Reason::Rule`] and [`Reason::EmptyRule`], a [`line`](Self::line)
    /// decides; with the others, none does.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Returns the groups that the answer is based on.
    ///
    /// ```
    /// use comity::{Basis, Crawler, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: Googlebot\nDisallow: /\n");
    /// let basis = |name| robots.check(&Crawler::known(name).unwrap(), "/").basis();
    /// assert_eq!(basis("Googlebot"), Basis::OwnToken);
    /// assert_eq!(basis("Googlebot-Image"), Basis::FallbackToken);
    /// assert_eq!(basis("GPTBot"), Basis::Nothing);
    /// ```
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Returns true if the file names the crawler by any of its tokens.
    pub fn names_crawler(&self) -> bool {
        matches!(self.basis, Basis::OwnToken | Basis::FallbackToken | Basis::MergedTokens)
    }

    /// Returns true if the crawler's operator does not promise to obey robots.txt. The answer is then a request of the
    /// site, not a prediction.
    pub fn is_advisory(&self) -> bool {
        self.advisory
    }

    /// Returns the line number of the deciding rule, counted from 1; `None` if no rule decides, which
    /// [`reason`](Self::reason) explains.
    pub fn line(&self) -> Option<u32> {
        (self.line != 0).then_some(self.line)
    }

    /// Returns the kind of the deciding rule: `Allow` or `Disallow`. An empty `Disallow` allows, so this does not
    /// determine the answer.
    pub fn rule_kind(&self) -> Option<RuleKind> {
        self.kind
    }

    /// Returns the length of the deciding rule's pattern in bytes, which ranks it (RFC 9309 §2.2.2).
    pub fn priority(&self) -> Option<u16> {
        self.kind.map(|_| self.priority)
    }

    /// Returns the verdict about a URL of another site, for callers that know that it is one. `Origin::check` finds
    /// out. Checks return it for text that is neither a path nor a URL.
    pub fn out_of_scope() -> Self {
        Self {
            answer: Answer::OutOfScope,
            reason: Reason::OutOfScope,
            basis: Basis::Nothing,
            kind: None,
            advisory: false,
            priority: 0,
            line: 0,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, advisory) = (self.line, if self.advisory { " (advisory)" } else { "" });
        match self.reason {
            Reason::Rule if self.is_allowed() => write!(f, "allowed by line {line}")?,
            Reason::Rule => write!(f, "disallowed by line {line}")?,
            Reason::EmptyRule => write!(f, "allowed: line {line} forbids nothing")?,
            Reason::NotGoverned => write!(f, "not governed: {}", self.reason.label())?,
            Reason::OutOfScope => write!(f, "out of scope: {}", self.reason.label())?,
            _ => write!(f, "allowed: {}", self.reason.label())?,
        }
        f.write_str(advisory)
    }
}

/// The fields of a [`Verdict`] as data: its JSON form, and that of answers without rules.
///
/// `R` is the type of the reason. Programs that also answer without rules have more reasons than [`Reason`].
#[cfg(feature = "serde")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct VerdictFields<R = Reason> {
    /// The answer, or null if the input was invalid.
    pub answer: Option<Answer>,
    /// The answer as a boolean, or null if the file does not decide.
    pub allowed: Option<bool>,
    /// The reason.
    pub reason: R,
    /// The line of the deciding rule, counted from 1; null if no rule decides.
    pub line: Option<u32>,
    /// The kind of the deciding rule.
    pub rule: Option<RuleKind>,
    /// The priority of the deciding rule: the length of its pattern in bytes.
    pub priority: Option<u16>,
    /// The groups that the answer is based on.
    pub basis: Basis,
    /// True if the file names the crawler by any of its tokens.
    pub names_crawler: bool,
    /// True if the crawler's operator does not promise to obey robots.txt.
    pub advisory: bool,
}

#[cfg(feature = "serde")]
impl<R> VerdictFields<R> {
    /// Returns the fields of an answer that is not based on rules. `None` means that there is no answer.
    pub fn without_rules(answer: Option<Answer>, reason: R) -> Self {
        Self {
            answer,
            allowed: answer.and_then(Answer::is_allowed),
            reason,
            line: None,
            rule: None,
            priority: None,
            basis: Basis::Nothing,
            names_crawler: false,
            advisory: false,
        }
    }
}

#[cfg(feature = "serde")]
impl<R: From<Reason>> From<Verdict> for VerdictFields<R> {
    fn from(verdict: Verdict) -> Self {
        Self {
            answer: Some(verdict.answer),
            allowed: verdict.answer.is_allowed(),
            reason: R::from(verdict.reason),
            line: verdict.line(),
            rule: verdict.kind,
            priority: verdict.priority(),
            basis: verdict.basis,
            names_crawler: verdict.names_crawler(),
            advisory: verdict.advisory,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<VerdictFields> for Verdict {
    type Error = &'static str;

    /// Reads a verdict. The fields that follow from others are not compared with them.
    fn try_from(fields: VerdictFields) -> Result<Self, Self::Error> {
        let answer = fields.answer.ok_or("expected an answer, found null: this is no verdict")?;
        let (kind, priority, line) = match (fields.rule, fields.priority, fields.line) {
            (Some(kind), Some(priority), Some(line)) if line > 0 => (Some(kind), priority, line),
            (None, None, None) => (None, 0, 0),
            _ => return Err("expected a rule with its priority and its line, found only some of them"),
        };
        Ok(Self { answer, reason: fields.reason, basis: fields.basis, kind, advisory: fields.advisory, priority, line })
    }
}

/// A sort key of matching rules. The rule with the greatest key decides.
///
/// With [`Precedence::Longest`], it compares priority, then kind, then line: the longest pattern wins, `Allow` wins
/// among equals, and the first line is reported. With [`Precedence::FirstMatch`], it compares the line first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(u64);

impl Key {
    /// The key of no rule, less than that of any rule.
    pub(crate) const NONE: Self = Self(0);

    const LINE: u64 = u32::MAX as u64;

    pub(crate) fn new(priority: u16, kind: RuleKind, line: u32, precedence: Precedence) -> Self {
        let (priority, allow) = (u64::from(priority), u64::from(kind == RuleKind::Allow));
        let early = Self::LINE - u64::from(line);
        Self(match precedence {
            Precedence::Longest => priority << 33 | allow << 32 | early,
            Precedence::FirstMatch => early << 17 | allow << 16 | priority,
        })
    }

    pub(crate) fn priority(self, precedence: Precedence) -> u16 {
        self.parts(precedence).0
    }

    fn parts(self, precedence: Precedence) -> (u16, RuleKind, u32) {
        let (priority, allow, early) = match precedence {
            Precedence::Longest => (self.0 >> 33, self.0 >> 32 & 1, self.0 & Self::LINE),
            Precedence::FirstMatch => (self.0 & 0xFFFF, self.0 >> 16 & 1, self.0 >> 17),
        };
        let kind = if allow == 1 { RuleKind::Allow } else { RuleKind::Disallow };
        (priority as u16, kind, (Self::LINE - early) as u32)
    }
}

/// The facts about a check that are known before any rule is matched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Premise {
    pub(crate) basis: Basis,
    governed: Governed,
    refused: bool,
    precedence: Precedence,
}

impl Premise {
    pub(crate) fn new(crawler: &Crawler<'_>, basis: Basis, size: Size, dialect: &Dialect) -> Self {
        let (governed, precedence) = (crawler.governed(), dialect.precedence);
        Self { basis, governed, refused: size == Size::Refused, precedence }
    }

    /// Returns the verdict, given the greatest key of the matching rules.
    #[inline]
    pub(crate) fn conclude(self, best: Key, is_robots_txt: bool) -> Verdict {
        let mut verdict = Verdict {
            answer: Answer::Allowed,
            reason: Reason::NoRuleMatches,
            basis: self.basis,
            kind: None,
            advisory: self.governed.is_advisory(),
            priority: 0,
            line: 0,
        };
        if self.governed == Governed::No {
            verdict.answer = Answer::NotGoverned;
            verdict.reason = Reason::NotGoverned;
        } else if self.refused {
            verdict.reason = Reason::FileRefused;
        } else if is_robots_txt {
            verdict.reason = Reason::RobotsTxt;
        } else if best != Key::NONE {
            let (priority, kind, line) = best.parts(self.precedence);
            verdict.priority = priority;
            verdict.kind = Some(kind);
            verdict.line = line;
            verdict.reason = if priority == 0 { Reason::EmptyRule } else { Reason::Rule };
            if kind == RuleKind::Disallow && priority > 0 {
                verdict.answer = Answer::Disallowed;
            }
        } else {
            verdict.reason = match self.basis {
                Basis::Nothing => Reason::NoGroup,
                Basis::StarIgnored => Reason::StarIgnored,
                _ => Reason::NoRuleMatches,
            };
        }
        verdict
    }
}
