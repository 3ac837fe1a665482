//! The score: how many answers agree, by topic, and those that differ.

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use crate::Asked;

/// The maximum number of characters that are printed of a question or an answer.
const MAX_CHARS: usize = 500;

#[derive(Serialize)]
pub(crate) struct Score {
    dialect: String,
    pub(crate) agree: usize,
    differ: usize,
    unanswered: usize,
    themes: BTreeMap<&'static str, Theme>,
    differences: Vec<Difference>,
}

#[derive(Default, Serialize)]
struct Theme {
    agree: usize,
    of: usize,
}

#[derive(Serialize)]
struct Difference {
    theme: &'static str,
    case: String,
    clause: String,
    why: String,
    expected: String,
    found: String,
    /// The question as it was sent.
    question: Value,
}

impl Score {
    pub(crate) fn new(dialect: &str) -> Self {
        let dialect = dialect.to_owned();
        Self { dialect, agree: 0, differ: 0, unanswered: 0, themes: BTreeMap::new(), differences: Vec::new() }
    }

    /// Counts the answer to a question. `None` is no answer.
    pub(crate) fn count(&mut self, asked: &Asked<'_>, answer: Option<&str>) {
        let theme = self.themes.entry(asked.file.theme).or_default();
        theme.of += 1;
        let found = answer.map(parse_answer);
        if let Some(Ok((allowed, line))) = found
            && asked.expected.accepts(allowed, line)
        {
            theme.agree += 1;
            self.agree += 1;
            return;
        }
        let found = match found {
            Some(Ok((allowed, line))) => {
                let word = match allowed {
                    Some(true) => "allow",
                    Some(false) => "disallow",
                    None => "no verdict",
                };
                self.differ += 1;
                line.map_or_else(|| word.to_owned(), |line| format!("{word} {line}"))
            }
            Some(Err(error)) => {
                self.unanswered += 1;
                error
            }
            None => {
                self.unanswered += 1;
                "no answer".to_owned()
            }
        };
        self.differences.push(Difference {
            theme: asked.file.theme,
            case: asked.case.name.clone(),
            clause: asked.file.clause.clone(),
            why: asked.file.why.clone(),
            expected: asked.expected.to_string(),
            found,
            question: asked.question(),
        });
    }

    /// Prints the score: every case that differs, or the first of each topic, and the topics.
    pub(crate) fn print(&self, all: bool) -> Result<()> {
        let mut out = io::stdout().lock();
        let mut last = "";
        for difference in &self.differences {
            if !all && difference.theme == last {
                continue;
            }
            last = difference.theme;
            writeln!(out, "{} ({})", difference.case, difference.theme)?;
            if !difference.clause.is_empty() || !difference.why.is_empty() {
                writeln!(out, "  {}", [difference.clause.as_str(), &difference.why].join(" ").trim())?;
            }
            writeln!(out, "  asked     {}", printable(&difference.question.to_string()))?;
            writeln!(out, "  expected  {}", difference.expected)?;
            writeln!(out, "  found     {}\n", printable(&difference.found))?;
        }
        for (name, theme) in &self.themes {
            writeln!(out, "{name:<24}{:>5} of {:>5}", theme.agree, theme.of)?;
        }
        let count = self.agree + self.differ + self.unanswered;
        let percent = 100.0 * self.agree as f64 / count.max(1) as f64;
        writeln!(out, "\n{} of {count} agree ({percent:.1} %), {} dialect", self.agree, self.dialect)?;
        if self.unanswered > 0 {
            let verb = if self.unanswered == 1 { "was" } else { "were" };
            writeln!(out, "{} {verb} not answered", self.unanswered)?;
        }
        if !all && self.differences.len() > 1 {
            writeln!(out, "--all shows every case that differs")?;
        }
        Ok(())
    }
}

/// Returns the start of a text, in ASCII without control characters: programs and cases contain anything, and a terminal
/// must not obey it.
fn printable(text: &str) -> String {
    let is_plain = |c: char| c == ' ' || c.is_ascii_graphic();
    let shown = |c: char| if is_plain(c) { c.to_string() } else { c.escape_unicode().to_string() };
    let mut start: String = text.chars().take(MAX_CHARS).map(shown).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        start.push_str("...");
    }
    start
}

/// Parses an answer, and returns `allowed` and the line, if the program names one.
fn parse_answer(answer: &str) -> Result<(Option<bool>, Option<u32>), String> {
    let value: Value = serde_json::from_str(answer).map_err(|_| format!("no JSON: {}", answer.trim()))?;
    if let Some(error) = value.get("error") {
        return Err(format!("error: {error}"));
    }
    let allowed = match value.get("allowed") {
        Some(Value::Bool(allowed)) => Some(*allowed),
        Some(Value::Null) => None,
        _ => return Err(format!("no `allowed` in {}", answer.trim())),
    };
    Ok((allowed, value.get("line").and_then(Value::as_u64).map(|line| line as u32)))
}
