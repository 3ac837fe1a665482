//! The artifacts of a release, in one folder: the program for this platform as an archive, a wheel, a package of Debian
//! and an image of a container, the wheels of the Python packages, the list of all dependencies, and the checksums.
//!
//! Nothing is published here. The same source makes the same bytes: dates are those of the commit, and no path of this
//! machine is in any artifact.

mod archive;
mod binary;
pub(crate) mod check;
mod deb;
mod image;
mod pages;
mod python;
mod sbom;
mod sums;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::links::Repository;
use crate::workspace::Workspace;
use crate::{publish, setup, shell, target};

pub(crate) use python::install as python_tools;

/// A release that is being made.
#[derive(Debug)]
pub(crate) struct Release {
    version: String,
    /// The date of all files, in seconds since 1970.
    date: u64,
    platform: Platform,
    /// The folder of the artifacts.
    folder: PathBuf,
    /// The folder of everything else.
    work: PathBuf,
}

/// A platform that artifacts are made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Platform {
    /// Its name in Rust.
    target: &'static str,
    /// The tag of wheels that contain the program. A program that is linked statically runs with every libc, so there is
    /// one wheel for all of Linux.
    wheel: Option<&'static str>,
    /// Its name in Debian, for a package and an image.
    debian: Option<&'static str>,
}

const PLATFORMS: [Platform; 6] = [
    Platform {
        target: "x86_64-unknown-linux-gnu",
        wheel: Some("manylinux_2_17_x86_64.musllinux_1_1_x86_64"),
        debian: Some("amd64"),
    },
    Platform {
        target: "aarch64-unknown-linux-gnu",
        wheel: Some("manylinux_2_17_aarch64.musllinux_1_1_aarch64"),
        debian: Some("arm64"),
    },
    Platform { target: "x86_64-unknown-linux-musl", wheel: None, debian: None },
    Platform { target: "aarch64-apple-darwin", wheel: Some("macosx_11_0_arm64"), debian: None },
    Platform { target: "x86_64-apple-darwin", wheel: Some("macosx_10_12_x86_64"), debian: None },
    Platform { target: "x86_64-pc-windows-msvc", wheel: Some("win_amd64"), debian: None },
];

impl Platform {
    /// Returns the platform with this name.
    fn named(target: &str) -> Result<Self> {
        PLATFORMS.into_iter().find(|platform| platform.target == target).with_context(|| {
            let names: Vec<_> = PLATFORMS.iter().map(|platform| platform.target).collect();
            format!("no release is made for `{target}`; expected one of {}", names.join(", "))
        })
    }

    /// Returns the name of the program's file.
    fn program(self) -> &'static str {
        if self.target.contains("windows") { "comity.exe" } else { "comity" }
    }

    fn is_linux(self) -> bool {
        self.target.contains("linux")
    }
}

/// The options of `cargo xtask release`.
#[derive(Default)]
struct Options<'a> {
    is_dry_run: bool,
    target: Option<&'a str>,
    folder: Option<&'a str>,
    /// The program, if it was built before.
    program: Option<&'a str>,
}

/// Makes the artifacts, by the options of `cargo xtask release`.
pub(crate) fn run(mut options: &[&str]) -> Result<()> {
    let mut read = Options::default();
    loop {
        options = match *options {
            [] => break,
            ["--dry-run", ref rest @ ..] => {
                read.is_dry_run = true;
                rest
            }
            ["--target", name, ref rest @ ..] => {
                read.target = Some(name);
                rest
            }
            ["--out", folder, ref rest @ ..] => {
                read.folder = Some(folder);
                rest
            }
            ["--program", path, ref rest @ ..] => {
                read.program = Some(path);
                rest
            }
            [unknown, ..] => bail!(
                "`{unknown}` is no option of `cargo xtask release`; expected --dry-run, --target TARGET, --out FOLDER or \
                 --program FILE"
            ),
        };
    }
    if !read.is_dry_run {
        ensure!(read.program.is_none(), "--program is for --dry-run: a release has the program of its commit");
        tagged()?;
    }
    setup::for_release();
    let release = Release::new(&read)?;
    release.make(read.program)
}

/// Makes all artifacts in the target folder, as the checks of a long run do.
pub(crate) fn dry_run() -> Result<()> {
    Release::local()?.make(None)
}

impl Release {
    fn new(options: &Options<'_>) -> Result<Self> {
        let host = host()?;
        let platform = Platform::named(options.target.unwrap_or(&host))?;
        let folder = options.folder.map_or_else(|| target::folder().join("artifacts"), PathBuf::from);
        let work = target::folder().join("artifacts-work");
        Ok(Self {
            version: version()?,
            date: date()?,
            platform,
            folder: std::path::absolute(folder)?,
            work: std::path::absolute(work)?,
        })
    }

    /// Returns the release of this machine, in the target folder.
    fn local() -> Result<Self> {
        Self::new(&Options { is_dry_run: true, ..Options::default() })
    }

