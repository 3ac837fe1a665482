//! The tests of everything that users get: `cargo xtask test`.

use std::thread;

use anyhow::Result;

use crate::machine;
use crate::run::{Options, Run, Step, Work};
use crate::tools::NEXTEST;
use crate::{
    clients, described, editors, fuzz, javascript, metrics, mutants, packages, page, python, release, semver, setup,
    site, tester,
};

/// The seconds that each fuzz target runs in a long run.
const FUZZ: u32 = 600;

/// The report that the profile `report` of `.config/nextest.toml` writes.
const NEXTEST_REPORT: &str = "target/nextest/report/tests.xml";

/// The report that `npm --prefix web test` writes.
const NODE_REPORT: &str = "target/page-tests.xml";

/// Runs the tests, even after a failed step. Builds the tests of Rust while missing programs are installed. Returns true if
/// no step failed.
pub(crate) fn run(options: &Options<'_>) -> Result<bool> {
    let mut run = Run::new();
    thread::scope(|scope| {
        if !options.lists {
            scope.spawn(|| setup::for_tests(options));
        }
        let build = Step::new("build", None, Work::commands([BUILD]));
        if build.is_selected(options) {
            run.step(build, options);
        }
    });
    thread::scope(|scope| {
        // The modules take 200 s, most of them on one processor, and the tests before them wait much.
        if options.only.is_empty() && !options.lists {
            scope.spawn(javascript::compile_ahead);
        }
        let steps = steps(options).into_iter();
        steps.filter(|step| step.is_selected(options)).for_each(|step| run.step(step, options));
    });
    run.finish(options)
}

/// Builds what the step `tests` runs.
const BUILD: &str = "cargo test --no-run --quiet --workspace --all-features --tests";

/// Returns the steps in order. Call it after the installation: it finds out which programs are missing.
fn steps(options: &Options<'_>) -> Vec<Step<'static>> {
    let is_long = options.is_long;
    let soak = if is_long { 300 } else { 15 };
    let mut steps = vec![
        Step::new("tests", None, tests(if is_long { LONG_TESTS } else { "" }, "--workspace --all-features"))
            .of(&["command", "library", "service"]),
        Step::prerequisite("reference data", machine::reference_data()),
        Step::prerequisite("vsftpd", packages::missing("vsftpd")),
        Step::prerequisite("nginx", packages::missing("nginx")),
        Step::prerequisite("PostgreSQL", packages::missing("postgres")),
        Step::prerequisite("PgBouncer", packages::missing("pgbouncer")),
        Step::prerequisite("packet loss (ip, nft)", packages::missing("ip").or_else(|| packages::missing("nft"))),
        Step::prerequisite("Squid", packages::missing("squid")),
        Step::prerequisite("Tinyproxy", packages::missing("tinyproxy")),
        Step::new(
            "tests in docs",
            None,
            Work::Libtest("cargo test --workspace --all-features --doc --no-fail-fast".to_owned()),
        )
        .of(&["library"]),
        Step::new("the service under load", None, tests(&format!("COMITY_SOAK_SECONDS={soak} "), SOAK))
            .of(&["service"]),
        Step::new("the program, as the tests build it", None, Work::commands([described::BUILD])),
        Step::new("the service and its description", described::missing(), Work::check(described::check))
            .of(&["service"]),
        Step::new("clients of the service", clients::missing(), Work::check(clients::check)).of(&["service"]),
        Step::new("metrics of the service", metrics::missing(), Work::check(metrics::check)).of(&["service"]),
        Step::prerequisite("Neovim", packages::missing("nvim")),
        Step::new("editors", editors::missing(), Work::Tests(editors::tests(), editors::REPORT)).of(&["command"]),
        Step::new("Python package", python::missing(), Work::check(python::build)),
        Step::new("Python package, tests", python::missing(), Work::Tests(python::tests(), python::REPORT))
            .of(&["Python"]),
        Step::new("Python package, types", python::missing(), Work::check(python::types)),
        Step::new("npm package", javascript::missing(), Work::check(javascript::build)),
        Step::new(
            "npm package, tests",
            javascript::missing(),
            Work::Tests(javascript::TESTS.to_owned(), javascript::REPORT),
        )
        .of(&["npm"]),
        Step::new("npm package, alone", javascript::missing(), Work::check(javascript::empty_folder)),
        Step::new("page in a browser", page::browser_missing(), Work::Tests(page::browser_tests(), NODE_REPORT))
            .of(&["page"]),
        Step::new("tester without a service", tester::missing(), Work::check(move || tester::build_for_tests(is_long))),
        Step::new(
            "tester without a service, tests",
            tester::browser_missing(),
            Work::Tests(tester::tests(is_long), tester::REPORT),
        ),
        // With the tester of the step above.
        Step::new("site", site::missing(), Work::check(site::build_pages)),
        Step::new("site, tests", site::browser_missing(), Work::Tests(site::browser_tests(), site::REPORT)),
    ];
    if is_long {
        steps.extend(long_steps());
    }
    steps
}

/// Returns the steps of long runs alone.
fn long_steps() -> Vec<Step<'static>> {
    use release::check;

    let mut steps = vec![
        Step::new("Python package, alone", python::missing(), Work::check(python::empty_environment)),
        Step::new("Python package, free-threaded", python::free_threaded_missing(), Work::check(python::free_threaded)),
        Step::new("fuzz", fuzz::missing(), Work::check(|| fuzz::all(FUZZ))),
        Step::new("the program without databases", None, tests("", PLAIN)),
        Step::new("tests of the engine, no features", None, tests("", "-p comity --lib")),
        Step::new("a million pairs of files", None, tests("COMITY_MEANING_PAIRS=1000000 ", PAIRS)),
    ];
    for (name, tested) in TIMED {
        let selection = format!("-p comity-cli --all-features {tested}");
        steps.push(Step::new(&format!("times, {name}"), None, tests("COMITY_TIMED_TESTS=1 ", &selection)));
    }
    let fleet = tests("COMITY_FLEET_ORIGINS=10000 ", FLEET);
    steps.extend([
        Step::new("a hundred million rows", None, tests("COMITY_ROWS=100000000 ", ROWS)),
        Step::new("a fleet and 10,000 origins", packages::missing("postgres"), fleet),
        Step::new("API since the last release", semver::missing(), Work::check(semver::check)),
        Step::new("release", check::missing(), Work::check(release::dry_run)),
        Step::new("release, installed", check::missing(), Work::check(check::run)),
        Step::new("release, the same bytes again", check::missing(), Work::check(check::build_again)),
        Step::new("release, CI", check::syntax_missing(), Work::check(check::syntax)),
        Step::new("mutants", mutants::missing(), Work::check(mutants::run)),
    ]);
    steps
}

