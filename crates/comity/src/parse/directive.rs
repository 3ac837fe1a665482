//! One line's content, taken apart: field name and value.

use core::fmt;

use memchr::memchr;

use crate::dialect::{Dialect, FieldNames};

/// The field that a record's name means.
///
/// The first three make groups, [`Sitemap`](Self::Sitemap) stands for itself; none of the others may influence how
/// groups and rules are understood (RFC 9309 §2.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum Field {
    /// `User-agent`: whom a group is for.
    UserAgent,
    /// `Allow`
    Allow,
    /// `Disallow`
    Disallow,
    /// `Sitemap`: an absolute URL, bound to no group.
    Sitemap,
    /// `Crawl-delay`: seconds between requests; Bing, Common Crawl, Anthropic and others, not Google.
    CrawlDelay,
    /// `Request-rate`: documents per time; Seznam.
    RequestRate,
    /// `Visit-time`: a preferred window in UTC.
    VisitTime,
    /// `Clean-param`: query parameters that don't matter; Yandex.
    CleanParam,
    /// `Host`: the preferred mirror; Yandex until 2018.
    Host,
    /// `Content-Signal`: what may be done with content; Cloudflare.
    ContentSignal,
    /// `Content-Usage`: the same, by the drafts of the IETF's AIPREF group.
    ContentUsage,
    /// `License`: a licence document; RSL.
    License,
    /// `LLM-Policy`: a policy document.
    LlmPolicy,
    /// `DisallowAITraining`: an expired draft.
    DisallowAiTraining,
    /// `AllowAITraining`: an expired draft.
    AllowAiTraining,
    /// `Noindex`: never official, dropped by Google in 2019.
    Noindex,
    /// `Nofollow`: never official.
    Nofollow,
    /// `Noarchive`: never official.
    Noarchive,
    /// `Domain`: often seen, means nothing.
    Domain,
    /// `Revisit-after`: often seen, means nothing.
    RevisitAfter,
    /// `Robot-version`: which version of the standard a group is written for.
    RobotVersion,
    /// `Comment`: text for the crawler's operator.
    Comment,
    /// Any other name.
    Unknown,
}

impl Field {
    /// The usual spelling; empty for [`Unknown`](Self::Unknown).
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, field, _)| *field == self).map_or("", |(_, _, spelling)| spelling)
    }

    /// Whether it is about the whole site, and binds nobody less for standing in somebody's group.
    pub fn is_of_site(self) -> bool {
        matches!(self, Self::Sitemap | Self::CleanParam | Self::Host | Self::License | Self::LlmPolicy)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Lower-case names, what they mean, and their usual spelling. The four that matter most stand first, in the order
/// in which prefixes are tried.
const NAMES: [(&str, Field, &str); 22] = [
    ("user-agent", Field::UserAgent, "User-agent"),
    ("allow", Field::Allow, "Allow"),
    ("disallow", Field::Disallow, "Disallow"),
    ("sitemap", Field::Sitemap, "Sitemap"),
    ("crawl-delay", Field::CrawlDelay, "Crawl-delay"),
    ("request-rate", Field::RequestRate, "Request-rate"),
    ("visit-time", Field::VisitTime, "Visit-time"),
    ("clean-param", Field::CleanParam, "Clean-param"),
    ("host", Field::Host, "Host"),
    ("content-signal", Field::ContentSignal, "Content-Signal"),
    ("content-usage", Field::ContentUsage, "Content-Usage"),
    ("license", Field::License, "License"),
    ("llm-policy", Field::LlmPolicy, "LLM-Policy"),
    ("disallowaitraining", Field::DisallowAiTraining, "DisallowAITraining"),
    ("allowaitraining", Field::AllowAiTraining, "AllowAITraining"),
    ("noindex", Field::Noindex, "Noindex"),
    ("nofollow", Field::Nofollow, "Nofollow"),
    ("noarchive", Field::Noarchive, "Noarchive"),
    ("domain", Field::Domain, "Domain"),
    ("revisit-after", Field::RevisitAfter, "Revisit-after"),
    ("robot-version", Field::RobotVersion, "Robot-version"),
    ("comment", Field::Comment, "Comment"),
];

/// Misspellings that are common enough to be understood.
const TYPOS: [(&str, Field); 8] = [
    ("useragent", Field::UserAgent),
    ("user agent", Field::UserAgent),
    ("dissallow", Field::Disallow),
    ("dissalow", Field::Disallow),
    ("disalow", Field::Disallow),
    ("diasllow", Field::Disallow),
    ("disallaw", Field::Disallow),
    ("site-map", Field::Sitemap),
];

/// A record: a field name and a value. Everything borrows the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Directive<'a> {
    pub(crate) field: Field,
    pub(crate) name: &'a [u8],
    pub(crate) value: &'a [u8],
    /// The name is one of the tolerated misspellings.
    pub(crate) typo: bool,
    pub(crate) missing_colon: bool,
}

