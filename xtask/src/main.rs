//! Tasks of this workspace: `cargo xtask help` lists them.

mod advisories;
mod bench;
mod bench_audit;
mod clients;
mod counts;
mod crawlers;
mod described;
mod editors;
mod fuzz;
mod javascript;
mod lines;
mod links;
mod lint;
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
mod quick;
mod release;
mod run;
mod semver;
mod setup;
mod shell;
mod site;
mod target;
mod test;
mod tester;
mod tools;
mod workspace;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::run::Options;

const HELP: &str = "\
Tasks of this workspace.

cargo xtask test [--long] [--no-install] [--list] [--only STEP]
                                 run the tests of all that users get, and print a summary
    --long                       load the service for five minutes instead of fifteen seconds, fuzz each target for ten
                                 minutes, test the engine without features, the program without databases, and the page
                                 of a program with the tester's module, compare the API with the last release, make and
                                 install the artifacts of a release, twice, and run mutation tests, which take hours
    --no-install                 install nothing; steps whose programs are missing are skipped
    --list                       print the names of the steps, and what would be skipped, and run nothing
    --only STEP                  run only the steps with this text in their names
cargo xtask lint [--long] [--no-install] [--list] [--only STEP]
                                 check formatting, clippy, words, documentation, licenses, the bundle of the page, that
                                 fuzz targets compile, and budgets of instructions
    --long                       lint each crate with each feature alone, build the packed crates, and count the
                                 instructions of all workloads
cargo xtask quick                check and test the crates that differ from the main branch, without a network
cargo xtask fuzz [--seconds N]   fuzz each target for N seconds; defaults to 60
cargo xtask lines                print the code lines of each crate, without comments and tests
cargo xtask links                write all links to the repository, from `repository` in Cargo.toml
cargo xtask crawlers --compare FILE
                                 list the names that crates/comity/crawlers.toml lacks: FILE is the robots.json of
                                 ai.robots.txt, the list of crawler-user-agents, or a robots.txt
cargo xtask prose                check the words of comments and texts, the first words of doc comments, and that a name
                                 of a public type is defined in one crate only
cargo xtask bench [--quick] [--generated]
                                 measure comity and other parsers, and write docs/performance
    --serve                      measure what answers of the service cost instead
    --fleet                      measure what a database that services share costs instead, beside pgbench
    --meaning                    compare every real file for all URLs instead, and print how long that takes
    --columns                    measure columns instead: the kernel, the command on Parquet files and archives, and the
                                 engines of others; fails if a bound is missed
    --audit                      measure audits of access logs instead, beside GoAccess, DuckDB and grep; fails if a bound is
                                 missed
    --python                     compare the Python package with others instead; fails if a bound is missed
    --js                         compare the npm package with robots-parser instead; fails if a bound is missed
    --gate                       count instructions instead, and fail if a budget is exceeded
    --gate --bless               write the current counts as the budgets
cargo xtask static               build the tester without a service into target/static
cargo xtask site                 build the site into target/site/book: the documentation, and the tester in try/
cargo xtask publish [--dry-run]  publish all crates; refuses while the workspace has no `repository`
cargo xtask release [--dry-run] [--target TARGET] [--out FOLDER]
                                 make the artifacts of a release, in target/artifacts; publishes nothing
    --dry-run                    from any commit; otherwise it must have the tag of the version
    --target TARGET              for another platform than this machine's, if the program can run here
    --program FILE               with this program, which was built before; with --dry-run only
    --check                      install and use the artifacts that are there instead
cargo xtask help                 print this text

`test` and `lint` first print which programs are missing, and then install them: packages of Debian if they run as root
on Debian, cargo subcommands into target/tools, schemathesis and the tools of the Python package into target, and the
dependencies of the page, of the npm package and of the extension into web/node_modules, js/node_modules and
editors/vscode/node_modules. Steps whose programs are still missing are skipped, and the summary says so. Reference data
is read from ../shared, or from the folder that COMITY_SHARED names. Tests that need it are skipped without it.
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
        ["test", ref options @ ..] => test::run(&self::options("test", options)?),
        ["lint", ref options @ ..] => lint::run(&self::options("lint", options)?),
        ["quick"] => quick::run(),
        ["fuzz"] => fuzz::run(60),
        ["fuzz", "--seconds", seconds] => {
            fuzz::run(seconds.parse().with_context(|| format!("--seconds takes a whole number, not {seconds:?}"))?)
        }
        ["links"] => links::write().map(|()| true),
        ["lines"] => lines::print().map(|()| true),
        ["crawlers", "--compare", list] => crawlers::compare(list.as_ref()).map(|()| true),
        ["prose"] => prose::check().map(|()| true),
        ["static"] => tester::build().map(|()| true),
        ["site"] => site::build().map(|()| true),
        ["publish"] => publish::publish(false).map(|()| true),
        ["publish", "--dry-run"] => publish::publish(true).map(|()| true),
        ["release", "--check"] => release::check::run().map(|()| true),
        ["release", ref options @ ..] => release::run(options).map(|()| true),
        ["bench", "--serve"] => bench::serve(),
        ["bench", "--fleet"] => bench::fleet(),
        ["bench", "--meaning"] => bench::meaning(),
        ["bench", "--audit"] => bench::audit(),
        ["bench", "--columns"] => bench::columns(),
        ["bench", "--python"] => python::bench().map(|()| true),
        ["bench", "--js"] => javascript::bench().map(|()| true),
        ["bench", "--gate"] => bench::gate(""),
        ["bench", "--gate", "--bless"] => bench::gate("--bless"),
        ["bench", ref options @ ..] => bench::run(options),
        _ => bail!("`{}` is no task; `cargo xtask help` lists them", arguments.join(" ")),
    }
}

/// Parses the options of a task that runs steps.
fn options<'a>(task: &str, mut words: &[&'a str]) -> Result<Options<'a>> {
    let mut options = Options::default();
    loop {
        words = match *words {
            [] => return Ok(options),
            ["--long", ref rest @ ..] => {
                options.is_long = true;
                rest
            }
            ["--no-install", ref rest @ ..] => {
                options.no_install = true;
                rest
            }
            ["--list", ref rest @ ..] => {
                options.lists = true;
                rest
            }
            ["--only", name, ref rest @ ..] => {
                options.only = name;
                rest
            }
            [unknown, ..] => bail!(
                "`{unknown}` is no option of `cargo xtask {task}`; expected --long, --no-install, --list or --only STEP"
            ),
        };
    }
}
