//! Answers by the rules of a file.

use std::cell::{Cell, RefCell};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::rc::Rc;

use anstream::AutoStream;
use anyhow::{Result, bail};
use comity::{Answer, Crawlers, Dialect, Origin};
use comity_report::{Answered, CheckDocument, CheckRow, CrawlerQuery, Explain, FileCheck, Question, verdict_or_policy};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::rows;
use super::table::{Counts, Table};
use super::words::{self, OperatorNotes, known, sentence};
use crate::args::{self, TableFormat};
use crate::input::rows::{Asked, Invalid, MAX_AHEAD, Rows};
use crate::input::{crawlers, file, question};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};
use crate::render::width;
use crate::render::words::{about_file, cell};

pub(super) fn run(args: &args::Check) -> Result<Outcome> {
    let inputs = args.robots.iter().chain(args.lists.paths());
    if inputs.filter(|path| file::is_stdin(path)).count() > 1 {
        bail!("only one file can be standard input");
    }
    let dialect = args.dialect.dialect;
    let (file, body) = file::robots(args.robots.as_deref(), &dialect)?;
    let mut rows = Rows::new(&args.lists, args.raw);
    let questions = question::of_file(&args.url, &args.lists, &mut rows, args.origin.as_deref(), args.raw)?;
    let Some(questions) = questions else { return Ok(Outcome::Trouble) };
    let table = crawlers::known(&args.naming)?;
    let any = [String::from("*")];
    let askers = crawlers::typed(if args.agent.is_empty() { &any } else { &args.agent }, table.as_ref())?;

    let is_one = args.lists.is_empty() && askers.len() * questions.list.len() == 1;
    let check = Check { file, table, asked: FileCheck::new(body, &dialect, askers, questions) };
    if args.quiet {
        return check.each(&mut rows, |_| anyhow::Ok(()));
    }
    match args.format.format {
        TableFormat::Json => check.print_json(if args.explain { Explain::Plain } else { Explain::Not }, rows),
        TableFormat::Csv => check.print_csv(rows),
        TableFormat::Human if is_one => check.print_sentence(args.explain),
        TableFormat::Human if args.explain => check.print_each(rows),
        TableFormat::Human => check.print_table(rows),
    }
}

struct Check {
    /// The name of the file in messages.
    file: String,
    table: Option<Crawlers>,
    asked: FileCheck,
}

/// An answer, or an entry of a list that is no URL, for one crawler.
enum Item<'a> {
    Answer(Answered<'a>),
    Invalid(&'a Invalid, &'a CrawlerQuery),
}

