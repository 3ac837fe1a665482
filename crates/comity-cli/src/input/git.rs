//! The output of git.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow};
use comity::Escaped;

/// Runs git in a folder, and returns the first bytes of its output. What git says about a failure is a result of its own.
pub(crate) fn run(
    folder: &Path,
    args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    max_bytes: u64,
) -> Result<Result<Vec<u8>>> {
    let mut git = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("git could not be started")?;
    let mut bytes = Vec::new();
    let mut is_cut = false;
    if let Some(mut out) = git.stdout.take() {
        out.by_ref().take(max_bytes).read_to_end(&mut bytes).context("git could not be read")?;
        is_cut = out.read(&mut [0]).is_ok_and(|more| more > 0);
    }
    let result = git.wait_with_output().context("git did not end")?;
    if result.status.success() || is_cut {
        return Ok(Ok(bytes));
    }
    let said = String::from_utf8_lossy(&result.stderr);
    let said = said.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
    Ok(Err(anyhow!("{}", Escaped(said.as_bytes()))))
}
