//! A robots.txt from one of several sources: a file, a site, standard input, or a revision in a git repository.

use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::{Dialect, Escaped};

use crate::args::live::Fetching;
use crate::input::{file, git, live};

/// The maximum size of a file in a git repository, in bytes.
const MAX_GIT_FILE_BYTES: u64 = 16 << 20;

/// Reads a robots.txt from a file, a site, standard input, or a revision in the git repository, and returns its name
/// and bytes.
pub(crate) fn read(path: &Path, fetching: &Fetching) -> Result<(String, Vec<u8>)> {
    // Google's parser has no size limit, so the whole file is read; each dialect applies its own limit later.
    match revision(path) {
        Some(text) => Ok((Escaped(text.as_bytes()).to_string(), of_revision(Path::new("."), text)?)),
        None => live::read_robots(path, fetching, &Dialect::GOOGLE_PARSER),
    }
}

/// Returns the same as [`read`], and warns of a file whose answers may mislead.
pub(crate) fn robots(path: &Path, fetching: &Fetching) -> Result<(String, Vec<u8>)> {
    read(path, fetching).map(file::warned)
}

/// Returns the `REVISION:FILE` that is given in place of a path, if it is one.
pub(crate) fn revision(path: &Path) -> Option<&str> {
    let is_other = live::is_url(path) || file::is_stdin(path) || path.exists();
    path.to_str().filter(|text| !is_other && text.contains(':'))
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
    let args = ["cat-file", "blob", "--end-of-options", object];
    let read = git::run(folder, args, MAX_GIT_FILE_BYTES + 1);
    let read = read.with_context(|| format!("there is no file `{shown}`, and no revision could be searched for it"))?;
    let body = read.with_context(|| format!("there is no file `{shown}`, and git found no such file in a revision"))?;
    if body.len() as u64 > MAX_GIT_FILE_BYTES {
        bail!("{shown}: expected a file of at most {} MiB, found a larger file", MAX_GIT_FILE_BYTES >> 20);
    }
    Ok(body)
}
