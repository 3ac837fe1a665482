//! The Python package: its tests, the checks of its types, and its wheel in an empty environment.
//!
//! Everything is in virtual environments in the target folder. The native modules are built by cargo with the features
//! and the profile of the Rust tests, which have built all that they need: maturin would build 65 crates again. Where
//! maturin adds options for the linker (macOS), this does not work; wheels are built by it in long runs, and for releases.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::machine::Missing;
use crate::{javascript, page, release, shell, target};

/// The oldest Python that the package supports.
const OLDEST: (u32, u32) = (3, 10);

/// The programs that the tests need, with their versions.
const REQUIREMENTS: &str = "python/requirements.txt";

/// Spark, which needs Java and is large. It is installed only where there is a Java; its tests are skipped elsewhere.
const SPARK: &str = "python/requirements-spark.txt";

/// The version of Scrapy before the one in [`REQUIREMENTS`], which has an environment of its own.
const SCRAPY_BEFORE: &str = "2.18.0";

/// The package whose tests are run from its source package.
const PROTEGO: &str = "protego==0.7.0";

/// Pythons without the global interpreter lock. The wheel for all versions is not for them, so each needs its own.
const FREE_THREADED: [&str; 2] = ["python3.14t", "python3.13t"];

/// The report that pytest writes.
pub(crate) const REPORT: &str = "target/python/tests.xml";

/// Returns a title and the commands that create the environment of the tests, if it is missing or old.
pub(crate) fn install() -> Option<(String, Vec<String>)> {
    if python_missing().is_some() || is_current() {
        return None;
    }
    let venv = venv();
    let title = format!(
        "the Python packages of {REQUIREMENTS}, the sources of {PROTEGO}, and Scrapy {SCRAPY_BEFORE}, into {}",
        folder().display()
    );
    let pip = |venv: &Path| format!("{}/bin/pip --quiet --disable-pip-version-check", venv.display());
    let before = scrapy_before();
    let sdists = folder().join("sdists");
    let mut commands = vec![
        format!("python3 -m venv --clear {}", venv.display()),
        format!("{} install --requirement {REQUIREMENTS}", pip(&venv)),
        format!("{} download --no-deps --no-binary :all: --dest {} {PROTEGO}", pip(&venv), sdists.display()),
        format!("python3 -m venv --clear {}", before.display()),
        format!("{} install scrapy=={SCRAPY_BEFORE}", pip(&before)),
    ];
    if shell::output("java -version").is_some() {
        commands.push(format!("{} install --requirement {SPARK}", pip(&venv)));
    }
    // Last, so that an environment that is not complete is not used.
    commands.push(format!("cp {REQUIREMENTS} {}", venv.display()));
    Some((title, commands))
}

/// Returns a note if the package cannot be tested here.
pub(crate) fn missing() -> Missing {
    python_missing().or_else(|| {
        let missing = || format!("the packages of {REQUIREMENTS} are missing; python3 with venv and pip installs them");
        (!is_current()).then(missing)
    })
}

/// Returns a note if there is no Python, or only an older one.
fn python_missing() -> Missing {
    let (major, minor) = OLDEST;
    let Some(version) = shell::output("python3 --version") else {
        return Some(format!("`python3` is not there: install Python {major}.{minor} or newer"));
    };
    (number(&version) < OLDEST).then(|| format!("Python {major}.{minor} or newer is needed, found {}", version.trim()))
}

