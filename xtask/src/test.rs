//! Every check and every test.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::counts::{Counts, Runner};
use crate::machine::{self, Missing, cargo_tool};
use crate::workspace::Workspace;
use crate::{bench, described, fuzz, msrv, mutants, packages, page, publish, shell};

/// A step: what it is called, what is missing for it here, and what it does.
type Step<'a> = (String, Missing, Work<'a>);

enum Work<'a> {
    /// Commands, of which each must succeed.
    Commands(Vec<String>),
    /// A command that runs tests, which are counted.
    Tests(Runner, String),
    /// Something that no command does.
    Check(Box<dyn Fn() -> Result<()> + 'a>),
}

/// The parts of a run that can be long: for how many seconds things are done that could go on for ever, and what takes
/// hours.
#[derive(Debug)]
pub(crate) struct Times {
    /// Each fuzz target is run, and from where.
    fuzz: u32,
    start: fuzz::Start,
    /// The service is loaded.
    soak: u32,
    /// Code is changed to see whether a test notices.
    has_mutants: bool,
}

pub(crate) const SHORT: Times = Times { fuzz: 15, start: fuzz::Start::Fixed, soak: 60, has_mutants: false };
pub(crate) const LONG: Times = Times { fuzz: 600, start: fuzz::Start::Random, soak: 300, has_mutants: true };

/// How a step ended.
enum End {
    Passed(Duration),
    Failed(Duration, String),
    Skipped(String),
}

/// Runs all steps, those after a failed one as well; returns whether none failed.
pub(crate) fn run(times: &Times) -> Result<bool> {
    let start = Instant::now();
    packages::install();
    let workspace = Workspace::load()?;
    let mut counts = Counts::default();
    let mut ends = Vec::new();
    for (name, missing, work) in steps(&workspace, times) {
        let end = if let Some(reason) = missing {
            End::Skipped(reason)
        } else {
            println!("== {name}");
            let start = Instant::now();
            match work.run(&mut counts) {
                Ok(()) => End::Passed(start.elapsed()),
                Err(error) => End::Failed(start.elapsed(), format!("{error:#}")),
            }
        };
        println!("== {name}: {}\n", describe(&end));
        ends.push((name, end));
    }
    println!("{}", summary(&ends, start.elapsed()));
    if counts.passed == 0 {
        println!("No test passed: that is a failure, too.");
    }
    println!("{counts}");
    let failed = ends.iter().any(|(_, end)| matches!(end, End::Failed(..)));
    Ok(!failed && counts.passed > 0 && counts.failed == 0)
}

/// All kinds of clients at once.
const SOAK: &str = "cargo test -p comity-cli --test load nothing_grows -- --nocapture";

