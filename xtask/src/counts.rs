//! The number of tests that ran, by the reports of the test runners.

use std::fmt;

use anyhow::{Context, Result};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Counts {
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The tests that ran, with their times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) counts: Counts,
    /// The seconds and the name of each test that a report named.
    times: Vec<(f64, String)>,
}

impl From<Counts> for Report {
    fn from(counts: Counts) -> Self {
        Self { counts, times: Vec::new() }
    }
}

impl Report {
    pub(crate) fn add(&mut self, other: Self) {
        self.counts = self.counts.and(other.counts);
        self.times.extend(other.times);
    }

    /// Returns a line for each of the ten tests that took the most time.
    pub(crate) fn slowest(&self) -> String {
        const MAX_TESTS: usize = 10;
        let mut times: Vec<&(f64, String)> = self.times.iter().collect();
        times.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        let lines = times.iter().take(MAX_TESTS).map(|(seconds, name)| format!("{seconds:>7.1} s  {name}\n"));
        if times.is_empty() { String::new() } else { format!("slowest tests:\n{}", lines.collect::<String>()) }
    }
}

/// The text that a test prints if it skips itself. Its runner counts it as passed.
const SKIPPED: &str = "SKIPPED: ";

/// Counts the tests of a report in the format of `JUnit`, which nextest and Node write.
pub(crate) fn junit(report: &str) -> Result<Report> {
    let (mut counts, mut times) = (Counts::default(), Vec::new());
    let mut reader = Reader::from_str(report);
    // The current test: whether it failed, and whether it was skipped.
    let mut test: Option<(bool, bool)> = None;
    let mut content = String::new();
    loop {
        let event = reader.read_event().context("the report of the tests is no XML")?;
        match &event {
            Event::Text(part) => content += part,
            // A character reference. Its value does not matter, as long as it does not look like the start of a line.
            Event::GeneralRef(_) => content.push('&'),
            _ => {
                let has_skipped = content.lines().any(|line| line.trim_start().starts_with(SKIPPED));
                if let Some((_, skipped)) = &mut test {
                    *skipped |= has_skipped;
                }
                content.clear();
            }
        }
        if let Event::Start(tag) | Event::Empty(tag) = &event {
            times.extend(time(tag));
        }
        match event {
            Event::Start(tag) if tag.name().as_ref() == "testcase" => test = Some((false, false)),
            Event::Empty(tag) if tag.name().as_ref() == "testcase" => counts.passed += 1,
            Event::End(tag) if tag.name().as_ref() == "testcase" => match test.take() {
                Some((true, _)) => counts.failed += 1,
                Some((false, true)) => counts.skipped += 1,
                _ => counts.passed += 1,
            },
            Event::Start(tag) | Event::Empty(tag) => {
                if let Some((failed, skipped)) = &mut test {
                    *failed |= matches!(tag.name().as_ref(), "failure" | "error");
                    *skipped |= tag.name().as_ref() == "skipped";
                }
            }
            Event::Eof => return Ok(Report { counts, times }),
            _ => {}
        }
    }
}

/// Returns the time and the name of a test.
fn time(tag: &BytesStart<'_>) -> Option<(f64, String)> {
    let value = |name: &str| {
        Some(tag.try_get_attribute(name).ok()??.normalized_value(XmlVersion::Explicit1_0).ok()?.into_owned())
    };
    (tag.name().as_ref() == "testcase").then_some(())?;
    let of = value("classname").map(|of| format!("{of} ")).unwrap_or_default();
    Some((value("time")?.parse().ok()?, format!("{of}{}", value("name")?)))
}

/// Counts the tests of `cargo test` while its output is read.
///
/// This output is for people, but there is no other for tests in docs, which nextest does not run: libtest's JSON and
/// `JUnit` output need an unstable option.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Libtest {
    by_runner: Counts,
    skipped_themselves: usize,
    in_skipped: bool,
}

impl Libtest {
    /// Reads a line. Consecutive lines that begin with `SKIPPED: ` are one test's: the runner names the next test in
    /// between.
    pub(crate) fn read(&mut self, line: &str) {
        let skipped = line.trim_start().starts_with(SKIPPED);
        self.skipped_themselves += usize::from(skipped && !self.in_skipped);
        self.in_skipped = skipped;
        if let Some(counts) = result(line) {
            self.by_runner = self.by_runner.and(counts);
        }
    }

