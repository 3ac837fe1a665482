//! `comity inspect`: what a robots.txt says, as it was understood.

use std::io::Write;

use anyhow::Result;
use comity::dialect::CrawlDelayFrom;
use comity::{Content, Dialect, Effect, Encoding, Escaped, Field, Line, Meaning, Robots, RuleKind, Size, Text};
use serde::Serialize;

use crate::args::{self, Format};
use crate::style::{self, paint};
use crate::{Outcome, input, json, live};

pub(crate) fn run(args: &args::Inspect) -> Result<Outcome> {
    // All of it, whatever the dialect takes: its size is told.
    let (file, body) = live::robots(&args.file, &args.fetching, &Dialect::GOOGLE)?;
    let dialect = args.dialect.dialect;
    let robots = Robots::parse_with(&body, &dialect);
    let text = Text::new(&body, &dialect);
    let report = Report::new(file, &robots, &text, &body);
    match args.format.format {
        Format::Json => json::print(&report)?,
        Format::Human => report.print(&mut anstream::stdout().lock())?,
    }
    Ok(Outcome::Yes)
}

#[derive(Serialize)]
struct Report {
    file: String,
    dialect: &'static str,
    bytes: usize,
    lines: u32,
    encoding: Encoding,
    size: Size,
    looks_like_html: bool,
    /// Of the parsed file.
    memory: usize,
    groups: Vec<Group>,
    sitemaps: Vec<Record>,
    records: Vec<Record>,
    ignored: Vec<Ignored>,
    notes: Vec<Note>,
}

