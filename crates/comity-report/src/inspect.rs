//! What a robots.txt says, as it was understood.

use comity::dialect::CrawlDelayFrom;
use comity::{Content, Dialect, Effect, Encoding, Field, Line, Meaning, Robots, RuleKind, Size, SourceText};
use serde::Serialize;

use crate::lines::looks_like_html;

/// What a robots.txt says, as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[must_use]
#[non_exhaustive]
pub struct Inspection {
    /// What to call the file.
    pub file: String,
    /// The dialect's name.
    pub dialect: &'static str,
    /// Bytes of the file.
    pub bytes: usize,
    /// Lines, as a person counts them.
    pub lines: u32,
    /// How the bytes were understood.
    pub encoding: Encoding,
    /// Whether all of it counts.
    pub size: Size,
    /// Whether it is a page, by the looks of it.
    pub looks_like_html: bool,
    /// Of the parsed file.
    pub memory: usize,
    /// The groups, in the order of the file.
    pub groups: Vec<InspectedGroup>,
    /// Sitemaps.
    pub sitemaps: Vec<InspectedRecord>,
    /// Other records.
    pub records: Vec<InspectedRecord>,
    /// Lines that say something and have no effect.
    pub ignored: Vec<Ignored>,
    /// What is odd about lines that have their effect.
    pub notes: Vec<Note>,
}

/// A group.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct InspectedGroup {
    /// Whom it is for.
    pub agents: Vec<InspectedAgent>,
    /// What it says.
    pub rules: Vec<InspectedRule>,
}

/// A user-agent line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct InspectedAgent {
    /// The line, from 1.
    pub line: u32,
    /// The value as it stands.
    pub value: String,
    /// The product token that it names.
    pub token: String,
}

/// A rule.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct InspectedRule {
    /// The line, from 1.
    pub line: u32,
    /// Allow or Disallow.
    pub kind: RuleKind,
    /// The value as it stands.
    pub value: String,
    /// Its pattern in the normal form.
    pub pattern: String,
    /// The octets that rank it.
    pub priority: u16,
    /// Why no URL that a crawler sends can match it.
    pub never_matches: Option<&'static str>,
}

/// Another record.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct InspectedRecord {
    /// The line, from 1.
    pub line: u32,
    /// Which one.
    pub field: Field,
    /// The name as it stands.
    pub name: String,
    /// The value as it stands.
    pub value: String,
    /// The group that it stands in, from 0.
    pub group: Option<usize>,
    /// What the value says, where that takes words.
    pub meaning: Option<String>,
    /// Why it has no effect, if it has none.
    pub without_effect: Option<&'static str>,
}

/// A line that says something and has no effect.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Ignored {
    /// The line, from 1.
    pub line: u32,
    /// The line as it stands.
    pub text: String,
    /// Why.
    pub because: &'static str,
}

/// A line that has its effect, in spite of something.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Note {
    /// The line, from 1.
    pub line: u32,
    /// What is odd.
    pub note: &'static str,
}

impl Inspection {
    /// Of a file with this name.
    pub fn new(file: String, body: &[u8], dialect: &Dialect) -> Self {
        let robots = Robots::parse_with(body, dialect);
        let text = SourceText::new(body, dialect);
        let groups = robots.groups().map(|group| InspectedGroup {
            agents: group
                .agents()
                .map(|agent| InspectedAgent {
                    line: agent.line(),
                    value: lossy(agent.value()),
                    token: lossy(agent.token()),
                })
                .collect(),
            rules: group
                .rules()
                .map(|rule| InspectedRule {
                    line: rule.line(),
                    kind: rule.kind(),
                    value: lossy(rule.value()),
                    pattern: lossy(rule.pattern()),
                    priority: rule.priority(),
                    never_matches: never_matches(rule.pattern(), robots.dialect().wildcards),
                })
                .collect(),
        });
        let records = |wanted: fn(Field) -> bool| {
            let records = robots.records().filter(move |record| wanted(record.field()));
            let records = records.map(|record| InspectedRecord {
                line: record.line(),
                field: record.field(),
                name: lossy(record.name()),
                value: lossy(record.value()),
                group: record.group(),
                meaning: meaning(&record),
                without_effect: why_without_effect(&record, robots.dialect()),
            });
            records.collect()
        };
        let mut ignored = Vec::new();
        let mut notes = Vec::new();
        for line in text.lines() {
            if let Some(because) = why_ignored(&line) {
                ignored.push(Ignored { line: line.number, text: lossy(line.text.trim_ascii()), because });
            }
            notes.extend(notes_on(&line));
        }
        Self {
            file,
            dialect: robots.dialect().name,
            bytes: body.len(),
            // Behind the last line end there is nothing that a person would call a line.
            lines: robots.line_count() - u32::from(text.as_bytes().last().is_none_or(|b| matches!(b, b'\n' | b'\r'))),
            encoding: robots.encoding(),
            size: robots.size(),
            looks_like_html: looks_like_html(body),
            memory: robots.memory(),
            groups: groups.collect(),
            sitemaps: records(|field| field == Field::Sitemap),
            records: records(|field| field != Field::Sitemap),
            ignored,
            notes,
        }
    }
}

