//! Tasks of this workspace: `cargo xtask help` lists them.

mod advisories;
mod bench;
mod clients;
mod counts;
mod described;
mod fuzz;
mod javascript;
mod machine;
mod metrics;
mod msrv;
mod mutants;
mod names;
mod packages;
mod page;
mod prose;
mod publish;
mod python;
mod release;
mod semver;
mod setup;
mod shell;
mod target;
mod test;
mod tester;
mod tools;
mod workspace;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
Tasks of this workspace.

cargo xtask test [--long] [--no-install] [--only STEP]
                                 run every check and every test, and print a summary
    --long                       fuzz each target for ten minutes, load the service for five minutes instead of fifteen
                                 seconds, test the engine without features, the program without databases, and the page
                                 of a program with the tester's module, compare the API with the last release, build the
                                 packed crates, make and install the artifacts of a release, twice, and run mutation
                                 tests, which take hours
    --no-install                 install nothing; steps whose programs are missing are skipped
    --only STEP                  run only the steps with this text in their names
cargo xtask fuzz [--seconds N]   fuzz each target for N seconds; defaults to 60
cargo xtask prose                check the words of comments and texts, the first words of doc comments, and that a name
                                 of a public type is defined in one crate only
cargo xtask bench [--quick] [--generated]
                                 measure comity and other parsers, and write docs/performance
    --serve                      measure what answers of the service cost instead
    --fleet                      measure what a database that services share costs instead, beside pgbench
    --meaning                    compare every real file for all URLs instead, and print how long that takes
    --columns                    measure columns instead: the kernel, the command on Parquet files and archives, and the
                                 engines of others; fails if a bound is missed
    --python                     compare the Python package with others instead; fails if a bound is missed
    --js                         compare the npm package with robots-parser instead; fails if a bound is missed
    --gate                       count instructions instead, and fail if a budget is exceeded
    --gate --bless               write the current counts as the budgets
cargo xtask static               build the tester without a service into target/static
cargo xtask publish [--dry-run]  publish all crates; refuses while the workspace has no `repository`
cargo xtask release [--dry-run] [--target TARGET] [--out FOLDER]
                                 make the artifacts of a release, in target/artifacts; publishes nothing
    --dry-run                    from any commit; otherwise it must have the tag of the version
    --target TARGET              for another platform than this machine's, if the program can run here
    --program FILE               with this program, which was built before; with --dry-run only
    --check                      install and use the artifacts that are there instead
cargo xtask help                 print this text

`test` first prints which programs are missing, and then installs them: packages of Debian if it runs as root on
Debian, cargo subcommands into target/tools, schemathesis and the tools of the Python package into target, and the
dependencies of the page and of the npm package into web/node_modules and js/node_modules. Steps whose programs are
still missing are skipped, and the summary says so. Reference data is read from ../shared, or from the folder that
COMITY_SHARED names. Tests that need it are skipped without it.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the task that the arguments name. Returns true if it succeeded.
fn run(arguments: &[&str]) -> Result<bool> {
    std::env::set_current_dir(workspace::root()).context("cannot enter the workspace")?;
    match *arguments {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        ["test", ref options @ ..] => test(options),
        ["fuzz"] => fuzz::run(60),
        ["fuzz", "--seconds", seconds] => {
            fuzz::run(seconds.parse().with_context(|| format!("--seconds takes a whole number, not {seconds:?}"))?)
        }
        ["prose"] => prose::check().map(|()| true),
        ["static"] => tester::build().map(|()| true),
        ["publish"] => publish::publish(false).map(|()| true),
        ["publish", "--dry-run"] => publish::publish(true).map(|()| true),
        ["release", "--check"] => release::check::run().map(|()| true),
        ["release", ref options @ ..] => release::run(options).map(|()| true),
        ["bench", "--serve"] => bench::serve(),
        ["bench", "--fleet"] => bench::fleet(),
        ["bench", "--meaning"] => bench::meaning(),
        ["bench", "--columns"] => bench::columns(),
        ["bench", "--python"] => python::bench().map(|()| true),
        ["bench", "--js"] => javascript::bench().map(|()| true),
        ["bench", "--gate"] => bench::gate(""),
        ["bench", "--gate", "--bless"] => bench::gate("--bless"),
        ["bench", ref options @ ..] => bench::run(options),
        _ => bail!("`{}` is no task; `cargo xtask help` lists them", arguments.join(" ")),
    }
}

/// Runs the checks and tests with these options.
fn test(mut options: &[&str]) -> Result<bool> {
    let (mut extent, mut installs, mut only) = (&test::DEFAULT_EXTENT, true, "");
    loop {
        options = match *options {
            [] => return test::run(extent, installs, only),
            ["--long", ref rest @ ..] => {
                extent = &test::LONG_EXTENT;
                rest
            }
            ["--no-install", ref rest @ ..] => {
                installs = false;
                rest
            }
            ["--only", name, ref rest @ ..] => {
                only = name;
                rest
            }
            [unknown, ..] => {
                bail!("`{unknown}` is no option of `cargo xtask test`; expected --long, --no-install or --only STEP")
            }
        };
    }
}
