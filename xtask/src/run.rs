//! Runs steps one after another, counts tests, and prints a summary.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::counts::Report;
use crate::machine::Missing;
use crate::shell;

/// The products that users get. The summary names those that no step of the run tested.
pub(crate) const PRODUCTS: [&str; 6] = ["command", "library", "service", "page", "Python", "npm"];

/// The options of a task that runs steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options<'a> {
    /// Runs the steps that take long, too.
    pub(crate) is_long: bool,
    /// Installs nothing.
    pub(crate) no_install: bool,
    /// Prints the names of the steps instead of running them.
    pub(crate) lists: bool,
    /// Runs only the steps with this text in their names.
    pub(crate) only: &'a str,
}

/// A step of a run.
pub(crate) struct Step<'a> {
    name: String,
    /// The [`PRODUCTS`] that it tests.
    products: &'static [&'static str],
    /// A note if something is missing for it.
    missing: Missing,
    work: Work<'a>,
}

pub(crate) enum Work<'a> {
    /// Nothing: tests of other steps skip themselves where a program or data is missing.
    Prerequisite,
    /// Commands that must all succeed.
    Commands(Vec<String>),
    /// A command of `cargo nextest`, Node or pytest that runs tests and reports them to a file.
    Tests(String, &'static str),
    /// A command of `cargo test`.
    Libtest(String),
    /// A check in code.
    Check(Box<dyn Fn() -> Result<()> + 'a>),
}

impl<'a> Step<'a> {
    pub(crate) fn new(name: &str, missing: Missing, work: Work<'a>) -> Self {
        Self { name: name.to_owned(), products: &[], missing, work }
    }

    /// Returns the step with a program or data that tests of other steps use.
    pub(crate) fn prerequisite(name: &str, missing: Missing) -> Self {
        Self::new(name, missing, Work::Prerequisite)
    }

    /// Sets the products that the step tests.
    pub(crate) fn of(self, products: &'static [&'static str]) -> Self {
        Self { products, ..self }
    }

    /// Returns true if the options select the step.
    pub(crate) fn is_selected(&self, options: &Options<'_>) -> bool {
        self.name.contains(options.only)
    }
}

impl<'a> Work<'a> {
    pub(crate) fn commands<const N: usize>(lines: [&str; N]) -> Self {
        Self::Commands(lines.map(str::to_owned).into())
    }

    pub(crate) fn check(check: impl Fn() -> Result<()> + 'a) -> Self {
        Self::Check(Box::new(check))
    }

    /// Does the work, and adds the tests that ran to the report.
    fn run(&self, report: &mut Report) -> Result<()> {
        match self {
            Self::Prerequisite => Ok(()),
            Self::Commands(lines) => lines.iter().try_for_each(|line| shell::run(line)),
            Self::Check(check) => check(),
            Self::Tests(line, file) => add(line, shell::run_reported(line, Path::new(file))?, report),
            Self::Libtest(line) => {
                let (counts, status) = shell::run_libtest(line)?;
                add(line, (Report::from(counts), status), report)
            }
        }
    }
}

/// Adds the tests that a command ran to the report. Fails if one of them failed.
fn add(line: &str, (mut found, status): (Report, ExitStatus), report: &mut Report) -> Result<()> {
    if !status.success() {
        // Tests that do not compile are not counted.
        found.counts.failed = found.counts.failed.max(1);
    }
    let counts = found.counts;
    report.add(found);
    ensure!(status.success() && counts.failed == 0, "`{line}` failed: {counts}");
    Ok(())
}

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

/// The results of the steps that have run.
pub(crate) struct Run {
    start: Instant,
    results: Vec<StepResult>,
    report: Report,
    runs_tests: bool,
    tested: Vec<&'static str>,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            results: Vec::new(),
            report: Report::default(),
            runs_tests: false,
            tested: Vec::new(),
        }
    }

    /// Runs a step, unless something is missing for it, or prints its name if the options say so.
    pub(crate) fn step(&mut self, Step { name, products, missing, work }: Step<'_>, options: &Options<'_>) {
        if options.lists {
            match missing {
                None => println!("{name}"),
                Some(why) => println!("{name:<34} would be skipped: {why}"),
            }
            self.results.push(StepResult { name, end: End::Available });
            return;
        }
        self.runs_tests |= matches!(work, Work::Tests(..) | Work::Libtest(_));
        let end = match (missing, work) {
            (Some(reason), _) => End::Skipped(reason),
            (None, Work::Prerequisite) => End::Available,
            (None, work) => {
                println!("== {name}");
                self.tested.extend(products);
                let start = Instant::now();
                match work.run(&mut self.report) {
                    Ok(()) => End::Passed(start.elapsed()),
                    Err(error) => End::Failed(start.elapsed(), format!("{error:#}")),
                }
            }
        };
        println!("== {name}: {}\n", describe(&end));
        self.results.push(StepResult { name, end });
    }

    /// Prints the summary. Returns true if no step failed.
    pub(crate) fn finish(&self, options: &Options<'_>) -> Result<bool> {
        ensure!(!self.results.is_empty(), "no step has `{}` in its name", options.only);
        if options.lists {
            return Ok(true);
        }
        println!("{}", summary(&self.results, self.start.elapsed()));
        let passed_none = self.runs_tests && self.report.counts.passed == 0;
        if self.runs_tests {
            print!("{}", self.report.slowest());
            println!("{}", products(&self.tested));
        }
        if passed_none {
            println!("No test passed, which is a failure.");
        }
        if self.runs_tests {
            println!("{}", self.report.counts);
        }
        let failed = self.results.iter().any(|result| matches!(result.end, End::Failed(..)));
        Ok(!failed && !passed_none && self.report.counts.failed == 0)
    }
}

/// Says which products were not tested.
fn products(tested: &[&str]) -> String {
    let missing: Vec<&str> = PRODUCTS.into_iter().filter(|product| !tested.contains(product)).collect();
    match missing.len() {
        0 => format!("All {} products were tested: {}.", PRODUCTS.len(), PRODUCTS.join(", ")),
        number => format!("{number} of {} products were not tested: {}.", PRODUCTS.len(), missing.join(", ")),
    }
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
        let (mut run, options) = (Run::new(), Options::default());
        run.step(Step::prerequisite("nginx", None), &options);
        run.step(Step::prerequisite("Squid", Some("apt-get install squid".to_owned())), &options);
        let text = summary(&run.results, Duration::ZERO);
        assert!(text.contains(&format!("{:<34} available\n", "nginx")), "{text}");
        assert!(text.contains(&format!("{:<34} skipped: apt-get install squid\n", "Squid")), "{text}");
        assert!(!text.contains("passed"), "{text}");
    }

    #[test]
    fn skipped_products_are_named() {
        let (mut run, options) = (Run::new(), Options::default());
        let nothing = || Work::check(|| Ok(()));
        run.step(Step::new("tests", None, nothing()).of(&["command", "library", "service"]), &options);
        run.step(Step::new("npm package", Some("no Node".to_owned()), nothing()).of(&["npm"]), &options);
        assert_eq!(products(&run.tested), "3 of 6 products were not tested: page, Python, npm.");
        assert_eq!(products(&PRODUCTS), "All 6 products were tested: command, library, service, page, Python, npm.");
    }
}
