//! The difference of two files as sentences, as Markdown and as annotations.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use comity::Escaped;
use comity_report::{Diff, DiffAnswer, DiffChange, DiffFile, DiffOutcome, DiffRule};

use crate::render::style::{self, paint};

/// The most names, and the most rules, that a sentence lists.
const MAX_LISTED: usize = 5;

/// The most changes that are shown to people. JSON has all of them.
const MAX_CHANGES: usize = 50;

pub(super) fn human(diff: &Diff, out: &mut impl Write) -> io::Result<()> {
    for change in diff.changes.iter().take(MAX_CHANGES) {
        let (word, style) = word(change.to);
        let heading = paint(style, format!("Newly {word}"));
        writeln!(out, "{heading}, for {}{}:", crawlers(diff, change), only_in(diff, change))?;
        if let Some(rule) = has_line(&change.rule) {
            let old = if rule.file == DiffFile::Old { "   (old)" } else { "" };
            writeln!(out, "  {:>4} | {}{old}", rule.line, pattern(rule))?;
        }
        writeln!(out, "  {}, such as {}\n", described(change), shown(&change.witness))?;
    }
    if let Some(more @ 1..) = diff.changes.len().checked_sub(MAX_CHANGES) {
        writeln!(out, "{more} more changes are in --format json.\n")?;
    }
    writeln!(out, "{}", summary(diff))
}

pub(super) fn markdown(diff: &Diff, names: [&str; 2], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "### What changes in robots.txt\n")?;
    for change in diff.changes.iter().take(MAX_CHANGES) {
        let (word, _) = word(change.to);
        let line = has_line(&change.rule).map(|rule| {
            let file = if rule.file == DiffFile::Old { "old line" } else { "line" };
            format!(" ({file} {})", rule.line)
        });
        writeln!(
            out,
            "- **Newly {word}** for {}{}{}: {}, such as {}",
            markdown_text(&crawlers(diff, change)),
            markdown_text(&only_in(diff, change)),
            line.unwrap_or_default(),
            markdown_text(&described(change)),
            code(&change.witness)
        )?;
    }
    if let Some(more @ 1..) = diff.changes.len().checked_sub(MAX_CHANGES) {
        writeln!(out, "- {more} more changes")?;
    }
    let gap = if diff.changes.is_empty() { "" } else { "\n" };
    writeln!(out, "{gap}{} Compared: {} and {}.", markdown_text(&summary(diff)), code(names[0]), code(names[1]))
}

pub(super) fn github(diff: &Diff, new: &Path, out: &mut impl Write) -> io::Result<()> {
    for change in &diff.changes {
        let (word, _) = word(change.to);
        let level = if change.to == DiffAnswer::Blocked { "warning" } else { "notice" };
        let line = match has_line(&change.rule) {
            Some(rule) if rule.file == DiffFile::New => format!(",line={}", rule.line),
            _ => String::new(),
        };
        let file = property(&new.to_string_lossy());
        let (whom, what, dialects) = (crawlers(diff, change), described(change), only_in(diff, change));
        let text = format!("{whom}{dialects}: {what}, such as {}", shown(&change.witness));
        writeln!(out, "::{level} file={file}{line},title=Newly {word}::{}", data(&text))?;
    }
    writeln!(out, "{}", summary(diff))
}

fn word(answer: DiffAnswer) -> (&'static str, anstyle::Style) {
    match answer {
        DiffAnswer::Allowed => ("allowed", style::ALLOWED),
        _ => ("blocked", style::DISALLOWED),
    }
}

/// Names the dialects of a change, if it does not hold in all that were asked for.
fn only_in(diff: &Diff, change: &DiffChange) -> String {
    let everywhere = diff.is_by_operator || change.dialects.len() == diff.dialects.len();
    if everywhere { String::new() } else { format!(", in {}", change.dialects.join(", ")) }
}

/// Names the crawlers of a change: those that it leaves out, if it concerns every crawler that no file names.
fn crawlers(diff: &Diff, change: &DiffChange) -> String {
    if !change.crawlers.iter().any(|name| name == "*") {
        return names(&change.crawlers.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let concerned: HashSet<&str> = change.crawlers.iter().map(String::as_str).collect();
    let others: Vec<&str> = diff.crawlers.iter().map(String::as_str).filter(|name| !concerned.contains(name)).collect();
    if others.is_empty() { "every crawler".to_owned() } else { format!("every crawler but {}", names(&others)) }
}

fn names(names: &[&str]) -> String {
    let shown = |names: &[&str]| names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MAX_LISTED) {
        Some(more @ 2..) => format!("{} and {more} others", shown(&names[..MAX_LISTED])),
        _ => match names.split_last() {
            Some((last, first)) if !first.is_empty() => format!("{} and {}", shown(first), shown(&[last])),
            _ => shown(names),
        },
    }
}

/// Describes the URLs of a change.
fn described(change: &DiffChange) -> String {
    let all = if change.exact && change.except.is_empty() { "everything that" } else { "what" };
    let mut text = match has_line(&change.rule) {
        Some(rule) => format!("{all} matches {}", pattern(rule)),
        None => "what no rule matches".to_owned(),
    };
    text += &rules(" and also ", &change.narrowed_by);
    text += &rules(", but not ", &change.except);
    text
}

fn rules(before: &str, rules: &[DiffRule]) -> String {
    let listed = rules.iter().take(MAX_LISTED).map(|rule| {
        let file = if rule.file == DiffFile::Old { "old line" } else { "line" };
        format!("{} ({file} {})", pattern(rule), rule.line)
    });
    let listed = listed.collect::<Vec<_>>().join(" or ");
    match rules.len() {
        0 => String::new(),
        len if len > MAX_LISTED => format!("{before}{listed} or {} more rules", len - MAX_LISTED),
        _ => format!("{before}{listed}"),
    }
}

fn summary(diff: &Diff) -> String {
    let asked = diff.critical_urls;
    let urls =
        if asked == 1 { "1 critical URL was asked".to_owned() } else { format!("{asked} critical URLs were asked") };
    let dialects = match diff.dialects.as_slice() {
        [one] => format!("in {one}"),
        many => format!("in {}", many.join(", ")),
    };
    let decided = match diff.outcome {
        DiffOutcome::Same => format!("Same. No URL has another answer for any crawler, {dialects}: {urls}."),
        DiffOutcome::Differs if diff.undecided.is_empty() => {
            format!("These are all changes, for all URLs and crawlers, {dialects}: {urls}.")
        }
        _ => String::new(),
    };
    if diff.undecided.is_empty() {
        return decided;
    }
    let whom = names(&diff.undecided.iter().map(String::as_str).collect::<Vec<_>>());
    format!(
        "Not everything was decided within the budget: there may be changes, or more of them, for {whom}. \
         To continue, use a --budget greater than {} steps, unless the patterns use every character that a proof could.",
        diff.budget
    )
}

fn has_line(rule: &DiffRule) -> Option<&DiffRule> {
    (rule.line > 0).then_some(rule)
}

fn pattern(rule: &DiffRule) -> String {
    shown(&rule.pattern)
}

fn shown(text: &str) -> String {
    Escaped(text.as_bytes()).to_string()
}

/// Text in which nothing is markup.
fn markdown_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ':' | '-' | '/' | '(' | ')') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// Text as code, between more backquotes than it contains in a row.
fn code(text: &str) -> String {
    let text = shown(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

/// The message of a command to GitHub Actions.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of such a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
