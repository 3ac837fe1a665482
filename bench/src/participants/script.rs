//! Parsers in other languages. Each is a process that reads requests and writes answers, one JSON value per line.
//!
//! The process measures the time itself, around its own loop, so the figures do not include its start and the pipe.
//!
//! ```text
//! → {"load": [{"body": "…", "agent": "…", "urls": ["…"]}]}
//! ← {}
//! → {"verify": "one-shot" | "parse" | "decide", "cap_ns": 1}
//! ← {"given": "10e", "took_ns": 1, "in_time": true, "failed_bodies": 0}
//! → {"time": "decide", "passes": 1}
//! ← {"build_ns": 1, "rest_ns": 1}
//! ```

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Answer, Answers, Invited, Participant, Skipped, Timing};
use crate::definition::Model;
use crate::memory::Footprint;
use crate::work::Case;

/// The timeout for answers that need no work.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Script {
    name: &'static str,
    interpreter: &'static str,
    file: &'static str,
    version: String,
    /// The process. `None` after it was stopped; it is started again when it is needed.
    process: Option<Process>,
    /// The cases that the process has loaded, identified by the address of the first one and their number.
    loaded: Option<(*const Case, usize)>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Value>,
}

impl Script {
    /// Starts the script. Returns the reason if its language or its parser is not installed.
    pub(super) fn start(name: &'static str, interpreter: &'static str, file: &'static str) -> Invited {
        let (process, version) = Process::start(interpreter, file).map_err(|why| Skipped { name, why })?;
        Ok(Box::new(Self { name, interpreter, file, version, process: Some(process), loaded: None }))
    }

    /// Sends a request. Returns `None` if there is no answer in time. In this case, the process is stopped.
    fn ask(&mut self, request: &Value, patience: Duration) -> Option<Value> {
        if self.process.is_none() {
            self.process = Process::start(self.interpreter, self.file).ok().map(|(process, _)| process);
        }
        let process = self.process.as_mut()?;
        let sent = writeln!(process.requests, "{request}").ok();
        let answer = sent.and_then(|()| process.answers.recv_timeout(patience).ok());
        if answer.is_none() {
            self.process = None;
            self.loaded = None;
        }
        answer
    }

    fn load(&mut self, cases: &[Case]) -> Option<()> {
        let these = (cases.as_ptr(), cases.len());
        if self.loaded != Some(these) {
            let case = |case: &Case| {
                let urls: Vec<&str> = case.questions.iter().map(|question| &*question.url).collect();
                json!({ "body": case.body.text, "agent": case.agent, "urls": urls })
            };
            self.ask(&json!({ "load": cases.iter().map(case).collect::<Vec<_>>() }), ANSWER_TIMEOUT)?;
            self.loaded = Some(these);
        }
        Some(())
    }
}

impl Process {
    /// Starts a process, and returns it with its version, which it writes first. Returns an error text if it cannot
    /// take part.
    fn start(interpreter: &str, file: &str) -> Result<(Self, String), String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/participants").join(file);
        let mut child = Command::new(interpreter)
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start `{interpreter}`: {error}"))?;
        let (Some(requests), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("`{interpreter}` has no pipes"));
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            for answer in lines.map_while(|line| serde_json::from_str(&line).ok()) {
                if send.send(answer).is_err() {
                    return;
                }
            }
        });
        let process = Self { child, requests, answers };
        let hello: Value =
            process.answers.recv_timeout(ANSWER_TIMEOUT).map_err(|_| format!("`{interpreter} {file}` says nothing"))?;
        match hello["version"].as_str() {
            Some(version) => Ok((process, version.into())),
            None => Err(hello["missing"].as_str().unwrap_or("it gave no version").into()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Participant for Script {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn verify(&mut self, model: Model, cases: &[Case], cap: Duration) -> Answers {
        // The cases of another workload may have been at the same address.
        self.loaded = None;
        let request = json!({ "verify": model, "cap_ns": cap.as_nanos() as u64 });
        let Some(answer) = self.load(cases).and_then(|()| self.ask(&request, cap * 2 + ANSWER_TIMEOUT)) else {
            return Answers::default();
        };
        let given = answer["given"].as_str().unwrap_or_default().bytes().map(|letter| match letter {
            b'1' => Answer::Allowed,
            b'0' => Answer::Disallowed,
            _ => Answer::Panicked,
        });
        Answers {
            given: given.collect(),
            took: nanoseconds(&answer["took_ns"]),
            in_time: answer["in_time"] == true,
            panicked_bodies: answer["failed_bodies"].as_u64().unwrap_or(0) as usize,
        }
    }

    fn time(&mut self, model: Model, cases: &[Case], passes: u32) -> Option<Timing> {
        self.load(cases)?;
        let answer = self.ask(&json!({ "time": model, "passes": passes }), ANSWER_TIMEOUT * 10)?;
        Some(Timing { build: nanoseconds(&answer["build_ns"]), rest: nanoseconds(&answer["rest_ns"]) })
    }

    fn footprint(&mut self, _: &[Case]) -> Option<Footprint> {
        None
    }
}

fn nanoseconds(value: &Value) -> Duration {
    Duration::from_nanos(value.as_u64().unwrap_or(0))
}