    fn make(&self, program: Option<&str>) -> Result<()> {
        for folder in [&self.folder, &self.work] {
            if folder.exists() {
                fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
            }
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let program = match program {
            Some(path) => std::path::absolute(path)?,
            None => binary::build(self)?,
        };
        binary::check(self, &program)?;
        let pages = pages::write(self, &program)?;
        // The same on every platform: for other programs, and for `--crawlers` of older versions.
        fs::write(self.artifact("crawlers.json"), pages::run(&program, &["crawlers", "--format", "json"])?)?;
        archive::write(self, &program, &pages)?;
        let sbom = sbom::write(self)?;
        if let Some(tags) = self.platform.wheel {
            python::program_wheel(self, &program, &sbom, tags)?;
            python::library_wheels(self)?;
        }
        if self.platform.debian.is_some() {
            deb::write(self, &program, &pages)?;
            image::write(self, &program)?;
        }
        sums::write(&self.folder)?;
        println!("\n{} has:", self.folder.display());
        for (name, bytes) in tree::sizes(&self.folder)? {
            println!("  {bytes:>10}  {name}");
        }
        Ok(())
    }

    /// Returns the path of an artifact.
    fn artifact(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the name of the archive, without its ending. Its only folder has the same name.
    fn archive_name(&self) -> String {
        format!("comity-{}-{}", self.version, self.platform.target)
    }

    fn deb_name(&self) -> String {
        format!("comity_{}_{}.deb", self.version, self.platform.debian.unwrap_or_default())
    }

    fn image_name(&self) -> String {
        format!("comity-{}-image-{}.tar.gz", self.version, self.platform.debian.unwrap_or_default())
    }

    /// Creates an empty folder for other files.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(folder)
    }
}

/// Returns the target of this machine.
pub(crate) fn host() -> Result<String> {
    let text = shell::output("rustc --version --verbose").context("`rustc --version` failed")?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(host.to_owned())
}

/// Returns the version of the program.
fn version() -> Result<String> {
    let workspace = Workspace::load()?;
    let published = workspace.published();
    let program = published.iter().find(|package| package.name() == "comity-cli").context("there is no comity-cli")?;
    Ok(program.version().to_owned())
}

/// Returns the date of the files: that of the commit, or the one that `SOURCE_DATE_EPOCH` states.
fn date() -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => shell::output("git log -1 --format=%ct").context("git knows no commit: set SOURCE_DATE_EPOCH")?,
    };
    let text = text.trim();
    text.parse().with_context(|| format!("SOURCE_DATE_EPOCH: expected seconds since 1970, found `{text}`"))
}

/// Refuses to make a release of anything but a commit with the tag of its version, in a repository with an address.
fn tagged() -> Result<()> {
    for package in Workspace::load()?.published() {
        publish::check_repository(package.name(), package.field("repository"))?;
    }
    if let (Some(set), Ok(own)) = (Repository::of_workspace()?, std::env::var("GITHUB_REPOSITORY")) {
        ensure!(
            set.address.to_lowercase().ends_with(&format!("/{}", own.to_lowercase())),
            "this workflow runs in {own}, and `repository` in Cargo.toml is {}: links would lead elsewhere",
            set.address
        );
    }
    let version = version()?;
    let tags = shell::output("git tag --points-at HEAD").unwrap_or_default();
    ensure!(
        tags.lines().any(|tag| tag == format!("v{version}")),
        "expected the tag v{version} at this commit, found {}; --dry-run makes the artifacts without it",
        if tags.is_empty() { "none".to_owned() } else { tags.trim().replace('\n', ", ") }
    );
    let changes = shell::output("git status --porcelain").context("`git status` failed")?;
    ensure!(changes.is_empty(), "expected the files of the commit, found changes:\n{changes}");
    let changelog = fs::read_to_string("CHANGELOG.md")?;
    ensure!(changelog.contains(&format!("\n## {version}")), "CHANGELOG.md has no section of {version}");
    Ok(())
}

/// Fails if a file contains a path of this machine: it would differ on another one.
fn no_machine_path(name: &str, bytes: &[u8]) -> Result<()> {
    for path in machine_paths() {
        let place = bytes.windows(path.len()).position(|window| window == path.as_bytes());
        if let Some(place) = place {
            let around = &bytes[place.saturating_sub(20)..(place + path.len() + 60).min(bytes.len())];
            bail!("{name} contains a path of this machine: {}", around.escape_ascii());
        }
    }
    Ok(())
}

/// Returns the folders that are specific to this machine.
fn machine_paths() -> Vec<String> {
    let cargo = std::env::var("CARGO_HOME").ok();
    let rustup = std::env::var("RUSTUP_HOME").ok();
    let home = std::env::var("HOME").ok().map(|home| format!("{home}/."));
    let root = std::env::current_dir().ok().map(|root| root.display().to_string());
    let target = std::path::absolute(target::folder()).ok().map(|target| target.display().to_string());
    let paths = [cargo, rustup, home, root, target].into_iter().flatten();
    paths.filter(|path| path.len() > 3).collect()
}

/// Returns the files of a folder, sorted, as paths.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{PLATFORMS, Platform, machine_paths, no_machine_path};

    #[test]
    fn a_platform_without_a_release_is_refused() {
        assert_eq!(Platform::named("x86_64-unknown-linux-gnu").unwrap().debian, Some("amd64"));
        let refused = Platform::named("mips-unknown-linux-gnu").unwrap_err().to_string();
        assert!(PLATFORMS.iter().all(|platform| refused.contains(platform.target)), "{refused}");
    }

    #[test]
    fn paths_of_this_machine_are_found() {
        no_machine_path("a", b"/comity/crates /usr/bin").unwrap();
        for path in machine_paths() {
            let text = format!("a\0{path}/src/lib.rs");
            let refused = no_machine_path("a", text.as_bytes()).unwrap_err().to_string();
            assert!(refused.contains(&path), "{refused}");
        }
    }
}