/// Takes a line apart: what stands before its comment, trimmed. The first `:` separates.
#[inline]
pub(crate) fn parse<'a>(said: &'a [u8], dialect: &Dialect) -> Option<Directive<'a>> {
    if let Some((field, colon)) = plain_field(said) {
        let (name, value) = (&said[..colon], trim_start(&said[colon + 1..]));
        return Some(Directive { field, name, value, typo: false, missing_colon: false });
    }
    parse_any(said, dialect)
}

/// The field and the place of the colon in nearly all lines: one of the four that matter, spelt right, and the colon
/// right behind it. It means the same in every dialect.
#[inline]
fn plain_field(said: &[u8]) -> Option<(Field, usize)> {
    // Letters differ from their capitals in this bit; of other bytes, only a CR would be taken for a hyphen, and a
    // line holds none.
    const CASE: u64 = 0x2020_2020_2020_2020;
    let (start, rest) = said.split_first_chunk::<8>()?;
    match (&(u64::from_le_bytes(*start) | CASE).to_le_bytes(), rest) {
        (b"disallow", [b':', ..]) => Some((Field::Disallow, 8)),
        (b"user-age", [b'n' | b'N', b't' | b'T', b':', ..]) => Some((Field::UserAgent, 10)),
        ([b'a', b'l', b'l', b'o', b'w', _, _, _], _) if start[5] == b':' => Some((Field::Allow, 5)),
        ([b's', b'i', b't', b'e', b'm', b'a', b'p', _], _) if start[7] == b':' => Some((Field::Sitemap, 7)),
        _ => None,
    }
}

fn parse_any<'a>(said: &'a [u8], dialect: &Dialect) -> Option<Directive<'a>> {
    if let Some(colon) = memchr(b':', said) {
        let name = trim_end(&said[..colon]);
        if name.is_empty() {
            return None;
        }
        let (field, typo) = field(name, dialect.field_names);
        let value = trim_start(&said[colon + 1..]);
        return Some(Directive { field, name, value, typo, missing_colon: false });
    }
    if !dialect.missing_colon {
        return None;
    }
    let (name, value) = two_words(said)?;
    let (field, typo) = field(name, dialect.field_names);
    // Two words without a colon are mostly prose. Google's parser counts them all; it makes no difference.
    let counts = dialect.field_names == FieldNames::Prefix || field != Field::Unknown;
    counts.then_some(Directive { field, name, value, typo, missing_colon: true })
}

/// The words of a line that consists of exactly two, separated by spaces or tabs.
fn two_words(said: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_gap = |b: &u8| matches!(b, b' ' | b'\t');
    let end = said.iter().position(is_gap)?;
    let gap = said[end..].iter().position(|b| !is_gap(b))?;
    let value = &said[end + gap..];
    (!value.iter().any(is_gap)).then_some((trim_end(&said[..end]), trim_start(value)))
}

/// The field that a name means, and whether the name is a misspelling of it.
#[inline]
fn field(name: &[u8], names: FieldNames) -> (Field, bool) {
    let means = |known: &str| match names {
        FieldNames::Prefix => name.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes())),
        FieldNames::Exact | FieldNames::ExactOrTypo => name.eq_ignore_ascii_case(known.as_bytes()),
    };
    let first = [NAMES[0], NAMES[1], NAMES[2], NAMES[3]];
    for (known, field, _) in first {
        if means(known) {
            return (field, false);
        }
        if names != FieldNames::Exact && TYPOS.iter().any(|(typo, f)| *f == field && means(typo)) {
            return (field, true);
        }
    }
    let other = NAMES[first.len()..].iter().find(|(known, ..)| name.eq_ignore_ascii_case(known.as_bytes()));
    (other.map_or(Field::Unknown, |(_, field, _)| *field), false)
}

/// White space inside a line: space, tab, vertical tab, form feed.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

#[inline]
pub(crate) fn trim(bytes: &[u8]) -> &[u8] {
    trim_end(trim_start(bytes))
}

#[inline]
fn trim_start(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|b| !is_space(*b)).unwrap_or(bytes.len());
    &bytes[start..]
}

#[inline]
fn trim_end(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|b| !is_space(*b)).map_or(0, |i| i + 1);
    &bytes[..end]
}
