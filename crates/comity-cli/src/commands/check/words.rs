//! Answers as sentences for people.

use comity::{
    Answer, Content, CrawlDelay, Crawlers, Dialect, Escaped, Explanation, Governed, Line, Reason, Robots, RuleEffect,
    SourceText, Verdict,
};
use comity_report::{CrawlerQuery, OperatorAnswer, Question, accepts_raw_urls, capitalized};

use crate::input::rows::Invalid;
use crate::render::style::{self, paint};
use crate::render::words::{count, hint};

/// Returns an answer as a sentence.
pub(super) fn sentence(question: &Question, asker: &CrawlerQuery, answer: Answer) -> String {
    let url = Escaped(question.typed.as_bytes());
    let who = asker.subject();
    let (word, rest) = match answer {
        Answer::Allowed => ("Yes.", format!("{who} may fetch {url}")),
        Answer::Disallowed => ("No.", format!("{who} may not fetch {url}")),
        Answer::NotGoverned => ("No verdict.", format!("{who} does not obey robots.txt, its operator says.")),
        _ => ("No verdict.", format!("This file does not apply to {url}")),
    };
    let word = paint(style::of(answer).bold(), word);
    format!("{word} {rest}")
}

/// Returns an entry that is no URL, as a sentence with the reason.
pub(super) fn invalid(invalid: &Invalid) -> String {
    let word = paint(style::NO_VERDICT.bold(), "No verdict.");
    format!("{word} {} is no URL\n  {}", Escaped(invalid.typed.as_bytes()), Escaped(invalid.error.as_bytes()))
}

/// Returns a sentence about a question whose site could not be asked, with the reason.
pub(super) fn no_answer(question: &Question, error: &str) -> String {
    let word = paint(style::NO_VERDICT.bold(), "No verdict.");
    format!("{word} {} has no answer\n  {}", Escaped(question.typed.as_bytes()), Escaped(error.as_bytes()))
}

/// Returns the reason why a file's rules allow or disallow, in a sentence or two.
pub(super) fn reason(file: &str, robots: &Robots, body: &[u8], verdict: &Verdict, explanation: &Explanation) -> String {
    let (basis, reason) = (explanation.basis(), capitalized(verdict.reason().label()));
    match verdict.reason() {
        Reason::Rule | Reason::EmptyRule => {
            let line = verdict.line().unwrap_or_default();
            let mut text = format!("Line {line} of {file} decides. It is in {basis}.");
            if explanation.runner_up().is_some() || verdict.reason() == Reason::EmptyRule {
                text += &format!("\n{}.", capitalized(&explanation.why_it_wins()));
            }
            text
        }
        Reason::NoRuleMatches => format!("{reason} in {basis}."),
        Reason::RobotsTxt => robots_txt(),
        Reason::NoGroup if robots.groups().len() == 0 => match rules_without_group(robots, body) {
            0 => format!("{file} has no group, so it disallows nothing."),
            1 => format!("{file} contains a rule, but no user-agent line before it, so crawlers ignore the rule."),
            rules => {
                format!("{file} contains {rules} rules, but no user-agent line before them, so crawlers ignore them.")
            }
        },
        _ => format!("{reason}."),
    }
}

/// Returns a note for other crawlers than Google's on a deciding line whose field name only Google is known to read.
pub(super) fn misspelled(line: u32, text: &str, asker: &CrawlerQuery) -> Option<String> {
    let is_rule = |name: &str| name.eq_ignore_ascii_case("allow") || name.eq_ignore_ascii_case("disallow");
    let name = text.trim_start_matches('\u{feff}').split([':', '#']).next()?.trim();
    let first = name.split_whitespace().next()?;
    if is_rule(name) || asker.profile().is_some_and(|profile| profile.operator == "Google") {
        return None;
    }
    let mistake = if is_rule(first) { "has no colon after it" } else { "is misspelled" };
    Some(format!(
        "`{}` in line {line} {mistake}. Google reads the line anyway; other crawlers may ignore it, and answer differently.",
        Escaped(first.as_bytes())
    ))
}