#[derive(Serialize)]
struct Group {
    agents: Vec<Agent>,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
struct Agent {
    line: u32,
    value: String,
    token: String,
}

#[derive(Serialize)]
struct Rule {
    line: u32,
    kind: RuleKind,
    value: String,
    pattern: String,
    priority: u16,
    /// Why no URL that a crawler sends can match it.
    never_matches: Option<&'static str>,
}

#[derive(Serialize)]
struct Record {
    line: u32,
    field: Field,
    name: String,
    value: String,
    group: Option<usize>,
    /// What the value says, where that takes words.
    meaning: Option<String>,
    without_effect: Option<&'static str>,
}

/// A line that says something and has no effect.
#[derive(Serialize)]
struct Ignored {
    line: u32,
    text: String,
    because: &'static str,
}

/// A line that has its effect, in spite of something.
#[derive(Serialize)]
struct Note {
    line: u32,
    note: &'static str,
}

impl Report {
    fn new(file: String, robots: &Robots, text: &Text<'_>, body: &[u8]) -> Self {
        let groups = robots.groups().map(|group| Group {
            agents: group
                .agents()
                .map(|agent| Agent { line: agent.line(), value: lossy(agent.value()), token: lossy(agent.token()) })
                .collect(),
            rules: group
                .rules()
                .map(|rule| Rule {
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
            let records = records.map(|record| Record {
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
            looks_like_html: input::looks_like_html(body),
            memory: robots.memory(),
            groups: groups.collect(),
            sitemaps: records(|field| field == Field::Sitemap),
            records: records(|field| field != Field::Sitemap),
            ignored,
            notes,
        }
    }

    fn print(&self, out: &mut impl Write) -> Result<()> {
        let rules: usize = self.groups.iter().map(|group| group.rules.len()).sum();
        let summary = [
            count(self.bytes, "byte"),
            count(self.lines as usize, "line"),
            count(self.groups.len(), "group"),
            count(rules, "rule"),
            count(self.sitemaps.len(), "sitemap"),
        ];
        writeln!(out, "{}: {} ({} dialect)", paint(style::STRONG, &self.file), summary.join(", "), self.dialect)?;
        if self.looks_like_html {
            writeln!(out, "  it looks like an HTML page, not like a robots.txt")?;
        }
        match self.size {
            Size::Cut => writeln!(out, "  only the first 512,000 bytes count, and of those whole lines")?,
            Size::Refused => writeln!(out, "  larger than this crawler takes: it counts as if there were no file")?,
            _ => {}
        }
        match self.encoding {
            Encoding::Utf8WithMark => writeln!(out, "  a UTF-8 byte order mark was dropped")?,
            Encoding::Utf16Le | Encoding::Utf16Be => writeln!(out, "  decoded from UTF-16; others may see no rules")?,
            _ => {}
        }
        for (index, group) in self.groups.iter().enumerate() {
            writeln!(out, "\n{}", paint(style::STRONG, format!("group {}", index + 1)))?;
            for agent in &group.agents {
                let names = match agent.token.as_str() {
                    "*" => "every crawler that no group names".to_owned(),
                    "" => "nobody".to_owned(),
                    token if token == agent.value => String::new(),
                    token => format!("names {}", Escaped(token.as_bytes())),
                };
                writeln!(out, "{:>6}  User-agent: {}{}", agent.line, shown(&agent.value), aside(&names))?;
            }
            if group.rules.is_empty() {
                writeln!(out, "        {}", paint(style::FAINT, "no rules: everything is allowed"))?;
            }
            for rule in &group.rules {
                let mut notes = Vec::new();
                if rule.value != rule.pattern {
                    notes.push(format!("compared as {}", shown(&rule.pattern)));
                }
                if let Some(why) = rule.never_matches {
                    notes.push(format!("never matches: {why}"));
                }
                if rule.pattern.is_empty() {
                    notes.push("empty: it forbids and allows nothing".to_owned());
                }
                let style = if rule.kind == RuleKind::Allow { style::ALLOWED } else { style::DISALLOWED };
                let kind = paint(style, format!("{}:", rule.kind));
                writeln!(out, "{:>6}  {kind} {}{}", rule.line, shown(&rule.value), aside(&notes.join("; ")))?;
            }
        }
        section(
            out,
            "sitemaps",
            self.sitemaps.iter().map(|record| {
                (record.line, shown(&record.value), record.without_effect.unwrap_or_default().to_owned())
            }),
        )?;
        section(
            out,
            "other records",
            self.records.iter().map(|record| {
                let group =
                    record.group.map_or_else(|| "in no group".to_owned(), |group| format!("in group {}", group + 1));
                let meaning = record.meaning.as_ref().map_or_else(String::new, |meaning| format!(": {meaning}"));
                let effect = record.without_effect.map_or_else(String::new, |why| format!(", {why}"));
                (record.line, format!("{}: {}", shown(&record.name), shown(&record.value)), group + &meaning + &effect)
            }),
        )?;
        section(
            out,
            "ignored",
            self.ignored.iter().map(|line| (line.line, shown(&line.text), line.because.to_owned())),
        )?;
        section(
            out,
            "understood all the same",
            self.notes.iter().map(|note| (note.line, note.note.to_owned(), String::new())),
        )
    }
}

/// Rows of a section, the first hundreds of them: prose and HTML that are served as robots.txt have thousands.
fn section(out: &mut impl Write, title: &str, rows: impl Iterator<Item = (u32, String, String)>) -> Result<()> {
    const MOST: usize = 200;
    let mut rows = rows.peekable();
    if rows.peek().is_some() {
        writeln!(out, "\n{}", paint(style::STRONG, title))?;
    }
    for (line, text, note) in rows.by_ref().take(MOST) {
        writeln!(out, "{line:>6}  {text}{}", aside(&note))?;
    }
    match rows.count() {
        0 => {}
        more => writeln!(out, "        and {more} more; --format json has them all")?,
    }
    Ok(())
}

/// What is said about a line, behind it.
fn aside(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!("  {}", paint(style::FAINT, note)) }
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

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Safe to print, and no longer than a person reads.
fn shown(text: &str) -> String {
    const MOST: usize = 300;
    let end = text.char_indices().nth(MOST).map(|(end, _)| end);
    match end {
        Some(end) => format!("{}…", Escaped(&text.as_bytes()[..end])),
        None => Escaped(text.as_bytes()).to_string(),
    }
}
