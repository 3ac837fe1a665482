//! The wheels, each in an environment without anything else, and the hooks of pre-commit, which use one of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::super::{Release, python};
use super::site::Site;
use super::{Answer, ROBOTS, artifact, asks, installs};
use crate::shell;

/// Asks the same questions as the command is asked.
const LIBRARY: &str = "\
import comity
rules = comity.Robots.parse(open('robots.txt', 'rb').read()).rules_for('Googlebot')
assert not rules.is_allowed('https://shop.example/private/a')
assert rules.is_allowed('https://shop.example/a')
";

/// Asks about the site.
const CLIENT: &str = "\
import sys, comity_client
client = comity_client.Client('test/1.0', trust=[sys.argv[1]])
assert client.check_blocking(sys.argv[1] + '/private/a', crawler='Googlebot').disallowed
assert client.check_blocking(sys.argv[1] + '/a', crawler='Googlebot').allowed
";

/// Asks about a column, without pyarrow: nothing is fetched from an index, and the environment stays empty.
const COLUMNS: &str = include_str!("columns.py");

pub(crate) fn check(release: &Release, site: &Site) -> Result<()> {
    let folder = release.folder("wheels")?;
    fs::write(folder.join("robots.txt"), ROBOTS)?;
    let program = artifact(release, "comity_cli-", ".whl")?;
    let venv = folder.join("program");
    create(&venv)?;
    installs("the wheel of the command", || install(&venv, &[&program]))?;
    let comity = venv.join("bin/comity");
    let robots = folder.join("robots.txt").display().to_string();
    asks(site, &robots, |arguments| {
        let mut command = Command::new(&comity);
        command.args(arguments);
        command
    })?;

    let venv = folder.join("libraries");
    let library = artifact(release, "comity-", ".whl")?;
    let client = artifact(release, "comity_client-", ".whl")?;
    let columns = artifact(release, "comity_columns-", ".whl")?;
    create(&venv)?;
    installs("the wheels of the libraries", || install(&venv, &[&library, &client, &columns]))?;
    let python = |script: &str| {
        let mut command = Command::new(venv.join("bin/python"));
        command.args(["-I", "-c", script, &site.url()]).current_dir(&folder);
        Answer::of(&mut command)
    };
    for script in [LIBRARY, CLIENT, COLUMNS] {
        let answer = python(script)?;
        ensure!(answer.code == Some(0), "{answer:?}");
    }

    refused(&folder, &program)?;
    pre_commit(release, &program)
}

/// Creates an empty environment. That takes Python several seconds, whatever is installed into it.
fn create(venv: &Path) -> Result<()> {
    shell::run(&format!("python3 -m venv {}", venv.display()))
}

/// Installs wheels into an environment, without an index.
fn install(venv: &Path, wheels: &[&Path]) -> Result<()> {
    let wheels: Vec<String> = wheels.iter().map(|wheel| wheel.display().to_string()).collect();
    shell::run(&format!(
        "{}/bin/pip --quiet --disable-pip-version-check install --no-index {}",
        venv.display(),
        wheels.join(" ")
    ))
}

/// Binds an environment to itself, read-only, and runs its pip.
const READ_ONLY: &str = "\
venv=$1; shift; mount --bind \"$venv\" \"$venv\" && mount -o remount,bind,ro \"$venv\" && exec \"$venv/bin/pip\" \"$@\"";

