//! `comity matrix`: many crawlers, every dialect, and why they differ.

use std::io::Write;

use anyhow::Result;
use comity::{Answer, Basis, Crawlers, Dialect, Escaped, Robots, Verdict};
use serde::Serialize;

use crate::args::{self, Format};
use crate::asker::{self, Asker};
use crate::check::cell;
use crate::question::{Question, Questions};
use crate::style::{self, paint};
use crate::{Outcome, input, json};

/// Who is asked for unless the user says so: large crawlers of each purpose, and anybody else.
const BEST_KNOWN: [&str; 12] = [
    "*",
    "Googlebot",
    "bingbot",
    "YandexBot",
    "Applebot",
    "DuckDuckBot",
    "AdsBot-Google",
    "GPTBot",
    "ClaudeBot",
    "CCBot",
    "PerplexityBot",
    "Google-Extended",
];

pub(crate) fn run(args: &args::Matrix) -> Result<Outcome> {
    // Google's parser has no limit of its own, so all of the file is read.
    let (file, body) = input::robots(args.robots.file.as_deref(), &Dialect::GOOGLE)?;
    let table = asker::table(args.naming.crawlers.as_deref())?;
    let questions = Questions::new(&args.url, None, args.origin.as_deref(), args.raw)?;
    let robots: Vec<Robots> = Dialect::ALL.iter().map(|dialect| Robots::parse_with(&body, dialect)).collect();
    let known: Option<&Crawlers> = (!args.naming.literal).then_some(&table);
    let askers: Vec<Asker> = if args.all_crawlers {
        table.iter().map(|profile| Asker::new(&profile.token, known)).collect()
    } else if args.agent.is_empty() {
        usual_names(&robots[0]).iter().map(|name| Asker::new(name, known)).collect()
    } else {
        asker::typed(&args.agent, known)?
    };

    let rows: Vec<Row<'_>> = questions
        .list
        .iter()
        .flat_map(|question| askers.iter().map(move |asker| (question, asker)))
        .map(|(question, asker)| Row::new(question, asker, &questions, &robots, &body))
        .collect();
    match args.format.format {
        Format::Json => print_json(&file, &questions, &rows)?,
        Format::Human => print(&file, &questions, &rows)?,
    }
    // Crawlers that robots.txt does not govern are rows like others here; with nothing else there is no answer.
    let verdicts = rows.iter().flat_map(|row| &row.verdicts);
    let governed: Vec<&Verdict> = verdicts.filter(|verdict| verdict.answer() != Answer::NotGoverned).collect();
    Ok(governed.iter().fold(if governed.is_empty() { Outcome::Trouble } else { Outcome::Yes }, |outcome, verdict| {
        outcome.and(verdict)
    }))
}

/// The best-known crawlers, and those that the file names. Large files name hundreds; the first ones must do.
fn usual_names(robots: &Robots) -> Vec<String> {
    const MOST: usize = 30;
    let mut names: Vec<String> = BEST_KNOWN.map(String::from).to_vec();
    for agent in robots.groups().flat_map(|group| group.agents()) {
        let Ok(token) = std::str::from_utf8(agent.token()) else { continue };
        if names.len() < MOST && !token.is_empty() && !names.iter().any(|name| name.eq_ignore_ascii_case(token)) {
            names.push(token.to_owned());
        }
    }
    names
}

/// One URL, one crawler, every dialect.
struct Row<'a> {
    question: &'a Question,
    asker: &'a Asker,
    /// In the order of `Dialect::ALL`.
    verdicts: Vec<Verdict>,
    /// Which groups the standard dialect rests on; empty without a verdict.
    basis: String,
    differences: Vec<Difference>,
}

/// A dialect that answers otherwise than the standard one.
#[derive(PartialEq, Serialize)]
struct Difference {
    dialect: &'static str,
    because: String,
}

impl<'a> Row<'a> {
    fn new(question: &'a Question, asker: &'a Asker, questions: &Questions, robots: &[Robots], body: &[u8]) -> Self {
        let verdict = |robots: &Robots| {
            if questions.is_in_scope(question) {
                robots.check(asker.crawler(), question.asked_in(robots.dialect()))
            } else {
                Verdict::out_of_scope()
            }
        };
        let verdicts: Vec<Verdict> = robots.iter().map(verdict).collect();
        let mut differences = Vec::new();
        for (dialect, verdict) in Dialect::ALL.iter().zip(&verdicts).skip(1) {
            if verdict.answer() != verdicts[0].answer() {
                differences.push(Difference {
                    dialect: dialect.name,
                    because: because(body, asker, question, dialect, verdict),
                });
            }
        }
        let basis = match verdicts[0].answer() {
            Answer::Allowed | Answer::Disallowed => match verdicts[0].basis() {
                Basis::StarIgnored => "no group: only * could bind it, and doesn't".to_owned(),
                Basis::Nothing => "no group".to_owned(),
                _ => group_of(&robots[0], asker),
            },
            _ => String::new(),
        };
        Self { question, asker, verdicts, basis, differences }
    }
}