/// Standard output, which is flushed before a list is read on.
#[derive(Clone)]
struct Out(Rc<RefCell<BufWriter<AutoStream<StdoutLock<'static>>>>>);

impl Out {
    fn new(rows: &mut Rows) -> Self {
        let out = Self(Rc::new(RefCell::new(BufWriter::new(anstream::stdout().lock()))));
        let mut shown = out.clone();
        rows.set_before_read(move || {
            // The next write reports an error again.
            let _ = shown.flush();
        });
        out
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

impl Check {
    fn dialect(&self) -> &Dialect {
        self.asked.robots().dialect()
    }

    /// Answers the questions of the arguments and of the lists, one at a time, and returns the outcome.
    fn each<E>(&self, rows: &mut Rows, mut put: impl FnMut(Item<'_>) -> Result<(), E>) -> Result<Outcome, E> {
        let mut outcome = Outcome::Yes;
        for answer in self.asked.answers() {
            outcome = outcome.and(&answer.verdict);
            put(Item::Answer(answer))?;
        }
        for asked in rows.by_ref() {
            match self.in_scope(asked) {
                Asked::Url(question) => {
                    for answer in self.asked.answers_to(&question) {
                        outcome = outcome.and(&answer.verdict);
                        put(Item::Answer(answer))?;
                    }
                }
                Asked::Invalid(invalid) => {
                    outcome = Outcome::Trouble;
                    self.asked.crawlers().iter().try_for_each(|asker| put(Item::Invalid(&invalid, asker)))?;
                }
            }
        }
        Ok(rows.lost.and(outcome))
    }

    /// Refuses a URL with a host if the site of the file is not known.
    fn in_scope(&self, asked: Asked) -> Asked {
        match asked {
            Asked::Url(Question { typed, .. })
                if self.asked.questions().site.is_none() && Origin::of(&typed).is_ok() =>
            {
                let error = format!(
                    "the first {MAX_AHEAD} lines name no site, so it is not known if the file is of this one: give \
                     --origin"
                );
                Asked::Invalid(Invalid { typed, error })
            }
            asked => asked,
        }
    }

    fn print_sentence(&self, explain: bool) -> Result<Outcome> {
        let mut out = BufWriter::new(anstream::stdout().lock());
        let mut outcome = Outcome::Yes;
        for answer in self.asked.answers() {
            outcome = outcome.and(&answer.verdict);
            writeln!(out, "{}", sentence(answer.question, answer.crawler, answer.verdict.answer()))?;
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

    fn print_each(&self, mut rows: Rows) -> Result<Outcome> {
        let mut out = Out::new(&mut rows);
        let outcome = self.each(&mut rows, |item| {
            match item {
                Item::Invalid(invalid, _) => writeln!(out, "{}\n", words::invalid(invalid))?,
                Item::Answer(answer) => {
                    writeln!(out, "{}", sentence(answer.question, answer.crawler, answer.verdict.answer()))?;
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
            }
            anyhow::Ok(())
        })?;
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
            _ => {
                let (robots, body) = (self.asked.robots(), self.asked.body());
                words::reason(&self.file, robots, body, &answer.verdict, &self.asked.explain(answer))
            }
        }
    }

    /// Returns the notes: facts about the answer that are not in its sentence.
    fn notes(&self, answer: &Answered<'_>) -> Vec<String> {
        let Answered { question, crawler: asker, rules, verdict, .. } = answer;
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

    fn print_table(&self, mut rows: Rows) -> Result<Outcome> {
        let mut out = Out::new(&mut rows);
        let mut table = Table::new(&mut out, self.asked.crawlers(), width::of_terminal())?;
        let mut counts = Counts::default();
        let mut operators = OperatorNotes::default();
        let outcome = self.each(&mut rows, |item| {
            let (answer, text) = match &item {
                Item::Answer(answer) => (Some(answer.verdict.answer()), cell(&answer.verdict)),
                Item::Invalid(..) => (None, "no URL".to_owned()),
            };
            counts.count(answer);
            if let Item::Answer(answer) = &item {
                operators.add(answer.crawler, self.asked.operator_answer(answer));
            }
            let style = answer.map_or(style::NO_VERDICT, style::of);
            if table.cell(style, &text) {
                match item {
                    Item::Answer(answer) => table.url(&mut out, answer.question, self.dialect())?,
                    Item::Invalid(invalid, _) => table.invalid(&mut out, invalid)?,
                }
            }
            anyhow::Ok(())
        })?;
        writeln!(out, "\n{counts} A number is the line of {} that decides.", self.file)?;
        for note in operators.lines() {
            writeln!(out, "{note}")?;
        }
        let profiles: Vec<_> = self.asked.crawlers().iter().filter_map(CrawlerQuery::profile).collect();
        for profile in &profiles {
            writeln!(out, "{}.", known(profile))?;
        }
        if !profiles.is_empty() {
            writeln!(out, "{}", paint(style::FAINT, "With --literal, no crawler is known."))?;
        }
        self.print_assumptions(&mut out)?;
        Ok(outcome)
    }

    fn print_csv(&self, mut rows: Rows) -> Result<Outcome> {
        let mut out = Out::new(&mut rows);
        let site = self.asked.questions().site.as_ref().map(Origin::to_string).unwrap_or_default();
        rows::write_header(&mut out)?;
        let outcome = self.each(&mut rows, |item| match item {
            Item::Answer(answer) => rows::write(&mut out, &self.asked.row(&answer, Explain::Not), &site),
            Item::Invalid(invalid, asker) => rows::write(&mut out, &invalid_row(invalid, asker), ""),
        })?;
        out.flush()?;
        Ok(outcome)
    }

    fn print_json(&self, explain: Explain, rows: Rows) -> Result<Outcome> {
        /// The rows, serialized one at a time, because there may be millions.
        struct Answers<'a> {
            check: &'a Check,
            rows: RefCell<Rows>,
            explain: Explain,
            outcome: &'a Cell<Outcome>,
        }
        impl Serialize for Answers<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut list = serializer.serialize_seq(None)?;
                let outcome = self.check.each(&mut self.rows.borrow_mut(), |item| match item {
                    Item::Answer(answer) => list.serialize_element(&self.check.asked.row(&answer, self.explain)),
                    Item::Invalid(invalid, asker) => list.serialize_element(&invalid_row(invalid, asker)),
                })?;
                self.outcome.set(outcome);
                list.end()
            }
        }
        let outcome = Cell::new(Outcome::Yes);
        let answers = Answers { check: self, rows: RefCell::new(rows), explain, outcome: &outcome };
        json::print(&CheckDocument { robots: Some(&self.file), ..self.asked.document(answers) })?;
        Ok(outcome.get())
    }
}

/// Returns the document of an entry that is no URL.
pub(super) fn invalid_row<'a>(invalid: &'a Invalid, asker: &'a CrawlerQuery) -> CheckRow<'a> {
    let mut row = CheckRow::new(&invalid.typed, &invalid.typed, asker.token(), verdict_or_policy(None));
    row.known = asker.profile().is_some();
    row.error = Some(invalid.error.clone());
    row
}
