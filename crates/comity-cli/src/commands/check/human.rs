//! Answers for people: as sentences with their reasons, or as a table.

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, anyhow};
use comity::{Answer, Escaped, Origin};
use comity_fetch::{Access, SiteRobots};
use comity_report::{Answered, CrawlerQuery, Question, looks_like, robots_url};

use super::Asked;
use super::answers::{Item, Out};
use super::sites::Sites;
use super::source::Given;
use super::table::{Counts, Table};
use super::words::{self, OperatorNotes, known, sentence};
use crate::input::question;
use crate::outcome::Outcome;
use crate::render::style::{self, paint};
use crate::render::words::{cell, count, undeclared};
use crate::render::{provenance, width};

impl Asked {
    /// Prints each answer as a sentence, with the reason or with the whole explanation. If there `is_one` answer, its
    /// line is quoted, and a site without one is an error.
    pub(super) fn print_answers(&mut self, explain: bool, is_one: bool) -> Result<Outcome> {
        let mut out = Out::new();
        let table = self.table.take();
        let file = self.source.given().map(|given| (given.name.clone(), self.check.questions().site.clone()));
        let outcome = self.each(Some(&out.clone()), |check, found| {
            for item in found.items(check) {
                let answer = match item {
                    Item::Answer(answer) => answer,
                    Item::Invalid(invalid, _) => {
                        writeln!(out, "{}\n", words::invalid(invalid))?;
                        continue;
                    }
                };
                let site = match answer.site {
                    Ok(site) => site,
                    Err(error) if is_one => return Err(anyhow!(error.to_string())),
                    Err(error) => {
                        writeln!(out, "{}\n", words::no_answer(answer.question, &error.to_string()))?;
                        continue;
                    }
                };
                let mut lines = Vec::new();
                if let Some(given) = answer.answer() {
                    writeln!(out, "{}", sentence(answer.question, answer.crawler, given))?;
                    if let Some((number, text)) = deciding(&answer).filter(|_| is_one) {
                        writeln!(out, "{}", words::quote(number, &text))?;
                    }
                    match answer.explanation().filter(|_| explain) {
                        Some(explanation) if is_one => lines.push(format!("{explanation}\n")),
                        Some(explanation) => lines.extend(explanation.to_string().lines().map(str::to_owned)),
                        None => lines.extend(reason(&answer, site, file.as_ref())),
                    }
                    let decides = deciding(&answer);
                    lines.extend(decides.and_then(|(line, text)| words::misspelled(line, &text, answer.crawler)));
                } else {
                    let word = paint(style::NO_VERDICT.bold(), "No verdict.");
                    let url = Escaped(answer.question.typed.as_bytes());
                    writeln!(out, "{word} The site of {url} was not contacted.")?;
                }
                if !site.is_given() {
                    lines.extend(provenance::sentences(site));
                }
                if answer.answer().is_some() {
                    let is_seen = answer.verdict().is_none_or(|verdict| verdict.names_crawler());
                    let (question, asker, delay) = (answer.question, answer.crawler, answer.crawl_delay());
                    lines.extend(words::notes(question, asker, table.as_ref(), check.dialect(), is_seen, delay));
                    lines.extend(answer.operator_answer().map(|found| found.sentence));
                    lines.extend(kind_note(site));
                }
                let indent = if is_one { "" } else { "  " };
                for line in lines {
                    writeln!(out, "{indent}{line}")?;
                }
                if !is_one {
                    writeln!(out)?;
                }
            }
            Ok(found.outcome(check))
        })?;
        self.print_assumptions(&mut out)?;
        Ok(outcome)
    }

