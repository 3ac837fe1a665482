//! `comity ai`: shows what a robots.txt means for crawlers that search, agents and models use.

use std::io::{BufWriter, Write};

use anyhow::Result;
use comity::{Basis, Escaped, Governed, Preference, Reach, Robots, Use};
use comity_report::{AiReport, AiRow, UsageStatement, shorten};

use crate::args::{self, TableFormat};
use crate::input::{crawlers, live};
use crate::outcome::Outcome;
use crate::render::style::{self, paint};
use crate::render::width::of_terminal;
use crate::render::words::count;
use crate::render::{csv, json};

/// The maximum number of characters that are printed of a record.
const MAX_TEXT_CHARS: usize = 300;
/// The maximum number of crawlers with one answer that are named.
const MAX_NAMES: usize = 24;
/// The width of the column of answers.
const INDENT: usize = 16;

pub(crate) fn run(args: &args::Ai) -> Result<Outcome> {
    let dialect = args.dialect.dialect;
    let table = crawlers::table(args.crawlers.as_deref())?;
    let (file, body) = live::robots(&args.file, &args.fetching, &dialect)?;
    let robots = Robots::parse_with(&body, &dialect);
    let report = AiReport::new(file, &robots, table.iter());
    match args.format.format {
        TableFormat::Json => json::print(&report)?,
        TableFormat::Csv => print_csv(&report)?,
        TableFormat::Human => print(&report, &mut anstream::stdout().lock())?,
    }
    Ok(Outcome::Yes)
}

/// Prints one row per crawler. The columns of a preference contain its value and its line.
fn print_csv(report: &AiReport) -> Result<()> {
    const HEADER: [&str; 14] = [
        "file",
        "token",
        "operator",
        "uses",
        "governed",
        "reach",
        "line",
        "exceptions",
        "basis",
        "content_signal_search",
        "content_signal_ai_input",
        "content_signal_ai_train",
        "content_usage_search",
        "content_usage_train_ai",
    ];
    let mut out = BufWriter::new(anstream::stdout().lock());
    csv::row(&mut out, &HEADER)?;
    for row in &report.crawlers {
        let signal = |key: &str| {
            let stated = row.content_signal.get(key);
            stated
                .map(|stated| format!("{} {}", if stated.says { "yes" } else { "no" }, stated.line))
                .unwrap_or_default()
        };
        let usage = |label: &str| {
            let stated = row.content_usage.get(label).filter(|stated| stated.says != Preference::Unknown);
            stated.map(|stated| format!("{} {}", csv::word(stated.says), stated.line)).unwrap_or_default()
        };
        let cells = [
            report.file.clone(),
            row.token.clone(),
            row.operator.clone(),
            row.uses.iter().map(|used| used.name()).collect::<Vec<_>>().join(" "),
            csv::word(row.governed),
            csv::word(row.extent.reach),
            csv::line(row.extent.line),
            row.extent.exceptions.to_string(),
            csv::word(row.extent.basis),
            signal("search"),
            signal("ai-input"),
            signal("ai-train"),
            usage("search"),
            usage("train-ai"),
        ];
        csv::row(&mut out, &cells.each_ref().map(String::as_str))?;
    }
    out.flush()?;
    Ok(())
}

fn print(report: &AiReport, out: &mut impl Write) -> Result<()> {
    let terminal = of_terminal();
    for used in Use::ALL {
        let rows: Vec<&AiRow> = report.crawlers.iter().filter(|row| row.uses.contains(used)).collect();
        if rows.is_empty() {
            continue;
        }
        writeln!(out, "{}", paint(style::STRONG, format!("{} ({})", used.label(), rows.len())))?;
        for alike in alike(&rows) {
            let reach = alike.reach;
            let style = match reach {
                Reach::All => style::ALLOWED,
                Reach::Nothing => style::DISALLOWED,
                _ => style::NO_VERDICT,
            };
            let effects = alike.effects.join(", ");
            let whom = if effects.is_empty() { alike.whom() } else { format!("{}: {effects}", alike.whom()) };
            for (nth, line) in wrap(&whom, terminal.unwrap_or(100).saturating_sub(INDENT)).into_iter().enumerate() {
                let reach = if nth == 0 { reach.to_string() } else { String::new() };
                writeln!(out, "  {}{line}", paint(style, format!("{reach:<width$}", width = INDENT - 2)))?;
            }
        }
        if let Some(text) = promises(&rows) {
            writeln!(out, "  {}", paint(style::FAINT, text))?;
        }
        writeln!(out)?;
    }
    print_statements(out, "preferences", &report.preferences)?;
    print_statements(out, "licenses", &report.licenses)?;
    let count = |wanted: fn(Reach) -> bool| report.crawlers.iter().filter(|row| wanted(row.extent.reach)).count();
    writeln!(
        out,
        "{} allowed, {} partly, {} blocked. A number after a name is the line of {} whose rule matches everything. \
         --format json lists each crawler.",
        count(|reach| reach == Reach::All),
        count(|reach| matches!(reach, Reach::Most | Reach::Some)),
        count(|reach| reach == Reach::Nothing),
        report.file,
    )?;
    Ok(())
}

/// Crawlers with one answer, for the same reason.
struct Alike<'r> {
    reach: Reach,
    /// `None` if groups name these crawlers, or their fallback tokens.
    basis: Option<Basis>,
    effects: Vec<String>,
    rows: Vec<&'r AiRow>,
}

