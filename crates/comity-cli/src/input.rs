//! Files, and standard input as `-`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use comity::dialect::SizeLimit;
use comity::{Dialect, Escaped, MAX_BYTES, READ_LIMIT};

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What to call a file in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { shown(path) }
}

fn shown(path: &Path) -> String {
    Escaped(path.as_os_str().as_encoded_bytes()).to_string()
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    read_at_most(path, u64::MAX)
}

/// Reads the bytes of a robots.txt, as many as can count in a dialect and those that tell whether the last line was cut.
pub(crate) fn read_robots(path: &Path, dialect: &Dialect) -> Result<Vec<u8>> {
    let most = if dialect.size_limit == SizeLimit::None { MAX_BYTES + 1 } else { READ_LIMIT };
    read_at_most(path, most as u64)
}

fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(path)?.take(most).read_to_end(&mut bytes);
    read.with_context(|| format!("{} could not be read", name(path)))?;
    Ok(bytes)
}

/// A file, to be read bit by bit.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    if path.to_str().is_some_and(|path| path.contains("://")) {
        bail!(
            "expected a file, found the address {0}: `comity check URL` fetches by itself, and \
             `comity fetch --body {0}` prints the file, to be piped in as `-`",
            shown(path)
        );
    }
    let file = File::open(path).with_context(|| format!("{} could not be opened", name(path)))?;
    // Opening a folder works on some systems, and reading it then fails with a riddle.
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        bail!("{} is a folder, expected a file", name(path));
    }
    Ok(Box::new(file))
}

/// The robots.txt that `--robots` names.
pub(crate) fn robots(path: Option<&Path>, dialect: &Dialect) -> Result<(String, Vec<u8>)> {
    let Some(path) = path else {
        bail!(
            "whose rules? Name the robots.txt with --robots FILE, or pipe it in with --robots -; \
             `comity fetch --body URL` prints a site's"
        );
    };
    Ok((name(path), read_robots(path, dialect)?))
}