/// The table.
fn steps<'a>(workspace: &'a Workspace, times: &'a Times) -> Vec<Step<'a>> {
    let rustfmt = || cargo_tool("fmt", "rustup component add rustfmt");
    let clippy = || cargo_tool("clippy", "rustup component add clippy");
    let deny = || cargo_tool("deny", "cargo install --locked cargo-deny");
    let data = machine::reference_data();
    let (runner, tests) = test_command(data.is_none());
    let (bare, no_bare) = match machine::bare_target() {
        Some(target) => (target, None),
        None => (String::new(), Some("no target without std is there: rustup target add thumbv7em-none-eabihf".into())),
    };

    let mut steps = vec![
        step("format", rustfmt(), commands(["cargo fmt --all --check"])),
        step("lints", clippy(), commands(["cargo clippy --workspace --all-targets --all-features -- -D warnings"])),
        step("lints, each feature alone", clippy(), Work::Commands(feature_commands(workspace))),
        // Libraries only: the program is called `comity`, too, and its pages would lie over the engine's.
        step("docs", None, commands(["RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --lib --no-deps --all-features"])),
        step("tests", None, Work::Tests(runner, tests)),
        step("reference data of the tests", data, commands([])),
        step("an FTP server that is not ours", packages::missing("vsftpd"), commands([])),
        step("a web server that is not ours", packages::missing("nginx"), commands([])),
        step("a caching proxy that is not ours", packages::missing("squid"), commands([])),
        step("a small proxy that is not ours", packages::missing("tinyproxy"), commands([])),
        step("tests in docs", None, cargo_tests("cargo test --workspace --all-features --doc --no-fail-fast")),
        step("tests of the engine, no features", None, cargo_tests("cargo test -p comity --lib --no-fail-fast")),
        step("the service, for a while", None, cargo_tests(&format!("COMITY_SOAK_SECONDS={} {SOAK}", times.soak))),
        step("the service as it is described", described::missing(), Work::Check(Box::new(described::check))),
        step("engine without std", no_bare, commands([&*format!("cargo build -p comity --target {bare}")])),
        step("packages", None, Work::Check(Box::new(|| publish::check(workspace)))),
        step("Rust version of dependencies", None, Work::Check(Box::new(|| msrv::check(workspace)))),
    ];
    for (toolchain, crates) in msrv::toolchains(workspace) {
        let line = format!("rustup run {toolchain} cargo check --all-features -p {}", crates.join(" -p "));
        steps.push(step(&format!("check with Rust {toolchain}"), machine::toolchain(&toolchain), commands([&*line])));
    }
    steps.extend([
        step("licences and sources", deny(), commands(["cargo deny --all-features check bans licenses sources"])),
        step("page", page::missing(), Work::Check(Box::new(page::check))),
        step(
            "page in a browser",
            page::browser_missing(),
            Work::Tests(Runner::Node, "npm --prefix web test".to_owned()),
        ),
        step("instructions", bench::gate_missing(), Work::Check(Box::new(|| bench::gate(false).map(drop)))),
        step("fuzz", fuzz::missing(), Work::Check(Box::new(|| fuzz::all(times.fuzz, times.start)))),
    ]);
    if times.has_mutants {
        steps.push(step("mutants", mutants::missing(), Work::Check(Box::new(mutants::run))));
    }
    steps
}

fn step<'a>(name: &str, missing: Missing, work: Work<'a>) -> Step<'a> {
    (name.to_owned(), missing, work)
}

fn commands<const N: usize>(lines: [&str; N]) -> Work<'static> {
    Work::Commands(lines.map(str::to_owned).into())
}

fn cargo_tests(line: &str) -> Work<'static> {
    Work::Tests(Runner::Cargo, line.to_owned())
}

/// Nextest if it is there. Without the reference data, what passing tests print is shown: that they skipped themselves.
fn test_command(quiet: bool) -> (Runner, String) {
    let (runner, line, show) = match cargo_tool("nextest", "") {
        None => (Runner::Nextest, "cargo nextest run --workspace --all-features", " --success-output=immediate"),
        Some(_) => (Runner::Cargo, "cargo test --workspace --all-features --tests", " -- --show-output"),
    };
    (runner, format!("{line} --no-fail-fast{}", if quiet { "" } else { show }))
}

/// Lints each crate that has features without any, and with each alone.
fn feature_commands(workspace: &Workspace) -> Vec<String> {
    let mut lines = Vec::new();
    for package in workspace.published() {
        let features = package.features();
        let none = (!features.is_empty()).then(String::new);
        for feature in none.into_iter().chain(features.iter().map(|feature| format!(" --features {feature}"))) {
            lines.push(format!("cargo clippy -p {} --no-default-features{feature} -- -D warnings", package.name()));
        }
    }
    lines
}

impl Work<'_> {
    fn run(&self, counts: &mut Counts) -> Result<()> {
        match self {
            Self::Commands(lines) => lines.iter().try_for_each(|line| shell::run(line)),
            Self::Check(check) => check(),
            Self::Tests(runner, line) => {
                let (mut found, status) = shell::run_tests(*runner, line)?;
                if !status.success() {
                    // Tests that don't compile fail without being counted.
                    found.failed = found.failed.max(1);
                }
                *counts = counts.and(found);
                ensure!(status.success() && found.failed == 0, "`{line}` failed: {found}");
                Ok(())
            }
        }
    }
}

fn describe(end: &End) -> String {
    match end {
        End::Passed(time) => format!("passed, {}", seconds(*time)),
        End::Failed(time, why) => format!("FAILED, {}: {why}", seconds(*time)),
        End::Skipped(why) => format!("skipped: {why}"),
    }
}

fn summary(ends: &[(String, End)], time: Duration) -> String {
    let mut text = String::from("== summary\n");
    for (name, end) in ends {
        let _ = writeln!(text, "{name:<34} {}", describe(end));
    }
    let _ = write!(text, "{:<34} {}", "all", seconds(time));
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