fn why_ignored(line: &Line<'_>) -> Option<&'static str> {
    match line.content {
        Content::NoRecord => Some("no record: a field name, a colon and a value are expected"),
        Content::Rule { effect, .. } => match effect {
            Effect::Acts => None,
            Effect::NoGroup => Some("a rule outside any group: no user-agent line stands before it"),
            Effect::CutAllow => {
                Some("an Allow that is longer than a line may be: cut, it would allow more than was said")
            }
            Effect::TooLong => Some("longer than this crawler takes a rule"),
            _ => Some("behind the last rule that this crawler takes"),
        },
        _ => None,
    }
}

fn notes_on(line: &Line<'_>) -> impl Iterator<Item = Note> + use<> {
    let has_control = line.text.iter().any(|b| b.is_ascii_control() && !matches!(b, b'\t' | 0x0B | 0x0C));
    let notes = [
        (line.typo, "the field name is misspelt; not every crawler understands it"),
        (line.missing_colon, "the colon is missing; not every crawler understands it"),
        (line.too_long, "longer than 16,663 bytes: the rest is dropped"),
        (has_control, "holds control characters"),
        (std::str::from_utf8(line.text).is_err(), "holds bytes that are no UTF-8"),
    ];
    let number = line.number;
    notes.into_iter().filter(|(applies, _)| *applies).map(move |(_, note)| Note { line: number, note })
}

fn never_matches(pattern: &[u8], wildcards: bool) -> Option<&'static str> {
    match pattern.first() {
        Some(b'*') if wildcards => {}
        None | Some(b'/') => {}
        Some(_) => return Some("it starts with neither / nor *"),
    }
    // A URL is sent without white space or controls.
    pattern
        .iter()
        .any(|octet| *octet <= b' ' || *octet == 0x7F)
        .then_some("it holds a space or a control, which URLs only have escaped")
}

/// What a record's value says, if it is one that people have to look up.
fn meaning(record: &comity::Record<'_>) -> Option<String> {
    let meaning = record.meaning();
    let needs_words = matches!(
        meaning,
        Meaning::RequestRate(_) | Meaning::VisitTime(_) | Meaning::CleanParam(_) | Meaning::ContentUsage(_)
    );
    needs_words.then(|| meaning.to_string())
}

/// Why a record that is kept has no effect here.
fn why_without_effect(record: &comity::Record<'_>, dialect: &Dialect) -> Option<&'static str> {
    if let Meaning::NotUnderstood { expected, .. } = record.meaning() {
        return Some(expected);
    }
    match record.field() {
        Field::Unknown => Some("unknown"),
        Field::CrawlDelay if dialect.crawl_delay == CrawlDelayFrom::Nowhere => Some("ignored by this crawler"),
        Field::CrawlDelay | Field::RequestRate | Field::VisitTime | Field::ContentSignal | Field::ContentUsage
            if record.group().is_none() =>
        {
            Some("no user-agent line stands before it")
        }
        Field::Noindex | Field::Nofollow | Field::Noarchive | Field::Domain | Field::RevisitAfter => {
            Some("no crawler heeds it")
        }
        _ => None,
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
