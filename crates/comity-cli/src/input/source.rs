//! A robots.txt from one of several sources: a file, a site, standard input, or a revision in a git repository.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use comity::{Dialect, Escaped};

use crate::args::live::Fetching;
use crate::input::{file, live};

/// The maximum size of a file in a git repository, in bytes.
const MAX_GIT_FILE_BYTES: u64 = 16 << 20;

/// Reads a robots.txt from a file, a site, standard input, or a revision in the git repository, and returns its name
/// and bytes.
pub(crate) fn read(path: &Path, fetching: &Fetching) -> Result<(String, Vec<u8>)> {
    // Google's parser has no size limit, so the whole file is read; each dialect applies its own limit later.
    let dialect = Dialect::GOOGLE_PARSER;
    let text = path.to_str().unwrap_or_default();
    if live::is_url(path) || file::is_stdin(path) || path.exists() || !text.contains(':') {
        return live::robots(path, fetching, &dialect);
    }
    Ok((Escaped(text.as_bytes()).to_string(), of_revision(Path::new("."), text)?))
}

/// Reads a robots.txt from a file, or from a revision in the git repository, with paths relative to a folder.
pub(crate) fn local(folder: &Path, text: &str) -> Result<Vec<u8>> {
    let path = folder.join(text);
    if path.exists() || !text.contains(':') { file::read(&path) } else { of_revision(folder, text) }
}

/// Reads `REVISION:FILE` from the git repository of a folder.
fn of_revision(folder: &Path, object: &str) -> Result<Vec<u8>> {
    let shown = Escaped(object.as_bytes());
    if object.starts_with('-') {
        bail!("expected a file or REVISION:FILE, found `{shown}`, which starts like an option");
    }
    let mut git = Command::new("git")
        .current_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        .args(["cat-file", "blob", "--end-of-options", object])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!("there is no file `{shown}`, and git, which could find a revision, could not be started")
        })?;
    let mut body = Vec::new();
    if let Some(out) = git.stdout.take() {
        out.take(MAX_GIT_FILE_BYTES + 1).read_to_end(&mut body).context("git could not be read")?;
    }
    let result = git.wait_with_output().context("git did not end")?;
    if body.len() as u64 > MAX_GIT_FILE_BYTES {
        bail!("{shown}: expected a file of at most {} MiB, found a larger file", MAX_GIT_FILE_BYTES >> 20);
    }
    if !result.status.success() {
        let said = String::from_utf8_lossy(&result.stderr);
        let said = said.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
        bail!("there is no file `{shown}`, and git found no such file in a revision: {}", Escaped(said.as_bytes()));
    }
    Ok(body)
}
