//! The checks of the sources and of the build: `cargo xtask lint`. They run no tests of the products.

use std::thread;

use anyhow::Result;

use crate::machine::{self, cargo_tool};
use crate::run::{Options, Run, Step, Work};
use crate::setup;
use crate::tools::DENY;
use crate::workspace::Workspace;
use crate::{advisories, bench, fuzz, links, msrv, page, prose, publish};

/// The programs that the checks use, besides Rust.
const PROGRAMS: [&str; 4] = ["c++", "node", "npm", "valgrind"];

/// Runs the checks, even after a failed one. Installs missing programs while the checks run that need Rust alone. Returns
/// true if no check failed.
pub(crate) fn run(options: &Options<'_>) -> Result<bool> {
    let workspace = Workspace::load()?;
    let mut run = Run::new();
    thread::scope(|scope| {
        if !options.lists {
            scope.spawn(|| setup::for_lint(options, &PROGRAMS));
        }
        let steps = steps_with_rust_alone(&workspace, options).into_iter();
        steps.filter(|step| step.is_selected(options)).for_each(|step| run.step(step, options));
    });
    let steps = steps(&workspace, options).into_iter();
    steps.filter(|step| step.is_selected(options)).for_each(|step| run.step(step, options));
    run.finish(options)
}

/// Returns the first steps, which use no programs that are installed for the others.
fn steps_with_rust_alone<'a>(workspace: &'a Workspace, options: &Options<'_>) -> Vec<Step<'a>> {
    let rustfmt = cargo_tool("fmt", "rustup component add rustfmt");
    let clippy = || cargo_tool("clippy", "rustup component add clippy");
    vec![
        Step::new("format", rustfmt, Work::commands(FORMAT)),
        Step::new("words", None, Work::check(prose::check)),
        Step::new("links to the repository", None, Work::check(links::check)),
        Step::new("lints", clippy(), Work::commands([CLIPPY])),
        Step::new("lints, other features", clippy(), Work::Commands(feature_commands(workspace, options.is_long))),
        // Libraries only: the program is also called `comity`, and its pages would replace the engine's.
        Step::new(
            "docs",
            None,
            Work::commands(["RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --lib --no-deps --all-features"]),
        ),
    ]
}

/// The workspace, and those of the benchmarks and of the fuzz targets.
const FORMAT: [&str; 3] = [
    "cargo fmt --all --check",
    "cargo fmt --all --check --manifest-path bench/Cargo.toml",
    "cargo fmt --all --check --manifest-path fuzz/Cargo.toml",
];

/// Lints everything that the tests compile, with the same features.
const CLIPPY: &str = "cargo clippy --workspace --all-targets --all-features -- -D warnings";

/// Returns the other steps in order. Call it after the installation: it finds out which programs are missing.
fn steps<'a>(workspace: &'a Workspace, options: &Options<'_>) -> Vec<Step<'a>> {
    let gate = if options.is_long { "" } else { "--quick" };
    let (bare, no_bare) = match machine::bare_target() {
        Some(target) => (target, None),
        None => (String::new(), Some("no target without std is there: rustup target add thumbv7em-none-eabihf".into())),
    };
    let mut steps = vec![
        Step::new("engine without std", no_bare, Work::commands([&*format!("cargo build -p comity --target {bare}")])),
        Step::new("Rust version of dependencies", None, Work::check(|| msrv::check(workspace))),
    ];
    for (toolchain, crates) in msrv::toolchains(workspace) {
        let line = format!("rustup run {toolchain} cargo check --all-features -p {}", crates.join(" -p "));
        let name = format!("check with Rust {toolchain}");
        steps.push(Step::new(&name, machine::toolchain(&toolchain), Work::commands([&*line])));
    }
    steps.extend([
        Step::new(
            "licenses and sources",
            DENY.missing(),
            Work::commands(["cargo deny --all-features check bans licenses sources"]),
        ),
        Step::new("advisories", advisories::missing(), Work::commands([advisories::CHECK])),
        Step::new("page", page::missing(), Work::check(page::check)),
        Step::new("fuzz targets compile", fuzz::compiling_missing(), Work::commands([fuzz::COMPILE])),
        Step::new("instructions", bench::gate_missing(), Work::check(move || bench::gate(gate).map(drop))),
    ]);
    if options.is_long {
        steps.push(Step::new("packages", None, Work::check(|| publish::check(workspace))));
    }
    steps
}

/// The crates that are linted without features in each run: the engine, which is then without std, and the program, which
/// the README builds so. Of the others, this rarely finds anything.
const LINTED_WITHOUT_FEATURES: [&str; 2] = ["comity", "comity-cli"];

/// Returns commands that lint crates without features, and in a long run each crate, also with each feature alone.
fn feature_commands(workspace: &Workspace, is_long: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for package in workspace.published() {
        let (name, features) = (package.name(), package.features());
        let none = !features.is_empty() && (is_long || LINTED_WITHOUT_FEATURES.contains(&name));
        let alone = features.iter().filter(|_| is_long).map(|feature| format!(" --features {feature}"));
        for feature in none.then(String::new).into_iter().chain(alone) {
            lines.push(format!("cargo clippy -p {name} --no-default-features{feature} -- -D warnings"));
        }
    }
    lines
}
