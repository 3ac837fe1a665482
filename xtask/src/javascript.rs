//! The npm package: its WebAssembly modules, their tests, and the package alone in an empty folder.
//!
//! The modules are built in one way: with Debian's `rustc-web`, which builds the standard library from its sources. Only
//! the module of the tester page is also built with rustup's target for WebAssembly, which exists on other systems.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::machine::Missing;
use crate::{page, shell, target, tester};

/// The target of the modules.
const TARGET: &str = "wasm32-unknown-unknown";

/// The modules. Each of them is a feature of the crate.
const MODULES: [&str; 3] = ["check", "lint", "diff"];

/// Returns the options of cargo for a module. The largest one asks few questions: built for size, its engine has 8 KB less,
/// and a lint takes a tenth more time.
fn options(module: &str) -> &'static str {
    if module == "lint" { tester::SMALL } else { "" }
}

/// The oldest Rust that builds the modules: the `rust-version` of the engine.
const OLDEST_RUST: (u32, u32) = (1, 88);

/// The files of Debian's packages besides the compiler: cargo, the sources of the standard library, and the linker.
const DEBIAN: [&str; 3] = ["/usr/bin/cargo", "/usr/lib/rustlib/src/rust/library/std/Cargo.toml", "/usr/bin/rust-lld"];

/// Debian's packages with a compiler for WebAssembly, its sources of the standard library, and its linker: a link in
/// `rust-web-llvm` to a program in `lld-22`.
pub(crate) const DEBIAN_PACKAGES: &str = "rustc-web cargo-web rust-web-src rust-web-llvm lld-22";

/// The command that installs what the package is built and tested with.
const INSTALL: &str = "npm --prefix js ci --no-audit --no-fund";

/// Returns the start of the command that builds a module with Debian's compiler.
fn debian() -> Result<&'static str> {
    let compiler = shell::output("/usr/bin/rustc --version").unwrap_or_default();
    let (major, minor) = OLDEST_RUST;
    ensure!(
        number(&compiler) >= OLDEST_RUST && DEBIAN.iter().all(|path| Path::new(path).exists()),
        "expected Debian's Rust {major}.{minor} or newer for WebAssembly, found none: install {DEBIAN_PACKAGES} in \
         Debian 12, or in a container of it"
    );
    // Debian's standard library for this target is older. A stable Rust builds one only with this variable; built for
    // size and without messages of panics, it saves a quarter of the size of the module.
    Ok(concat!(
        "RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo rustc ",
        "-Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size -Zpanic-immediate-abort ",
        "--config profile.wasm.panic=\"immediate-abort\"",
    ))
}

/// Returns the start of the command that builds the module of the tester page.
fn any() -> Result<&'static str> {
    debian().or_else(|error| {
        let installed = shell::output("rustup target list --installed").unwrap_or_default();
        if installed.lines().any(|line| line == TARGET) {
            Ok("cargo rustc")
        } else {
            Err(anyhow!("{error}; or rustup target add {TARGET}"))
        }
    })
}

