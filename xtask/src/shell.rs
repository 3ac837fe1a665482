//! Commands, written as you would type them: `NAME=value program argument …`, without quotes.

use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::counts::{Counts, Runner, Tally};

/// What makes cargo, and rustfmt, print plain text.
const COLOURLESS: [(&str, &str); 2] = [("CARGO_TERM_COLOR", "never"), ("TERM", "dumb")];

/// Runs a command, its output going where ours goes.
pub(crate) fn run(line: &str) -> Result<()> {
    println!("$ {line}");
    let status = command(line)?.status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}` failed: {status}");
    Ok(())
}

/// Runs a command, its output going where ours goes. Returns its exit code; none if a signal ended it.
pub(crate) fn exit_code(line: &str) -> Result<Option<i32>> {
    println!("$ {line}");
    let status = command(line)?.status().with_context(|| format!("cannot start `{line}`"))?;
    Ok(status.code())
}

/// Runs a command that runs tests, passes its output on, and counts the tests.
pub(crate) fn run_tests(runner: Runner, line: &str) -> Result<(Counts, ExitStatus)> {
    println!("$ {line}");
    let mut child = command(line)?
        .envs(COLOURLESS)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let tally = std::thread::scope(|scope| {
        let stderr = scope.spawn(|| pass_on(runner, stderr));
        let stdout = pass_on(runner, stdout);
        stdout.and(stderr.join().unwrap_or_default())
    });
    Ok((tally.counts(), child.wait()?))
}

/// Prints what comes in, line by line, and counts.
fn pass_on(runner: Runner, stream: Option<impl Read>) -> Tally {
    let mut tally = Tally::default();
    for line in stream.into_iter().flat_map(|stream| BufReader::new(stream).split(b'\n')).map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tally.read(runner, &line);
    }
    tally
}

/// What a command prints, or nothing if it cannot run or fails.
pub(crate) fn output(line: &str) -> Option<String> {
    let output = command(line).ok()?.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn command(line: &str) -> Result<Command> {
    let mut words = line.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        variables.push((name, value));
        words.next();
    }
    let Some(program) = words.next() else { bail!("`{line}` names no program") };
    let mut command = Command::new(program);
    if !std::io::stdout().is_terminal() {
        command.envs(COLOURLESS);
    }
    command.args(words).envs(variables).stdin(Stdio::null());
    Ok(command)
}
