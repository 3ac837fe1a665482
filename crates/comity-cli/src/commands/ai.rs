//! `comity ai`: shows what a robots.txt means for AI crawlers.

use std::io::{BufWriter, Write};

use anyhow::Result;
use comity::{AiUse, Basis, Escaped, Governed, Preference, Reach, Robots, Size};
use comity_report::{AiReport, AiRow, UsageStatement, looks_like_html, shorten};

use crate::args::{self, TableFormat};
use crate::input::{crawlers, live};
use crate::outcome::Outcome;
use crate::render::style::{self, paint};
use crate::render::width::{fit, of_terminal};
use crate::render::words::count;
use crate::render::{csv, json};

/// The maximum number of characters that are printed of a record.
const MAX_TEXT_CHARS: usize = 300;

pub(crate) fn run(args: &args::Ai) -> Result<Outcome> {
    let dialect = args.dialect.dialect;
    let table = crawlers::table(args.crawlers.as_deref())?;
    let (file, body) = live::robots(&args.file, &args.fetching, &dialect)?;
    let robots = Robots::parse_with(&body, &dialect);
    let report = AiReport::new(file, &robots, table.iter());
    match args.format.format {
        TableFormat::Json => json::print(&report)?,
        TableFormat::Csv => print_csv(&report)?,
        TableFormat::Human => print(&report, &mut anstream::stdout().lock(), &body)?,
    }
    Ok(Outcome::Yes)
}

/// Prints one row per crawler. The columns of a preference contain its value and its line.
fn print_csv(report: &AiReport) -> Result<()> {
    const HEADER: [&str; 14] = [
        "file",
        "token",
        "operator",
        "purpose",
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
            csv::word(row.purpose),
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

fn print(report: &AiReport, out: &mut impl Write, body: &[u8]) -> Result<()> {
    let width = |text: fn(&AiRow) -> usize| report.crawlers.iter().map(text).max().unwrap_or(0) + 2;
    let (token, operator) = (width(|row| row.token.chars().count()), width(|row| row.operator.chars().count()));
    let terminal = of_terminal();
    let star = shared_by_star(&report.crawlers);
    for purpose in [AiUse::Training, AiUse::Search, AiUse::UserTriggered] {
        let rows: Vec<&AiRow> = report.crawlers.iter().filter(|row| row.purpose == purpose).collect();
        if rows.is_empty() {
            continue;
        }
        writeln!(out, "{}", paint(style::STRONG, purpose.label()))?;
        for row in &rows {
            let name = Escaped(row.token.as_bytes()).to_string();
            let by = Escaped(row.operator.as_bytes()).to_string();
            let reach = match row.extent.line {
                Some(line) if row.extent.reach != Reach::NotGoverned => format!("{} {line}", row.extent.reach),
                _ => row.extent.reach.to_string(),
            };
            let style = match row.extent.reach {
                Reach::All => style::ALLOWED,
                Reach::Nothing => style::DISALLOWED,
                _ => style::NO_VERDICT,
            };
            let aside = aside(row, star.is_some());
            let reach = if aside.is_empty() { paint(style, reach) } else { paint(style, format!("{reach:<16}")) };
            let line = format!("  {name:<token$}{by:<operator$}{reach}{}", paint(style::FAINT, aside));
            writeln!(out, "{}", fit(&line, terminal))?;
        }
        writeln!(out)?;
    }
    if let Some(text) = star {
        let text = if text.is_empty() { text } else { format!(": {text}") };
        writeln!(out, "rules of *: no group names the crawler, so the groups of * apply to it{text}.")?;
    }
    if report.crawlers.iter().any(|row| row.governed == Governed::Unstated) {
        writeln!(out, "advisory: the operator does not promise to obey robots.txt.")?;
    }
    writeln!(out)?;
    print_statements(out, "preferences", &report.preferences)?;
    print_statements(out, "licenses", &report.licenses)?;
    let count = |wanted: fn(Reach) -> bool| report.crawlers.iter().filter(|row| wanted(row.extent.reach)).count();
    writeln!(
        out,
        "{} allowed, {} partly, {} blocked. A number is a line of {}: of the rule that matches everything, or of the \
         preference.",
        count(|reach| reach == Reach::All),
        count(|reach| matches!(reach, Reach::Most | Reach::Some)),
        count(|reach| reach == Reach::Nothing),
        report.file,
    )?;
    if report.size == Size::Cut {
        writeln!(out, "{}", paint(style::FAINT, "Only the first 512,000 bytes were read."))?;
    }
    if body.is_empty() {
        let note =
            format!("{} is empty, which allows everything. If a fetch failed, that is not an answer.", report.file);
        writeln!(out, "{}", paint(style::FAINT, note))?;
    }
    if looks_like_html(body) {
        let note = format!("{} looks like an HTML page, not like a robots.txt.", report.file);
        writeln!(out, "{}", paint(style::FAINT, note))?;
    }
    Ok(())
}

/// Returns the effect of the groups of `*`, if several crawlers use them. They are the same for all of these crawlers,
/// so they are printed once.
fn shared_by_star(rows: &[AiRow]) -> Option<String> {
    let mut effects = rows.iter().filter(|row| row.extent.basis == Basis::Star).map(effects);
    let first = effects.next()?;
    let second = effects.next()?;
    (second == first && effects.all(|other| other == first)).then(|| first.join(", "))
}

/// Returns the notes that are printed after a verdict.
fn aside(row: &AiRow, is_star_printed: bool) -> String {
    let mut notes = match row.extent.basis {
        Basis::Star if is_star_printed => Vec::new(),
        _ => effects(row),
    };
    if row.extent.basis == Basis::Star {
        notes.insert(0, "rules of *".to_owned());
    }
    let governed = match row.governed {
        Governed::MayBypass => "may ignore robots.txt",
        Governed::Unstated => "advisory",
        Governed::ControlToken => "control token",
        _ => "",
    };
    if !governed.is_empty() {
        notes.push(governed.to_owned());
    }
    notes.join(", ")
}

/// Returns the number of rules that make exceptions, and the preferences.
fn effects(row: &AiRow) -> Vec<String> {
    let mut effects: Vec<String> = Vec::new();
    let (rules, verb) = (count(row.extent.exceptions, "rule"), if row.extent.exceptions == 1 { "s" } else { "" });
    match row.extent.reach {
        Reach::Most => effects.push(format!("{rules} disallow{verb}")),
        Reach::Some => effects.push(format!("{rules} allow{verb}")),
        _ => {}
    }
    let signals = row.content_signal.iter();
    effects.extend(signals.map(|(key, s)| format!("{key}={} {}", if s.says { "yes" } else { "no" }, s.line)));
    let usages = row.content_usage.iter().filter(|(_, stated)| stated.says != Preference::Unknown);
    effects.extend(usages.map(|(label, stated)| {
        format!("{label}={} {}", if stated.says == Preference::Allow { "y" } else { "n" }, stated.line)
    }));
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
    const MAX_NAMES: usize = 6;
    let names: Vec<String> = agents.iter().take(MAX_NAMES).map(|name| Escaped(name.as_bytes()).to_string()).collect();
    match agents.len().checked_sub(MAX_NAMES) {
        Some(more @ 1..) => format!("{} and {more} more", names.join(", ")),
        _ => names.join(", "),
    }
}