/// The test of the service with all kinds of clients at once.
///
/// The selection is the whole workspace: for a single crate, cargo would build dependencies again with fewer features.
const SOAK: &str = "--workspace --all-features --test load nothing_grows";

/// The tests of the program with its default features. The other tests build it with all of them. That it compiles with
/// the default features is a part of the step "lints, other features".
const PLAIN: &str = "-p comity-cli --test plain";

/// The variable that makes tests use all files of the reference data, and lists of a million URLs.
const LONG_TESTS: &str = "COMITY_LONG_TESTS=1 ";

/// The tests that load the service with four times its capacity, or with the requests of one client, and the test that
/// installs a kept release. With a variable, as a quiet machine allows, they compare 99th percentiles of response times,
/// and limit the time of the installation.
const TIMED: [(&str, &str); 3] = [
    ("overload", "--test load overload::"),
    ("fairness", "--test load fairness::"),
    ("action", "--test it action::a_release_is_fetched_and_kept"),
];

/// The test that compares random pairs of files with an enumeration of short paths.
const PAIRS: &str = "-p comity-meaning --test it pairs::";

/// The test that answers a Parquet file in bounded memory.
const ROWS: &str = "-p comity-cli --all-features --test columns a_million_rows";

/// The tests of clients on several machines. The selection is the whole workspace, as for `SOAK`.
const FLEET: &str = "--workspace --all-features --test fleet";

/// The number of tests that run at a time for each processor. Most tests of clients and servers wait for timeouts.
const TESTS_AT_A_TIME: usize = 4;

/// Returns tests with nextest, or with `cargo test` if it is missing. A variable may be set for them.
pub(crate) fn tests(variable: &str, selection: &str) -> Work<'static> {
    if NEXTEST.missing().is_none() {
        let threads = TESTS_AT_A_TIME * thread::available_parallelism().map_or(1, usize::from);
        let line = format!("{variable}cargo nextest run --profile report --test-threads {threads} {selection}");
        return Work::Tests(line, NEXTEST_REPORT);
    }
    // Without `--tests`, tests in docs run, too. The output of passing tests shows whether they skipped themselves.
    let targets = if selection.contains("--lib") || selection.contains("--test ") { "" } else { " --tests" };
    Work::Libtest(format!("{variable}cargo test --no-fail-fast{targets} {selection} -- --show-output"))
}
