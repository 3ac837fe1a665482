//! How many tests ran, by what the test runners say when they end.

use std::fmt;

/// Who runs tests. Each counts in words of its own, and nextest shows those of the other when a test fails.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Runner {
    /// `cargo nextest run`
    Nextest,
    /// `cargo test`
    Cargo,
    /// `node --test`, with its reporter `spec`
    Node,
}

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

    /// Reads `3 passed (1 slow), 1 timed out, 2 skipped`, whatever separates the parts.
    fn from_parts(text: &str, separator: char) -> Self {
        let mut counts = Self::default();
        for part in without_parentheses(text).split(separator) {
            let Some((number, what)) = part.trim().split_once(' ') else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match what.trim() {
                "passed" => counts.passed += number,
                "failed" | "exec failed" | "timed out" => counts.failed += number,
                "skipped" | "ignored" => counts.skipped += number,
                _ => {}
            }
        }
        counts
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Counts while a runner's output goes by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    by_runner: Counts,
    skipped_themselves: usize,
    in_skipped: bool,
}

impl Tally {
    /// Lines that say `SKIPPED: ` one after the other are one test's: runners name the next test in between.
    pub(crate) fn read(&mut self, runner: Runner, line: &str) {
        let skipped = line.trim_start().starts_with("SKIPPED: ");
        self.skipped_themselves += usize::from(skipped && !self.in_skipped);
        self.in_skipped = skipped;
        if let Some(counts) = summary(runner, line) {
            self.by_runner = self.by_runner.and(counts);
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            by_runner: self.by_runner.and(other.by_runner),
            skipped_themselves: self.skipped_themselves + other.skipped_themselves,
            in_skipped: false,
        }
    }

    /// A test that skips itself says so; its runner believes that it passed.
    pub(crate) fn counts(self) -> Counts {
        let Counts { passed, failed, skipped } = self.by_runner;
        let themselves = self.skipped_themselves.min(passed);
        Counts { passed: passed - themselves, failed, skipped: skipped + themselves }
    }
}

/// What a line says if it is a runner's summary.
fn summary(runner: Runner, line: &str) -> Option<Counts> {
    match runner {
        // `     Summary [   0.004s] 3 tests run: 2 passed, 1 failed, 0 skipped`
        Runner::Nextest => {
            let (_, text) = line.trim_start().strip_prefix("Summary [")?.split_once("] ")?;
            let (_, parts) = text.split_once(" run: ")?;
            Some(Counts::from_parts(parts, ','))
        }
        // `test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`
        Runner::Cargo => {
            let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
            Some(Counts::from_parts(parts, ';'))
        }
        // `ℹ pass 49`, and a line for each of the others
        Runner::Node => {
            let (what, number) = line.strip_prefix("ℹ ")?.split_once(' ')?;
            let number = number.parse().ok()?;
            let mut counts = Counts::default();
            match what {
                "pass" => counts.passed = number,
                "fail" | "cancelled" => counts.failed = number,
                "skipped" | "todo" => counts.skipped = number,
                _ => return None,
            }
            Some(counts)
        }
    }
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_usize;
    text.chars()
        .filter(|&c| {
            depth = if c == '(' { depth + 1 } else { depth };
            let outside = depth == 0;
            depth = if c == ')' { depth.saturating_sub(1) } else { depth };
            outside
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(runner: Runner, output: &str) -> (usize, usize, usize) {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.read(runner, line));
        let Counts { passed, failed, skipped } = tally.counts();
        (passed, failed, skipped)
    }

    #[test]
    fn nextest_summaries() {
        let of = |line| count(Runner::Nextest, line);
        assert_eq!(of("     Summary [   0.004s] 25 tests run: 25 passed, 0 skipped"), (25, 0, 0));
        assert_eq!(of("     Summary [   0.004s] 1 test run: 0 passed, 1 failed, 3 skipped"), (0, 1, 3));
        assert_eq!(
            of(
                "     Summary [  61.004s] 9/12 tests run: 5 passed (1 slow, 2 leaky), 2 failed, 1 exec failed, 1 timed out, 0 skipped"
            ),
            (5, 4, 0)
        );
        assert_eq!(of("     Summary [   0.000s] 0 tests run: 0 passed, 7 skipped"), (0, 0, 7));
    }

    #[test]
    fn cargo_summaries_add_up() {
        let output = "
running 3 tests
test a ... ok
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 1 passed; 2 failed; 4 ignored; 0 measured; 9 filtered out; finished in 0.10s
";
        assert_eq!(count(Runner::Cargo, output), (4, 2, 4));
    }

    #[test]
    fn node_summaries() {
        let output = "
✔ a first visitor sees an example (12.5ms)
ℹ tests 10
ℹ suites 0
ℹ pass 5
ℹ fail 2
ℹ cancelled 1
ℹ skipped 1
ℹ todo 1
ℹ duration_ms 145748.576356
";
        assert_eq!(count(Runner::Node, output), (5, 3, 2));
    }

    #[test]
    fn the_output_of_a_failed_test_is_not_counted_twice() {
        let output = "
        FAIL [   0.002s] (1/2) comity tests::one
  stdout ───
    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.00s
test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.00s
     Summary [   0.004s] 2 tests run: 1 passed, 1 failed, 0 skipped
        FAIL [   0.002s] (1/2) comity tests::one
";
        assert_eq!(count(Runner::Nextest, output), (1, 1, 0));
        assert_eq!(count(Runner::Cargo, "     Summary [   0.004s] 2 tests run: 2 passed, 0 skipped"), (0, 0, 0));
    }

    #[test]
    fn tests_that_skip_themselves_did_not_pass() {
        let output = "
        PASS [   0.004s] (1/3) comity::golden lines_of_facts
  stderr ───
    SKIPPED: ../shared/golden/facts-lines.jsonl.gz is not there; set COMITY_SHARED to the reference data
    SKIPPED: ../shared/golden/lines.jsonl.gz is not there; set COMITY_SHARED to the reference data
        PASS [   0.004s] (2/3) comity::golden verdicts_on_real_files
  stderr ───
    SKIPPED: ../shared/golden/verdicts.jsonl.gz is not there; set COMITY_SHARED to the reference data
     Summary [   0.004s] 3 tests run: 3 passed, 1 skipped
";
        assert_eq!(count(Runner::Nextest, output), (1, 0, 3));
    }

    #[test]
    fn no_summary_is_no_test() {
        assert_eq!(count(Runner::Nextest, "error: could not compile `comity`"), (0, 0, 0));
        assert_eq!(count(Runner::Cargo, "test result: who knows"), (0, 0, 0));
    }
}