/// The groups of a crawler, by the lines that name it.
fn group_of(robots: &Robots, asker: &Asker) -> String {
    let groups = robots.explain(asker.crawler(), "/").groups;
    let lines: Vec<String> = groups.iter().take(3).map(|group| format!("line {}", group.line)).collect();
    let more = if groups.len() > lines.len() { " and others" } else { "" };
    let value = groups.first().map_or("", |group| &group.value);
    format!("group of {}{more} ({})", lines.join(", "), Escaped(value.as_bytes()))
}

/// Which choice of a dialect makes the difference: the standard one is given one of its choices after the other until
/// it answers the same. If no single one does, those that are needed together are named.
fn because(body: &[u8], asker: &Asker, question: &Question, dialect: &Dialect, verdict: &Verdict) -> String {
    let choices = choices(dialect);
    let answers_alike =
        |trial: &Dialect| trial.decide(body, asker.crawler(), question.asked_in(trial)).answer() == verdict.answer();
    for (sentence, adopt) in &choices {
        let mut trial = Dialect::STANDARD;
        adopt(&mut trial, dialect);
        if answers_alike(&trial) {
            return (*sentence).to_owned();
        }
    }
    // No single one: take all, and leave out what makes no difference.
    let mut needed: Vec<&(&str, Adopt)> = choices.iter().collect();
    for choice in &choices {
        let others: Vec<_> = needed.iter().copied().filter(|other| other.0 != choice.0).collect();
        let mut trial = Dialect::STANDARD;
        for (_, adopt) in &others {
            adopt(&mut trial, dialect);
        }
        if answers_alike(&trial) {
            needed = others;
        }
    }
    needed.iter().map(|(sentence, _)| *sentence).collect::<Vec<_>>().join(", and ")
}

type Adopt = fn(&mut Dialect, &Dialect);

