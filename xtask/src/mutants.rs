//! Mutation testing of the code that must not fail open. `.cargo/mutants.toml` names the files, and the accepted
//! survivors.

use anyhow::{Context, Result, bail};

use crate::machine::Missing;
use crate::shell;
use crate::tools::{MUTANTS, NEXTEST};

/// Tests of other crates are not run for a mutant, so a gap is closed in the crate that has it.
const COMMAND: &str = "cargo mutants --workspace --jobs 1 --no-shuffle --output target";

/// The mutants that no test noticed, one per line.
const SURVIVORS: &str = "target/mutants.out/missed.txt";

/// Returns a note if a program is missing.
pub(crate) fn missing() -> Missing {
    MUTANTS.missing().or_else(|| NEXTEST.missing())
}

/// Runs all mutants, which takes hours. Fails if one survives, and names it.
pub(crate) fn run() -> Result<()> {
    match shell::exit_code(COMMAND)? {
        // 3: a mutant was stopped because it took too long, so it was noticed.
        Some(0 | 3) => Ok(()),
        Some(2) => {
            let survivors = std::fs::read_to_string(SURVIVORS).with_context(|| format!("cannot read {SURVIVORS}"))?;
            bail!(
                "no test notices these changes; add tests, or a reason to .cargo/mutants.toml:\n{}",
                survivors.trim_end()
            )
        }
        Some(4) => bail!("the tests fail without any mutant, in a copy of the tree: see target/mutants.out/log"),
        code => bail!("`{COMMAND}` failed: exit code {code:?}"),
    }
}
