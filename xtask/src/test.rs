//! All checks and tests.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::counts::Counts;
use crate::machine::{self, Missing, cargo_tool};
use crate::tools::{DENY, NEXTEST};
use crate::workspace::Workspace;
use crate::{
    advisories, bench, clients, described, fuzz, javascript, metrics, msrv, mutants, packages, page, prose, publish,
    python, release, semver, setup, shell, tester,
};

/// A step of a run.
struct Step<'a> {
    name: String,
    /// A note if something is missing for it.
    missing: Missing,
    work: Work<'a>,
}

enum Work<'a> {
    /// Nothing: tests of other steps skip themselves where a program or data is missing.
    Prerequisite,
    /// Commands that must all succeed.
    Commands(Vec<String>),
    /// A command of `cargo nextest` or Node that runs tests and reports them to a file.
    Tests(String, &'static str),
    /// A command of `cargo test`.
    Libtest(String),
    /// A check in code.
    Check(Box<dyn Fn() -> Result<()> + 'a>),
}

/// The parts of a run that differ between a short and a long one.
#[derive(Debug)]
pub(crate) struct Extent {
    /// The seconds of load on the service.
    soak: u32,
    /// Includes fuzzing, mutation testing, the artifacts of a release, and the check of the API against the last one.
    is_long: bool,
}

pub(crate) const DEFAULT_EXTENT: Extent = Extent { soak: 15, is_long: false };
pub(crate) const LONG_EXTENT: Extent = Extent { soak: 300, is_long: true };

/// The seconds that each fuzz target runs in a long run.
const FUZZ: u32 = 600;

/// The report that the profile `report` of `.config/nextest.toml` writes.
const NEXTEST_REPORT: &str = "target/nextest/report/tests.xml";

/// The report that `npm --prefix web test` writes.
const NODE_REPORT: &str = "target/page-tests.xml";

/// The result of a step.
struct StepResult {
    name: String,
    end: End,
}

enum End {
    /// The prerequisite is there.
    Available,
    Passed(Duration),
    Failed(Duration, String),
    Skipped(String),
}

/// Runs all steps whose names contain `only`, even after a failed one. Installs missing programs, if `installs` is true,
/// while the steps run that need Rust alone. Returns true if no step failed.
pub(crate) fn run(extent: &Extent, installs: bool, only: &str) -> Result<bool> {
    let start = Instant::now();
    let workspace = Workspace::load()?;
    let selected = |step: &Step<'_>| step.name.contains(only);
    let mut run = Run::default();
    thread::scope(|scope| {
        scope.spawn(|| setup::run(installs, extent.is_long));
        steps_with_rust_alone(&workspace, extent).into_iter().filter(selected).for_each(|step| run.step(step));
    });
    steps(&workspace, extent).into_iter().filter(selected).for_each(|step| run.step(step));
    ensure!(!run.results.is_empty(), "no step has `{only}` in its name");
    Ok(run.finish(start.elapsed()))
}

/// The results of the steps that have run.
#[derive(Default)]
struct Run {
    results: Vec<StepResult>,
    counts: Counts,
    runs_tests: bool,
}

impl Run {
    /// Runs a step, unless something is missing for it.
    fn step(&mut self, Step { name, missing, work }: Step<'_>) {
        self.runs_tests |= matches!(work, Work::Tests(..) | Work::Libtest(_));
        let end = match (missing, work) {
            (Some(reason), _) => End::Skipped(reason),
            (None, Work::Prerequisite) => End::Available,
            (None, work) => {
                println!("== {name}");
                let start = Instant::now();
                match work.run(&mut self.counts) {
                    Ok(()) => End::Passed(start.elapsed()),
                    Err(error) => End::Failed(start.elapsed(), format!("{error:#}")),
                }
            }
        };
        println!("== {name}: {}\n", describe(&end));
        self.results.push(StepResult { name, end });
    }

    /// Prints the summary. Returns true if no step failed.
    fn finish(&self, time: Duration) -> bool {
        println!("{}", summary(&self.results, time));
        let passed_none = self.runs_tests && self.counts.passed == 0;
        if passed_none {
            println!("No test passed, which is a failure.");
        }
        println!("{}", self.counts);
        let failed = self.results.iter().any(|result| matches!(result.end, End::Failed(..)));
        !failed && !passed_none && self.counts.failed == 0
    }
}

/// Returns the first steps, which use no programs that are installed for the others.
fn steps_with_rust_alone<'a>(workspace: &'a Workspace, extent: &'a Extent) -> Vec<Step<'a>> {
    let rustfmt = || cargo_tool("fmt", "rustup component add rustfmt");
    let clippy = || cargo_tool("clippy", "rustup component add clippy");
    vec![
        step("format", rustfmt(), commands(["cargo fmt --all --check"])),
        step("words", None, Work::Check(Box::new(prose::check))),
        step("lints", clippy(), commands(["cargo clippy --workspace --all-targets --all-features -- -D warnings"])),
        step("lints, other features", clippy(), Work::Commands(feature_commands(workspace, extent.is_long))),
        // Libraries only: the program is also called `comity`, and its pages would replace the engine's.
        step("docs", None, commands(["RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --lib --no-deps --all-features"])),
    ]
}

/// Returns the other steps in order. Call it after the installation: it finds out which programs are missing.
fn steps<'a>(workspace: &'a Workspace, extent: &'a Extent) -> Vec<Step<'a>> {
    let (bare, no_bare) = match machine::bare_target() {
        Some(target) => (target, None),
        None => (String::new(), Some("no target without std is there: rustup target add thumbv7em-none-eabihf".into())),
    };

    let mut steps = vec![
        step("tests", None, tests(if extent.is_long { LONG_TESTS } else { "" }, "--workspace --all-features")),
        prerequisite("reference data", machine::reference_data()),
        prerequisite("vsftpd", packages::missing("vsftpd")),
        prerequisite("nginx", packages::missing("nginx")),
        prerequisite("PostgreSQL", packages::missing("postgres")),
        prerequisite("PgBouncer", packages::missing("pgbouncer")),
        prerequisite("packet loss (ip, nft)", packages::missing("ip").or_else(|| packages::missing("nft"))),
        prerequisite("Squid", packages::missing("squid")),
        prerequisite("Tinyproxy", packages::missing("tinyproxy")),
        step(
            "tests in docs",
            None,
            Work::Libtest("cargo test --workspace --all-features --doc --no-fail-fast".to_owned()),
        ),
        step("the service under load", None, tests(&format!("COMITY_SOAK_SECONDS={} ", extent.soak), SOAK)),
        step("the program, as the tests build it", None, commands([described::BUILD])),
        step("the service and its description", described::missing(), Work::Check(Box::new(described::check))),
        step("clients of the service", clients::missing(), Work::Check(Box::new(clients::check))),
        step("metrics of the service", metrics::missing(), Work::Check(Box::new(metrics::check))),
        step("Python package", python::missing(), Work::Check(Box::new(python::build))),
        step("Python package, tests", python::missing(), Work::Tests(python::tests(), python::REPORT)),
        step("Python package, types", python::missing(), Work::Check(Box::new(python::types))),
        step("Python package, alone", python::missing(), Work::Check(Box::new(python::empty_environment))),
        step(
            "Python package, free-threaded",
            python::free_threaded_missing(),
            Work::Check(Box::new(python::free_threaded)),
        ),
        step("npm package", javascript::missing(), Work::Check(Box::new(javascript::build))),
        step(
            "npm package, tests",
            javascript::missing(),
            Work::Tests(javascript::TESTS.to_owned(), javascript::REPORT),
        ),
        step("npm package, alone", javascript::missing(), Work::Check(Box::new(javascript::empty_folder))),
        step("engine without std", no_bare, commands([&*format!("cargo build -p comity --target {bare}")])),
        step("Rust version of dependencies", None, Work::Check(Box::new(|| msrv::check(workspace)))),
    ];
    for (toolchain, crates) in msrv::toolchains(workspace) {
        let line = format!("rustup run {toolchain} cargo check --all-features -p {}", crates.join(" -p "));
        steps.push(step(&format!("check with Rust {toolchain}"), machine::toolchain(&toolchain), commands([&*line])));
    }
    steps.extend([
        step(
            "licenses and sources",
            DENY.missing(),
            commands(["cargo deny --all-features check bans licenses sources"]),
        ),
        step("advisories", advisories::missing(), commands([advisories::CHECK])),
        step("page", page::missing(), Work::Check(Box::new(page::check))),
        step("page in a browser", page::browser_missing(), Work::Tests(page::browser_tests(), NODE_REPORT)),
        step(
            "tester without a service",
            tester::missing(),
            Work::Check(Box::new(|| tester::build_for_tests(extent.is_long))),
        ),
        step(
            "tester without a service, tests",
            tester::browser_missing(),
            Work::Tests(tester::tests(extent.is_long), tester::REPORT),
        ),
        step(
            "instructions",
            bench::gate_missing(),
            Work::Check(Box::new(|| bench::gate(if extent.is_long { "" } else { "--quick" }).map(drop))),
        ),
        step("fuzz targets compile", fuzz::compiling_missing(), commands([fuzz::COMPILE])),
    ]);
    if extent.is_long {
        steps.extend(long_steps(workspace));
    }
    steps
}

/// Returns the steps of long runs alone.
fn long_steps(workspace: &Workspace) -> Vec<Step<'_>> {
    use release::check;

    let mut steps = vec![
        step("packages", None, Work::Check(Box::new(|| publish::check(workspace)))),
        step("fuzz", fuzz::missing(), Work::Check(Box::new(|| fuzz::all(FUZZ)))),
        step("the program without databases", None, tests("", NO_DATABASE)),
        step("tests of the engine, no features", None, tests("", "-p comity --lib")),
        step("a million pairs of files", None, tests("COMITY_MEANING_PAIRS=1000000 ", PAIRS)),
    ];
    for (name, tested) in TIMED {
        let selection = format!("-p comity-cli --all-features --test {tested}");
        steps.push(step(&format!("times, {name}"), None, tests("COMITY_TIMED_TESTS=1 ", &selection)));
    }
    let fleet = tests("COMITY_FLEET_ORIGINS=10000 ", FLEET);
    steps.extend([
        step("a hundred million rows", None, tests("COMITY_ROWS=100000000 ", ROWS)),
        step("a fleet and 10,000 origins", packages::missing("postgres"), fleet),
        step("API since the last release", semver::missing(), Work::Check(Box::new(semver::check))),
        step("release", check::missing(), Work::Check(Box::new(release::dry_run))),
        step("release, installed", check::missing(), Work::Check(Box::new(check::run))),
        step("release, the same bytes again", check::missing(), Work::Check(Box::new(check::build_again))),
        step("release, CI", check::syntax_missing(), Work::Check(Box::new(check::syntax))),
        step("mutants", mutants::missing(), Work::Check(Box::new(mutants::run))),
    ]);
    steps
}

