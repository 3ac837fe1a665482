//! Files, and standard input as `-`.

use std::ffi::OsStr;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use comity::dialect::SizeLimit;
use comity::url::without_userinfo;
use comity::{Dialect, Escaped, READ_LIMIT, Robots};

use crate::render::words::about_file;

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Fails if more than one of the files is standard input: after the first one, it would be empty.
pub(crate) fn read_stdin_once(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<()> {
    if paths.into_iter().filter(|path| is_stdin(path.as_ref())).count() > 1 {
        bail!("only one file can be standard input: give the names of the others");
    }
    Ok(())
}

/// Returns the name of a file for messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { shown(path) }
}

/// Returns a path, or the URL given in place of one without its password, safe to print.
fn shown(path: &Path) -> String {
    match path.to_str() {
        Some(text) => Escaped(without_userinfo(text).as_bytes()).to_string(),
        None => Escaped(path.as_os_str().as_encoded_bytes()).to_string(),
    }
}

/// The maximum size in bytes of a file that is not a robots.txt: tests, tables, configurations, certificates.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The maximum size of a robots.txt in bytes if the dialect has no limit. Otherwise the dialect's limit applies.
const MAX_ROBOTS_BYTES: u64 = 64 << 20;

/// Reads a file of at most 16 MiB.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    read_all(path, MAX_FILE_BYTES)
}

/// Reads a file of at most `max_bytes`, and refuses a larger one.
fn read_all(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let bytes = read_at_most(path, max_bytes + 1)?;
    if bytes.len() as u64 > max_bytes {
        bail!("{}: expected a file of at most {} MiB, found a larger file", name(path), max_bytes >> 20);
    }
    Ok(bytes)
}

/// Refuses a symbolic link in the checkout that leads out of it, or into its `.git`. The checkout is the git repository of
/// the working directory, or the working directory itself if it is in none.
///
/// Whoever proposes a change can add such a link, for example `robots.txt -> /proc/self/environ`, and the output quotes
/// lines of the file: in the public log of the machine that checks the change, and with its secrets. A path that leads out
/// without a link was chosen by the user, and so was a link elsewhere, unless it leads to one in the checkout.
pub(crate) fn refuse_link_out(path: &Path) -> Result<()> {
    /// More links in a row are an error of the system.
    const MAX_LINKS: usize = 40;
    // What can't be resolved can't be opened, and opening it returns the error.
    let (Ok(target), Ok(root)) = (path.canonicalize(), checkout()) else { return Ok(()) };
    let is_git = |part: &OsStr| part.eq_ignore_ascii_case(".git");
    if is_stdin(path) || target.strip_prefix(&root).is_ok_and(|inside| !inside.iter().any(is_git)) {
        return Ok(());
    }
    let mut link = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = link.read_link() else { return Ok(()) };
        let folder = link.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().with_context(|| format!("{} could not be resolved", name(path)))?;
        if folder.starts_with(&root) {
            bail!(
                "{}: expected a file of the checkout {}, found a symbolic link that leads out of it: name the file itself, \
                 or replace the link by a copy",
                name(path),
                name(&root)
            );
        }
        link = folder.join(next);
    }
    Ok(())
}

/// Returns the root of the git repository of the working directory, or the working directory if it is in none.
fn checkout() -> io::Result<PathBuf> {
    let folder = std::env::current_dir()?.canonicalize()?;
    let root = folder.ancestors().find(|folder| folder.join(".git").exists());
    Ok(root.unwrap_or(&folder).to_owned())
}

/// Reads the bytes of a robots.txt: as many as any dialect parses, and a few more that show whether the last line was
/// cut. Fails for a file of more than 64 MiB if the dialect has no size limit, and for a link out of the checkout.
pub(crate) fn read_robots(path: &Path, dialect: &Dialect) -> Result<Vec<u8>> {
    refuse_link_out(path)?;
    if dialect.size_limit == SizeLimit::None {
        return read_all(path, MAX_ROBOTS_BYTES);
    }
    read_at_most(path, READ_LIMIT as u64)
}

fn read_at_most(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(path)?.take(max_bytes).read_to_end(&mut bytes);
    read.with_context(|| format!("{} could not be read", name(path)))?;
    Ok(bytes)
}

/// True if standard input may be empty: `--empty-ok`.
static MAY_BE_EMPTY: AtomicBool = AtomicBool::new(false);

/// Accepts that standard input is empty.
pub(crate) fn accept_empty_input() {
    MAY_BE_EMPTY.store(true, Ordering::Relaxed);
}

