//! The artifacts, made a second time from a copy of the sources in another folder: they must have the same bytes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::super::{Release, files, tree};
use crate::{shell, target, tools};

/// Makes the artifacts again, and compares them. Everything is compiled again, which takes as long as the first time.
pub(crate) fn run() -> Result<()> {
    let release = Release::local()?;
    let changes = shell::output("git status --porcelain").context("`git status` failed")?;
    ensure!(changes.is_empty(), "commit the changes first: the copy has the files of the commit only\n{changes}");
    let copy = release.folder("again")?;
    let sources = copy.join("sources-in-another-folder");
    shell::run(&format!("git clone --quiet --local --no-hardlinks . {}", sources.display()))?;
    let again = copy.join("artifacts");
    // The tools are the same; cargo hashes the path of a wrapper of rustc.
    let tools = std::path::absolute(tools::folder())?;
    let own = sources.join("target");
    fs::create_dir_all(&own)?;
    link(&tools, &own.join("tools"))?;
    link(&std::path::absolute(target::folder())?.join("packaging-venv"), &own.join("packaging-venv"))?;
    let line = format!("cargo xtask release --dry-run --out {}", again.display());
    println!("$ {line}");
    let status = shell::command(&line)?
        .current_dir(&sources)
        .env("CARGO_TARGET_DIR", &own)
        .env("SOURCE_DATE_EPOCH", release.date.to_string())
        .status()?;
    ensure!(status.success(), "`{line}` failed in {}: {status}", sources.display());
    let differing = differing(&release.folder, &again)?;
    ensure!(differing.is_empty(), "made twice, these artifacts differ: {}", differing.join(", "));
    fs::remove_dir_all(&copy).with_context(|| copy.display().to_string())
}

/// Returns the names of the files that are not the same in both folders.
fn differing(one: &Path, other: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for folder in [one, other] {
        names.extend(files(folder)?.iter().map(|file| tree::file_name(file)));
    }
    names.sort();
    names.dedup();
    names.retain(|name| {
        let [one, other] = [one, other].map(|folder| fs::read(folder.join(name)).ok());
        one.is_none() || one != other
    });
    Ok(names)
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    std::os::unix::fs::symlink(from, to).with_context(|| to.display().to_string())
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Result<()> {
    anyhow::bail!("artifacts are compared on Unix only")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_is_found() {
        let folder = std::env::temp_dir().join(format!("comity-xtask-{}", std::process::id()));
        let (one, other) = (folder.join("one"), folder.join("other"));
        for (folder, extra) in [(&one, "only here"), (&other, "only there")] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("same"), "a").unwrap();
            fs::write(folder.join("changed"), extra).unwrap();
            fs::write(folder.join(extra), "").unwrap();
        }
        assert_eq!(differing(&one, &other).unwrap(), ["changed", "only here", "only there"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
