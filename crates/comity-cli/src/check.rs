//! `comity check`: may a crawler fetch a URL?

use std::io::Write;

use anyhow::{Result, bail};
use comity::{Answer, Basis, Escaped, Governed, Origin, Reason, Robots, Text, Verdict};
use serde::Serialize;

use crate::args::{self, Format};
use crate::asker::{self, Asker};
use crate::question::{Question, Questions, read_urls, takes_strings};
use crate::style::{self, paint};
use crate::{Outcome, input, json};

pub(crate) fn run(args: &args::Check) -> Result<Outcome> {
    if args.robots.file.as_deref().is_some_and(input::is_stdin) && args.urls.as_deref().is_some_and(input::is_stdin) {
        bail!("--robots and --urls can't both be standard input");
    }
    let (file, body) = input::read_robots(args.robots.file.as_deref())?;
    let mut urls = args.url.clone();
    if let Some(path) = &args.urls {
        urls.extend(read_urls(path)?);
    }
    if urls.is_empty() {
        bail!("which URL? Name one, or a file of them with --urls FILE");
    }
    let table = if args.naming.literal { None } else { Some(asker::table(args.naming.crawlers.as_deref())?) };
    let any = [String::from("*")];
    let names = if args.agent.is_empty() { &any[..] } else { &args.agent };
    let askers: Vec<Asker> = names.iter().map(|name| Asker::typed(name, table.as_ref())).collect::<Result<_>>()?;

    let dialect = args.dialect.dialect;
    let questions = Questions::new(urls, args.origin.as_deref(), args.raw || takes_strings(&dialect))?;
    let check = Check { file, robots: Robots::parse_with(&body, &dialect), body, askers, questions };
    let format = args.format.format;
    let is_one = check.askers.len() * check.questions.list.len() == 1;
    let answers = check.answers(args.explain || (is_one && format == Format::Human));
    match format {
        Format::Json => check.print_json(&answers)?,
        Format::Human if is_one => check.print_sentence(&answers[0], args.explain)?,
        Format::Human if args.explain => check.print_each(&answers)?,
        Format::Human => check.print_table(&answers)?,
    }
    Ok(outcome(answers.iter().map(|answer| &answer.verdict)))
}

/// Trouble if there is a question without a verdict; else no if anything is disallowed.
pub(crate) fn outcome<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Outcome {
    let mut outcome = Outcome::Yes;
    for verdict in verdicts {
        match verdict.answer() {
            Answer::Allowed => {}
            Answer::Disallowed => outcome = Outcome::No,
            _ => return Outcome::Trouble,
        }
    }
    outcome
}

struct Check {
    /// What to call the file.
    file: String,
    body: Vec<u8>,
    robots: Robots,
    askers: Vec<Asker>,
    questions: Questions,
}

/// A question and its answer.
struct Answered<'a> {
    question: &'a Question,
    asker: &'a Asker,
    verdict: Verdict,
    explanation: Option<comity::Explanation>,
}

