//! The contents of a robots.txt as they were parsed.

use std::collections::BTreeMap;

use comity::dialect::{CrawlDelayFrom, Escapes};
use comity::{
    Content, Crawlers, Dialect, Encoding, Field, Line, Meaning, Robots, Rule, RuleEffect, RuleKind, Size, SourceText,
    unsent_octets,
};
use comity_lint::{ManagedPart, managed_parts};
use serde::Serialize;

use crate::headline::{Headline, open_to};
use crate::lines::looks_like_html;

/// The contents of a robots.txt as they were parsed.
#[derive(Clone, Debug, Serialize)]
#[must_use]
#[non_exhaustive]
pub struct Inspection {
    /// The result in words: for whom the site is open. Each crawler is named as its operator reads the file.
    pub headline: Headline,
    /// The name of the file.
    pub file: String,
    /// The dialect's name.
    pub dialect: &'static str,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// The number of lines. An empty line after the last line end is not included.
    pub lines: u32,
    /// The encoding of the file.
    pub encoding: Encoding,
    /// The extent to which the file was read: whole, cut at the size limit, or refused.
    pub size: Size,
    /// True if the file looks like a web page and not like a robots.txt.
    pub looks_like_html: bool,
    /// The bytes of memory that the parsed file occupies.
    pub memory: usize,
    /// The parts of the file that a CDN adds, recognized by their markers.
    pub managed: Vec<ManagedPart>,
    /// The groups, in the order of the file.
    pub groups: Vec<InspectedGroup>,
    /// The sitemap records.
    pub sitemaps: Vec<InspectedRecord>,
    /// The records other than sitemaps.
    pub records: Vec<InspectedRecord>,
    /// The lines that are neither blank nor comments and have no effect.
    pub ignored: Vec<IgnoredLine>,
    /// Notes on lines that take effect and contain something unusual.
    pub notes: Vec<Note>,
}

/// A group.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct InspectedGroup {
    /// The user-agent lines of the group.
    pub agents: Vec<InspectedAgent>,
    /// The rules of the group.
    pub rules: Vec<InspectedRule>,
}

/// A user-agent line.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct InspectedAgent {
    /// The line, from 1.
    pub line: u32,
    /// The value as written.
    pub value: String,
    /// The product token that the line names.
    pub token: String,
    /// The index of another group that names the same crawler, from 0: the first one, or else the next one. The crawler
    /// obeys all of these groups as one. `null` if there is none, or if the dialect does not merge groups.
    pub read_with: Option<usize>,
}

/// A rule.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct InspectedRule {
    /// The line, from 1.
    pub line: u32,
    /// The kind of the rule: Allow or Disallow.
    pub kind: RuleKind,
    /// The value as written.
    pub value: String,
    /// The pattern in normal form.
    pub pattern: String,
    /// The length of the pattern in bytes, which ranks the rule.
    pub priority: u16,
    /// The reason why no URL that a crawler sends can match the rule; `null` if there is none.
    pub never_matches: Option<&'static str>,
}

/// A record that is neither a user-agent line nor a rule.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct InspectedRecord {
    /// The line, from 1.
    pub line: u32,
    /// The meaning of the field name.
    pub field: Field,
    /// The field name as written.
    pub name: String,
    /// The value as written.
    pub value: String,
    /// The index of the group that contains the record, from 0; `null` if it is outside any group.
    pub group: Option<usize>,
    /// The meaning of the value in words, if it is not obvious.
    pub meaning: Option<String>,
    /// The reason why the record has no effect, if it has none.
    pub without_effect: Option<&'static str>,
}

/// A line that is neither blank nor a comment and has no effect.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct IgnoredLine {
    /// The line, from 1.
    pub line: u32,
    /// The text of the line as written.
    pub text: String,
    /// The reason why the line has no effect.
    pub because: &'static str,
}

/// A note on a line that takes effect and contains something unusual.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Note {
    /// The line, from 1.
    pub line: u32,
    /// The unusual thing, in words.
    pub note: &'static str,
}

impl Inspection {
    /// Parses a file with this name and describes its contents. `table` has the crawlers for which the site is open.
    pub fn new(file: String, body: &[u8], dialect: &Dialect, table: &Crawlers) -> Self {
        Self::while_left(file, body, dialect, table, || true).unwrap_or_else(|| unreachable!("nobody asked to stop"))
    }

