//! The manual pages and the completions of shells, as the program prints them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Release, no_machine_path};

/// The shells, and the names of their files.
pub(crate) const SHELLS: [(&str, &str); 5] = [
    ("bash", "comity.bash"),
    ("elvish", "comity.elv"),
    ("fish", "comity.fish"),
    ("powershell", "_comity.ps1"),
    ("zsh", "_comity"),
];

/// The folders of the pages and of the completions.
#[derive(Debug)]
pub(crate) struct Pages {
    pub(crate) manual: PathBuf,
    pub(crate) completions: PathBuf,
}

/// Runs the program, so it must be one of this machine.
pub(crate) fn write(release: &Release, program: &Path) -> Result<Pages> {
    let manual = release.folder("man1")?;
    let completions = release.folder("completions")?;
    run(program, &["man", "--all", &manual.display().to_string()])?;
    for (shell, name) in SHELLS {
        fs::write(completions.join(name), run(program, &["completions", shell])?)?;
    }
    for folder in [&manual, &completions] {
        for file in super::files(folder)? {
            let bytes = fs::read(&file)?;
            ensure!(!bytes.is_empty(), "{} is empty", file.display());
            no_machine_path(&file.display().to_string(), &bytes)?;
        }
    }
    Ok(Pages { manual, completions })
}

/// Runs the program. Returns its standard output.
pub(crate) fn run(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program).args(arguments).env_clear().output();
    let output = output.with_context(|| format!("{} cannot run here", program.display()))?;
    ensure!(output.status.success(), "`comity {}` failed: {}", arguments.join(" "), output.status);
    Ok(output.stdout)
}