impl Check {
    /// By URL, then by crawler.
    fn answers(&self, explain: bool) -> Vec<Answered<'_>> {
        let rules: Vec<_> = self.askers.iter().map(|asker| self.robots.rules_for(asker.crawler())).collect();
        let mut answers = Vec::new();
        for question in &self.questions.list {
            for (asker, rules) in self.askers.iter().zip(&rules) {
                let mut verdict = rules.check(&question.asked);
                if !self.questions.is_in_scope(question)
                    && let Some(site) = &self.questions.site
                {
                    verdict = site.check(&self.robots, asker.crawler(), &question.asked);
                }
                let has_verdict = verdict.is_allowed() || verdict.is_disallowed();
                let explanation =
                    (explain && has_verdict).then(|| self.robots.explain(asker.crawler(), &question.asked));
                answers.push(Answered { question, asker, verdict, explanation });
            }
        }
        answers
    }

    /// A line of the file as it stands.
    fn line(&self, number: u32) -> Option<String> {
        let text = Text::new(&self.body, self.robots.dialect());
        let line = text.lines().nth(number as usize - 1)?;
        Some(shorten(&Escaped(line.text.trim_ascii()).to_string()))
    }

    fn print_sentence(&self, answer: &Answered<'_>, explain: bool) -> Result<()> {
        let mut out = anstream::stdout().lock();
        writeln!(out, "{}", sentence(answer))?;
        if let Some((number, text)) = answer.verdict.line().and_then(|number| Some((number, self.line(number)?))) {
            let number = paint(style::FAINT, format!("{number:>6} |"));
            writeln!(out, "\n{number} {}\n", paint(style::STRONG, text))?;
        }
        match &answer.explanation {
            Some(explanation) if explain => writeln!(out, "{explanation}\n")?,
            _ => writeln!(out, "{}", self.reason(answer))?,
        }
        for note in self.notes(answer) {
            writeln!(out, "{note}")?;
        }
        self.print_assumption(&mut out)
    }

    fn print_each(&self, answers: &[Answered<'_>]) -> Result<()> {
        let mut out = anstream::stdout().lock();
        for answer in answers {
            writeln!(out, "{}", sentence(answer))?;
            if let Some(explanation) = &answer.explanation {
                for line in explanation.to_string().lines() {
                    writeln!(out, "  {line}")?;
                }
            }
            for note in self.notes(answer) {
                writeln!(out, "  {note}")?;
            }
            writeln!(out)?;
        }
        self.print_assumption(&mut out)
    }

    /// Why, in a sentence or two.
    fn reason(&self, answer: &Answered<'_>) -> String {
        let Some(explanation) = &answer.explanation else {
            return match (&self.questions.site, answer.verdict.answer()) {
                (Some(site), Answer::OutOfScope) => {
                    format!("{} is the file of {site}, and each site has one of its own.", self.file)
                }
                _ => "So the file has nothing to say about it.".to_owned(),
            };
        };
        let (verdict, basis) = (answer.verdict, explanation.basis());
        match verdict.reason() {
            Reason::Rule | Reason::EmptyRule => {
                let line = verdict.line().unwrap_or_default();
                let mut text = format!("Line {line} of {} decides. It is in {basis}.", self.file);
                if explanation.runner_up().is_some() || verdict.reason() == Reason::EmptyRule {
                    text += &format!("\n{}.", capitalised(&explanation.arithmetic()));
                }
                text
            }
            Reason::NoRuleMatches => format!("No rule matches in {basis}."),
            Reason::RobotsTxt => "The robots.txt itself may always be fetched (RFC 9309 §2.2.2).".to_owned(),
            Reason::FileRefused => {
                format!("{} is larger than this crawler takes, so it counts as if there were none.", self.file)
            }
            _ if verdict.basis() == Basis::StarIgnored => {
                "Only the groups of `*` could forbid it, and they don't bind this crawler.".to_owned()
            }
            _ if self.robots.groups().len() == 0 => format!("{} holds no group, so it forbids nothing.", self.file),
            _ => format!("No group of {} is for this crawler.", self.file),
        }
    }

    /// What else a person should know.
    fn notes(&self, answer: &Answered<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        if answer.question.is_changed() {
            notes.push(format!(
                "Asked for {}, which is what a browser makes of it.",
                Escaped(answer.question.asked.as_bytes())
            ));
        }
        if let Some(profile) = answer.asker.profile() {
            notes.push(format!("{} (--literal ignores this).", known(profile)));
        }
        if answer.explanation.is_some()
            && let Some(wanted) = self.robots.crawl_delay(answer.asker.crawler())
        {
            let seconds = wanted.delay.as_secs_f64();
            notes.push(format!("It is asked to wait {seconds} s between requests (line {}).", wanted.line));
        }
        notes
    }

    fn print_assumption(&self, out: &mut impl Write) -> Result<()> {
        match (&self.questions.site, self.questions.is_assumed) {
            (Some(site), true) => {
                let note = format!("Assumed: {} is the file of {site} (--origin says otherwise).", self.file);
                writeln!(out, "{}", paint(style::FAINT, note))?;
            }
            (None, _) => {
                writeln!(out, "{}", paint(style::FAINT, "Asked about the file's own site, whichever it is."))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn print_table(&self, answers: &[Answered<'_>]) -> Result<()> {
        let mut out = anstream::stdout().lock();
        let names: Vec<String> =
            self.askers.iter().map(|asker| Escaped(asker.token().as_bytes()).to_string()).collect();
        let cells: Vec<String> = answers.iter().map(|answer| cell(&answer.verdict)).collect();
        let widths: Vec<usize> = (0..names.len())
            .map(|i| cells.iter().skip(i).step_by(names.len()).chain([&names[i]]).map(|s| s.chars().count()).max())
            .map(|width| width.unwrap_or(0) + 2)
            .collect();
        let header: String = names.iter().zip(&widths).map(|(name, width)| format!("{name:<width$}")).collect();
        writeln!(out, "{}URL", paint(style::STRONG, header))?;
        for (row, cells) in answers.chunks(names.len()).zip(cells.chunks(names.len())) {
            for ((answer, cell), width) in row.iter().zip(cells).zip(&widths) {
                let cell = format!("{cell:<width$}");
                write!(out, "{}", paint(style::of(answer.verdict.answer()), cell))?;
            }
            let question = row[0].question;
            write!(out, "{}", Escaped(question.typed.as_bytes()))?;
            if question.is_changed() {
                let asked = format!("  asked for {}", Escaped(question.asked.as_bytes()));
                write!(out, "{}", paint(style::FAINT, asked))?;
            }
            writeln!(out)?;
        }
        let count = |answer| answers.iter().filter(|a| a.verdict.answer() == answer).count();
        let (allowed, disallowed) = (count(Answer::Allowed), count(Answer::Disallowed));
        write!(out, "\n{allowed} allowed, {disallowed} disallowed")?;
        match answers.len() - allowed - disallowed {
            0 => {}
            none => write!(out, ", {none} without a verdict")?,
        }
        writeln!(out, ". A number is the line of {} that decides.", self.file)?;
        let profiles: Vec<_> = self.askers.iter().filter_map(Asker::profile).collect();
        for profile in &profiles {
            writeln!(out, "{}.", known(profile))?;
        }
        if !profiles.is_empty() {
            writeln!(out, "{}", paint(style::FAINT, "--literal takes names as they stand."))?;
        }
        self.print_assumption(&mut out)
    }

    fn print_json(&self, answers: &[Answered<'_>]) -> Result<()> {
        #[derive(Serialize)]
        struct Report<'a> {
            robots: &'a str,
            dialect: &'static str,
            origin: Option<String>,
            origin_is_assumed: bool,
            answers: Vec<Row<'a>>,
        }
        #[derive(Serialize)]
        struct Row<'a> {
            url: &'a str,
            asked: &'a str,
            agent: &'a str,
            known: bool,
            #[serde(flatten)]
            verdict: Verdict,
            text: Option<String>,
            crawl_delay: Option<f64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            explanation: Option<&'a comity::Explanation>,
        }
        let answers = answers.iter().map(|answer| Row {
            url: &answer.question.typed,
            asked: &answer.question.asked,
            agent: answer.asker.token(),
            known: answer.asker.profile().is_some(),
            verdict: answer.verdict,
            text: answer.verdict.line().and_then(|number| self.line(number)),
            crawl_delay: self.robots.crawl_delay(answer.asker.crawler()).map(|found| found.delay.as_secs_f64()),
            explanation: answer.explanation.as_ref(),
        });
        let report = Report {
            robots: &self.file,
            dialect: self.robots.dialect().name,
            origin: self.questions.site.as_ref().map(Origin::to_string),
            origin_is_assumed: self.questions.is_assumed,
            answers: answers.collect(),
        };
        json::print(&report)
    }
}

fn sentence(answer: &Answered<'_>) -> String {
    let url = Escaped(answer.question.typed.as_bytes());
    let who = answer.asker.subject();
    let (word, rest) = match answer.verdict.answer() {
        Answer::Allowed => ("Yes.", format!("{who} may fetch {url}")),
        Answer::Disallowed => ("No.", format!("{who} may not fetch {url}")),
        Answer::NotGoverned => ("No verdict.", format!("{who} is not governed by robots.txt: its operator says so.")),
        _ => ("No verdict.", format!("This file does not govern {url}")),
    };
    let word = paint(style::of(answer.verdict.answer()).bold(), word);
    format!("{word} {rest}")
}

/// A crawler of the table, in a sentence without its full stop: who it is, and what is special about it.
fn known(profile: &comity::Profile) -> String {
    let mut text = format!("{} is known: {}, {}", profile.token, profile.operator, profile.purpose);
    if !profile.fallback.is_empty() {
        text += &format!("; without a group of its own it follows {}", profile.fallback.join(", then "));
    }
    if !profile.obeys_star {
        text += "; the groups of * don't bind it";
    }
    text += match profile.governed {
        Governed::MayBypass => "; its operator says that it may pass over robots.txt, so this is advice",
        Governed::Unstated => "; its operator does not promise to obey robots.txt, so this is advice",
        Governed::ControlToken => "; it fetches nothing itself: it says what may be done with pages",
        _ => "",
    };
    text
}

/// `allowed`, or with the deciding line.
pub(crate) fn cell(verdict: &Verdict) -> String {
    let word = match verdict.answer() {
        Answer::Allowed => "allowed",
        Answer::Disallowed => "blocked",
        Answer::NotGoverned => "not governed",
        _ => "out of scope",
    };
    match verdict.line() {
        Some(line) => format!("{word} {line}"),
        None => word.to_owned(),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A line of a hostile file may be sixteen thousand characters long; a person needs the start.
fn shorten(text: &str) -> String {
    const MOST: usize = 500;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
