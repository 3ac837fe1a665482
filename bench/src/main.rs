//! The benchmarks. `cargo xtask bench` builds what they need and runs them.
//!
//! ```text
//! bench [--quick] [--generated] [--only NAME] [--comity PROGRAM] --out FOLDER --page FILE
//! bench meaning [--quick | --comity PROGRAM]
//! ```

mod agreement;
mod allocator;
#[allow(dead_code, reason = "the gate uses the rest")]
mod callgrind;
mod definition;
#[allow(dead_code, reason = "the gate uses the rest")]
mod machine;
mod meaning;
mod memory;
mod participants;
mod report;
mod results;
mod rounds;
mod run;
mod scale;
mod start;
mod trial;
#[allow(dead_code, reason = "the gate uses the rest")]
mod work;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::run::Options;

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command that the arguments name. Returns false if a limit is exceeded.
fn run(arguments: &[&str]) -> Result<bool> {
    match *arguments {
        ["meaning"] => meaning::run(false, None),
        ["meaning", "--quick"] => meaning::run(true, None),
        ["meaning", "--comity", program] => meaning::run(false, Some(program.as_ref())),
        ["meaning", ..] => bail!("bench meaning [--quick | --comity PROGRAM]"),
        // A run starts this first, as a process that can be stopped.
        ["trial", workload, index, participant, questions] => {
            trial::run(workload, index.parse()?, participant, questions.parse()?)
        }
        _ => run::run(&Options::parse(arguments)?),
    }
}
