//! Answers by the rules of a file.

use std::cell::Cell;
use std::io::{BufWriter, Write};

use anyhow::{Result, bail};
use comity::{Answer, Crawlers, Dialect, Origin};
use comity_report::{Answered, CheckDocument, CopyFacts, CrawlerQuery, Explain, FileCheck};
use serde::{Serialize, Serializer};

use super::rows;
use super::table::{self, Counts};
use super::words::{self, OperatorNotes, known, sentence};
use crate::args::{self, TableFormat};
use crate::input::{crawlers, file, question};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};
use crate::render::words::{about_file, cell};

pub(super) fn run(args: &args::Check) -> Result<Outcome> {
    if args.robots.as_deref().is_some_and(file::is_stdin) && args.urls.as_deref().is_some_and(file::is_stdin) {
        bail!("--robots and --urls can't both be standard input");
    }
    let dialect = args.dialect.dialect;
    let (file, body) = file::robots(args.robots.as_deref(), &dialect)?;
    let questions = question::of_file(&args.url, args.urls.as_deref(), args.origin.as_deref(), args.raw)?;
    let table = if args.naming.literal { None } else { Some(crawlers::table(args.naming.crawlers.as_deref())?) };
    let any = [String::from("*")];
    let askers = crawlers::typed(if args.agent.is_empty() { &any } else { &args.agent }, table.as_ref())?;

    let check = Check { file, table, asked: FileCheck::new(body, &dialect, askers, questions) };
    match args.format.format {
        TableFormat::Json => check.print_json(if args.explain { Explain::Plain } else { Explain::Not }),
        TableFormat::Human if check.asked.askers().len() * check.asked.questions().list.len() == 1 => {
            check.print_sentence(args.explain)
        }
        TableFormat::Human if args.explain => check.print_each(),
        TableFormat::Human => check.print_table(),
        TableFormat::Csv => check.print_csv(),
    }
}

struct Check {
    /// The name of the file in messages.
    file: String,
    table: Option<Crawlers>,
    asked: FileCheck,
}

impl Check {
    fn dialect(&self) -> &Dialect {
        self.asked.robots().dialect()
    }

    fn print_sentence(&self, explain: bool) -> Result<Outcome> {
        let mut out = BufWriter::new(anstream::stdout().lock());
        let mut outcome = Outcome::Yes;
        for answer in self.asked.answers() {
            outcome = outcome.and(&answer.verdict);
            writeln!(out, "{}", sentence(answer.question, answer.asker, answer.verdict.answer()))?;
            if let Some((number, text)) =
                answer.verdict.line().and_then(|number| Some((number, self.asked.line(number)?)))
            {
                writeln!(out, "{}", words::quote(number, text))?;
            }
            if explain && answer.has_verdict() {
                writeln!(out, "{}\n", self.asked.explain(&answer))?;
            } else {
                writeln!(out, "{}", self.reason(&answer))?;
            }
            for note in self.notes(&answer) {
                writeln!(out, "{note}")?;
            }
        }
        self.print_assumptions(&mut out)?;
        Ok(outcome)
    }

    fn print_each(&self) -> Result<Outcome> {
        let mut out = BufWriter::new(anstream::stdout().lock());
        let mut outcome = Outcome::Yes;
        for answer in self.asked.answers() {
            outcome = outcome.and(&answer.verdict);
            writeln!(out, "{}", sentence(answer.question, answer.asker, answer.verdict.answer()))?;
            if answer.has_verdict() {
                for line in self.asked.explain(&answer).to_string().lines() {
                    writeln!(out, "  {line}")?;
                }
            }
            for note in self.notes(&answer) {
                writeln!(out, "  {note}")?;
            }
            writeln!(out)?;
        }
        self.print_assumptions(&mut out)?;
        Ok(outcome)
    }

    /// Returns the reason for an answer, in a sentence or two.
    fn reason(&self, answer: &Answered<'_>) -> String {
        match (&self.asked.questions().site, answer.verdict.answer()) {
            (Some(site), Answer::OutOfScope) => {
                format!("{} is the file of {site}, and each site has its own.", self.file)
            }
            (_, Answer::NotGoverned | Answer::OutOfScope) => "So the file does not apply to it.".to_owned(),
            _ => words::reason(&self.file, self.asked.robots(), &answer.verdict, &self.asked.explain(answer)),
        }
    }

