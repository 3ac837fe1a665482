//! The configuration of CI, which cannot run here: its syntax, by GitHub's schemas, and what zizmor finds in it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::super::python;
use crate::machine::Missing;
use crate::workspace::Workspace;
use crate::{packages, shell};

/// The workflows.
const WORKFLOWS: &str = ".github/workflows/ci.yml .github/workflows/release.yml .github/workflows/site.yml";

/// Returns a note if the checks cannot run.
pub(crate) fn missing() -> Missing {
    python::missing().or_else(|| packages::missing("shellcheck"))
}

/// The scripts of packages, and of the action.
const SCRIPTS: &str = "action/install.sh packaging/take-back.sh packaging/homebrew/formula.sh packaging/notes.sh \
                       packaging/deb/postinst packaging/deb/postrm packaging/deb/prerm";

/// Checks the workflows, the action and the scripts.
pub(crate) fn run() -> Result<()> {
    let [schema, zizmor] = ["check-jsonschema", "zizmor"].map(python::tool);
    let (schema, zizmor) = (schema.display(), zizmor.display());
    shell::run(&format!("{schema} --builtin-schema vendor.github-workflows {WORKFLOWS}"))?;
    shell::run(&format!("{schema} --builtin-schema vendor.github-actions action.yml"))?;
    shell::run(&format!("{schema} --builtin-schema vendor.github-workflows examples/ci/github.yml"))?;
    shell::run(&format!("{schema} --builtin-schema vendor.gitlab-ci examples/ci/gitlab.yml"))?;
    shell::run(&format!("{zizmor} --offline --quiet --strict-collection {WORKFLOWS} action.yml"))?;
    shell::run(&format!("shellcheck {SCRIPTS}"))?;
    take_back()?;
    formula()?;
    notes()
}

/// The script that takes a release back yanks every crate that has its version, and names the others. Nothing is yanked
/// here.
fn take_back() -> Result<()> {
    let printed = shell::output("DRY_RUN=1 packaging/take-back.sh 0.1.0").context("packaging/take-back.sh failed")?;
    let workspace = Workspace::load()?;
    let published = workspace.published();
    let command = published.iter().find(|package| package.name() == "comity-cli");
    let version = command.context("the workspace has no crate `comity-cli`")?.version();
    for package in published {
        let line = if package.version() == version {
            format!("$ cargo yank --version 0.1.0 {}", package.name())
        } else {
            format!("- Yank {0}: cargo yank --version OWN {0}", package.name())
        };
        ensure!(
            printed.lines().any(|printed| printed.split(';').next() == Some(line.as_str())),
            "packaging/take-back.sh does not print `{line}`"
        );
    }
    ensure!(printed.contains("$ gh release edit v0.1.0 --draft"), "packaging/take-back.sh leaves the release public");
    ensure!(
        shell::output("DRY_RUN=1 packaging/take-back.sh 0.1").is_none(),
        "packaging/take-back.sh accepts a version that is none"
    );
    Ok(())
}

/// The formula of Homebrew has the checksum of each archive beside its address, and is not written without one of them.
/// `brew audit` refuses a version that the addresses state already.
fn formula() -> Result<()> {
    let targets =
        ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"];
    let sums = |count: usize| -> String {
        let lines = targets[..count].iter().map(|target| format!("sum-of-{target}  comity-0.1.0-{target}.tar.gz\n"));
        lines.collect()
    };
    let address = "https://git.example/comity/releases/download/v0.1.0";
    let formula = |sums: &str| script("packaging/homebrew/formula.sh", &["0.1.0", address], sums);
    let (is_written, text) = formula(&sums(targets.len()))?;
    for target in targets {
        let lines = format!("url \"{address}/comity-0.1.0-{target}.tar.gz\"\n      sha256 \"sum-of-{target}\"");
        ensure!(is_written && text.contains(&lines), "expected in the formula:\n{lines}\nfound:\n{text}");
    }
    ensure!(!text.contains("version \""), "the formula repeats the version of its addresses:\n{text}");
    ensure!(!formula(&sums(targets.len() - 1))?.0, "the formula was written without a checksum");
    Ok(())
}

/// The text of a release is its section of the changelog, and no other. Its links lead to files of the release.
fn notes() -> Result<()> {
    let changelog = "# Changelog\n\n[all](docs/all.md)\n\n## 0.10.0\n\nLater.\n\n## 0.1.0 - 2026-12-01\n\n### Rust\n\n\
                     [Here](docs/a.md#b) and [there](https://other.example/a.md).\n\n## 0.0.9\n\nEarlier.\n";
    let notes = |version: &str| script("packaging/notes.sh", &[version, "https://git.example/comity"], changelog);
    let (is_written, text) = notes("0.1.0")?;
    let expected = "### Rust\n\n[Here](https://git.example/comity/blob/v0.1.0/docs/a.md#b) and \
                    [there](https://other.example/a.md).";
    ensure!(is_written && text.trim() == expected, "expected as the text of the release:\n{expected}\nfound:\n{text}");
    ensure!(!notes("0.1")?.0, "packaging/notes.sh writes the text of a version that is not in the changelog");
    Ok(())
}

/// Runs a script with an input. Returns whether it succeeded, and its output.
fn script(path: &str, arguments: &[&str], input: &str) -> Result<(bool, String)> {
    let mut script = Command::new(path)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {path}"))?;
    script.stdin.take().context("the script has no input")?.write_all(input.as_bytes())?;
    let output = script.wait_with_output()?;
    Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}
