//! Runs the cases against any robots.txt parser, and prints its score.

mod program;
mod score;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;
use comity_testdata::{Case, ExpectedAnswer, File, suite};
use serde_json::{Value, json};

use score::Score;

const HELP: &str = "\
The program reads one JSON object per line from its standard input:
  {\"id\": \"...\", \"robots\": \"...\", \"agent\": \"...\", \"url\": \"...\"}
with robots_b64, agent_b64 or url_b64 if the bytes are not UTF-8, `agents` instead of `agent` if the groups of several \
tokens are to be merged, and `crawler` for a known crawler with its fallback tokens. It writes one line for each:
  {\"allowed\": true}      or with the deciding line: {\"allowed\": false, \"line\": 2}
`null` means no verdict, and {\"error\": \"...\"} that the program cannot answer. Answers with the `id` of their question \
may be in any order; answers without are in the order of the questions.

Examples:
  conformance --cmd comity -- batch
  conformance --cmd python3 --dialect google-parser -- my_parser.py

Exit codes: 0 all answers agree, 1 some differ, 2 the program could not be run";

/// Runs comity's test cases against a robots.txt parser, and prints its score
#[derive(Debug, Parser)]
#[command(name = "conformance", version, after_help = HELP)]
struct Options {
    /// The program to test
    #[arg(long, value_name = "PROGRAM")]
    cmd: PathBuf,

    /// Its arguments
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,

    /// The dialect whose answers are expected, for example google-parser
    #[arg(long, value_name = "DIALECT", default_value = "standard")]
    dialect: String,

    /// The timeout of the program, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Show every case that differs, instead of the first of each topic
    #[arg(long)]
    all: bool,

    /// Print the score as JSON
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// A case that has an answer in the dialect.
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

/// Returns true if all answers agree.
fn run(options: &Options) -> Result<bool> {
    let suite = suite();
    let asked: Vec<Asked<'_>> = suite
        .cases_in(&options.dialect)
        .filter_map(|(file, case)| Some(Asked { file, case, expected: case.answer_in(&options.dialect)? }))
        .collect();
    ensure!(!asked.is_empty(), "expected a dialect, such as standard or google-parser, found {:?}", options.dialect);
    let questions: Vec<String> = asked.iter().map(|asked| asked.question().to_string()).collect();
    let deadline = Instant::now() + Duration::from_secs(options.timeout);
    let name = options.cmd.display().to_string();
    let answers = program::ask(Command::new(&options.cmd).args(&options.arguments), questions, deadline)
        .with_context(|| format!("{name:?} could not be run"))?;

    let mut score = Score::new(&options.dialect);
    let by_name = by_name(&answers.lines);
    for (index, asked) in asked.iter().enumerate() {
        let line = by_name.get(asked.case.name.as_str()).copied().or_else(|| {
            // Without names, the order shows which question each line answers.
            answers.lines.get(index).map(String::as_str).filter(|_| by_name.is_empty())
        });
        score.count(asked, line);
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&score)?);
    } else {
        score.print(options.all)?;
    }
    if answers.lines.len() < asked.len() {
        bail!("{name:?} {} after {} of {} answers", answers.end, answers.lines.len(), asked.len());
    }
    Ok(score.agree == asked.len())
}

/// Returns the answers by the names of their questions, if the answers contain names.
fn by_name(lines: &[String]) -> HashMap<String, &str> {
    let name = |line: &str| Some(serde_json::from_str::<Value>(line).ok()?.get("id")?.as_str()?.to_owned());
    lines.iter().filter_map(|line| Some((name(line)?, line.as_str()))).collect()
}