/// Standard input, a pipe or a device. It is an error if it has no bytes: a command that failed writes none, and an
/// empty robots.txt would allow everything.
struct Piped<R> {
    source: R,
    has_bytes: bool,
}

impl<R: Read> Read for Piped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.has_bytes |= read > 0;
        if self.has_bytes || buffer.is_empty() || MAY_BE_EMPTY.load(Ordering::Relaxed) {
            return Ok(read);
        }
        Err(io::Error::other(
            "it is empty, and the command that should write it may have failed; if an empty file is meant, add --empty-ok",
        ))
    }
}

/// Opens a file for reading piece by piece. Only a regular file may be empty, unless `--empty-ok` is given.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if is_stdin(path) {
        return Ok(Box::new(Piped { source: io::stdin(), has_bytes: false }));
    }
    if path.to_str().is_some_and(|path| path.contains("://")) {
        bail!(
            "expected a file, found the address {0}: `comity check URL` fetches by itself, and \
             `comity fetch --body {0}` prints the file, to be piped in as `-`",
            shown(path)
        );
    }
    if let Some(site) = meant_site(path) {
        bail!("there is no file `{}`; for the site, write {site}", name(path));
    }
    let file = File::open(path).with_context(|| format!("{} could not be opened", name(path)))?;
    let kind = file.metadata().map(|metadata| metadata.file_type());
    // On some systems a folder can be opened, and reading it then fails with an unclear error.
    if kind.as_ref().is_ok_and(FileType::is_dir) {
        bail!("{} is a folder, expected a file", name(path));
    }
    // A shell's `<(command)` is a pipe, and /dev/stdin is the null device if the descriptor is closed.
    if kind.is_ok_and(|kind| kind.is_file()) {
        return Ok(Box::new(file));
    }
    Ok(Box::new(Piped { source: file, has_bytes: false }))
}

/// Returns the URL of the site that a path looks like, if there is no such file.
fn meant_site(path: &Path) -> Option<String> {
    let text = path.to_str().filter(|_| !path.exists())?;
    let host = text.split('/').next().unwrap_or_default();
    let (name, port) = host.split_once(':').unwrap_or((host, "0"));
    let is_port = port.parse::<u16>().is_ok();
    // A name such as robots.txt or rules.xml is a file.
    let ends = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    let is_file = ends
        .as_deref()
        .is_some_and(|end| matches!(end, "txt" | "xml" | "csv" | "log" | "gz" | "toml" | "html" | "json"));
    let is_host = name == "localhost" || (name.contains('.') && !name.starts_with('.') && !name.ends_with('.'));
    let is_site = is_host && is_port && !is_file && text.bytes().all(|byte| byte.is_ascii_graphic());
    is_site.then(|| format!("https://{}", shown(path)))
}

/// Returns a hint for an argument that is a file, in place of a URL.
pub(crate) fn hint_of_file(typed: &str) -> Option<String> {
    let path = Path::new(typed);
    let is_file = !typed.starts_with('/') && !typed.contains("://") && path.is_file();
    is_file.then(|| format!("`{0}` is a file, expected a URL; did you mean --robots {0}?", shown(path)))
}

/// Returns the name and the bytes of a robots.txt as they are, and warns of them as [`warn_of_kind`] does.
pub(crate) fn warned((name, body): (String, Vec<u8>)) -> (String, Vec<u8>) {
    warn_of_kind(&name, &body);
    (name, body)
}

/// Warns of a robots.txt whose answers may mislead: one that is something else, is empty, or is too large. Commands read
/// files by [`robots`], `live::robots` and `source::robots`, which call this, unless their own output has these remarks.
pub(crate) fn warn_of_kind(name: &str, body: &[u8]) {
    // A fetch that found no file has said so.
    if body.is_empty() && (name.contains("://") || MAY_BE_EMPTY.load(Ordering::Relaxed)) {
        return;
    }
    for note in about_file(name, &Robots::parse(body), body) {
        eprintln!("warning: {note}");
    }
}

/// Reads the robots.txt that `--robots` names, and returns its name and bytes.
pub(crate) fn robots(path: Option<&Path>, dialect: &Dialect) -> Result<(String, Vec<u8>)> {
    let Some(path) = path else {
        bail!(
            "expected a robots.txt: name it with --robots FILE, or pipe it in with --robots -; \
             `comity fetch --body URL` prints a site's"
        );
    };
    Ok(warned((name(path), read_robots(path, dialect)?)))
}