fn step<'a>(name: &str, missing: Missing, work: Work<'a>) -> Step<'a> {
    Step { name: name.to_owned(), missing, work }
}

fn prerequisite(name: &str, missing: Missing) -> Step<'_> {
    step(name, missing, Work::Prerequisite)
}

fn commands<const N: usize>(lines: [&str; N]) -> Work<'static> {
    Work::Commands(lines.map(str::to_owned).into())
}

/// The test of the service with all kinds of clients at once.
///
/// The selection is the whole workspace: for a single crate, cargo would build dependencies again with fewer features.
const SOAK: &str = "--workspace --all-features --test load nothing_grows";

/// The tests of the program with its default features. The other tests build it with all of them. That it compiles with
/// the default features is a part of the step "lints, other features".
const NO_DATABASE: &str = "-p comity-cli --test no_database";

/// The variable that makes tests use all files of the reference data, and lists of a million URLs.
const LONG_TESTS: &str = "COMITY_LONG_TESTS=1 ";

/// The tests that load the service with four times its capacity, or with the requests of one client, and the test that
/// installs a kept release. With a variable, as a quiet machine allows, they compare 99th percentiles of response times,
/// and limit the time of the installation.
const TIMED: [(&str, &str); 3] = [
    ("overload", "load overload::"),
    ("fairness", "load fairness::"),
    ("action", "action a_release_is_fetched_and_kept"),
];

