//! Runs commands, written as in a shell: `NAME=value program argument …`, without quotes.

use std::fs;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::counts::{self, Counts, Libtest, Report};
use crate::tools;

/// Variables that make cargo and rustfmt print plain text.
const COLORLESS: [(&str, &str); 2] = [("CARGO_TERM_COLOR", "never"), ("TERM", "dumb")];

/// The variable of incremental builds. All steps have the same value: another one is another build of each crate.
const INCREMENTAL: &str = "CARGO_INCREMENTAL";

/// Runs a command. Its output is not captured.
pub(crate) fn run(line: &str) -> Result<()> {
    println!("$ {line}");
    let status = command(line)?.status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}` failed: {status}");
    Ok(())
}

/// Runs a command beside others. Its output is printed in one piece when it has ended.
pub(crate) fn run_collected(line: &str) -> Result<()> {
    let output = command(line)?.output().with_context(|| format!("cannot start `{line}`"))?;
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    println!("$ {line}\n{out}{err}");
    ensure!(output.status.success(), "`{line}` failed: {}", output.status);
    Ok(())
}

/// Runs a command. Its output is not captured. Returns its exit code; `None` if a signal ended it.
pub(crate) fn exit_code(line: &str) -> Result<Option<i32>> {
    println!("$ {line}");
    let status = command(line)?.status().with_context(|| format!("cannot start `{line}`"))?;
    Ok(status.code())
}

/// Runs `cargo test`, passes its output on, and counts the tests.
pub(crate) fn run_libtest(line: &str) -> Result<(Counts, ExitStatus)> {
    println!("$ {line}");
    let mut child = command(line)?
        .envs(COLORLESS)
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    let mut tests = Libtest::default();
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).split(b'\n')).map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tests.read(&line);
    }
    Ok((tests.counts(), child.wait()?))
}

/// Runs a command that writes a report of tests in the format of `JUnit`, and counts the tests of the report.
pub(crate) fn run_reported(line: &str, report: &Path) -> Result<(Report, ExitStatus)> {
    println!("$ {line}");
    // The report of an earlier run must not count if this run does not reach the tests.
    if report.exists() {
        fs::remove_file(report).with_context(|| report.display().to_string())?;
    }
    if let Some(folder) = report.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let status = command(line)?.status().with_context(|| format!("cannot start `{line}`"))?;
    let report = match fs::read_to_string(report) {
        Ok(text) => counts::junit(&text)?,
        Err(error) if status.success() => return Err(error).with_context(|| report.display().to_string()),
        Err(_) => Report::default(),
    };
    Ok((report, status))
}

/// Returns the output of a command; nothing if it cannot run or fails.
pub(crate) fn output(line: &str) -> Option<String> {
    let output = command(line).ok()?.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Parses a command. Programs that were built into the target folder are found, too.
pub(crate) fn command(line: &str) -> Result<Command> {
    let mut words = line.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        variables.push((name, value));
        words.next();
    }
    let Some(program) = words.next() else { bail!("`{line}` names no program") };
    let mut command = Command::new(program);
    // Cargo finds its subcommands in the path.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let tools = std::path::absolute(tools::folder().join("bin"))?;
    command.env("PATH", std::env::join_paths(std::env::split_paths(&path).chain([tools]))?);
    if !std::io::stdout().is_terminal() {
        command.envs(COLORLESS);
    }
    // Cargo sets variables of this package, which build scripts of others (of ring) read: with them, half of the workspace
    // was built again for each `cargo test` after a `cargo xtask test`.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    // What the next build of the same crates would need takes a third of the time of a first one.
    if std::env::var_os(INCREMENTAL).is_none() {
        command.env(INCREMENTAL, "0");
    }
    command.args(words).envs(variables).stdin(Stdio::null());
    Ok(command)
}