    /// Parses and describes a file as [`new`](Self::new) does, and calls `is_left` after each line that it describes.
    /// Returns `None` as soon as that returns false, for example because the time is over.
    pub fn while_left(
        file: String,
        body: &[u8],
        dialect: &Dialect,
        table: &Crawlers,
        mut is_left: impl FnMut() -> bool,
    ) -> Option<Self> {
        let (robots, text) = (Robots::parse_with(body, dialect), SourceText::new(body, dialect));
        let (naming, mut groups) = (first_groups(&robots), Vec::new());
        for group in robots.groups() {
            let mut inspected = InspectedGroup { agents: Vec::new(), rules: Vec::new() };
            for agent in group.agents() {
                inspected.agents.push(InspectedAgent {
                    line: agent.line(),
                    value: lossy(agent.value()),
                    token: lossy(agent.token()),
                    read_with: naming.get(&agent.token().to_ascii_lowercase()).and_then(|[first, next]| {
                        Some(*first)
                            .filter(|first| *first != group.index())
                            .or(Some(*next).filter(|next| next != first))
                    }),
                });
                if !is_left() {
                    return None;
                }
            }
            for rule in group.rules() {
                inspected.rules.push(InspectedRule {
                    line: rule.line(),
                    kind: rule.kind(),
                    value: lossy(rule.value()),
                    pattern: lossy(rule.pattern()),
                    priority: rule.priority(),
                    never_matches: never_matches(&rule, robots.dialect()),
                });
                if !is_left() {
                    return None;
                }
            }
            groups.push(inspected);
        }
        let (mut sitemaps, mut records) = (Vec::new(), Vec::new());
        for record in robots.records() {
            let list = if record.field() == Field::Sitemap { &mut sitemaps } else { &mut records };
            list.push(InspectedRecord {
                line: record.line(),
                field: record.field(),
                name: lossy(record.name()),
                value: lossy(record.value()),
                group: record.group(),
                meaning: meaning(&record),
                without_effect: why_without_effect(&record, robots.dialect()),
            });
            if !is_left() {
                return None;
            }
        }
        let (mut ignored, mut notes) = (Vec::new(), Vec::new());
        for line in text.lines() {
            if let Some(because) = why_ignored(&line) {
                ignored.push(IgnoredLine { line: line.number, text: lossy(line.text.trim_ascii()), because });
            }
            let is_cut = text.source().get(line.span().end) == Some(&0);
            notes.extend(notes_on(&line, is_cut));
            if !is_left() {
                return None;
            }
        }
        Some(Self {
            headline: open_to(body, table),
            file,
            dialect: dialect.name,
            bytes: body.len(),
            // The empty line after the last line end is not one that a person would count.
            lines: robots.line_count() - u32::from(text.as_bytes().last().is_none_or(|b| matches!(b, b'\n' | b'\r'))),
            encoding: robots.encoding(),
            size: robots.size(),
            looks_like_html: looks_like_html(body),
            memory: robots.memory(),
            managed: managed_parts(&text),
            groups,
            sitemaps,
            records,
            ignored,
            notes,
        })
    }
}

/// Returns the first two groups that name each crawler, by its token in lower case; one group twice if it is the only one.
fn first_groups(robots: &Robots) -> BTreeMap<Vec<u8>, [usize; 2]> {
    let mut naming: BTreeMap<Vec<u8>, [usize; 2]> = BTreeMap::new();
    if robots.dialect().merge_groups {
        for (group, agent) in robots.groups().flat_map(|group| group.agents().map(move |agent| (group.index(), agent)))
        {
            let [first, next] = naming.entry(agent.token().to_ascii_lowercase()).or_insert([group; 2]);
            if next == first {
                *next = group;
            }
        }
        // A line without a token names no crawler.
        naming.remove(&b""[..]);
    }
    naming
}