/// Parses `rustc 1.96.0 (…)` as 1, 96.
fn number(version: &str) -> (u32, u32) {
    let mut parts = version.trim().trim_start_matches("rustc ").split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// The platforms besides Node and browsers in which the package is tested, and the bundlers, with their versions. Next.js
/// needs React.
const PLATFORMS: [(&str, &str); 7] = [
    ("deno", "2.9.6"),
    ("workerd", "1.20261117.1"),
    ("esbuild", "0.28.2"),
    ("vite", "8.3.8"),
    ("next", "16.4.6"),
    ("react", "19.3.1"),
    ("react-dom", "19.3.1"),
];

/// The folder of these platforms.
const PLATFORMS_FOLDER: &str = "target/js/platforms";

/// Returns titles and the commands that install what the tests need and what is missing or old.
pub(crate) fn install() -> Vec<(String, Vec<String>)> {
    let mut missing = Vec::new();
    let modified = |path: &str| fs::metadata(path).and_then(|found| found.modified()).ok();
    // npm writes this file last.
    if modified("js/node_modules/.package-lock.json") < modified("js/package-lock.json") {
        missing.push(("the packages of js/package-lock.json, into js/node_modules".into(), vec![INSTALL.into()]));
    }
    if debian().is_ok() && !PLATFORMS.iter().all(|(name, version)| is_installed(name, version)) {
        let names = PLATFORMS.map(|(name, version)| format!("{name}@{version}")).join(" ");
        let command = format!("npm install --prefix {PLATFORMS_FOLDER} --no-audit --no-fund {names}");
        missing.push((format!("{names}, into {PLATFORMS_FOLDER}"), vec![command]));
    }
    missing
}

/// Returns true if this version of a platform is installed.
fn is_installed(name: &str, version: &str) -> bool {
    let package = Path::new(PLATFORMS_FOLDER).join("node_modules").join(name).join("package.json");
    fs::read_to_string(package).is_ok_and(|text| text.contains(&format!("\"version\": \"{version}\"")))
}

/// Returns a note if the package cannot be built here.
pub(crate) fn missing() -> Missing {
    page::node_missing()
        .or_else(|| Some(format!("its packages are missing: {INSTALL}")).filter(|_| !installed().exists()))
        .or_else(compiler_missing)
}

/// Returns a note if there is no compiler for the modules.
pub(crate) fn compiler_missing() -> Missing {
    debian().err().map(|error| error.to_string())
}

fn installed() -> PathBuf {
    Path::new("js/node_modules/.package-lock.json").to_owned()
}

/// The report that the tests write.
pub(crate) const REPORT: &str = "target/js/tests.xml";

/// Builds the modules and the JavaScript beside them into `js/dist`.
pub(crate) fn build() -> Result<()> {
    let dist = Path::new("js/dist");
    if dist.exists() {
        fs::remove_dir_all(dist).with_context(|| dist.display().to_string())?;
    }
    shell::run("npm --prefix js run build")?;
    let cargo = debian()?;
    for module in MODULES {
        build_module(cargo, module, options(module), &dist.join(format!("comity-{module}.wasm")))?;
    }
    shell::run("node js/inline.mjs")
}

/// Builds a module of the tester page with variables of the environment and further options of cargo.
pub(crate) fn build_tester(feature: &str, variables: &str, options: &str, to: &Path) -> Result<()> {
    build_module(&format!("{variables} {}", any()?), feature, options, to)
}

/// Builds the module of a feature, and copies it.
fn build_module(cargo: &str, feature: &str, options: &str, to: &Path) -> Result<()> {
    let _one = ONE_AT_A_TIME.lock();
    shell::run(&module_command(cargo, feature, options))?;
    let built = folder().join(TARGET).join("wasm/comity_wasm.wasm");
    fs::copy(&built, to).with_context(|| built.display().to_string())?;
    Ok(())
}

/// Cargo puts each module into the same file, from which it is copied.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Returns the command that builds the module of a feature.
fn module_command(cargo: &str, feature: &str, options: &str) -> String {
    format!(
        "{cargo} --quiet --locked --package comity-wasm --lib --no-default-features --features {feature} --target {TARGET} \
         --profile wasm {options} --target-dir {} -- -Clink-arg=--strip-all",
        folder().display()
    )
}

/// Returns the target folder of the modules: another compiler than that of the workspace may build them.
fn folder() -> PathBuf {
    target::folder().join("js")
}

/// Compiles all modules, so that the steps that need them find them compiled. Prints nothing: those steps report errors.
pub(crate) fn compile_ahead() {
    let Ok(cargo) = debian() else { return };
    let of_package = MODULES.map(|module| (module, options(module)));
    let of_tester = tester::MODULES.map(|module| (module, tester::SMALL));
    for (module, options) in of_package.into_iter().chain(of_tester) {
        let _one = ONE_AT_A_TIME.lock();
        let _ = shell::output(&module_command(cargo, module, options));
    }
}

/// Returns a note if the module of the tester page cannot be built here.
pub(crate) fn tester_missing() -> Missing {
    any().err().map(|error| error.to_string())
}

/// The command of the tests.
pub(crate) const TESTS: &str = "npm --prefix js test";

/// Measures the package beside robots-parser.
pub(crate) fn bench() -> Result<()> {
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    build()?;
    shell::run("node bench/js/compare.mjs")
}

/// Installs the package into an empty folder, without any other package, and uses it there.
pub(crate) fn empty_folder() -> Result<()> {
    let folder = target::folder().join("js/empty");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder)?;
    let at = folder.display();
    shell::run(&format!("npm pack ./js --silent --pack-destination {at}"))?;
    let package = files(&folder, ".tgz")?;
    fs::write(folder.join("package.json"), "{\"type\": \"module\"}\n")?;
    shell::run(&format!("npm install --prefix {at} --offline --no-audit --no-fund {}", package.display()))?;
    let examples = folder.join("node_modules/comity/dist/docs");
    ensure!(!examples.exists(), "the package contains the examples that its tests wrote");
    for name in ["use.mts", "use.cjs"] {
        fs::copy(Path::new("js/tests/package").join(name), folder.join(name)).context(name)?;
    }
    let options = "--strict --exactOptionalPropertyTypes --target es2022 --lib es2022,dom --types node";
    // The last one writes the program.
    for modules in ["esnext --moduleResolution bundler --noEmit", "node16 --noEmit", "nodenext"] {
        shell::run(&format!(
            "js/node_modules/.bin/tsc --ignoreConfig {options} --typeRoots js/node_modules/@types --module {modules} \
             {at}/use.mts"
        ))?;
    }
    for name in ["use.mjs", "use.cjs"] {
        let printed = shell::output(&format!("node {at}/{name}")).with_context(|| format!("{name} failed"))?;
        ensure!(printed == "true\n", "{name} printed {printed:?}");
    }
    Ok(())
}

/// Returns the only file in a folder whose name ends so.
fn files(folder: &Path, end: &str) -> Result<PathBuf> {
    let is_it = |path: &PathBuf| path.to_string_lossy().ends_with(end);
    let found = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).find(is_it);
    found.with_context(|| format!("no {end} in {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn versions_of_rust_are_parsed() {
        assert_eq!(number("rustc 1.96.0 (ac68faa20 2026-04-14) (built from a source tarball)\n"), (1, 96));
        assert_eq!(number(""), (0, 0));
    }
}
