//! The program that is tested: it gets all questions at once, and answers until it ends or the time is over.

use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

pub(crate) struct Answers {
    pub(crate) lines: Vec<String>,
    /// The end of the program in words, for example "was stopped".
    pub(crate) end: String,
}

/// The time that a program may continue to run after it has answered everything.
const MAX_TIME_AFTER_ANSWERS: Duration = Duration::from_millis(500);

/// Runs a program, writes the questions to it and reads its answers, until it ends or the deadline passes.
pub(crate) fn ask(command: &mut Command, questions: Vec<String>, deadline: Instant) -> Result<Answers> {
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

fn stop(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