/// Returns the number of rules before the first user-agent line.
fn rules_without_group(robots: &Robots, body: &[u8]) -> usize {
    let is_outside = |line: &Line<'_>| matches!(line.content, Content::Rule { effect: RuleEffect::NoGroup, .. });
    SourceText::new(body, robots.dialect()).lines().filter(is_outside).count()
}

/// Returns the reason for the robots.txt itself, which needs no file.
pub(super) fn robots_txt() -> String {
    format!("{} (RFC 9309 §2.2.2).", capitalized(Reason::RobotsTxt.label()))
}

/// Returns notes on an answer: the URL that was checked if it is not the one that was typed, a description of the
/// crawler, and its crawl delay.
pub(super) fn notes(
    question: &Question,
    asker: &CrawlerQuery,
    table: Option<&Crawlers>,
    dialect: &Dialect,
    is_seen: bool,
    delay: Option<CrawlDelay>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(sent) = question.changed() {
        let sent_shown = Escaped(sent.as_bytes());
        notes.push(if question.rewritten_in(dialect).is_some() {
            format!("Checked as {sent_shown}, which a browser sends.")
        } else if accepts_raw_urls(dialect) {
            format!("Google's parser uses the text unchanged. A browser would send {sent_shown}")
        } else {
            format!("The text was not parsed as a URL; only dots and backslashes were resolved. A browser would send {sent_shown}")
        });
    }
    if let Some(profile) = asker.profile() {
        notes.push(format!("{} (--literal ignores this).", known(profile)));
    }
    notes.extend(hint(asker, table, is_seen));
    if let Some(wanted) = delay {
        let seconds = wanted.delay.as_secs_f64();
        notes.push(format!("The file asks it to wait {seconds} s between requests (line {}).", wanted.line));
    }
    notes
}

/// A summary for a table: the answers that differ in operators' own dialects, counted by crawler and reason.
#[derive(Default)]
pub(super) struct OperatorNotes(Vec<OperatorNote>);

struct OperatorNote {
    token: String,
    first: OperatorAnswer,
    count: u64,
}

impl OperatorNotes {
    pub(super) fn add(&mut self, asker: &CrawlerQuery, found: Option<OperatorAnswer>) {
        let Some(found) = found else { return };
        let is_same = |note: &&mut OperatorNote| note.token == asker.token() && note.first.because == found.because;
        match self.0.iter_mut().find(is_same) {
            Some(note) => note.count += 1,
            None => self.0.push(OperatorNote { token: asker.token().to_owned(), first: found, count: 1 }),
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|OperatorNote { token, first, count: number }| {
            let OperatorAnswer { operator, dialect, because, .. } = first;
            let questions = count(*number, "question");
            let note =
                format!("{operator}'s own dialect ({dialect}) answers {questions} of {token} differently: {because}.");
            Escaped(note.as_bytes()).to_string()
        })
    }
}

/// Returns a line and its number, between blank lines.
pub(super) fn quote(number: u32, text: &str) -> String {
    let number = paint(style::FAINT, format!("{number:>6} |"));
    format!("\n{number} {}\n", paint(style::STRONG, text))
}

/// Returns a description of a known crawler as a sentence without its period: operator, purpose, and special behavior.
pub(super) fn known(profile: &comity::Profile) -> String {
    let mut text = format!("{} is known: {}, {}", profile.token, profile.operator, profile.purpose.label());
    if !profile.fallback.is_empty() {
        text += &format!("; without its own group it uses that of {}", profile.fallback.join(", then "));
    }
    if !profile.obeys_star && profile.governed != Governed::No {
        text += "; it ignores the groups of *";
    }
    text += match profile.governed {
        Governed::MayBypass => "; its operator says that it may ignore robots.txt, so this is advice",
        Governed::Unstated => "; its operator does not promise to obey robots.txt, so this is advice",
        Governed::ControlToken => "; it fetches nothing: its group controls the use of pages",
        _ => "",
    };
    Escaped(text.as_bytes()).to_string()
}