/// The choices in which a dialect differs from the standard one, each as a sentence, and how to adopt it.
fn choices(dialect: &Dialect) -> Vec<(&'static str, Adopt)> {
    let standard = Dialect::STANDARD;
    let mut choices: Vec<(&'static str, Adopt)> = Vec::new();
    macro_rules! choice {
        ($field:ident, $sentence:expr) => {
            if dialect.$field != standard.$field {
                choices.push(($sentence, |trial, dialect| trial.$field = dialect.$field));
            }
        };
    }
    choice!(robots_txt_allowed, "it does not except /robots.txt from the rules");
    choice!(
        escapes,
        match dialect.escapes {
            comity::dialect::Escapes::PatternOnly => "it does not normalise the percent-encoding of URLs",
            _ => "it decodes percent-encoding before it compares",
        }
    );
    choice!(index_twin, "an Allow of …/index.html allows the directory too");
    choice!(precedence, "the first rule that matches decides, not the longest");
    choice!(wildcards, "it has no wildcards: `*` and `$` are themselves");
    choice!(
        product_token,
        match dialect.product_token {
            comity::dialect::ProductToken::Letters =>
                "a product token ends at the first character other than a letter, `_` or `-`",
            _ => "a group names every crawler whose token contains the group's",
        }
    );
    choice!(family, "a crawler without a group of its own follows the group of Yandex");
    choice!(star_with_text, "`*` with text behind it is not `*`");
    choice!(blank_line_ends_group, "a blank line ends a group");
    choice!(merge_groups, "only the first record that names a crawler counts");
    choice!(
        field_names,
        match dialect.field_names {
            comity::dialect::FieldNames::Prefix => "a field name counts when it only starts like one",
            _ => "it does not accept misspelt field names",
        }
    );
    choice!(missing_colon, "it does not accept a record without a colon");
    choice!(
        url_path,
        match dialect.url_path {
            comity::dialect::UrlPath::Reference => "it finds the path of a URL in its own way",
            _ => "it matches the path without the query",
        }
    );
    choice!(byte_order_mark, "it reads the byte order mark differently");
    choice!(cut_allow_ignored, "an Allow that is cut at the line limit counts");
    choice!(max_rule_len, "it drops rules of more than 1,024 bytes");
    choice!(max_rules, "it drops all rules behind the 2,048th");
    choice!(
        size_limit,
        match dialect.size_limit {
            comity::dialect::SizeLimit::NoFile => "a file of more than 512,000 bytes counts as none",
            _ => "it reads on behind the first 512,000 bytes",
        }
    );
    choices
}

fn print(file: &str, questions: &Questions, rows: &[Row<'_>]) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let per_url = rows.len() / questions.list.len().max(1);
    for rows in rows.chunks(per_url.max(1)) {
        let question = rows[0].question;
        writeln!(out, "{}", paint(style::STRONG, Escaped(question.typed.as_bytes())))?;
        if let Some(sent) = question.rewritten_in(&Dialect::STANDARD) {
            let google = "google is asked for it as it stands, the others for";
            writeln!(out, "{}", paint(style::FAINT, format!("{google} {}", Escaped(sent.as_bytes()))))?;
        }
        let names: Vec<String> = rows.iter().map(|row| Escaped(row.asker.token().as_bytes()).to_string()).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) + 2;
        let header: String = Dialect::ALL.iter().map(|dialect| format!("{:<15}", dialect.name)).collect();
        writeln!(out, "  {:width$}{}", "", header.trim_end())?;
        for (row, name) in rows.iter().zip(&names) {
            write!(out, "  {name:<width$}")?;
            for (column, verdict) in row.verdicts.iter().enumerate() {
                let cell = cell(verdict);
                let gap = if column + 1 < row.verdicts.len() { 15_usize.saturating_sub(cell.len()) } else { 0 };
                write!(out, "{}{:gap$}", paint(style::of(verdict.answer()), cell), "")?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
        print_groups(&mut out, rows, &names)?;
        print_differences(&mut out, rows, &names)?;
        writeln!(out)?;
    }
    writeln!(out, "A number is the line of {file} that decides.")?;
    if let Some(note) = questions.assumption(file) {
        writeln!(out, "{}", paint(style::FAINT, note))?;
    }
    Ok(())
}

/// Crawlers differ because of the groups that they follow: whom each basis is for, once.
fn print_groups(out: &mut impl Write, rows: &[Row<'_>], names: &[String]) -> Result<()> {
    let followed = rows.iter().zip(names).filter(|(row, _)| !row.basis.is_empty());
    for (basis, names) in gather(followed.map(|(row, name)| (&row.basis, name.as_str()))) {
        writeln!(out, "  {basis}: {}", list(&names))?;
    }
    Ok(())
}

/// Each thing once, with all the crawlers that it concerns.
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
    const MOST: usize = 6;
    match names.len().checked_sub(MOST) {
        Some(more @ 1..) => format!("{} and {more} more", names[..MOST].join(", ")),
        _ => names.join(", "),
    }
}

fn print_differences(out: &mut impl Write, rows: &[Row<'_>], names: &[String]) -> Result<()> {
    let differences = rows
        .iter()
        .zip(names)
        .flat_map(|(row, name)| row.differences.iter().map(move |difference| (difference, name.as_str())));
    for (difference, names) in gather(differences) {
        writeln!(out, "  {} differs for {}: {}", difference.dialect, list(&names), difference.because)?;
    }
    Ok(())
}

fn print_json(file: &str, questions: &Questions, rows: &[Row<'_>]) -> Result<()> {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let verdicts: serde_json::Map<String, serde_json::Value> = Dialect::ALL
                .iter()
                .zip(&row.verdicts)
                .map(|(dialect, verdict)| Ok((dialect.name.to_owned(), serde_json::to_value(verdict)?)))
                .collect::<Result<_>>()?;
            Ok(serde_json::json!({
                "url": row.question.typed,
                "asked": row.question.asked_in(&Dialect::STANDARD),
                "agent": row.asker.token(),
                "known": row.asker.profile().is_some(),
                "group": row.basis,
                "dialects": verdicts,
                "differences": row.differences,
            }))
        })
        .collect::<Result<_>>()?;
    let report = serde_json::json!({
        "robots": file,
        "origin": questions.site.as_ref().map(ToString::to_string),
        "origin_is_assumed": questions.is_assumed,
        "rows": rows,
    });
    json::print(&report)
}
