//! `comity inspect`: shows a robots.txt as it was parsed.

use std::io::Write;

use anyhow::Result;
use comity::{Crawlers, Dialect, Encoding, Escaped, RuleKind, Size};
use comity_report::{Inspection, shorten};

use crate::args::{self, Format};
use crate::input::live;
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};
use crate::render::words::count;

pub(crate) fn run(args: &args::Inspect) -> Result<Outcome> {
    // The whole file is read, whatever the dialect's limit, because its size is printed.
    let (file, body) = live::robots(&args.file, &args.fetching, &Dialect::GOOGLE_PARSER)?;
    let report = Inspection::new(file, &body, &args.dialect.dialect, &Crawlers::builtin());
    match args.format.format {
        Format::Json => json::print(&report)?,
        Format::Human => print(&report, &mut anstream::stdout().lock())?,
    }
    Ok(Outcome::Yes)
}

fn print(report: &Inspection, out: &mut impl Write) -> Result<()> {
    let rules: usize = report.groups.iter().map(|group| group.rules.len()).sum();
    let summary = [
        count(report.bytes, "byte"),
        count(report.lines, "line"),
        count(report.groups.len(), "group"),
        count(rules, "rule"),
        count(report.sitemaps.len(), "sitemap"),
    ];
    writeln!(out, "{}: {} ({} dialect)", paint(style::STRONG, &report.file), summary.join(", "), report.dialect)?;
    writeln!(out, "  {}", report.headline.text)?;
    match report.size {
        Size::Cut => writeln!(out, "  only the first 512,000 bytes are read")?,
        Size::Refused => writeln!(out, "  larger than this crawler accepts: treated as no file")?,
        _ => {}
    }
    match report.encoding {
        Encoding::Utf8WithMark => writeln!(out, "  a UTF-8 byte order mark is ignored")?,
        Encoding::Utf16Le | Encoding::Utf16Be => writeln!(out, "  decoded from UTF-16; others may see no rules")?,
        _ => {}
    }
    for part in &report.managed {
        writeln!(out, "  {} adds lines {} to {}", part.by, part.first, part.last)?;
    }
    for (index, group) in report.groups.iter().enumerate() {
        writeln!(out, "\n{}", paint(style::STRONG, format!("group {}", index + 1)))?;
        for agent in &group.agents {
            let names = match agent.token.as_str() {
                "*" => "every crawler that no group names".to_owned(),
                "" => "nobody".to_owned(),
                token if token == agent.value => String::new(),
                token => format!("names {}", Escaped(token.as_bytes())),
            };
            let read_with = agent.read_with.map(|other| format!("read as one with group {}", other + 1));
            let notes: Vec<String> =
                Some(names).filter(|names| !names.is_empty()).into_iter().chain(read_with).collect();
            writeln!(out, "{:>6}  User-agent: {}{}", agent.line, shown(&agent.value), aside(&notes.join("; ")))?;
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
                notes.push("empty: no effect".to_owned());
            }
            let style = if rule.kind == RuleKind::Allow { style::ALLOWED } else { style::DISALLOWED };
            let kind = paint(style, format!("{}:", rule.kind));
            writeln!(out, "{:>6}  {kind} {}{}", rule.line, shown(&rule.value), aside(&notes.join("; ")))?;
        }
    }
    section(
        out,
        "sitemaps",
        report
            .sitemaps
            .iter()
            .map(|record| (record.line, shown(&record.value), record.without_effect.unwrap_or_default().to_owned())),
    )?;
    section(
        out,
        "other records",
        report.records.iter().map(|record| {
            let group = match record.group {
                _ if record.field.is_of_site() => "of the site".to_owned(),
                Some(group) => format!("in group {}", group + 1),
                None => "in no group".to_owned(),
            };
            let meaning = record.meaning.as_ref().map_or_else(String::new, |meaning| format!(": {meaning}"));
            let effect = record.without_effect.map_or_else(String::new, |why| format!(", {why}"));
            (record.line, format!("{}: {}", shown(&record.name), shown(&record.value)), group + &meaning + &effect)
        }),
    )?;
    section(out, "ignored", report.ignored.iter().map(|line| (line.line, shown(&line.text), line.because.to_owned())))?;
    section(out, "tolerated mistakes", report.notes.iter().map(|note| (note.line, note.note.to_owned(), String::new())))
}

/// Prints the first rows of a section. Prose and HTML that are served as robots.txt have thousands.
fn section(out: &mut impl Write, title: &str, rows: impl Iterator<Item = (u32, String, String)>) -> Result<()> {
    const MAX_ROWS: usize = 200;
    let mut rows = rows.peekable();
    if rows.peek().is_some() {
        writeln!(out, "\n{}", paint(style::STRONG, title))?;
    }
    for (line, text, note) in rows.by_ref().take(MAX_ROWS) {
        writeln!(out, "{line:>6}  {text}{}", aside(&note))?;
    }
    match rows.count() {
        0 => {}
        more => writeln!(out, "        and {more} more; --format json has them all")?,
    }
    Ok(())
}

/// Returns a note that is printed after a line.
fn aside(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!("  {}", paint(style::FAINT, note)) }
}

/// Returns a text that is safe to print and short enough to read.
fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 300;
    Escaped(shorten(text, MAX_CHARS).as_bytes()).to_string()
}
