//! The fuzz targets, run one after the other.

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

/// Fuzzes each target for this number of seconds. Fails if a program is missing for it.
pub(crate) fn run(seconds: u32) -> Result<bool> {
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    all(seconds, Start::Random)?;
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
pub(crate) fn all(seconds: u32, start: Start) -> Result<()> {
    let list =
        shell::output("cargo +nightly fuzz list").context("`cargo +nightly fuzz list` failed; run it to see why")?;
    ensure!(!list.trim().is_empty(), "`cargo +nightly fuzz list` names no target");
    // libFuzzer selects a random seed for 0.
    let seed = u8::from(start == Start::Fixed);
    let options = format!("-max_total_time={seconds} -seed={seed} {OPTIONS}");
    let run = |target| shell::run(&format!("cargo +nightly fuzz run {target} -- {options}"));
    let errors: Vec<String> =
        list.split_whitespace().filter_map(|target| run(target).err()).map(|error| error.to_string()).collect();
    ensure!(errors.is_empty(), "{}", errors.join("\n"));
    Ok(())
}
