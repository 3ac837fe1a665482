//! The fuzz targets. They are built once, and as many run at a time as there are processors.

use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::machine::{self, Missing};
use crate::tools::FUZZ;
use crate::{packages, shell};

/// The starting point of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The same one each time, so a new finding is due to a change.
    Fixed,
    /// A random one.
    Random,
}

/// The sanitizer of the fuzz targets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sanitizer {
    /// Finds errors in unsafe code, of which the targets have little: only in dependencies.
    Address,
    /// Builds faster, and tries more inputs in the same time.
    None,
}

impl Sanitizer {
    /// Returns the option of `cargo fuzz`.
    fn option(self) -> &'static str {
        match self {
            Self::Address => "--sanitizer=address",
            Self::None => "--sanitizer=none",
        }
    }
}

/// Fuzzes each target for this number of seconds. Fails if a program is missing for it.
pub(crate) fn run(seconds: u32) -> Result<bool> {
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    all(seconds, Start::Random, Sanitizer::Address)?;
    Ok(true)
}

/// Returns a note if fuzzing is not possible here.
pub(crate) fn missing() -> Missing {
    toolchain_missing().or_else(|| FUZZ.missing()).or_else(|| packages::missing("c++"))
}

/// Returns a note if the fuzz targets or the toolchain that builds them are missing.
pub(crate) fn toolchain_missing() -> Missing {
    machine::file("fuzz/Cargo.toml").or_else(|| machine::toolchain("nightly"))
}

/// The options of libFuzzer: an input that takes ten seconds is a hang, and inputs are not logged one by one.
const OPTIONS: &str = "-timeout=10 -verbosity=0 -print_final_stats=1";

/// Fuzzes each target. Continues after a target that fails.
pub(crate) fn all(seconds: u32, start: Start, sanitizer: Sanitizer) -> Result<()> {
    let list =
        shell::output("cargo +nightly fuzz list").context("`cargo +nightly fuzz list` failed; run it to see why")?;
    ensure!(!list.trim().is_empty(), "`cargo +nightly fuzz list` names no target");
    let sanitizer = sanitizer.option();
    shell::run(&format!("cargo +nightly fuzz build {sanitizer}"))?;
    // libFuzzer selects a random seed for 0.
    let seed = u8::from(start == Start::Fixed);
    let options = format!("-max_total_time={seconds} -seed={seed} {OPTIONS}");
    let targets = Mutex::new(list.split_whitespace());
    let next = || targets.lock().ok()?.next();
    let errors = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(target) = next() {
                    let line = format!("cargo +nightly fuzz run {sanitizer} {target} -- {options}");
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
