//! The wheels: the program as the package `comity-cli`, and the packages `comity`, `comity-client` and
//! `comity-columns`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::binary::without_machine_paths;
use super::tree::{self, Mode};
use super::{Release, no_machine_path};
use crate::links::Repository;
use crate::machine::Missing;
use crate::{python, shell, target};

/// The tools that make wheels, with their versions.
const REQUIREMENTS: &str = "packaging/requirements.txt";

/// Returns the environment with the tools.
fn venv() -> PathBuf {
    target::folder().join("packaging-venv")
}

/// Returns the path of a program of the environment.
pub(crate) fn tool(name: &str) -> PathBuf {
    venv().join(if cfg!(windows) { "Scripts" } else { "bin" }).join(name)
}

/// Returns a title and the commands that create the environment, if it is missing or old.
pub(crate) fn install() -> Option<(String, Vec<String>)> {
    missing()?;
    let (venv, pip) = (venv(), tool("pip"));
    let (venv, pip) = (venv.display(), pip.display());
    let commands = vec![
        format!("python3 -m venv --clear {venv}"),
        format!("{pip} --quiet --disable-pip-version-check install --requirement {REQUIREMENTS}"),
        // Last, so that an environment that is not complete is not used.
        format!("cp {REQUIREMENTS} {venv}"),
    ];
    Some((format!("the Python packages of {REQUIREMENTS}, into {venv}"), commands))
}

/// Returns a note if the environment is missing or old.
pub(crate) fn missing() -> Missing {
    let installed = fs::read(venv().join("requirements.txt"));
    let is_current = installed.is_ok_and(|installed| fs::read(REQUIREMENTS).is_ok_and(|needed| needed == installed));
    (!is_current)
        .then(|| format!("the packages of {REQUIREMENTS} are missing; python3 with venv and pip installs them"))
}

/// Writes the wheel with the program, the same file that the archive has. Maturin would build another one.
pub(crate) fn program_wheel(release: &Release, program: &Path, sbom: &Path, platforms: &str) -> Result<()> {
    let folder = release.folder("wheel")?;
    let version = &release.version;
    let info = folder.join(format!("comity_cli-{version}.dist-info"));
    let scripts = folder.join(format!("comity_cli-{version}.data/scripts"));
    tree::copy(program, &scripts.join(release.platform.program()), Mode::Program)?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        tree::copy(license, &info.join("licenses").join(license), Mode::Data)?;
    }
    tree::copy(sbom, &info.join("sboms/comity-cli.cdx.json"), Mode::Data)?;
    tree::write(&info.join("METADATA"), metadata(version)?.as_bytes(), Mode::Data)?;
    tree::write(&info.join("WHEEL"), tags(platforms).as_bytes(), Mode::Data)?;
    pack(release, &folder)
}

/// Returns the description of the package `comity-cli`.
fn metadata(version: &str) -> Result<String> {
    let readme = fs::read_to_string("crates/comity-cli/README.md")?;
    let repository = Repository::of_workspace()?;
    let link = repository.map(|found| format!("Project-URL: Repository, {}\n", found.address)).unwrap_or_default();
    Ok(format!(
        "Metadata-Version: 2.4\n\
         Name: comity-cli\n\
         Version: {version}\n\
         Summary: The comity command: may this crawler fetch this URL, and exactly why?\n\
         Keywords: robots,robots.txt,crawler,seo,rfc9309\n\
         License-Expression: MIT OR Apache-2.0\n\
         License-File: LICENSE-APACHE\n\
         License-File: LICENSE-MIT\n\
         Requires-Python: >=3.8\n\
         {link}\
         Description-Content-Type: text/markdown\n\n{readme}"
    ))
}

/// Returns the file `WHEEL` with a tag for each platform.
fn tags(platforms: &str) -> String {
    let tags: String = platforms.split('.').map(|platform| format!("Tag: py3-none-{platform}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: comity xtask\nRoot-Is-Purelib: false\n{tags}")
}

/// Writes the wheels of the Python packages.
pub(crate) fn library_wheels(release: &Release) -> Result<()> {
    let maturin = python::maturin(&tool("maturin"), release.platform.target)?;
    for package in ["python", "python/client", "python/columns"] {
        let folder = release.folder("library-wheel")?;
        let line = format!("{maturin} --manifest-path {package}/Cargo.toml --out {}", folder.display());
        println!("$ {line}");
        let mut command = shell::command(&line)?;
        super::binary::build_without_machine_paths(&mut command, release)?;
        let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
        ensure!(status.success(), "`{line}` failed: {status}");
        let wheels = super::files(&folder)?;
        let [wheel] = &wheels[..] else { bail!("expected one wheel, found {wheels:?}") };
        repack(release, wheel)?;
    }
    Ok(())
}

/// Replaces the paths of this machine in the lists of dependencies that maturin has added to a wheel, and packs it again.
/// Fails if another file contains such a path.
fn repack(release: &Release, wheel: &Path) -> Result<()> {
    let unpacked = release.folder("unpacked-wheel")?;
    let (tool, unpacked) = (tool("wheel"), unpacked.display());
    shell::run(&format!("{} unpack {} --dest {unpacked}", tool.display(), wheel.display()))?;
    let inner = super::files(Path::new(&unpacked.to_string()))?;
    let [inner] = &inner[..] else { bail!("expected one folder in the wheel, found {inner:?}") };
    let mut folders = vec![inner.clone()];
    while let Some(folder) = folders.pop() {
        for path in super::files(&folder)? {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path)?;
            if folder.ends_with("sboms") {
                bytes = without_machine_paths(&String::from_utf8(bytes)?).into_bytes();
                fs::write(&path, &bytes)?;
            }
            no_machine_path(&path.display().to_string(), &bytes)?;
        }
    }
    pack(release, inner)
}

/// Packs a folder as a wheel into the folder of the artifacts.
fn pack(release: &Release, folder: &Path) -> Result<()> {
    shell::run(&format!(
        "SOURCE_DATE_EPOCH={} {} pack {} --dest-dir {}",
        release.date,
        tool("wheel").display(),
        folder.display(),
        release.folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::tags;
    use crate::workspace::{Workspace, root};

    #[test]
    fn pre_commit_installs_the_command_of_this_version() {
        let workspace = Workspace::load().unwrap();
        let published = workspace.published();
        let program = published.iter().find(|package| package.name() == "comity-cli").unwrap();
        let text = fs::read_to_string(root().join("pyproject.toml")).unwrap();
        let needed = format!("\"comity-cli=={}\"", program.version());
        assert!(text.contains(&needed), "expected {needed} in pyproject.toml, found:\n{text}");
    }

    #[test]
    fn each_platform_has_a_tag() {
        let text = tags("manylinux_2_17_x86_64.musllinux_1_1_x86_64");
        let tags: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Tag: ")).collect();
        assert_eq!(tags, ["py3-none-manylinux_2_17_x86_64", "py3-none-musllinux_1_1_x86_64"]);
    }
}
