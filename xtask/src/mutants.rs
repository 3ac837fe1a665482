//! Mutation testing of the code that must not fail open. `.cargo/mutants.toml` names the files, and the accepted
//! survivors.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::machine::Missing;
use crate::shell;
use crate::tools::{MUTANTS, NEXTEST};

/// Tests of other crates are not run for a mutant, so a gap is closed in the crate that has it.
const COMMAND: &str = "cargo mutants --workspace --jobs 1 --no-shuffle --output target";

/// The configuration, which names the mutated files.
const CONFIG: &str = ".cargo/mutants.toml";

/// The mutants that no test noticed, one per line.
const SURVIVORS: &str = "target/mutants.out/missed.txt";

/// Returns a note if a program is missing.
pub(crate) fn missing() -> Missing {
    MUTANTS.missing().or_else(|| NEXTEST.missing())
}

/// Runs all mutants, which takes hours. Fails if one survives, and names it.
pub(crate) fn run() -> Result<()> {
    let config = fs::read_to_string(CONFIG).with_context(|| format!("cannot read {CONFIG}"))?;
    let lost = unmatched(Path::new("."), &config);
    if !lost.is_empty() {
        bail!("no file matches these entries of {CONFIG}, so nothing would be mutated there: {}", lost.join(", "));
    }
    match shell::exit_code(COMMAND)? {
        // 3: a mutant was stopped because it took too long, so it was noticed.
        Some(0 | 3) => Ok(()),
        Some(2) => {
            let survivors = fs::read_to_string(SURVIVORS).with_context(|| format!("cannot read {SURVIVORS}"))?;
            bail!(
                "no test notices these changes; add tests, or a reason to .cargo/mutants.toml:\n{}",
                survivors.trim_end()
            )
        }
        Some(4) => bail!("the tests fail without any mutant, in a copy of the tree: see target/mutants.out/log"),
        code => bail!("`{COMMAND}` failed: exit code {code:?}"),
    }
}

/// Returns the entries of `examine_globs` in a configuration that match no file of the workspace. An entry is a file, or
/// a folder with `/*.rs`; any other form is returned, too.
fn unmatched<'c>(workspace: &Path, config: &'c str) -> Vec<&'c str> {
    let list = config.split_once("examine_globs = [").map_or("", |(_, rest)| rest);
    let entries = list.lines().take_while(|line| *line != "]").filter_map(|line| line.split('"').nth(1));
    let is_source = |entry: fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "rs");
    let matches = |entry: &str| match entry.strip_suffix("/*.rs") {
        Some(folder) => {
            fs::read_dir(workspace.join(folder)).is_ok_and(|mut files| files.any(|file| file.is_ok_and(is_source)))
        }
        None => workspace.join(entry).is_file(),
    };
    entries.filter(|entry| !matches(entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_matches_a_file() {
        let workspace = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let config = fs::read_to_string(workspace.join(CONFIG)).unwrap();
        assert!(config.matches(".rs\",\n").count() >= 16, "{config}");
        assert_eq!(unmatched(workspace, &config), [""; 0]);

        let moved = "crates/comity-server/src/access.rs";
        let lost = config.replace("crates/comity-lint/src/apply.rs", moved).replace("address/*.rs", "addresses/*.rs");
        assert_eq!(unmatched(workspace, &lost), ["crates/comity-fetch/src/addresses/*.rs", moved]);
        assert_eq!(
            unmatched(workspace, "examine_globs = [\n    \"docs/*.rs\",\n    \"crates/**/*.rs\",\n]\n"),
            ["docs/*.rs", "crates/**/*.rs"]
        );
    }
}
