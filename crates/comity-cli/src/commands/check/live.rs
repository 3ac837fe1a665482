//! Answers by the robots.txt files of the sites, fetched or cached.

mod sites;
mod stream;

use std::io::{BufWriter, Write};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, anyhow, bail};
use comity::{Answer, Crawlers, Escaped, Origin};
use comity_fetch::{Access, Decision, Time};
use comity_report::{
    CheckDocument, CheckRow, CopyFacts, CrawlerQuery, Explain, LiveCheck, Question, SiteFacts, deciding_line,
    is_unanswered, looks_like_html, robots_url,
};

use super::file::invalid_row;
use super::rows;
use super::table::{Counts, Table};
use super::words::{self, OperatorNotes, known, sentence};
use crate::args::{self, TableFormat, UrlLists};
use crate::input::{crawlers, file, live, question};
use crate::outcome::Outcome;
use crate::render::style::{self, paint};
use crate::render::waiting::Waiting;
use crate::render::words::{cell, count};
use crate::render::{json, provenance, width};
use sites::Sites;
use stream::{Found, Progress};

/// The maximum number of answers in a JSON document.
const MAX_JSON_ROWS: usize = 1_000_000;

pub(super) fn run(args: &args::Check) -> Result<Outcome> {
    let dialect = args.dialect.dialect;
    if args.lists.paths().filter(|path| file::is_stdin(path)).count() > 1 {
        bail!("only one file can be standard input");
    }
    let questions = question::live(&args.url, &args.lists, args.origin.as_deref(), args.raw)?;
    let table = crawlers::known(&args.naming)?;
    let any = [String::from("*")];
    let askers = crawlers::typed(if args.agent.is_empty() { &any } else { &args.agent }, table.as_ref())?;

    // Only URLs given as arguments are trusted, not those in a file.
    let typed = questions
        .list
        .iter()
        .filter_map(|question| question.on_site(questions.site.as_ref()).and_then(|url| Origin::of(&url).ok()));
    let typed: Vec<Origin> = typed.chain(questions.site.clone()).collect();
    let runtime = live::runtime()?;
    let _inside = runtime.enter();
    let mut builder = live::client(&args.live, &args.keeping, &dialect, typed.iter())?;
    builder = builder.offline(args.freshness.offline);
    if let Some(age) = args.freshness.max_age {
        builder = builder.max_age(age);
    }
    let client = builder.build()?;
    let began = Time::from(SystemTime::now());
    let lists = (!args.lists.is_empty()).then(|| (args.lists.clone(), args.raw));
    let asked = LiveCheck::new(client, &dialect, askers, questions, provenance::REFUSED_BY_ADDRESS_RULES);
    let check = Check { table, asked, lists, began };
    let outcome = runtime.block_on(async {
        if args.quiet { check.outcome().await } else { check.print(args.format.format, args.explain).await }
    });
    // All results are stored already. Do not wait long for the tasks that still run.
    runtime.shutdown_timeout(Duration::from_secs(1));
    outcome
}

struct Check {
    table: Option<Crawlers>,
    asked: LiveCheck,
    /// The lists with more URLs, and true if their URLs are used unchanged.
    lists: Option<(UrlLists, bool)>,
    began: Time,
}

impl Check {
    fn questions(&self) -> &[Question] {
        &self.asked.questions().list
    }

    async fn print(&self, format: TableFormat, explain: bool) -> Result<Outcome> {
        match format {
            TableFormat::Json => self.print_json(explain).await,
            TableFormat::Human if self.lists.is_none() && self.asked.crawlers().len() * self.questions().len() == 1 => {
                self.print_one(explain).await
            }
            TableFormat::Human => self.print_table().await,
            TableFormat::Csv => self.print_csv().await,
        }
    }

    /// Answers all questions without printing anything but errors.
    async fn outcome(&self) -> Result<Outcome> {
        let (mut outcome, mut sites) = (Outcome::Yes, Sites::default());
        let put = |found: Found| -> Result<()> {
            for asker in self.asked.crawlers() {
                let (_, answer) = self.row_of(&found, asker, Explain::Not);
                outcome = answer.map_or(Outcome::Trouble, |answer| outcome.and_answer(answer));
            }
            if let Found::Site(_, site) = found {
                sites.add(site);
            }
            Ok(())
        };
        let lost = self.each(&Progress::Nothing, put).await?;
        for error in sites.errors.keys() {
            eprintln!("error: {error}");
        }
        Ok(lost.and(outcome))
    }

