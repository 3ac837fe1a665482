//! Files, and standard input as `-`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What to call a file in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).with_context(|| format!("{} could not be read", name(path)))?;
    Ok(bytes)
}

/// A file, to be read bit by bit.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("{} could not be opened", name(path)))?;
    // Opening a folder works on some systems, and reading it then fails with a riddle.
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        bail!("{} is a folder, expected a file", name(path));
    }
    Ok(Box::new(file))
}

/// The robots.txt that `--robots` names.
pub(crate) fn read_robots(path: Option<&Path>) -> Result<(String, Vec<u8>)> {
    let Some(path) = path else {
        bail!(
            "whose rules? comity does not fetch files yet: name the robots.txt with --robots FILE, \
             or pipe it in with --robots -"
        );
    };
    Ok((name(path), read(path)?))
}
