//! The archive in an empty root: no libraries, no certificates, no `/etc/resolv.conf`, and at last nothing writable.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::super::Release;
use super::site::Site;
use super::{Answer, ROBOTS, artifact, asks, installs};
use crate::shell;

/// Binds a folder to itself, read-only, makes it the root, and runs a program there.
const READ_ONLY: &str = "\
root=$1; shift; mount --bind \"$root\" \"$root\" && mount -o remount,bind,ro \"$root\" && exec chroot \"$root\" \"$@\"";

pub(crate) fn check(release: &Release, site: &Site) -> Result<()> {
    let root = release.folder("empty-root")?;
    let name = release.archive_name();
    let archive = artifact(release, &name, ".tar.gz")?;
    installs("the archive", || {
        shell::run(&format!("tar --extract --file {} --directory {}", archive.display(), root.display()))
    })?;
    fs::write(root.join("robots.txt"), ROBOTS)?;
    let program = format!("/{name}/comity");
    let comity = |arguments: &[&str]| {
        let mut command = Command::new("chroot");
        command.arg(&root).arg(&program).args(arguments).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command
    };
    asks(site, "/robots.txt", comity)?;
    let version = Answer::of(&mut comity(&["--version"]))?;
    ensure!(version.out.trim() == format!("comity {}", release.version), "{version:?}");

    // Even `localhost` is unknown without the file.
    let url = format!("http://localhost:{}/a", site.port());
    Answer::of(&mut comity(&["check", "--no-cache", "--agent", "a", &url]))?
        .is_refusal(&["localhost", "name could not be looked up"])?;

    let (secure, certificate) = Site::start_secure(release)?;
    let url = format!("{}/a", secure.url());
    let ask = ["check", "--no-cache", "--agent", "a", &url];
    Answer::of(&mut comity(&ask))?.is_refusal(&["no authorities to trust"])?;
    fs::copy(certificate, root.join("own.pem"))?;
    Answer::of(&mut comity(&[&ask[..], &["--ca-file", "/own.pem"]].concat()))?.is_yes()?;
    fs::write(root.join("own.pem"), "damaged\n")?;
    Answer::of(&mut comity(&[&ask[..], &["--ca-file", "/own.pem"]].concat()))?.is_refusal(&["BEGIN CERTIFICATE"])?;

    read_only(&root, &program, site)
}

/// Nothing can be written: questions are answered, and the command says that it keeps nothing.
fn read_only(root: &Path, program: &str, site: &Site) -> Result<()> {
    let comity = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", READ_ONLY, "sh"]).arg(root).arg(program).args(arguments);
        command.env("HOME", "/home");
        command
    };
    asks(site, "/robots.txt", comity)?;
    let url = format!("{}/private/a", site.url());
    let answer = Answer::of(&mut comity(&["check", "--agent", "a", &url]))?;
    answer.is_refusal(&["/home", "Read-only file system"])?;
    let mistake = "User-agent: *\nDisalow: /private/\n";
    fs::write(root.join("mistake.txt"), mistake)?;
    let fix = Answer::of(&mut comity(&["lint", "--fix", "/mistake.txt"]))?;
    ensure!(fix.code == Some(2) && fix.err.contains("Read-only file system"), "{fix:?}");
    ensure!(fs::read_to_string(root.join("mistake.txt"))? == mistake, "the file was changed");
    Ok(())
}