    /// Returns the notes: facts about the answer that are not in its sentence.
    fn notes(&self, answer: &Answered<'_>) -> Vec<String> {
        let Answered { question, asker, rules, verdict, .. } = answer;
        let table = self.table.as_ref();
        let delay = rules.crawl_delay().filter(|_| answer.has_verdict());
        let mut notes = words::notes(question, asker, table, self.dialect(), verdict.names_crawler(), delay);
        notes.extend(self.asked.operator_answer(answer).map(|found| found.sentence));
        notes
    }

    fn print_assumptions(&self, out: &mut impl Write) -> Result<()> {
        let mut notes = about_file(&self.file, self.asked.robots(), self.asked.body());
        if self.asked.questions().site.is_none() {
            notes.push("No site was given; the paths are checked as paths of the site of the file.".to_owned());
        }
        notes.extend(question::assumption(self.asked.questions(), &self.file));
        for note in notes {
            writeln!(out, "{}", paint(style::FAINT, note))?;
        }
        out.flush()?;
        Ok(())
    }

    fn print_table(&self) -> Result<Outcome> {
        let mut out = BufWriter::new(anstream::stdout().lock());
        let widths = table::write_header(&mut out, self.asked.askers())?;
        let (mut outcome, mut counts) = (Outcome::Yes, Counts::default());
        let mut operators = OperatorNotes::default();
        for (index, answer) in self.asked.answers().enumerate() {
            outcome = outcome.and(&answer.verdict);
            counts.count(Some(answer.verdict.answer()));
            operators.add(answer.asker, self.asked.operator_answer(&answer));
            let column = index % widths.len();
            let cell = format!("{:<width$}", cell(&answer.verdict), width = widths[column]);
            write!(out, "{}", paint(style::of(answer.verdict.answer()), cell))?;
            if column + 1 < widths.len() {
                continue;
            }
            table::write_url(&mut out, answer.question, self.dialect())?;
        }
        writeln!(out, "\n{counts} A number is the line of {} that decides.", self.file)?;
        for note in operators.lines() {
            writeln!(out, "{note}")?;
        }
        let profiles: Vec<_> = self.asked.askers().iter().filter_map(CrawlerQuery::profile).collect();
        for profile in &profiles {
            writeln!(out, "{}.", known(profile))?;
        }
        if !profiles.is_empty() {
            writeln!(out, "{}", paint(style::FAINT, "With --literal, no crawler is known."))?;
        }
        self.print_assumptions(&mut out)?;
        Ok(outcome)
    }

    fn print_csv(&self) -> Result<Outcome> {
        let mut out = BufWriter::new(anstream::stdout().lock());
        let site = self.asked.questions().site.as_ref().map(Origin::to_string).unwrap_or_default();
        let mut outcome = Outcome::Yes;
        rows::write_header(&mut out)?;
        for answer in self.asked.answers() {
            outcome = outcome.and(&answer.verdict);
            rows::write(&mut out, &self.asked.row(&answer, Explain::Not), &site)?;
        }
        out.flush()?;
        Ok(outcome)
    }

    fn print_json(&self, explain: Explain) -> Result<Outcome> {
        /// The rows, serialized one at a time, because there may be millions.
        struct Rows<'a> {
            asked: &'a FileCheck,
            explain: Explain,
            outcome: &'a Cell<Outcome>,
        }
        impl Serialize for Rows<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.asked.answers().map(|answer| {
                    self.outcome.set(self.outcome.get().and(&answer.verdict));
                    self.asked.row(&answer, self.explain)
                }))
            }
        }
        let outcome = Cell::new(Outcome::Yes);
        let questions = self.asked.questions();
        json::print(&CheckDocument {
            robots: Some(&self.file),
            dialect: self.dialect().name,
            policy: None,
            size: Some(self.asked.robots().size()),
            origin: questions.site.as_ref().map(Origin::to_string),
            origin_is_assumed: questions.is_assumed,
            copy: Some(CopyFacts::given(self.asked.body())),
            answers: Rows { asked: &self.asked, explain, outcome: &outcome },
            sites: Vec::new(),
        })?;
        Ok(outcome.get())
    }
}
