//! Instruction counts, by valgrind's callgrind.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Returns the number of instructions of a whole process.
pub(crate) fn instructions(words: &[String]) -> Result<u64> {
    count(&[], words)
}

/// Returns the number of instructions of a process while it is in functions whose names match this pattern.
pub(crate) fn instructions_in(function: &str, words: &[String]) -> Result<u64> {
    count(&[format!("--toggle-collect={function}")], words)
}

fn count(options: &[String], words: &[String]) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(options)
        .args(words)
        .output()
        .context("cannot start valgrind")?;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{}` failed under valgrind:\n{log}", words.join(" "));
    // `==123== Collected : 4567`
    let count = log.lines().find_map(|line| line.split_once("Collected :")?.1.split_whitespace().next()?.parse().ok());
    count.context("callgrind printed no count")
}