    async fn print_one(&self, explain: bool) -> Result<Outcome> {
        let (question, asker) = (&self.questions()[0], &self.asked.crawlers()[0]);
        let site = {
            let _line = Waiting::for_site(&question.typed);
            self.find(question).await.map_err(|error| anyhow!(error))?
        };
        let decision = self.asked.decide(&site, question, asker);
        let mut out = anstream::stdout().lock();
        if !is_answered(&decision) {
            let word = paint(style::NO_VERDICT.bold(), "No verdict.");
            writeln!(out, "{word} The site of {} was not contacted.", Escaped(question.typed.as_bytes()))?;
            for line in provenance::sentences(&site) {
                writeln!(out, "{line}")?;
            }
            return Ok(Outcome::Trouble);
        }
        writeln!(out, "{}", sentence(question, asker, decision.answer()))?;
        let body = site.copy().map_or(&[][..], |copy| &copy.body);
        if let Some(number) = decision.verdict().and_then(|verdict| verdict.line())
            && let Some(text) = deciding_line(&site, &decision.outcome())
        {
            writeln!(out, "{}", words::quote(number, &text))?;
        }
        match (self.asked.explain(&decision, question, asker), decision.verdict()) {
            (Some(explanation), _) if explain => writeln!(out, "{explanation}\n")?,
            (Some(explanation), Some(verdict)) => {
                let url = robots_url(&site);
                let url = Escaped(url.as_bytes()).to_string();
                writeln!(out, "{}", words::reason(&url, site.robots(), body, &verdict, &explanation))?;
            }
            _ if decision.answer() == Answer::NotGoverned => {
                writeln!(out, "So its robots.txt does not apply to it.")?;
            }
            _ if decision.is_robots_txt() => writeln!(out, "{}", words::robots_txt())?,
            _ => {}
        }
        for line in provenance::sentences(&site) {
            writeln!(out, "{line}")?;
        }
        let is_seen = decision.verdict().is_none_or(|verdict| verdict.names_crawler());
        let delay = decision.verdict().and_then(|_| site.robots().crawl_delay(&asker.as_crawler()));
        for note in words::notes(question, asker, self.table.as_ref(), self.asked.dialect(), is_seen, delay) {
            writeln!(out, "{note}")?;
        }
        if let Some(found) = self.asked.operator_answer(&decision, question, asker) {
            writeln!(out, "{}", found.sentence)?;
        }
        if site.ruling().access == Access::Rules && looks_like_html(body) {
            let note = format!("{} looks like an HTML page, not like a robots.txt.", robots_url(&site));
            writeln!(out, "{}", paint(style::FAINT, Escaped(note.as_bytes())))?;
        }
        Ok(Outcome::Yes.and_answer(decision.answer()))
    }

    async fn print_table(&self) -> Result<Outcome> {
        let began = Instant::now();
        let mut out = BufWriter::new(anstream::stdout().lock());
        let mut table = Table::new(&mut out, self.asked.crawlers(), width::of_terminal())?;
        out.flush()?;
        let (mut outcome, mut counts, mut sites) = (Outcome::Yes, Counts::default(), Sites::default());
        let mut operators = OperatorNotes::default();
        let progress = self.progress(true);
        let put = |found: Found| -> Result<()> {
            let (question, site) = match found {
                Found::Site(question, site) => (question, site),
                Found::Invalid(invalid) => {
                    outcome = Outcome::Trouble;
                    for _ in self.asked.crawlers() {
                        counts.count(None);
                        table.cell(style::NO_VERDICT, "no URL");
                    }
                    table.invalid(&mut out, &invalid)?;
                    return Ok(());
                }
            };
            for asker in self.asked.crawlers() {
                let decision = site.as_ref().ok().map(|site| self.asked.decide(site, &question, asker));
                let (answer, text) = match &decision {
                    Some(decision) if !is_answered(decision) => (None, "not asked".to_owned()),
                    Some(decision) => (Some(decision.answer()), cell_of(decision)),
                    None => (None, "no answer".to_owned()),
                };
                outcome = answer.map_or(Outcome::Trouble, |answer| outcome.and_answer(answer));
                counts.count(answer);
                let own = decision.and_then(|decision| self.asked.operator_answer(&decision, &question, asker));
                operators.add(asker, own);
                let style = answer.map_or(style::NO_VERDICT, style::of);
                table.cell(style, &text);
            }
            table.url(&mut out, &question, self.asked.dialect())?;
            if !progress.is_bar() {
                out.flush()?;
            }
            sites.add(site);
            Ok(())
        };
        let lost = self.each(&progress, put).await?;
        writeln!(out, "\n{counts} A number is the line that decides, in the robots.txt of the URL's site.")?;
        for line in operators.lines().chain(sites.lines()) {
            writeln!(out, "{line}")?;
        }
        let stats = self.asked.client().stats();
        let fetched = count(stats.fetches_total, "robots.txt file");
        let took = began.elapsed().as_secs_f64();
        writeln!(out, "{fetched} fetched in {took:.1} s, {} more cached.", sites.cached(&stats))?;
        let profiles: Vec<_> = self.asked.crawlers().iter().filter_map(CrawlerQuery::profile).collect();
        for profile in &profiles {
            writeln!(out, "{}.", known(profile))?;
        }
        if !profiles.is_empty() {
            writeln!(out, "{}", paint(style::FAINT, "With --literal, no crawler is known."))?;
        }
        out.flush()?;
        Ok(lost.and(outcome))
    }