    pub(crate) fn counts(self) -> Counts {
        let Counts { passed, failed, skipped } = self.by_runner;
        let themselves = self.skipped_themselves.min(passed);
        Counts { passed: passed - themselves, failed, skipped: skipped + themselves }
    }
}

/// Reads `test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`.
fn result(line: &str) -> Option<Counts> {
    let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = Counts::default();
    for part in parts.split(';') {
        let Some((number, state)) = part.trim().split_once(' ') else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        match state {
            "passed" => counts.passed += number,
            "failed" => counts.failed += number,
            "ignored" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn libtest(output: &str) -> (usize, usize, usize) {
        let mut tests = Libtest::default();
        output.lines().for_each(|line| tests.read(line));
        let Counts { passed, failed, skipped } = tests.counts();
        (passed, failed, skipped)
    }

    #[test]
    fn reports_of_nextest() {
        let report = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="4" failures="1" errors="1" uuid="0" timestamp="2026-01-01T00:00:00" time="0.1">
    <testsuite name="comity" tests="4" disabled="0" errors="1" failures="1">
        <testcase name="a" classname="comity" timestamp="2026-01-01T00:00:00" time="0.004">
            <system-out>running 1 test
test a ... ok
test result: ok. 1 passed; 0 failed; 0 ignored</system-out>
            <system-err>&lt;testcase&gt;SKIPPED: in the middle of a line</system-err>
        </testcase>
        <testcase name="b" classname="comity" time="0.004">
            <failure message="thread panicked" type="test failure with exit code 101">SKIPPED: no</failure>
            <system-out>test b ... FAILED</system-out>
        </testcase>
        <testcase name="c" classname="comity" time="60.0">
            <error type="test timeout"/>
        </testcase>
        <testcase name="d" classname="comity" time="0.1">
            <system-err>SKIPPED: lines.jsonl.gz is not there; set COMITY_SHARED to the reference data
SKIPPED: verdicts.jsonl.gz is not there; set COMITY_SHARED to the reference data</system-err>
        </testcase>
    </testsuite>
</testsuites>"#;
        let report = junit(report).unwrap();
        assert_eq!(report.counts, Counts { passed: 1, failed: 2, skipped: 1 });
        assert!(report.slowest().starts_with("slowest tests:\n   60.0 s  comity c\n    0.1 s  comity d\n"));
    }

    #[test]
    fn reports_of_node() {
        let report = r#"<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testcase name="a first visitor sees an example" time="0.012" classname="test"/>
	<testsuite name="links" tests="2">
		<testcase name="one" time="0.1" classname="test"><failure type="testCodeFailure" message="no"/></testcase>
		<testcase name="two" time="0.1" classname="test"><skipped type="skipped" message="true"/></testcase>
	</testsuite>
	<!-- tests 3 -->
</testsuites>"#;
        assert_eq!(junit(report).unwrap().counts, Counts { passed: 1, failed: 1, skipped: 1 });
    }

    #[test]
    fn a_broken_report_is_an_error() {
        assert!(junit("<testsuites><testcase></testsuites>").is_err());
        assert_eq!(junit("").unwrap().counts, Counts::default());
        assert_eq!(junit("").unwrap().slowest(), "");
    }

    #[test]
    fn results_of_cargo_add_up() {
        let output = "
running 3 tests
test a ... ok
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 1 passed; 2 failed; 4 ignored; 0 measured; 9 filtered out; finished in 0.10s
";
        assert_eq!(libtest(output), (4, 2, 4));
    }

    #[test]
    fn tests_that_skip_themselves_did_not_pass() {
        let output = "
---- lines stdout ----
SKIPPED: ../shared/golden/facts-lines.jsonl.gz is not there; set COMITY_SHARED to the reference data
SKIPPED: ../shared/golden/lines.jsonl.gz is not there; set COMITY_SHARED to the reference data
---- verdicts stdout ----
SKIPPED: ../shared/golden/verdicts.jsonl.gz is not there; set COMITY_SHARED to the reference data
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
        assert_eq!(libtest(output), (1, 0, 2));
    }

    #[test]
    fn no_result_is_no_test() {
        assert_eq!(libtest("error: could not compile `comity`"), (0, 0, 0));
        assert_eq!(libtest("test result: who knows"), (0, 0, 0));
    }
}