/// Parses `Python 3.11.2` as 3, 11.
fn number(version: &str) -> (u32, u32) {
    let mut parts = version.trim().trim_start_matches("Python ").split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// Returns true if the environment has the packages that the tests need.
fn is_current() -> bool {
    let installed = venv().join("requirements.txt");
    fs::read(installed).is_ok_and(|installed| fs::read(REQUIREMENTS).is_ok_and(|needed| needed == installed))
}

fn folder() -> PathBuf {
    target::folder().join("python")
}

fn venv() -> PathBuf {
    folder().join("venv")
}

fn scrapy_before() -> PathBuf {
    folder().join("scrapy-before")
}

/// The packages: the folder and the name of each, the library of its crate, and its native module.
const PACKAGES: [(&str, &str, &str, &str); 3] = [
    ("python/package", "comity", "comity_python", "_comity"),
    ("python/client/package", "comity_client", "comity_python_client", "_client"),
    ("python/columns/package", "comity_columns", "comity_python_columns", "_columns"),
];

/// Returns the folder from which the tests import the packages. The checkout has no native modules.
fn site() -> PathBuf {
    std::path::absolute(folder().join("site")).unwrap_or_default()
}

/// Builds the native modules, and puts the packages together in [`site`].
pub(crate) fn build() -> Result<()> {
    // With a test among the targets, cargo chooses the features that development dependencies ask for, too, as the Rust
    // tests have them. Without it, 80 crates were built a second time, which took 85 processor seconds.
    shell::run("cargo build --quiet --profile test --workspace --all-features --lib --test limit")?;
    let site = site();
    if site.exists() {
        fs::remove_dir_all(&site).with_context(|| site.display().to_string())?;
    }
    for (folder, name, library, module) in PACKAGES {
        for (path, bytes) in page::files(&Path::new(folder).join(name))? {
            let to = site.join(name).join(path);
            fs::create_dir_all(to.parent().unwrap_or(&site))?;
            fs::write(&to, bytes).with_context(|| to.display().to_string())?;
        }
        let built = target::folder().join(format!("debug/{DLL_PREFIX}{library}{DLL_SUFFIX}"));
        let suffix = if cfg!(windows) { "pyd" } else { "abi3.so" };
        let to = site.join(name).join(format!("{module}.{suffix}"));
        fs::copy(&built, to).with_context(|| built.display().to_string())?;
    }
    Ok(())
}

/// Builds the wheels as they are released, and compares the package with others.
pub(crate) fn bench() -> Result<()> {
    if let Some(missing) = python_missing() {
        bail!("{missing}");
    }
    if let Some(missing) = missing() {
        bail!("{missing}, as `cargo xtask test` does");
    }
    let maturin = maturin(&venv().join("bin/maturin"), &release::host()?)?;
    let wheel = wheel(&maturin, "python", &folder().join("bench-wheels"))?;
    let client = self::wheel(&maturin, "python/client", &folder().join("bench-client-wheels"))?;
    let columns = self::wheel(&maturin, "python/columns", &folder().join("bench-columns-wheels"))?;
    install_wheels(&venv(), &[&wheel, &client])?;
    shell::run(&format!(
        "{}/bin/python bench/python/compare.py {} {} {}",
        venv().display(),
        wheel.display(),
        client.display(),
        columns.display()
    ))
}

/// Measures columns in the engines of others, with the wheels as they are released, and adds the results to a report.
pub(crate) fn bench_columns(files: &Path, report: &str) -> Result<()> {
    if let Some(missing) = missing() {
        bail!("{missing}: `cargo xtask test` installs it");
    }
    let maturin = maturin(&venv().join("bin/maturin"), &release::host()?)?;
    let wheel = self::wheel(&maturin, "python", &folder().join("bench-wheels"))?;
    let columns = self::wheel(&maturin, "python/columns", &folder().join("bench-columns-wheels"))?;
    install_wheels(&venv(), &[&wheel, &columns])?;
    shell::run(&format!("{}/bin/python bench/columns/compare.py {} {report}", venv().display(), files.display()))
}

fn install_wheels(venv: &Path, wheels: &[&Path]) -> Result<()> {
    let wheels: Vec<String> = wheels.iter().map(|wheel| wheel.display().to_string()).collect();
    let pip = venv.join("bin/pip");
    shell::run(&format!(
        "{} --quiet --disable-pip-version-check install --no-deps --force-reinstall {}",
        pip.display(),
        wheels.join(" ")
    ))
}

/// Returns the start of the command that builds a wheel to release, by this `maturin`. It also builds the standard library:
/// that of rustup has code for backtraces and is built for speed, which takes 17 % of the wheel of `comity`.
///
/// The sources must be of the compiler's own version: those of rustup's component `rust-src`, or of the compiler that
/// the npm package is built with.
pub(crate) fn maturin(maturin: &Path, target: &str) -> Result<String> {
    let sysroot = shell::output("rustc --print sysroot").context("`rustc --print sysroot` failed")?;
    let has_sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std/Cargo.toml").exists();
    let compiler = match javascript::compiler_missing() {
        _ if has_sources => "",
        None => "RUSTC=/usr/bin/rustc CARGO=/usr/bin/cargo ",
        Some(note) => {
            bail!("expected the sources of the standard library: run `rustup component add rust-src`, or: {note}")
        }
    };
    // A stable Rust builds its standard library only with this variable.
    Ok(format!(
        "{compiler}RUSTC_BOOTSTRAP=1 {} build --quiet --locked --profile wheel --target {target} \
         -Z build-std=std,panic_unwind -Z build-std-features=optimize_for_size",
        std::path::absolute(maturin)?.display()
    ))
}

/// Returns the start of the command that builds a wheel for tests.
fn plain_maturin() -> String {
    format!("{} build --quiet --locked --profile dev", venv().join("bin/maturin").display())
}

/// Builds the wheel of the package in a folder into an empty folder, by a command of maturin. Returns its path.
fn wheel(maturin: &str, package: &str, wheels: &Path) -> Result<PathBuf> {
    if wheels.exists() {
        fs::remove_dir_all(wheels).with_context(|| wheels.display().to_string())?;
    }
    let wheels = std::path::absolute(wheels)?;
    shell::run(&format!("{maturin} --manifest-path {package}/Cargo.toml --out {}", wheels.display()))?;
    let mut found = fs::read_dir(&wheels)?;
    let wheel = found.next().with_context(|| format!("no wheel in {}", wheels.display()))??;
    Ok(wheel.path())
}

/// Returns the command of the tests. They run in several processes, since many of them wait for slow sites.
pub(crate) fn tests() -> String {
    let before = std::path::absolute(scrapy_before()).unwrap_or_default().join("bin/python");
    let sdists = std::path::absolute(folder().join("sdists")).unwrap_or_default();
    format!(
        "PYTHONPATH={} COMITY_SCRAPY_BEFORE={} COMITY_SDISTS={} {}/bin/python -m pytest --quiet --numprocesses 6 --maxschedchunk 1 --junit-xml={REPORT} \
         python/tests",
        site().display(),
        before.display(),
        sdists.display(),
        venv().display()
    )
}

/// Checks the types: the stubs against the native modules, and the packages and their tests in two type checkers, all at
/// the same time.
pub(crate) fn types() -> Result<()> {
    let bin = venv().join("bin");
    let (bin, cache, site) = (bin.display(), folder().join("mypy"), site());
    let site = site.display();
    let checks = [
        format!(
            "PYTHONPATH={site} MYPYPATH={site} {bin}/python -m mypy.stubtest comity comity_client comity_columns --mypy-config-file python/pyproject.toml"
        ),
        format!(
            "MYPYPATH=python/columns/package {bin}/mypy --config-file python/pyproject.toml --cache-dir {} python/package python/client/package \
             python/tests",
            cache.display()
        ),
        format!("{bin}/pyright --project python/pyproject.toml --pythonpath {bin}/python"),
    ];
    thread::scope(|scope| {
        let checks = checks.map(|check| scope.spawn(move || shell::run_collected(&check)));
        let ends = checks.map(|check| check.join().unwrap_or_else(|_| bail!("a check panicked")));
        ends.into_iter().collect()
    })
}

/// Builds the wheel, installs it into an empty environment, without any other package, and uses it.
pub(crate) fn empty_environment() -> Result<()> {
    let wheel = wheel(&plain_maturin(), "python", &folder().join("wheels"))?;
    use_alone("python3", &wheel, &folder().join("empty"))
}

/// Returns a note if there is no Python without the global interpreter lock.
pub(crate) fn free_threaded_missing() -> Missing {
    missing().or_else(|| {
        let missing = || format!("no free-threaded Python is there: neither of {}", FREE_THREADED.join(", "));
        free_threaded_python().is_none().then(missing)
    })
}

fn free_threaded_python() -> Option<&'static str> {
    FREE_THREADED.into_iter().find(|python| shell::output(&format!("{python} --version")).is_some())
}