    pub(super) fn print_table(&mut self) -> Result<Outcome> {
        let began = Instant::now();
        let mut out = Out::new();
        let mut table = Table::new(&mut out, self.check.crawlers(), width::of_terminal())?;
        out.flush()?;
        let (mut counts, mut sites, mut operators) = (Counts::default(), Sites::default(), OperatorNotes::default());
        let outcome = self.each(Some(&out.clone()), |check, found| {
            for item in found.items(check) {
                counts.count(item.answer());
                if let Item::Answer(answer) = &item {
                    operators.add(answer.crawler, answer.operator_answer());
                }
                let style = item.answer().map_or(style::NO_VERDICT, style::of);
                if table.cell(style, &text_of(&item)) {
                    match item {
                        Item::Answer(answer) => table.url(&mut out, answer.question, check.dialect())?,
                        Item::Invalid(invalid, _) => table.invalid(&mut out, invalid)?,
                    }
                }
            }
            sites.add(found);
            Ok(found.outcome(check))
        })?;
        let given = self.source.given();
        let decides = match given {
            Some(given) => format!("the line of {} that decides", given.name),
            None => "the line that decides, in the robots.txt of the URL's site".to_owned(),
        };
        writeln!(out, "\n{counts} A number is {decides}.")?;
        for line in operators.lines().chain(sites.lines()) {
            writeln!(out, "{line}")?;
        }
        if let Some(stats) = self.source.stats() {
            let fetched = count(stats.fetches_total, "robots.txt file");
            let took = began.elapsed().as_secs_f64();
            writeln!(out, "{fetched} fetched in {took:.1} s, {} more cached.", sites.cached(&stats))?;
        }
        let profiles: Vec<_> = self.check.crawlers().iter().filter_map(CrawlerQuery::profile).collect();
        for profile in &profiles {
            writeln!(out, "{}.", known(profile))?;
        }
        if !profiles.is_empty() {
            writeln!(out, "{}", paint(style::FAINT, "With --literal, no crawler is known."))?;
        }
        self.print_assumptions(&mut out)?;
        Ok(outcome)
    }

    /// Prints remarks on a given file that a person should read before relying on its answers.
    fn print_assumptions(&self, out: &mut Out) -> Result<()> {
        if let Some(Given { name, .. }) = self.source.given() {
            let mut notes = Vec::new();
            if self.check.questions().site.is_none() {
                notes.push("No site was given; the paths are checked as paths of the site of the file.".to_owned());
            }
            notes.extend(question::assumption(self.check.questions(), name));
            for note in notes {
                writeln!(out, "{}", paint(style::FAINT, note))?;
            }
        }
        out.flush()?;
        Ok(())
    }
}

/// Returns the deciding line and its number.
fn deciding(answer: &Answered<'_>) -> Option<(u32, String)> {
    let number = answer.verdict()?.line()?;
    let text = comity_report::deciding_line(answer.site.ok()?, &answer.outcome()?)?;
    Some((number, text.into_owned()))
}

/// Returns the reason for an answer in a sentence or two, unless the facts about the fetch are the reason. `file` is the
/// name of a given file, and its site if that is known.
fn reason(answer: &Answered<'_>, site: &SiteRobots, file: Option<&(String, Option<Origin>)>) -> Option<String> {
    match (answer.answer()?, file) {
        (Answer::OutOfScope, Some((name, Some(site)))) => {
            return Some(format!("{name} is the file of {site}, and each site has its own."));
        }
        (Answer::NotGoverned, None) => return Some("So its robots.txt does not apply to it.".to_owned()),
        (found @ (Answer::NotGoverned | Answer::OutOfScope), Some(_)) => {
            // A text that is used unchanged is no error, and is still no URL of a site.
            let error = Question::new(&answer.question.typed, false).err().filter(|_| found == Answer::OutOfScope);
            let error = error.map(|error| Escaped(error.to_string().as_bytes()).to_string());
            return Some(error.unwrap_or_else(|| "So the file does not apply to it.".to_owned()));
        }
        _ => {}
    }
    let Some((verdict, explanation)) = answer.verdict().zip(answer.explanation()) else {
        return answer.outcome()?.is_robots_txt().then(words::robots_txt);
    };
    let body = site.copy().map_or(&[][..], |copy| &copy.body);
    let name = file.map_or_else(|| Escaped(robots_url(site).as_bytes()).to_string(), |(name, _)| name.clone());
    Some(words::reason(&name, site.robots(), body, &verdict, &explanation))
}

/// Returns the text of a cell of the table.
fn text_of(item: &Item<'_>) -> String {
    let Item::Answer(answer) = item else { return "no URL".to_owned() };
    let word = match (answer.verdict(), answer.answer()) {
        (_, None) if answer.site.is_ok() => "not asked",
        (_, None) => "no answer",
        (Some(verdict), _) => return cell(&verdict),
        (None, Some(Answer::Allowed)) => "allowed",
        (None, Some(Answer::Disallowed)) => "blocked",
        (None, _) => "not governed",
    };
    word.to_owned()
}

/// Returns a remark on the file of a site that is probably something else.
fn kind_note(site: &SiteRobots) -> Option<String> {
    let body = &site.copy().filter(|_| !site.is_given() && site.ruling().access == Access::Rules)?.body;
    let kind = looks_like(site.robots(), body)?;
    let note = format!("{} looks like {}, not like a robots.txt.", robots_url(site), undeclared(kind));
    Some(paint(style::FAINT, Escaped(note.as_bytes())))
}
