//! The cost of starting the command, compared with that of starting an empty Rust program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::callgrind;

#[derive(Debug, Serialize)]
pub(crate) struct Start {
    pub(crate) command: Process,
    pub(crate) empty: Process,
}

/// The costs of one program, which is started many times.
#[derive(Debug, Serialize)]
pub(crate) struct Process {
    /// The milliseconds from the start to the end of the program, for each run.
    pub(crate) milliseconds: Vec<f64>,
    /// The number of page faults that needed no disk, if `/usr/bin/time` is installed.
    pub(crate) page_faults: Option<u64>,
    /// The number of instructions, if valgrind is installed.
    pub(crate) instructions: Option<u64>,
}

/// Starts `comity check` on a small local file and an empty program, in turn.
pub(crate) fn measure(comity: &Path, runs: usize) -> Result<Start> {
    let folder = std::env::temp_dir().join(format!("comity-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let robots = folder.join("robots.txt");
    std::fs::write(&robots, "User-agent: *\nDisallow: /private/\nAllow: /private/map.html\n")?;
    let robots = robots.to_string_lossy();
    // The programs are copied, as an installation does. A file that a linker wrote is in the page cache in many small
    // pieces, and starts more slowly until it is read from disk again.
    let install = |program: &Path, name: &str| -> Result<String> {
        let to = folder.join(name);
        std::fs::copy(program, &to).with_context(|| format!("cannot copy {}", program.display()))?;
        Ok(to.to_string_lossy().into_owned())
    };
    let command = [&*install(comity, "comity")?, "check", "--robots", &*robots, "/private/map.html"].map(str::to_owned);
    let empty = [install(&sibling("empty")?, "empty")?];
    let (mut command_took, mut empty_took) = (Vec::new(), Vec::new());
    for run in 0..runs {
        // The second program of a run finds less of itself in the caches, so the order alternates.
        let mut turns = [(&command[..], &mut command_took), (&empty[..], &mut empty_took)];
        if run % 2 == 1 {
            turns.reverse();
        }
        for (words, took) in turns {
            took.push(milliseconds(words)?);
        }
    }
    let result = Start { command: describe(&command, command_took), empty: describe(&empty, empty_took) };
    std::fs::remove_dir_all(&folder)?;
    Ok(result)
}

/// Returns the path of another program of this package.
pub(crate) fn sibling(name: &str) -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Returns the milliseconds from the start to the end of a program, which must succeed.
pub(crate) fn milliseconds(words: &[String]) -> Result<f64> {
    let start = Instant::now();
    let status = Command::new(&words[0]).args(&words[1..]).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot start {}", words[0]))?;
    anyhow::ensure!(status.success(), "`{}` failed: {status}", words.join(" "));
    Ok(start.elapsed().as_secs_f64() * 1_000.0)
}

fn describe(words: &[String], milliseconds: Vec<f64>) -> Process {
    Process { milliseconds, page_faults: page_faults(words), instructions: callgrind::instructions(words).ok() }
}

fn page_faults(words: &[String]) -> Option<u64> {
    let output = Command::new("/usr/bin/time").args(["-f", "%R"]).args(words).output().ok()?;
    String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok()
}
