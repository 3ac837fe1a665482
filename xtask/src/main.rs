//! The chores of this workspace: `cargo xtask help`.

mod bench;
mod counts;
mod described;
mod fuzz;
mod machine;
mod msrv;
mod mutants;
mod packages;
mod page;
mod publish;
mod shell;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
The chores of this workspace.

cargo xtask test [--long]        every check and every test, and a summary of them
    --long                       fuzz each target for ten minutes instead of fifteen seconds, load the service for five
                                 minutes instead of one, and test the tests by mutants of the code, which takes hours
cargo xtask fuzz [--seconds N]   fuzz each target for N seconds (60 unless you say)
cargo xtask bench [--quick] [--generated]
                                 measure comity and its peers, and write docs/performance
    --serve                      what answers of the service cost a processor, instead
    --gate                       count instructions instead, and fail if a budget is exceeded
    --gate --bless               make today's counts the budgets
cargo xtask help                 this text

On Debian, and as root, `test` installs the packages that some tests need; elsewhere it skips them and says so.
Reference data is looked for in ../shared, or in the folder that COMITY_SHARED names.
Tests that need it skip themselves without it.
";

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

/// Does what the arguments say; returns whether all went well.
fn run(arguments: &[&str]) -> Result<bool> {
    std::env::set_current_dir(workspace::root()).context("cannot enter the workspace")?;
    match *arguments {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        ["test"] => test::run(&test::SHORT),
        ["test", "--long"] => test::run(&test::LONG),
        ["fuzz"] => fuzz::run(60),
        ["fuzz", "--seconds", seconds] => {
            fuzz::run(seconds.parse().with_context(|| format!("--seconds takes a whole number, not {seconds:?}"))?)
        }
        ["bench", "--serve"] => bench::serve(),
        ["bench", "--gate"] => bench::gate(false),
        ["bench", "--gate", "--bless"] => bench::gate(true),
        ["bench", ref options @ ..] => bench::run(options),
        _ => bail!("`{}` is not a chore; `cargo xtask help` lists them", arguments.join(" ")),
    }
}