/// The test that compares random pairs of files with an enumeration of short paths.
const PAIRS: &str = "-p comity-meaning --test pairs";

/// The test that answers a Parquet file in bounded memory.
const ROWS: &str = "-p comity-cli --all-features --test columns a_million_rows";

/// The tests of clients on several machines. The selection is the whole workspace, as for `SOAK`.
const FLEET: &str = "--workspace --all-features --test fleet";

/// The number of tests that run at a time for each processor. Most tests of clients and servers wait for timeouts.
const TESTS_AT_A_TIME: usize = 4;

/// Returns tests with nextest, or with `cargo test` if it is missing. A variable may be set for them.
fn tests(variable: &str, selection: &str) -> Work<'static> {
    if NEXTEST.missing().is_none() {
        let threads = TESTS_AT_A_TIME * thread::available_parallelism().map_or(1, usize::from);
        let line = format!("{variable}cargo nextest run --profile report --test-threads {threads} {selection}");
        return Work::Tests(line, NEXTEST_REPORT);
    }
    // Without `--tests`, tests in docs run, too. The output of passing tests shows whether they skipped themselves.
    let targets = if selection.contains("--lib") || selection.contains("--test ") { "" } else { " --tests" };
    Work::Libtest(format!("{variable}cargo test --no-fail-fast{targets} {selection} -- --show-output"))
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