/// Returns the crawlers by answer: those that groups name first, else in the order of the table. A line for each of 150
/// crawlers hid the few for which a file has rules of their own.
fn alike<'r>(rows: &[&'r AiRow]) -> Vec<Alike<'r>> {
    let mut groups: Vec<Alike<'_>> = Vec::new();
    for row in rows {
        let (reach, basis, effects) = (row.extent.reach, row.extent.basis, effects(row));
        let basis = matches!(basis, Basis::Star | Basis::StarIgnored | Basis::Nothing).then_some(basis);
        let same = |group: &&mut Alike<'_>| group.reach == reach && group.basis == basis && group.effects == effects;
        match groups.iter_mut().find(same) {
            Some(group) => group.rows.push(row),
            None => groups.push(Alike { reach, basis, effects, rows: vec![row] }),
        }
    }
    groups.sort_by_key(|group| group.basis.is_some());
    groups
}

impl Alike<'_> {
    /// Returns the crawlers, and the reason for their answer.
    fn whom(&self) -> String {
        let name = |row: &&AiRow| {
            let token = Escaped(row.token.as_bytes());
            match row.extent.line {
                Some(line) if self.basis.is_none() => format!("{token} ({line})"),
                _ => token.to_string(),
            }
        };
        let most = if self.basis.is_none() { MAX_NAMES } else { 3 };
        let names = || self.rows.iter().take(most).map(name).collect::<Vec<_>>().join(", ");
        let whom = match self.rows.len().checked_sub(most) {
            Some(1..) if self.basis.is_some() => count(self.rows.len(), "crawler"),
            Some(more @ 1..) => format!("{}, and {more} more", names()),
            _ => names(),
        };
        match self.basis {
            Some(Basis::Star) => format!("{whom}, the same as `*`"),
            Some(Basis::StarIgnored) if self.reach != Reach::NotGoverned => format!("{whom}, ignoring `*`"),
            _ => whom,
        }
    }
}

/// Returns how many of the crawlers need not obey, or fetch nothing.
fn promises(rows: &[&AiRow]) -> Option<String> {
    let kinds = [
        (Governed::Unstated, "promises nothing about robots.txt", "promise nothing about robots.txt"),
        (Governed::MayBypass, "may ignore robots.txt", "may ignore robots.txt"),
        (
            Governed::ControlToken,
            "is a control token, which fetches nothing",
            "are control tokens, which fetch nothing",
        ),
    ];
    let texts = kinds.into_iter().filter_map(|(governed, of_one, of_more)| {
        let number = rows.iter().filter(|row| row.governed == governed).count();
        (number > 0).then(|| format!("{number} {}", if number == 1 { of_one } else { of_more }))
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| format!("of these, {}", texts.join("; ")))
}

/// Returns text in lines of at most this many characters, which end between words.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("it starts with one");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            *line += " ";
            *line += word;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Returns the number of rules that make exceptions, and the preferences.
fn effects(row: &AiRow) -> Vec<String> {
    let mut effects: Vec<String> = Vec::new();
    let (rules, verb) = (count(row.extent.exceptions, "rule"), if row.extent.exceptions == 1 { "s" } else { "" });
    match row.extent.reach {
        Reach::Most => effects.push(format!("all but what {rules} disallow{verb}")),
        Reach::Some => effects.push(format!("only what {rules} allow{verb}")),
        _ => {}
    }
    let signals = row.content_signal.iter();
    effects.extend(signals.map(|(key, stated)| format!("{key}={}", if stated.says { "yes" } else { "no" })));
    let usages = row.content_usage.iter().filter(|(_, stated)| stated.says != Preference::Unknown);
    let letter = |says| if says == Preference::Allow { "y" } else { "n" };
    effects.extend(usages.map(|(label, stated)| format!("{label}={}", letter(stated.says))));
    effects
}

fn print_statements(out: &mut impl Write, title: &str, statements: &[UsageStatement]) -> Result<()> {
    const MAX_STATEMENTS: usize = 50;
    if statements.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", paint(style::STRONG, title))?;
    for statement in statements.iter().take(MAX_STATEMENTS) {
        let whom = match &statement.agents {
            _ if !statement.understood => "not understood".to_owned(),
            _ if title == "licenses" => String::new(),
            None => "in no group, so it applies to no crawler".to_owned(),
            Some(agents) => format!("to {}", shortened(agents)),
        };
        let text = shorten(&statement.text, MAX_TEXT_CHARS);
        let aside = if whom.is_empty() { whom } else { format!("  {}", paint(style::FAINT, whom)) };
        writeln!(out, "{:>6}  {}{aside}", statement.line, Escaped(text.as_bytes()))?;
    }
    if let Some(more @ 1..) = statements.len().checked_sub(MAX_STATEMENTS) {
        writeln!(out, "        and {more} more; --format json has them all")?;
    }
    writeln!(out)?;
    Ok(())
}

fn shortened(agents: &[String]) -> String {
    const MOST: usize = 6;
    let names: Vec<String> = agents.iter().take(MOST).map(|name| Escaped(name.as_bytes()).to_string()).collect();
    match agents.len().checked_sub(MOST) {
        Some(more @ 1..) => format!("{} and {more} more", names.join(", ")),
        _ => names.join(", "),
    }
}
