//! `comity matrix`: compares the verdicts for many crawlers in every dialect, and explains the differences.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};

use anyhow::{Result, bail};
use comity::{Answer, Crawlers, Dialect, Escaped, Robots, Verdict};
use comity_report::{CrawlerQuery, Matrix, MatrixRow, usual_names};

use crate::args::{self, TableFormat};
use crate::input::live::Fetcher;
use crate::input::{crawlers, file, question};
use crate::outcome::Outcome;
use crate::render::style::{self, paint};
use crate::render::width::{fit, of_terminal};
use crate::render::words::cell;
use crate::render::{csv, json};

pub(crate) fn run(args: &args::Matrix) -> Result<Outcome> {
    let table = crawlers::table(args.naming.crawlers.as_deref())?;
    let mut questions = question::typed(&args.url, args.origin.as_deref(), args.raw)?;
    // Google's parser has no size limit, so the whole file is read.
    let dialect = Dialect::GOOGLE_PARSER;
    let (file, body) = match (&args.robots.file, &questions.site) {
        (Some(path), _) => file::robots(Some(path), &dialect)?,
        (None, Some(site)) => {
            let typed: Vec<&str> = args.url.iter().chain(&args.origin).map(String::as_str).collect();
            Fetcher::new(&args.fetching, &dialect, &typed)?.robots(site.as_str())?
        }
        (None, None) => bail!(
            "on which site is `{}`? Name the whole URL, or the site with --origin, or its file with --robots",
            Escaped(args.url[0].as_bytes())
        ),
    };
    // A file that was fetched is the one of its site.
    questions.is_assumed &= args.robots.file.is_some();
    let known: Option<&Crawlers> = (!args.naming.literal).then_some(&table);
    let askers: Vec<CrawlerQuery> = if args.all_crawlers {
        table.iter().map(|profile| CrawlerQuery::new(&profile.token, known)).collect()
    } else if args.agent.is_empty() {
        usual_names(&Robots::parse(&body)).iter().map(|name| CrawlerQuery::new(name, known)).collect()
    } else {
        crawlers::typed(&args.agent, known)?
    };
    crawlers::warn_of_misspelled(&askers, known, &[&body]);

    let matrix = Matrix::new(&file, &body, &questions, &askers);
    match args.format.format {
        TableFormat::Json => json::print(&matrix)?,
        TableFormat::Csv => print_csv(&matrix)?,
        TableFormat::Human => print(&matrix, question::assumption(&questions, &file))?,
    }
    // Crawlers that robots.txt does not govern are ordinary rows here. If there are no others, there is no answer.
    let verdicts = matrix.rows.iter().flat_map(|row| &row.verdicts);
    let governed: Vec<&Verdict> = verdicts.filter(|verdict| verdict.answer() != Answer::NotGoverned).collect();
    Ok(governed.iter().fold(if governed.is_empty() { Outcome::Trouble } else { Outcome::Yes }, |outcome, verdict| {
        outcome.max(Outcome::of(Some(verdict.answer())))
    }))
}

/// Prints one row per URL, crawler and dialect.
fn print_csv(matrix: &Matrix<'_>) -> Result<()> {
    let mut out = BufWriter::new(anstream::stdout().lock());
    csv::row(&mut out, &["url", "asked", "agent", "dialect", "answer", "reason", "line", "because"])?;
    for row in &matrix.rows {
        for (dialect, verdict) in Dialect::ALL.iter().zip(&row.verdicts) {
            let difference = row.differences.iter().find(|difference| difference.dialect == dialect.name);
            let because = difference.map_or("", |difference| &difference.because);
            let (answer, reason) = (csv::word(verdict.answer()), csv::word(verdict.reason()));
            let line = csv::line(verdict.line());
            csv::row(&mut out, &[row.url, row.asked, row.agent, dialect.name, &answer, &reason, &line, because])?;
        }
    }
    out.flush()?;
    Ok(())
}

fn print(matrix: &Matrix<'_>, assumption: Option<String>) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let terminal = of_terminal();
    for rows in matrix.rows.chunk_by(|a, b| std::ptr::eq(a.question, b.question)) {
        let question = rows[0].question;
        writeln!(out, "{}", paint(style::STRONG, Escaped(question.typed.as_bytes())))?;
        if let Some(sent) = question.rewritten_in(&Dialect::STANDARD) {
            let parser = "google-parser gets it unchanged, the others";
            writeln!(out, "{}", paint(style::FAINT, format!("{parser} {}", Escaped(sent.as_bytes()))))?;
        }
        let names: Vec<String> = rows.iter().map(|row| Escaped(row.agent.as_bytes()).to_string()).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) + 2;
        let header: String = Dialect::ALL.iter().map(|dialect| format!("{:<15}", dialect.name)).collect();
        writeln!(out, "{}", fit(&format!("  {:width$}{}", "", header.trim_end()), terminal))?;
        for (row, name) in rows.iter().zip(&names) {
            let mut line = format!("  {name:<width$}");
            for (column, verdict) in row.verdicts.iter().enumerate() {
                let cell = cell(verdict);
                let gap = if column + 1 < row.verdicts.len() { 15_usize.saturating_sub(cell.len()) } else { 0 };
                let _ = write!(line, "{}{:gap$}", paint(style::of(verdict.answer()), cell), "");
            }
            writeln!(out, "{}", fit(&line, terminal))?;
        }
        writeln!(out)?;
        print_groups(&mut out, rows, &names)?;
        print_differences(&mut out, rows, &names)?;
        writeln!(out)?;
    }
    writeln!(out, "A number is the line of {} that decides.", matrix.robots)?;
    if let Some(note) = assumption {
        writeln!(out, "{}", paint(style::FAINT, note))?;
    }
    Ok(())
}

/// Prints each basis once, with the crawlers whose verdicts are based on it. This explains why their verdicts differ.
fn print_groups(out: &mut impl Write, rows: &[MatrixRow<'_>], names: &[String]) -> Result<()> {
    let followed = rows.iter().zip(names).filter(|(row, _)| !row.group.is_empty());
    for (basis, names) in gather(followed.map(|(row, name)| (&row.group, name.as_str()))) {
        writeln!(out, "  {basis}: {}", list(&names))?;
    }
    Ok(())
}

/// Returns each value once, with the names of all crawlers that it belongs to.
fn gather<'n, T: PartialEq>(pairs: impl Iterator<Item = (T, &'n str)>) -> Vec<(T, Vec<&'n str>)> {
    let mut gathered: Vec<(T, Vec<&str>)> = Vec::new();
    for (thing, name) in pairs {
        match gathered.iter_mut().find(|(known, _)| *known == thing) {
            Some((_, names)) => names.push(name),
            None => gathered.push((thing, vec![name])),
        }
    }
    gathered
}

fn list(names: &[&str]) -> String {
    const MAX_NAMES: usize = 6;
    match names.len().checked_sub(MAX_NAMES) {
        Some(more @ 1..) => format!("{} and {more} more", names[..MAX_NAMES].join(", ")),
        _ => names.join(", "),
    }
}

fn print_differences(out: &mut impl Write, rows: &[MatrixRow<'_>], names: &[String]) -> Result<()> {
    let differences = rows
        .iter()
        .zip(names)
        .flat_map(|(row, name)| row.differences.iter().map(move |difference| (difference, name.as_str())));
    for (difference, names) in gather(differences) {
        writeln!(out, "  {} differs for {}: {}", difference.dialect, list(&names), difference.because)?;
    }
    Ok(())
}
