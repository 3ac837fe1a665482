//! Parsing of the content of a line into field name and value.

use core::fmt;

use memchr::memchr;

use crate::dialect::{Dialect, FieldNames};

/// A field of robots.txt, as identified by the name of a record.
///
/// The first three form groups. No other field, not even [`Sitemap`](Self::Sitemap), may influence how groups and rules
/// are parsed (RFC 9309 §2.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Field {
    /// `User-agent`: the crawlers that a group applies to.
    UserAgent,
    /// `Allow`
    Allow,
    /// `Disallow`
    Disallow,
    /// `Sitemap`: an absolute URL, outside of groups.
    Sitemap,
    /// `Crawl-delay`: seconds between requests. Used by Bing, Common Crawl, Anthropic and others, not by Google.
    CrawlDelay,
    /// `Request-rate`: documents per time. Used by Seznam.
    RequestRate,
    /// `Visit-time`: a preferred time window in UTC.
    VisitTime,
    /// `Clean-param`: query parameters that do not change the page. Used by Yandex.
    CleanParam,
    /// `Host`: the preferred mirror. Used by Yandex until 2018.
    Host,
    /// `Content-Signal`: the permitted uses of content, by Cloudflare.
    ContentSignal,
    /// `Content-Usage`: the permitted uses of content, by the drafts of the IETF's AIPREF group.
    ContentUsage,
    /// `License`: the URL of a license document, by RSL.
    License,
    /// `LLM-Policy`: the URL of a policy document.
    LlmPolicy,
    /// `DisallowAITraining`: paths whose content must not be used to train models. From an Internet-Draft that expired.
    DisallowAiTraining,
    /// `AllowAITraining`: paths whose content may be used to train models. From an Internet-Draft that expired.
    AllowAiTraining,
    /// `Noindex`: never official, ignored by Google since 2019.
    Noindex,
    /// `Nofollow`: never official.
    Nofollow,
    /// `Noarchive`: never official.
    Noarchive,
    /// `Domain`: common, without meaning.
    Domain,
    /// `Revisit-after`: common, without meaning.
    RevisitAfter,
    /// `Robot-version`: the version of the standard that a group is written for.
    RobotVersion,
    /// `Comment`: text for the crawler's operator.
    Comment,
    /// Any other name.
    Unknown,
}

impl Field {
    /// Returns the usual spelling, which is empty for [`Unknown`](Self::Unknown).
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, field, _)| *field == self).map_or("", |(_, _, spelling)| spelling)
    }

    /// Returns true if the field applies to the whole site and to every crawler, even inside a group.
    pub fn is_of_site(self) -> bool {
        matches!(self, Self::Sitemap | Self::CleanParam | Self::Host | Self::License | Self::LlmPolicy)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The names in lower case, their fields, and their usual spelling. The four most important ones come first, in the
/// order in which prefixes are tried.
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

/// Common misspellings that are recognized.
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

/// A record: a field name and a value, borrowed from the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Directive<'a> {
    pub(crate) field: Field,
    pub(crate) name: &'a [u8],
    pub(crate) value: &'a [u8],
    /// True if the name is one of the recognized misspellings.
    pub(crate) typo: bool,
    pub(crate) missing_colon: bool,
}

/// Parses a line without its comment, trimmed. The first `:` separates name and value.
#[inline]
pub(crate) fn parse<'a>(record: &'a [u8], dialect: &Dialect) -> Option<Directive<'a>> {
    if let Some((field, colon)) = plain_field(record) {
        let (name, value) = (&record[..colon], trim_start(&record[colon + 1..]));
        return Some(Directive { field, name, value, typo: false, missing_colon: false });
    }
    parse_any(record, dialect)
}

/// Returns the field and the position of the colon if the line has one of the four most important names, spelled
/// correctly and directly followed by the colon, as nearly all lines have. Such a line means the same in every dialect.
#[inline]
fn plain_field(record: &[u8]) -> Option<(Field, usize)> {
    // Lower-case letters differ from capitals in this bit. Of other bytes, only a CR would be mistaken for a hyphen,
    // and a line contains none.
    const CASE: u64 = 0x2020_2020_2020_2020;
    let (start, rest) = record.split_first_chunk::<8>()?;
    match (&(u64::from_le_bytes(*start) | CASE).to_le_bytes(), rest) {
        (b"disallow", [b':', ..]) => Some((Field::Disallow, 8)),
        (b"user-age", [b'n' | b'N', b't' | b'T', b':', ..]) => Some((Field::UserAgent, 10)),
        ([b'a', b'l', b'l', b'o', b'w', _, _, _], _) if start[5] == b':' => Some((Field::Allow, 5)),
        ([b's', b'i', b't', b'e', b'm', b'a', b'p', _], _) if start[7] == b':' => Some((Field::Sitemap, 7)),
        _ => None,
    }
}

fn parse_any<'a>(record: &'a [u8], dialect: &Dialect) -> Option<Directive<'a>> {
    if let Some(colon) = memchr(b':', record) {
        let name = trim_end(&record[..colon]);
        if name.is_empty() {
            return None;
        }
        let (field, typo) = field(name, dialect.field_names);
        let value = trim_start(&record[colon + 1..]);
        return Some(Directive { field, name, value, typo, missing_colon: false });
    }
    if !dialect.missing_colon {
        return None;
    }
    let (name, value) = two_words(record)?;
    let (field, typo) = field(name, dialect.field_names);
    // Two words without a colon are mostly prose. Google's parser takes them all as records, with the same result.
    let counts = dialect.field_names == FieldNames::Prefix || field != Field::Unknown;
    counts.then_some(Directive { field, name, value, typo, missing_colon: true })
}

/// Returns the words of a line that consists of exactly two words, separated by spaces or tabs.
fn two_words(record: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_gap = |b: &u8| matches!(b, b' ' | b'\t');
    let end = record.iter().position(is_gap)?;
    let gap = record[end..].iter().position(|b| !is_gap(b))?;
    let value = &record[end + gap..];
    (!value.iter().any(is_gap)).then_some((trim_end(&record[..end]), trim_start(value)))
}

/// Returns the field that a name means, and true if the name is a misspelling of it.
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

/// Returns true for white space inside a line: space, tab, vertical tab or form feed.
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