/// A wheel of another platform, a damaged one and one with another checksum are refused, and an environment may be
/// read-only. Nothing is installed then.
fn refused(folder: &Path, program: &Path) -> Result<()> {
    let other = folder.join("comity_cli-0.1.0-py3-none-macosx_11_0_arm64.whl");
    fs::copy(program, &other)?;
    let damaged = folder.join("damaged");
    fs::create_dir(&damaged)?;
    let damaged = damaged.join(program.file_name().unwrap_or_default());
    let bytes = fs::read(program)?;
    fs::write(&damaged, &bytes[..bytes.len() / 2])?;
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, format!("{} --hash=sha256:{}\n", program.display(), "0".repeat(64)))?;

    let venv = folder.join("refused");
    create(&venv)?;
    let pip = || Command::new(venv.join("bin/pip"));
    let mut read_only = Command::new("unshare");
    read_only.args(["--mount", "sh", "-euc", READ_ONLY, "sh"]).arg(&venv);
    for (mut command, option, what, message) in [
        (pip(), None, other.as_path(), "not a supported wheel"),
        (pip(), None, &damaged, "is invalid"),
        (pip(), Some("--requirement"), &requirements, "DO NOT MATCH THE HASHES"),
        (read_only, None, program, "Read-only file system"),
    ] {
        command.args(["--disable-pip-version-check", "install", "--no-index"]).args(option).arg(what);
        let answer = Answer::of(&mut command)?;
        ensure!(answer.code.is_some_and(|code| code != 0) && answer.err.contains(message), "{answer:?}");
        ensure!(!venv.join("bin/comity").exists(), "{} was installed", what.display());
    }
    Ok(())
}

/// Runs the hooks of this repository in another one, as pre-commit installs them: by the wheel.
fn pre_commit(release: &Release, program: &Path) -> Result<()> {
    let folder = release.folder("pre-commit")?;
    let (hooks, used, home) = (folder.join("hooks"), folder.join("site"), folder.join("home"));
    for folder in [&hooks, &used] {
        fs::create_dir(folder)?;
        git(folder, &["init", "--quiet"])?;
    }
    for file in [".pre-commit-hooks.yaml", "pyproject.toml"] {
        fs::copy(file, hooks.join(file))?;
    }
    git(&hooks, &["add", "."])?;
    git(&hooks, &["commit", "--quiet", "--message", "hooks"])?;
    git(&hooks, &["tag", "v1.0.0"])?;
    let config =
        format!("repos:\n  - repo: {}\n    rev: v1.0.0\n    hooks:\n      - id: comity-lint\n", hooks.display());
    fs::write(used.join(".pre-commit-config.yaml"), config)?;
    fs::write(used.join("robots.txt"), "User-agent: *\nDisallow: private/\n")?;
    git(&used, &["add", "."])?;

    let wheels = folder.join("links");
    fs::create_dir(&wheels)?;
    fs::copy(program, wheels.join(program.file_name().unwrap_or_default()))?;
    let run = |arguments: &[&str]| {
        let mut command = Command::new(std::path::absolute(python::tool("pre-commit"))?);
        // The wheel comes from a folder here; its builder, from the registry.
        command.args(arguments).current_dir(&used).env("PIP_FIND_LINKS", &wheels).env("PRE_COMMIT_HOME", &home);
        Answer::of(&mut command)
    };
    let installed = run(&["install-hooks"])?;
    ensure!(installed.code == Some(0), "{installed:?}");
    println!("{:<40} installed in {:.2} s", "the hooks of pre-commit", installed.time.as_secs_f64());
    let found = run(&["run", "--all-files"])?;
    ensure!(found.code == Some(1) && found.out.contains("L010"), "{found:?}");
    fs::write(used.join("robots.txt"), ROBOTS)?;
    let clean = run(&["run", "--all-files"])?;
    ensure!(clean.code == Some(0) && clean.out.contains("Passed"), "{clean:?}");
    println!("{:<40} ran in {:.2} s", "the hooks of pre-commit", clean.time.as_secs_f64());
    Ok(())
}

/// Runs git in a folder, without a user configuration.
fn git(folder: &Path, arguments: &[&str]) -> Result<()> {
    let person = ["-c", "user.name=a", "-c", "user.email=a@site.example", "-c", "commit.gpgsign=false"];
    let answer = Answer::of(Command::new("git").args(person).args(arguments).current_dir(folder))?;
    ensure!(answer.code == Some(0), "git {arguments:?}: {answer:?}");
    Ok(())
}