impl Work<'_> {
    /// Does the work, and adds the tests that ran to the counts.
    fn run(&self, counts: &mut Counts) -> Result<()> {
        match self {
            Self::Prerequisite => Ok(()),
            Self::Commands(lines) => lines.iter().try_for_each(|line| shell::run(line)),
            Self::Check(check) => check(),
            Self::Tests(line, report) => count(line, shell::run_reported(line, Path::new(report))?, counts),
            Self::Libtest(line) => count(line, shell::run_libtest(line)?, counts),
        }
    }
}

/// Adds the tests that a command ran to the counts. Fails if one of them failed.
fn count(line: &str, (mut found, status): (Counts, ExitStatus), counts: &mut Counts) -> Result<()> {
    if !status.success() {
        // Tests that do not compile are not counted.
        found.failed = found.failed.max(1);
    }
    *counts = counts.and(found);
    ensure!(status.success() && found.failed == 0, "`{line}` failed: {found}");
    Ok(())
}

fn describe(end: &End) -> String {
    match end {
        End::Available => "available".to_owned(),
        End::Passed(time) => format!("passed, {}", seconds(*time)),
        End::Failed(time, why) => format!("FAILED, {}: {why}", seconds(*time)),
        End::Skipped(why) => format!("skipped: {why}"),
    }
}

fn summary(results: &[StepResult], time: Duration) -> String {
    let mut text = String::from("== summary\n");
    for StepResult { name, end } in results {
        let _ = writeln!(text, "{name:<34} {}", describe(end));
    }
    let _ = write!(text, "{:<34} {}", "all", seconds(time));
    let slowest = slowest(results);
    if !slowest.is_empty() {
        let _ = write!(text, "\nmost time: {}", slowest.join(", "));
    }
    text
}

/// Returns the steps that took the most time, with their times.
fn slowest(results: &[StepResult]) -> Vec<String> {
    const MAX_STEPS: usize = 5;
    let time = |end: &End| match end {
        End::Passed(time) | End::Failed(time, _) => Some(*time),
        End::Available | End::Skipped(_) => None,
    };
    let mut times: Vec<_> = results.iter().filter_map(|result| Some((time(&result.end)?, &result.name))).collect();
    times.sort_by_key(|(time, _)| Reverse(*time));
    times.iter().take(MAX_STEPS).map(|(time, name)| format!("{name} {}", seconds(*time))).collect()
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_the_slowest_steps() {
        let result = |name: &str, end| StepResult { name: name.to_owned(), end };
        let passed = |name, seconds| result(name, End::Passed(Duration::from_secs(seconds)));
        let skipped = result("page", End::Skipped("no Node".to_owned()));
        let results = [passed("lints", 40), skipped, passed("tests", 600), passed("format", 1)];
        let text = summary(&results, Duration::from_secs(641));
        assert!(
            text.ends_with(
                "all                                641.0 s\nmost time: tests 600.0 s, lints 40.0 s, format 1.0 s"
            ),
            "{text}"
        );
        assert!(text.contains("page                               skipped: no Node\n"), "{text}");
    }

    #[test]
    fn a_prerequisite_is_available_or_skipped() {
        let mut run = Run::default();
        run.step(prerequisite("nginx", None));
        run.step(prerequisite("Squid", Some("apt-get install squid".to_owned())));
        let text = summary(&run.results, Duration::ZERO);
        assert!(text.contains(&format!("{:<34} available\n", "nginx")), "{text}");
        assert!(text.contains(&format!("{:<34} skipped: apt-get install squid\n", "Squid")), "{text}");
        assert!(!text.contains("passed"), "{text}");
    }
}