fn why_ignored(line: &Line<'_>) -> Option<&'static str> {
    match line.content {
        Content::NoRecord => Some("expected a field name, a colon and a value"),
        Content::Rule { effect, .. } => match effect {
            RuleEffect::Applies => None,
            RuleEffect::NoGroup => Some("a rule outside any group: there is no user-agent line before it"),
            RuleEffect::CutAllow => {
                Some("an Allow that is longer than the line limit: cut, it would allow more than was written")
            }
            RuleEffect::TooLong => Some("longer than this crawler accepts a rule"),
            _ => Some("after the last rule that this crawler accepts"),
        },
        _ => None,
    }
}

/// Returns the notes on a line, which may be cut at a NUL.
fn notes_on(line: &Line<'_>, is_cut: bool) -> impl Iterator<Item = Note> + use<> {
    let has_control = line.text.iter().any(|b| b.is_ascii_control() && !matches!(b, b'\t' | 0x0B | 0x0C));
    let notes = [
        (line.typo, "the field name is misspelled; not every crawler understands it"),
        (line.missing_colon, "the colon is missing; not every crawler understands it"),
        (line.too_long, "longer than 16,663 bytes: the rest is ignored"),
        (is_cut, "contains a NUL: the rest is ignored"),
        (has_control, "contains control characters"),
        (std::str::from_utf8(line.text).is_err(), "contains bytes that are not UTF-8"),
    ];
    let number = line.number;
    notes.into_iter().filter(|(applies, _)| *applies).map(move |(_, note)| Note { line: number, note })
}

/// Returns the reason why a rule matches no URL that is sent, in words; `None` if it may match one, or is empty.
pub fn never_matches(rule: &Rule<'_>, dialect: &Dialect) -> Option<&'static str> {
    match rule.pattern().first() {
        Some(b'*') if dialect.wildcards => {}
        None | Some(b'/') => {}
        Some(_) => return Some("it starts with neither / nor *"),
    }
    // The dialect of 1996 decodes the escapes of the URL.
    if dialect.escapes == Escapes::Decoded {
        return None;
    }
    Some(match rule.value()[unsent_octets(rule.value()).next()?] {
        b'"' | b'<' | b'>' => "it contains a quote or an angle bracket, which are always escaped in URLs",
        b'{' | b'}' | b'`' => "it contains a brace or a backtick, which are always escaped in paths",
        b'\\' => "it contains a backslash, which is sent as a slash",
        _ => "it contains a space or a control character, which are always escaped in URLs",
    })
}

/// Returns the meaning of a record's value in words, if the value has a syntax that is not obvious.
fn meaning(record: &comity::Record<'_>) -> Option<String> {
    let meaning = record.meaning();
    let needs_words = matches!(
        meaning,
        Meaning::RequestRate(_) | Meaning::VisitTime(_) | Meaning::CleanParam(_) | Meaning::ContentUsage(_)
    );
    needs_words.then(|| meaning.to_string())
}

/// Returns the reason why a record has no effect in this dialect.
fn why_without_effect(record: &comity::Record<'_>, dialect: &Dialect) -> Option<&'static str> {
    if let Meaning::NotUnderstood { expected, .. } = record.meaning() {
        return Some(expected);
    }
    match record.field() {
        Field::Unknown => Some("unknown"),
        Field::CrawlDelay if dialect.crawl_delay == CrawlDelayFrom::Nowhere => {
            Some("ignored by crawlers of this dialect")
        }
        Field::CrawlDelay | Field::RequestRate | Field::VisitTime | Field::ContentSignal | Field::ContentUsage
            if record.group().is_none() =>
        {
            Some("there is no user-agent line before it")
        }
        Field::Noindex | Field::Nofollow | Field::Noarchive | Field::Domain | Field::RevisitAfter => {
            Some("no crawler obeys it")
        }
        _ => None,
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the member `never_matches` of a rule with this value, as programs read it.
    fn found(value: &str, dialect: &Dialect) -> serde_json::Value {
        let body = format!("User-agent: *\nDisallow: {value}\n");
        let inspection = Inspection::new("robots.txt".to_owned(), body.as_bytes(), dialect, &Crawlers::builtin());
        serde_json::to_value(&inspection).unwrap()["groups"][0]["rules"][0]["never_matches"].clone()
    }

    #[test]
    fn rules_with_octets_that_are_never_sent_are_marked() {
        for dialect in Dialect::ALL {
            for value in ["/a b", "/{id}", "/a`b", "/a\\b", "/a\"b", "/*<b"] {
                let decodes = dialect.escapes == Escapes::Decoded;
                assert_eq!(found(value, dialect).is_null(), decodes, "{dialect}: {value}");
            }
            for value in ["", "/", "/%7Bid%7D", "/a%20b", "/?id={id}", "/*{id}", "/[a]|^"] {
                assert!(found(value, dialect).is_null(), "{dialect}: {value}");
            }
        }
    }
}
