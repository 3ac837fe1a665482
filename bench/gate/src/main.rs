//! The gate, in a package without the peers, which take several minutes to build.
//!
//! ```text
//! comity-bench-gate [--quick | --bless]
//! ```

#![expect(dead_code, reason = "the benchmarks use more of these modules")]

#[path = "../../src/callgrind.rs"]
mod callgrind;
#[path = "../../src/definition.rs"]
mod definition;
#[path = "../../src/gate.rs"]
mod gate;
#[path = "../../src/gated.rs"]
mod gated;
#[path = "../../src/machine.rs"]
mod machine;
mod meaning;
#[path = "../../src/scale.rs"]
mod scale;
#[path = "../../src/work/mod.rs"]
mod work;

use std::process::ExitCode;

use anyhow::{Result, bail};

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

/// Runs the command that the arguments name. Returns false if a budget is exceeded.
fn run(arguments: &[&str]) -> Result<bool> {
    match *arguments {
        [] => gate::judge(&gated::all()),
        ["--quick"] => gate::judge(&gated::quick()),
        ["--bless"] => gate::bless(),
        // The gate runs this under valgrind.
        ["gated", workload] => gated::run(workload, 1),
        _ => bail!("expected no argument, --quick or --bless"),
    }
}
