//! `comity conformance`: our test cases, put to any program.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use comity::Escaped;
use comity_testdata::{Answer, Asker, Case, File, suite};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::args::{self, Format};
use crate::style::{self, paint};
use crate::{Outcome, json};

pub(crate) fn run(args: &args::Conformance) -> Result<Outcome> {
    let dialect = args.dialect.dialect.name;
    let suite = suite();
    let asked: Vec<Asked<'_>> = suite
        .files
        .iter()
        .flat_map(|file| file.cases.iter().map(move |case| (file, case)))
        .filter_map(|(file, case)| {
            let (_, expected) = case.answers.iter().find(|(name, _)| name == dialect)?;
            Some(Asked { file, case, expected: *expected })
        })
        .collect();
    let questions: Vec<String> = asked.iter().map(|asked| asked.question().to_string()).collect();
    let deadline = Instant::now() + Duration::from_secs(args.timeout);
    let answers = ask(Command::new(&args.cmd).args(&args.arguments), questions, deadline)
        .with_context(|| format!("{} could not be asked", args.cmd.display()))?;

    let mut score =
        Score { dialect, agree: 0, differ: 0, unanswered: 0, themes: BTreeMap::new(), differences: Vec::new() };
    for (index, asked) in asked.iter().enumerate() {
        score.count(asked, answers.get(index).map(String::as_str));
    }
    match args.format.format {
        Format::Json => json::print(&score)?,
        Format::Human => score.print(args.all)?,
    }
    Ok(if score.agree == asked.len() { Outcome::Yes } else { Outcome::No })
}

struct Asked<'a> {
    file: &'a File,
    case: &'a Case,
    expected: Answer,
}

impl Asked<'_> {
    fn question(&self) -> Value {
        let mut question = Map::new();
        question.insert("id".into(), json!(self.case.name));
        insert(&mut question, "robots", &self.file.body);
        match &self.case.asker {
            Asker::Agent(agent) => insert(&mut question, "agent", agent),
            Asker::Agents(agents) => drop(question.insert("agents".into(), json!(agents))),
            Asker::Crawler(name) => drop(question.insert("crawler".into(), json!(name))),
            _ => {}
        }
        insert(&mut question, "url", &self.case.url);
        Value::Object(question)
    }
}

fn insert(object: &mut Map<String, Value>, name: &str, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => object.insert(name.into(), json!(text)),
        Err(_) => object.insert(format!("{name}_b64"), json!(BASE64.encode(bytes))),
    };
}

/// Runs a program, writes the questions to it and reads as many lines, until it ends or its time is up.
fn ask(command: &mut Command, questions: Vec<String>, deadline: Instant) -> Result<Vec<String>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (stdin, stdout) = (child.stdin.take().context("no input")?, child.stdout.take().context("no output")?);
    let most = questions.len();
    // Neither thread is waited for: a grandchild of the program may hold its pipes open for ever.
    thread::spawn(move || {
        let mut stdin = BufWriter::new(stdin);
        for question in questions {
            // A program that has seen enough may go; what it did not answer counts as unanswered.
            if writeln!(stdin, "{question}").is_err() {
                break;
            }
        }
    });
    let (sender, receiver) = mpsc::sync_channel(1_024);
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        for _ in 0..most {
            let mut line = Vec::new();
            // No answer needs a megabyte.
            match stdout.by_ref().take(1 << 20).read_until(b'\n', &mut line) {
                Ok(1..) if sender.send(String::from_utf8_lossy(&line).into_owned()).is_ok() => {}
                _ => break,
            }
        }
    });
    let mut answers = Vec::with_capacity(most);
    while answers.len() < most {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(answer) => answers.push(answer),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                stop(&mut child);
                eprintln!("{}", paint(style::NO_VERDICT, "its time is up: the rest counts as unanswered"));
                break;
            }
        }
    }
    stop(&mut child);
    Ok(answers)
}

/// It has answered, or had its time.
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
    url: String,
    expected: String,
    found: String,
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
            url: String::from_utf8_lossy(&asked.case.url).into_owned(),
            expected: asked.expected.to_string(),
            found,
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
            let url = Escaped(difference.url.as_bytes());
            writeln!(out, "{} ({})", paint(style::STRONG, &difference.case), difference.theme)?;
            if !difference.clause.is_empty() || !difference.why.is_empty() {
                writeln!(out, "  {}", [difference.clause.as_str(), &difference.why].join(" ").trim())?;
            }
            let found = Escaped(difference.found.as_bytes()).to_string();
            writeln!(out, "  {url}: expected {}, found {}\n", difference.expected, paint(style::DISALLOWED, found))?;
        }
        for (name, theme) in &self.themes {
            let style = if theme.agree == theme.of { style::ALLOWED } else { style::DISALLOWED };
            writeln!(out, "{:<24}{}", name, paint(style, format!("{:>5} of {:>5}", theme.agree, theme.of)))?;
        }
        let count = self.agree + self.differ + self.unanswered;
        let percent = 100.0 * self.agree as f64 / count.max(1) as f64;
        writeln!(out, "\n{} of {count} agree ({percent:.1} %), {} dialect", self.agree, self.dialect)?;
        if self.unanswered > 0 {
            writeln!(out, "{} were not answered", self.unanswered)?;
        }
        if !all && self.differences.len() > 1 {
            writeln!(out, "--all shows every case that differs")?;
        }
        Ok(())
    }
}

/// `allowed`, and the line if the program names one.
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
