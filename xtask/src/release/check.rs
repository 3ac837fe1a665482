//! Checks of the artifacts: each is installed where nothing else is, and answers questions about a file and a local
//! site. Nothing that is missing or damaged may lead to the answer "allowed".

mod again;
mod container;
mod debian;
mod empty_root;
mod site;
mod syntax;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::{Release, python};
use crate::machine::Missing;
use crate::tools::{AUDITABLE, CYCLONEDX};
use crate::{packages, shell};

pub(crate) use again::run as build_again;
pub(crate) use syntax::{missing as syntax_missing, run as syntax};

/// The maximum time of an installation.
const MAX_INSTALLATION: Duration = Duration::from_secs(10);

/// The file that all checks ask about.
const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n";

/// Returns a note if the artifacts cannot be made and checked here.
pub(crate) fn missing() -> Missing {
    if !cfg!(target_os = "linux") || shell::output("id -u").is_none_or(|id| id.trim() != "0") {
        return Some("only root of a Linux machine can make an empty root and run a container".to_owned());
    }
    let programs = ["buildah", "crun", "dpkg-deb", "ip", "openssl"];
    AUDITABLE
        .missing()
        .or_else(|| CYCLONEDX.missing())
        .or_else(python::missing)
        .or_else(|| programs.iter().find_map(|program| packages::missing(program)))
}

/// Installs and uses all artifacts, which [`super::dry_run`] has made.
pub(crate) fn run() -> Result<()> {
    let release = Release::local()?;
    let site = site::Site::start(&release)?;
    checksums(&release)?;
    empty_root::check(&release, &site)?;
    debian::check(&release, &site)?;
    wheels::check(&release, &site)?;
    container::check(&release)
}

/// Compares all artifacts with their checksums, and finds a changed one.
fn checksums(release: &Release) -> Result<()> {
    let check = |folder: &Path| {
        let mut command = Command::new("sha256sum");
        command.args(["--check", "--strict", "--quiet", super::sums::NAME]).current_dir(folder);
        Answer::of(&mut command)
    };
    let whole = check(&release.folder)?;
    ensure!(whole.code == Some(0), "the checksums are wrong: {}{}", whole.out, whole.err);
    let copy = release.folder("changed")?;
    for file in super::files(&release.folder)? {
        let path = copy.join(super::tree::file_name(&file));
        std::fs::copy(&file, &path).with_context(|| path.display().to_string())?;
    }
    let archive = copy.join(format!("{}.tar.gz", release.archive_name()));
    let mut bytes = std::fs::read(&archive)?;
    let last = bytes.last_mut().context("the archive is empty")?;
    *last ^= 1;
    std::fs::write(&archive, bytes)?;
    let changed = check(&copy)?;
    ensure!(changed.code == Some(1), "a changed archive was not found: {}{}", changed.out, changed.err);
    Ok(())
}

/// The end of a program.
#[derive(Debug)]
struct Answer {
    code: Option<i32>,
    out: String,
    err: String,
    time: Duration,
}

impl Answer {
    /// Runs a program to its end.
    fn of(command: &mut Command) -> Result<Self> {
        let start = Instant::now();
        let output = command.stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Self { code: output.status.code(), out, err, time: start.elapsed() })
    }

    /// Fails if it is not "No", by the rule of the file.
    fn is_no(&self) -> Result<()> {
        ensure!(self.code == Some(1) && self.out.contains("Disallow: /private/"), "expected No, found {self:?}");
        Ok(())
    }

    /// Fails if it is not "Yes".
    fn is_yes(&self) -> Result<()> {
        ensure!(self.code == Some(0) && self.out.starts_with("Yes."), "expected Yes, found {self:?}");
        Ok(())
    }

    /// Fails if it allows anything, or does not contain all of these words.
    fn is_refusal(&self, words: &[&str]) -> Result<()> {
        ensure!(matches!(self.code, Some(1 | 2)), "expected no permission, found {self:?}");
        ensure!(!self.out.starts_with("Yes"), "expected no permission, found {self:?}");
        let text = format!("{}{}", self.out, self.err);
        let missing = words.iter().find(|word| !text.contains(**word));
        ensure!(missing.is_none(), "expected a message with {words:?}, found {self:?}");
        Ok(())
    }
}

/// Asks an installed program about a file and a local site.
fn asks(site: &site::Site, robots: &str, comity: impl Fn(&[&str]) -> Command) -> Result<()> {
    let file = |url: &str| Answer::of(&mut comity(&["check", "--robots", robots, "--agent", "Googlebot", url]));
    file("https://shop.example/private/a")?.is_no()?;
    file("https://shop.example/a")?.is_yes()?;
    let live = |path: &str| {
        let url = format!("{}{path}", site.url());
        Answer::of(&mut comity(&["check", "--no-cache", "--agent", "Googlebot", &url]))
    };
    live("/private/a")?.is_no()?;
    live("/a")?.is_yes()
}

/// Runs the steps of an installation.
fn installs(what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    work().with_context(|| format!("the installation of {what}"))?;
    installed(what, start.elapsed())
}

/// Prints the time of an installation. Fails if it is too long.
fn installed(what: &str, time: Duration) -> Result<()> {
    println!("{what:<40} installed in {:.2} s", time.as_secs_f64());
    ensure!(time < MAX_INSTALLATION, "the installation of {what} took {time:?}, more than {MAX_INSTALLATION:?}");
    Ok(())
}

/// Returns the only artifact whose name starts and ends like this.
fn artifact(release: &Release, start: &str, end: &str) -> Result<PathBuf> {
    let files = super::files(&release.folder)?;
    let mut found = files.into_iter().filter(|file| {
        let name = super::tree::file_name(file);
        name.starts_with(start) && name.ends_with(end)
    });
    let first = found
        .next()
        .with_context(|| format!("no artifact is named {start}…{end}: run `cargo xtask release --dry-run`"))?;
    ensure!(found.next().is_none(), "several artifacts are named {start}…{end}");
    Ok(first)
}
