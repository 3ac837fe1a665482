//! Installation of missing programs that some steps need, which is announced first.

use std::thread;
use std::time::Instant;

use crate::run::Options;
use crate::tools::{self, AUDITABLE, CYCLONEDX, DENY, FUZZ, MDBOOK, MUTANTS, NEXTEST, SEMVER, Tool};
use crate::{clients, described, editors, fuzz, javascript, packages, page, python, release, semver, shell};

/// A missing program, and the commands that install it.
struct Install {
    title: String,
    commands: Vec<String>,
}

impl From<(String, Vec<String>)> for Install {
    fn from((title, commands): (String, Vec<String>)) -> Self {
        Self { title, commands }
    }
}

/// Installs what is missing for `cargo xtask test`, unless the options forbid it. Prints the list first. Steps without
/// their programs are skipped later.
pub(crate) fn for_tests(options: &Options<'_>) {
    let mut debian: Vec<Install> = debian(|_| true).into_iter().collect();
    debian.extend(wasm());
    run(options, &debian, || others(options));
}

/// Returns what is missing for `cargo xtask test` besides the packages of Debian. Call it when these are installed: it finds
/// out what can be built with them.
fn others(options: &Options<'_>) -> Vec<Install> {
    let mut others: Vec<Install> = Vec::new();
    if options.is_long {
        if fuzz::toolchain_missing().is_none() {
            others.extend(cargo_tool(FUZZ));
        }
        others.extend([MUTANTS, AUDITABLE, CYCLONEDX].into_iter().filter_map(cargo_tool));
        if semver::baseline().is_some() {
            others.extend(cargo_tool(SEMVER));
        }
        others.extend(release::python_tools().map(Install::from));
    }
    let installs = [tools::packaged(&[NEXTEST, MDBOOK]), described::install(), clients::install(), python::install()];
    others.extend(installs.into_iter().flatten().map(Install::from));
    others.extend(page::install().map(Install::from));
    others.extend(editors::install().map(Install::from));
    others.extend(javascript::install().into_iter().map(Install::from));
    others
}

/// Installs what is missing for `cargo xtask lint`, as [`for_tests`] does: of Debian's packages, those of these programs.
pub(crate) fn for_lint(options: &Options<'_>, programs: &[&str]) {
    let debian: Vec<Install> = debian(|program| programs.contains(&program)).into_iter().collect();
    run(options, &debian, || tools::packaged(&[DENY]).into_iter().chain(page::install()).map(Install::from).collect());
}

/// Prints what is missing, and installs it unless the options forbid it: first the packages of Debian.
fn run(options: &Options<'_>, debian: &[Install], others: impl FnOnce() -> Vec<Install>) {
    announce_and_install(options, debian, &[]);
    announce_and_install(options, &[], &others());
}

fn announce_and_install(options: &Options<'_>, debian: &[Install], others: &[Install]) {
    if debian.is_empty() && others.is_empty() {
        return;
    }
    // Other steps print at the same time, so this is printed in one piece.
    let titles: String = debian.iter().chain(others).map(|install| format!("  {}\n", install.title)).collect();
    let what = if options.no_install {
        "They are not installed (--no-install). The steps that need them are skipped."
    } else {
        "They are installed now, beside the first steps. With --no-install, the steps that need them are skipped \
         instead."
    };
    println!("== setup\nSome steps need programs that are missing here:\n{titles}{what}\n");
    if !options.no_install {
        let start = Instant::now();
        install(debian, others);
        println!("== setup, beside the first steps: {:.1} s\n", start.elapsed().as_secs_f64());
    }
}

/// Installs what is missing for the site, except Debian's packages: their installation needs root.
pub(crate) fn for_site() {
    let others: Vec<Install> =
        tools::packaged(&[MDBOOK]).into_iter().chain(page::install()).map(Install::from).collect();
    announced(&[], &others);
}

/// Installs what is missing for a release. What then still is missing fails where it is used.
pub(crate) fn for_release() {
    let debian: Vec<Install> = debian(|_| true).into_iter().collect();
    let mut others: Vec<Install> = [AUDITABLE, CYCLONEDX].into_iter().filter_map(cargo_tool).collect();
    others.extend(release::python_tools().map(Install::from));
    announced(&debian, &others);
}

/// Prints what is missing, and installs it.
fn announced(debian: &[Install], others: &[Install]) {
    for install in debian.iter().chain(others) {
        println!("missing, and installed now: {}", install.title);
    }
    install(debian, others);
}

/// Installs the packages of Debian, which the others may need, and then the others at the same time, since a part of
/// each is waiting for downloads.
fn install(debian: &[Install], others: &[Install]) {
    let run = |install: &Install| {
        if let Err(error) = install.commands.iter().try_for_each(|command| shell::run_collected(command)) {
            println!("{error:#}: the steps that need it are skipped");
        }
    };
    debian.iter().for_each(run);
    thread::scope(|scope| {
        for install in others {
            scope.spawn(move || run(install));
        }
    });
}

/// Returns the packages of Debian with the programs that are needed and missing, if they can be installed.
fn debian(is_needed: impl Fn(&str) -> bool) -> Option<Install> {
    Some(apt(&packages::installable(is_needed)?.join(" ")))
}

/// Returns Debian's compiler for WebAssembly if the npm package cannot be built without it. Not every version of Debian
/// has it, and one missing package would stop the installation of all others, so it is installed alone.
fn wasm() -> Option<Install> {
    let is_missing = javascript::compiler_missing().is_some() && packages::can_install();
    is_missing.then(|| apt(javascript::DEBIAN_PACKAGES))
}

/// Options of apt-get: another compiler of Debian conflicts with `rustc-web`, and must not be removed for a test.
const APT: &str = "--quiet --yes --no-install-recommends --no-remove";

/// Returns the installation of packages of Debian.
fn apt(names: &str) -> Install {
    let update = "apt-get update --quiet".to_owned();
    let install = format!("DEBIAN_FRONTEND=noninteractive apt-get install {APT} {names}");
    Install { title: format!("packages of Debian: {names}"), commands: vec![update, install] }
}

/// Returns the installation of a cargo subcommand from its sources, if it is missing.
fn cargo_tool(tool: Tool) -> Option<Install> {
    tool.missing()?;
    let title = format!("{}, built from source into {}", tool.title(), tools::folder().display());
    Some(Install { title, commands: vec![tool.install()] })
}
