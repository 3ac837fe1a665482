//! The fuzz targets. They are built once, and as many run at a time as there are processors.

use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::machine::{self, Missing};
use crate::tools::FUZZ;
use crate::{packages, shell};

/// Fuzzes each target for this number of seconds. Fails if a program is missing for it.
pub(crate) fn run(seconds: u32) -> Result<bool> {
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    all(seconds)?;
    Ok(true)
}

/// Returns a note if fuzzing is not possible here.
pub(crate) fn missing() -> Missing {
    toolchain_missing().or_else(|| FUZZ.missing()).or_else(|| packages::missing("c++"))
}

/// Compiles the targets with the toolchain of the workspace, without running them.
pub(crate) const COMPILE: &str = "cargo check --locked --manifest-path fuzz/Cargo.toml --target-dir target";

/// Returns a note if a program is missing for [`COMPILE`].
pub(crate) fn compiling_missing() -> Missing {
    machine::file("fuzz/Cargo.toml").or_else(|| packages::missing("c++"))
}

/// Returns a note if the fuzz targets or the toolchain that builds them are missing.
pub(crate) fn toolchain_missing() -> Missing {
    machine::file("fuzz/Cargo.toml").or_else(|| machine::toolchain("nightly"))
}

/// The options of libFuzzer: an input that takes ten seconds is a hang, and inputs are not logged one by one.
const OPTIONS: &str = "-timeout=10 -verbosity=0 -print_final_stats=1";

/// Fuzzes each target, from a random start and with the address sanitizer. Continues after a target that fails.
pub(crate) fn all(seconds: u32) -> Result<()> {
    let list =
        shell::output("cargo +nightly fuzz list").context("`cargo +nightly fuzz list` failed; run it to see why")?;
    ensure!(!list.trim().is_empty(), "`cargo +nightly fuzz list` names no target");
    shell::run("cargo +nightly fuzz build")?;
    let options = format!("-max_total_time={seconds} {OPTIONS}");
    let targets = Mutex::new(list.split_whitespace());
    let next = || targets.lock().ok()?.next();
    let errors = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(target) = next() {
                    let line = format!("cargo +nightly fuzz run {target} -- {options}");
                    if let (Err(error), Ok(mut errors)) = (shell::run_collected(&line), errors.lock()) {
                        errors.push(error.to_string());
                    }
                }
            });
        }
    });
    let errors = errors.into_inner().unwrap_or_default();
    ensure!(errors.is_empty(), "{}", errors.join("\n"));
    Ok(())
}
