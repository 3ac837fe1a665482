//! `comity check`: answers whether a crawler may fetch a URL.

mod answers;
mod at;
mod human;
mod rows;
mod sites;
mod source;
mod table;
mod words;

use std::cell::{Cell, RefCell};
use std::io::Write;

use anyhow::{Result, bail};
use comity::{Crawlers, Escaped, Origin, user_agent};
use comity_report::{Check, CheckDocument, Explain};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};

use self::answers::{Found, Item, Out};
use self::sites::Sites;
use self::source::Source;
use crate::args::{self, TableFormat};
use crate::input::{crawlers, file};
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::provenance::REFUSED_BY_ADDRESS_RULES;

pub(crate) fn run(args: &args::Check) -> Result<Outcome> {
    file::read_stdin_once(args.robots.iter().chain(args.lists.paths()))?;
    let table = crawlers::known(&args.naming)?;
    if let Some(at) = args.at {
        if args.format.format == TableFormat::Csv {
            bail!("--at: expected --format human or json, found csv");
        }
        return at::run(args, at, table.as_ref(), &agents(args, table.as_ref())?);
    }
    let Some((source, questions)) = Source::new(args)? else { return Ok(Outcome::Trouble) };
    let askers = crawlers::typed(&agents(args, table.as_ref())?, table.as_ref())?;
    let is_one = args.lists.is_empty() && askers.len() * questions.list.len() == 1;
    let check = Check::new(&args.dialect.dialect, askers, questions);
    let check = check.with_refusal(REFUSED_BY_ADDRESS_RULES);
    let mut asked = Asked { table, check, source };
    if args.quiet {
        return asked.outcome();
    }
    match args.format.format {
        TableFormat::Json => asked.print_json(if args.explain { Explain::Plain } else { Explain::Not }),
        TableFormat::Csv => asked.print_csv(),
        TableFormat::Human if is_one || args.explain => asked.print_answers(args.explain, is_one),
        TableFormat::Human => asked.print_table(),
    }
}

/// Returns the names of the crawlers: those that are given, or else the one that the header names. Headers are copied from
/// logs, to ask about given files as well.
fn agents(args: &args::Check, table: Option<&Crawlers>) -> Result<Vec<String>> {
    let header = args.live.user_agent.as_deref();
    if !args.agent.is_empty() {
        if args.robots.is_some() && header.is_some() {
            bail!("--user-agent: with --robots, it names the crawler, as --agent does: leave out one of them");
        }
        return Ok(args.agent.clone());
    }
    let none = std::iter::empty().collect();
    // A header of one's own may name a company.
    let is_token = |name: &&str| table.is_none_or(|table| table.misnomer(name).is_none());
    let named =
        header.and_then(|header| user_agent::candidates(header, table.unwrap_or(&none)).into_iter().find(is_token));
    if let (None, Some(header), Some(_)) = (named, header, &args.robots) {
        let header = Escaped(header.as_bytes());
        bail!("--user-agent: expected the header of a crawler, found `{header}`, which names none: use --agent");
    }
    Ok(vec![named.unwrap_or("*").to_owned()])
}

/// The questions, and the source of the files that answer.
struct Asked {
    table: Option<Crawlers>,
    check: Check,
    source: Source,
}

impl Asked {
    /// Answers all questions without printing anything but errors.
    fn outcome(&mut self) -> Result<Outcome> {
        let mut sites = Sites::default();
        let outcome = self.each(None, |check, found| {
            sites.add(found);
            Ok(found.outcome(check))
        })?;
        for error in sites.errors.keys() {
            eprintln!("error: {error}");
        }
        Ok(outcome)
    }

    /// Passes the file of each question to `put`, with the question, one at a time, and combines the outcomes that it
    /// returns. `out` is flushed before the source waits.
    fn each(&mut self, out: Option<&Out>, mut put: impl FnMut(&Check, &Found) -> Result<Outcome>) -> Result<Outcome> {
        let (check, mut outcome) = (&self.check, Outcome::Yes);
        let lost = self.source.each(check, out, |found| {
            outcome = outcome.max(put(check, &found)?);
            Ok(())
        })?;
        Ok(lost.and(outcome))
    }

    fn print_csv(&mut self) -> Result<Outcome> {
        let mut out = Out::new();
        let site = self.check.questions().site.as_ref().filter(|_| self.source.given().is_some());
        let site = site.map(Origin::to_string).unwrap_or_default();
        rows::write_header(&mut out)?;
        let outcome = self.each(Some(&out.clone()), |check, found| {
            for item in found.items(check) {
                let is_answer = matches!(item, Item::Answer(_));
                rows::write(&mut out, &item.row(Explain::Not), if is_answer { &site } else { "" })?;
            }
            Ok(found.outcome(check))
        })?;
        out.flush()?;
        Ok(outcome)
    }

    fn print_json(&mut self, explain: Explain) -> Result<Outcome> {
        let Some(given) = self.source.given() else { return self.print_json_of_sites(explain) };
        let (site, name) = (given.site.clone(), given.name.clone());
        let outcome = Cell::new(Outcome::Yes);
        let facts = CheckDocument::new(&self.check, None, [Some(&site)], ());
        let answers = Answers { asked: RefCell::new(self), explain, outcome: &outcome };
        json::print(&facts.with_answers(answers, Some(&name)))?;
        Ok(outcome.get())
    }

    /// Prints the answers of sites. The sites are a part of the document, so all answers are kept until they are known.
    fn print_json_of_sites(&mut self, explain: Explain) -> Result<Outcome> {
        /// The maximum number of answers in a JSON document.
        const MAX_ROWS: usize = 1_000_000;
        let (mut sites, mut answers) = (Sites::default(), Vec::new());
        let outcome = self.each(None, |check, found| {
            for item in found.items(check) {
                if answers.len() == MAX_ROWS {
                    bail!("expected at most {MAX_ROWS} answers, found more: --format csv has no limit");
                }
                answers.push(serde_json::to_value(item.row(explain))?);
            }
            sites.add(found);
            Ok(found.outcome(check))
        })?;
        let found = sites.known.values().map(Some).chain(sites.errors.keys().map(|_| None));
        json::print(&CheckDocument::new(&self.check, self.source.policy(), found, answers))?;
        Ok(outcome)
    }
}

/// The rows of a given file, serialized one at a time, because there may be millions.
struct Answers<'a> {
    asked: RefCell<&'a mut Asked>,
    explain: Explain,
    outcome: &'a Cell<Outcome>,
}

impl Serialize for Answers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut asked = self.asked.borrow_mut();
        // The serializer's own error is kept: it tells a closed pipe from a full disk.
        let mut unwritten = None;
        let outcome = asked.each(None, |check, found| {
            for item in found.items(check) {
                if let Err(error) = list.serialize_element(&item.row(self.explain)) {
                    unwritten = Some(error);
                    bail!("cannot write the answers");
                }
            }
            Ok(found.outcome(check))
        });
        if let Some(error) = unwritten {
            return Err(error);
        }
        self.outcome.set(outcome.map_err(S::Error::custom)?);
        list.end()
    }
}