/// Builds the wheel for a Python without the global interpreter lock, and uses it there.
pub(crate) fn free_threaded() -> Result<()> {
    let python = free_threaded_python().context("no free-threaded Python is there")?;
    let maturin = format!("{} --interpreter {python}", plain_maturin());
    let wheel = wheel(&maturin, "python", &folder().join("free-threaded-wheels"))?;
    use_alone(python, &wheel, &folder().join("free-threaded"))
}

/// Installs a wheel into an empty environment of a Python, and uses it.
fn use_alone(python: &str, wheel: &Path, venv: &Path) -> Result<()> {
    let venv = venv.display();
    shell::run(&format!("{python} -m venv --clear {venv}"))?;
    shell::run(&format!("{venv}/bin/pip --quiet --disable-pip-version-check install --no-index {}", wheel.display()))?;
    let installed = shell::output(&format!("{venv}/bin/pip list --format=freeze --exclude=pip --exclude=setuptools"));
    let installed = installed.context("pip cannot list the packages")?;
    ensure!(installed.lines().count() == 1, "expected comity without dependencies, found {installed}");
    shell::run(&format!("{venv}/bin/python -I python/tests/smoke.py"))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn versions_of_python_are_parsed() {
        assert_eq!(number("Python 3.11.2\n"), (3, 11));
        assert_eq!(number("Python 3.15.0rc1"), (3, 15));
        assert_eq!(number(""), (0, 0));
    }
}