    /// Returns the document of an answer, and the answer if there is one.
    fn row_of<'a>(
        &'a self,
        found: &'a Found,
        asker: &'a CrawlerQuery,
        explain: Explain,
    ) -> (CheckRow<'a>, Option<Answer>) {
        let (question, site) = match found {
            Found::Site(question, site) => (question, site),
            Found::Invalid(invalid) => return (invalid_row(invalid, asker), None),
        };
        let (row, decision) = self.asked.row(question, asker, site, explain);
        (row, decision.filter(is_answered).map(|decision| decision.answer()))
    }

    async fn print_csv(&self) -> Result<Outcome> {
        let mut out = BufWriter::new(anstream::stdout().lock());
        rows::write_header(&mut out)?;
        let mut outcome = Outcome::Yes;
        let progress = self.progress(true);
        let put = |found: Found| -> Result<()> {
            for asker in self.asked.crawlers() {
                let (row, answer) = self.row_of(&found, asker, Explain::Not);
                outcome = answer.map_or(Outcome::Trouble, |answer| outcome.and_answer(answer));
                rows::write(&mut out, &row, "")?;
            }
            if !progress.is_bar() {
                out.flush()?;
            }
            Ok(())
        };
        let lost = self.each(&progress, put).await?;
        out.flush()?;
        Ok(lost.and(outcome))
    }

    async fn print_json(&self, explain: bool) -> Result<Outcome> {
        let explain = if explain { Explain::Plain } else { Explain::Not };
        let (mut outcome, mut sites, mut answers) = (Outcome::Yes, Sites::default(), Vec::new());
        let put = |found: Found| -> Result<()> {
            for asker in self.asked.crawlers() {
                let (row, answer) = self.row_of(&found, asker, explain);
                outcome = answer.map_or(Outcome::Trouble, |answer| outcome.and_answer(answer));
                // The sites come after the answers, so all answers are kept.
                if answers.len() == MAX_JSON_ROWS {
                    bail!("expected at most {MAX_JSON_ROWS} answers, found more: --format csv has no limit");
                }
                answers.push(serde_json::to_value(row)?);
            }
            if let Found::Site(_, site) = found {
                sites.add(site);
            }
            Ok(())
        };
        let lost = self.each(&self.progress(false), put).await?;
        let copy = match sites.known.values().collect::<Vec<_>>()[..] {
            [site] if sites.errors.is_empty() => CopyFacts::of(site),
            _ => None,
        };
        json::print(&CheckDocument {
            robots: None,
            dialect: self.asked.dialect().name,
            policy: Some(self.asked.client().policy().name),
            size: None,
            origin: self.asked.questions().site.as_ref().map(Origin::to_string),
            origin_is_assumed: false,
            copy,
            answers,
            sites: sites.known.values().map(SiteFacts::of).collect(),
        })?;
        Ok(lost.and(outcome))
    }
}

/// Returns true if a decision is based on an answer of the site, or is valid without one. Returns false if our own
/// rules prevented the request: then there is no verdict, and the answer is never "allowed".
fn is_answered(decision: &Decision) -> bool {
    !is_unanswered(decision.site(), &decision.outcome())
}

fn cell_of(decision: &Decision) -> String {
    match (decision.verdict(), decision.answer()) {
        (Some(verdict), _) => cell(&verdict),
        (None, Answer::Allowed) => "allowed".to_owned(),
        (None, Answer::Disallowed) => "blocked".to_owned(),
        (None, _) => "not governed".to_owned(),
    }
}
