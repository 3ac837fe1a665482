//! `comity conformance`: runs comity's test cases against any program.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use comity::Escaped;
use comity_report::shorten;
use comity_testdata::{Case, ExpectedAnswer, File, suite};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{self, Format};
use crate::input::file;
use crate::outcome::Outcome;
use crate::render::json;
use crate::render::style::{self, paint};

/// The maximum number of characters that are printed of a question.
const MAX_QUESTION_CHARS: usize = 500;

pub(crate) fn run(args: &args::Conformance) -> Result<Outcome> {
    let dialect = args.dialect.dialect.name;
    let suite = suite();
    let asked: Vec<Asked<'_>> = suite
        .cases_in(dialect)
        .filter_map(|(file, case)| Some(Asked { file, case, expected: case.answer_in(dialect)? }))
        .collect();
    let questions: Vec<String> = asked.iter().map(|asked| asked.question().to_string()).collect();
    let deadline = Instant::now() + Duration::from_secs(args.timeout);
    let answers = ask(Command::new(&args.cmd).args(&args.arguments), questions, deadline)
        .with_context(|| format!("{} could not be run", file::name(&args.cmd)))?;

    let mut score =
        Score { dialect, agree: 0, differ: 0, unanswered: 0, themes: BTreeMap::new(), differences: Vec::new() };
    let by_name = by_name(&answers.lines);
    for (index, asked) in asked.iter().enumerate() {
        let line = by_name.get(asked.case.name.as_str()).copied().or_else(|| {
            // Without names, the order shows which question each line answers.
            answers.lines.get(index).map(String::as_str).filter(|_| by_name.is_empty())
        });
        score.count(asked, line);
    }
    match args.format.format {
        Format::Json => json::print(&score)?,
        Format::Human => score.print(args.all)?,
    }
    if answers.lines.len() < asked.len() {
        bail!("{} {} after {} of {} answers", file::name(&args.cmd), answers.end, answers.lines.len(), asked.len());
    }
    Ok(if score.agree == asked.len() { Outcome::Yes } else { Outcome::No })
}

/// Returns the answers by the names of their questions, if the answers contain names.
fn by_name(lines: &[String]) -> HashMap<String, &str> {
    let name = |line: &str| Some(serde_json::from_str::<Value>(line).ok()?.get("id")?.as_str()?.to_owned());
    lines.iter().filter_map(|line| Some((name(line)?, line.as_str()))).collect()
}

struct Asked<'a> {
    file: &'a File,
    case: &'a Case,
    expected: ExpectedAnswer,
}

impl Asked<'_> {
    fn question(&self) -> Value {
        json!(self.case.question(self.file))
    }
}

struct Answers {
    lines: Vec<String>,
    /// The end of the program in words, for example "was stopped".
    end: String,
}

/// The time that a program may continue to run after it has answered everything.
const MAX_TIME_AFTER_ANSWERS: Duration = Duration::from_millis(500);

/// Runs a program, writes the questions to it and reads its answers, until it ends or the deadline passes.
fn ask(command: &mut Command, questions: Vec<String>, deadline: Instant) -> Result<Answers> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (stdin, stdout) = (child.stdin.take().context("no input")?, child.stdout.take().context("no output")?);
    let count = questions.len();
    // Neither thread is joined, because a grandchild of the program may keep its pipes open forever.
    thread::spawn(move || {
        let mut stdin = BufWriter::new(stdin);
        for question in questions {
            // A program may end early; the questions that it did not answer count as unanswered.
            if writeln!(stdin, "{question}").is_err() {
                break;
            }
        }
    });
    let (sender, receiver) = mpsc::sync_channel(1_024);
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        while let Ok(Some(line)) = read_line(&mut stdout) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut lines = Vec::with_capacity(count);
    let mut end = None;
    while lines.len() < 2 * count {
        // After the last answer there may still be more lines, because the program may have printed a banner first.
        let wait = deadline.saturating_duration_since(Instant::now());
        let wait = if lines.len() < count { wait } else { wait.min(MAX_TIME_AFTER_ANSWERS) };
        match receiver.recv_timeout(wait) {
            Ok(answer) => lines.push(answer),
            Err(mpsc::RecvTimeoutError::Timeout) if lines.len() < count => {
                end = Some("was stopped at the timeout,".to_owned());
                break;
            }
            Err(_) => break,
        }
    }
    // A program that has closed its output is about to end, and its exit status shows why.
    while end.is_none() && lines.len() < count && Instant::now() < deadline {
        match child.try_wait()? {
            Some(status) => end = Some(format!("ended with {status}")),
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
    stop(&mut child);
    Ok(Answers { lines, end: end.unwrap_or_else(|| "was stopped".to_owned()) })
}

/// Reads a line. Only the first megabyte of a longer one is kept, which is enough for any answer.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    const MAX_LINE_BYTES: u64 = 1 << 20;
    let mut line = Vec::new();
    if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    while line.last() != Some(&b'\n') {
        let mut rest = Vec::new();
        if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut rest)? == 0 || rest.last() == Some(&b'\n') {
            break;
        }
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

/// Stops the program after its last answer or the deadline.
fn stop(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[derive(Serialize)]
struct Score {
    dialect: &'static str,
    agree: usize,
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
    fn count(&mut self, asked: &Asked<'_>, answer: Option<&str>) {
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

    fn print(&self, all: bool) -> Result<()> {
        let mut out = anstream::stdout().lock();
        let mut last = "";
        for difference in &self.differences {
            if !all && difference.theme == last {
                continue;
            }
            last = difference.theme;
            writeln!(out, "{} ({})", paint(style::STRONG, &difference.case), difference.theme)?;
            if !difference.clause.is_empty() || !difference.why.is_empty() {
                writeln!(out, "  {}", [difference.clause.as_str(), &difference.why].join(" ").trim())?;
            }
            let question = difference.question.to_string();
            writeln!(out, "  asked     {}", json::safe(&shorten(&question, MAX_QUESTION_CHARS)))?;
            writeln!(out, "  expected  {}", difference.expected)?;
            writeln!(out, "  found     {}\n", paint(style::DISALLOWED, Escaped(difference.found.as_bytes())))?;
        }
        for (name, theme) in &self.themes {
            let style = if theme.agree == theme.of { style::ALLOWED } else { style::DISALLOWED };
            writeln!(out, "{:<24}{}", name, paint(style, format!("{:>5} of {:>5}", theme.agree, theme.of)))?;
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
