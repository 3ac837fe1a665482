//! The fuzz targets, one after the other.

use anyhow::{Context, Result, bail, ensure};

use crate::machine::{self, Missing};
use crate::{packages, shell};

/// Where a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At the same place each time: what it finds was changed, not met by chance.
    Fixed,
    /// Anywhere.
    Random,
}

/// Fuzzes each target for so many seconds, or says what is missing for it.
pub(crate) fn run(seconds: u32) -> Result<bool> {
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    all(seconds, Start::Random)?;
    Ok(true)
}

pub(crate) fn missing() -> Missing {
    machine::file("fuzz/Cargo.toml")
        .or_else(|| machine::toolchain("nightly"))
        .or_else(|| machine::cargo_tool("fuzz", "cargo install --locked cargo-fuzz"))
        .or_else(|| packages::missing("c++"))
}

/// What libFuzzer is told: an input that takes ten seconds is a hang, and a log needs no line for each input found.
const OPTIONS: &str = "-timeout=10 -verbosity=0 -print_final_stats=1";

/// Goes on after a target that fails, so that one run finds what it can.
pub(crate) fn all(seconds: u32, start: Start) -> Result<()> {
    let list =
        shell::output("cargo +nightly fuzz list").context("`cargo +nightly fuzz list` failed; run it to see why")?;
    ensure!(!list.trim().is_empty(), "`cargo +nightly fuzz list` names no target");
    // libFuzzer takes 0 for any.
    let seed = u8::from(start == Start::Fixed);
    let options = format!("-max_total_time={seconds} -seed={seed} {OPTIONS}");
    let run = |target| shell::run(&format!("cargo +nightly fuzz run {target} -- {options}"));
    let errors: Vec<String> =
        list.split_whitespace().filter_map(|target| run(target).err()).map(|error| error.to_string()).collect();
    ensure!(errors.is_empty(), "{}", errors.join("\n"));
    Ok(())
}
