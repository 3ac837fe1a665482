//! The program, as it is released.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use flate2::read::ZlibDecoder;

use super::{Release, no_machine_path};
use crate::{javascript, shell, target, tester};

/// The maximum size of the program in an archive, in bytes.
const MAX_COMPRESSED: usize = 16 << 20;

/// Builds the program with all features, and with the list of its dependencies in it. Returns its path.
pub(crate) fn build(release: &Release) -> Result<PathBuf> {
    let platform = release.platform;
    let line = format!(
        "cargo auditable build --locked -p comity-cli --all-features --profile dist --target {}",
        platform.target
    );
    println!("$ {line}");
    let mut command = shell::command(&line)?;
    build_without_machine_paths(&mut command, release)?;
    // The page of the service works without it, and asks the service then.
    match javascript::tester_missing() {
        None => {
            let variables = format!("{RUST_FLAGS}={}", path_flags()?.join("\x1f"));
            command.env(tester::MODULE, tester::module(&variables)?);
        }
        Some(missing) => println!("note: the page of the program has no module: {missing}"),
    }
    let mut flags = path_flags()?;
    if platform.is_linux() {
        flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    command.env(RUST_FLAGS, flags.join("\x1f"));
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}` failed: {status}");

    Ok(std::path::absolute(target::folder())?.join(platform.target).join("dist").join(platform.program()))
}

/// Fails if the program is too large, contains a path of this machine, or, on Linux, needs a library.
pub(crate) fn check(release: &Release, program: &Path) -> Result<()> {
    let bytes = fs::read(program).with_context(|| program.display().to_string())?;
    no_machine_path("the program", &bytes)?;
    let compressed = super::tree::gzip(&bytes)?.len();
    ensure!(compressed <= MAX_COMPRESSED, "the program has {compressed} bytes compressed, more than {MAX_COMPRESSED}");
    println!("{}: {} bytes, {compressed} compressed", program.display(), bytes.len());
    if release.platform.is_linux() {
        lists_dependencies(release, program)?;
        is_static(program)?;
    }
    Ok(())
}

/// Fails if the program does not contain the list of its dependencies, as `cargo audit bin` reads it.
fn lists_dependencies(release: &Release, program: &Path) -> Result<()> {
    let (file, copy) = (release.work.join("dependencies"), release.work.join("program"));
    // The section is not loaded, so a copy as a plain binary would not contain it.
    let line = format!("objcopy --dump-section .dep-v0={} {} {}", file.display(), program.display(), copy.display());
    shell::run_collected(&line).context("objcopy is in the package binutils")?;
    fs::remove_file(&copy).with_context(|| copy.display().to_string())?;
    let mut text = String::new();
    ZlibDecoder::new(&fs::read(&file)?[..])
        .read_to_string(&mut text)
        .context("the program does not contain the list of its dependencies")?;
    for name in ["comity-cli", "comity", "rustls"] {
        ensure!(text.contains(&format!("\"name\":\"{name}\"")), "{name} is not in the program's list: {text}");
    }
    Ok(())
}

/// The variable with the flags of rustc. Others are not used then.
const RUST_FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";

/// Sets the variables of a build whose result contains neither a path of this machine nor the time.
pub(crate) fn build_without_machine_paths(command: &mut Command, release: &Release) -> Result<()> {
    command.env(RUST_FLAGS, path_flags()?.join("\x1f"));
    command.env("CARGO_INCREMENTAL", "0").env("SOURCE_DATE_EPOCH", release.date.to_string());
    // Assertions of C contain the path of their file.
    if release.platform.is_linux() {
        command.env(format!("CFLAGS_{}", release.platform.target.replace('-', "_")), c_flags().join(" "));
    }
    Ok(())
}

/// Returns the flags of rustc that replace paths. The last one that matches applies, so inner folders come last.
fn path_flags() -> Result<Vec<String>> {
    let sysroot = shell::output("rustc --print sysroot").context("`rustc --print sysroot` failed")?;
    let mut flags = vec![format!("--remap-path-prefix={}=/rust", sysroot.trim())];
    flags.extend(replaced_paths().iter().map(|(path, name)| format!("--remap-path-prefix={path}={name}")));
    Ok(flags)
}

fn c_flags() -> Vec<String> {
    replaced_paths().iter().map(|(path, name)| format!("-ffile-prefix-map={path}={name}")).collect()
}

/// Returns a text without the paths of this machine.
pub(crate) fn without_machine_paths(text: &str) -> String {
    // Inner folders first.
    replaced_paths().iter().rev().fold(text.to_owned(), |text, (path, name)| text.replace(path, name))
}

/// Returns the folders that sources are in, and the names that replace them.
fn replaced_paths() -> Vec<(String, &'static str)> {
    let cargo = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))
        .unwrap_or_else(|_| "/cargo".to_owned());
    let root = std::env::current_dir().map(|root| root.display().to_string()).unwrap_or_default();
    let target = std::path::absolute(target::folder()).map(|target| target.display().to_string()).unwrap_or_default();
    vec![(cargo, "/cargo"), (root, "/comity"), (target, "/comity/target")]
}

/// Fails if the program needs a library or a loader.
fn is_static(program: &Path) -> Result<()> {
    let line = format!("readelf --program-headers --dynamic --wide {}", program.display());
    let text = shell::output(&line).with_context(|| format!("`{line}` failed; it is in the package binutils"))?;
    ensure!(text.contains("LOAD"), "`{line}` printed no segments");
    for word in ["INTERP", "(NEEDED)"] {
        if let Some(line) = text.lines().find(|line| line.contains(word)) {
            bail!("the program is not linked statically: {}", line.trim());
        }
    }
    Ok(())
}
