//! The report of a run: printed while the tests run, or as a document at the end.

use std::io::{self, BufWriter, Write};

use anyhow::Result;
use comity_lint::Severity;
use comity_report::{TestCase, TestRun};

use super::File;
use crate::args::{self, TestFormat};
use crate::outcome::Outcome;
use crate::render::annotation::Annotation;
use crate::render::github;
use crate::render::style::{self, paint};
use crate::render::{json, junit};

/// A question and its result.
pub(super) struct Case {
    pub(super) name: String,
    /// The reason why it fails, if it does.
    pub(super) failure: Option<String>,
    /// The answer of the file that this one is compared with, if it differs.
    pub(super) change: Option<String>,
}

/// The cases so far. Each is printed and counted at once, and kept only if a report is wanted.
pub(super) struct Report {
    out: Box<dyn Write>,
    format: TestFormat,
    /// The name of the test file.
    suite: String,
    /// The line of the test file where the current test starts.
    pub(super) line: u64,
    passed: u64,
    failed: u64,
    changed: u64,
    writes_junit: bool,
    kept: Vec<TestCase>,
    /// Notes on the crawlers, each once.
    pub(super) hints: Vec<String>,
}

impl Report {
    pub(super) fn new(args: &args::Test, suite: String) -> Self {
        let out: Box<dyn Write> =
            if args.quiet { Box::new(io::sink()) } else { Box::new(BufWriter::new(anstream::stdout().lock())) };
        let (format, writes_junit) = (args.format, args.junit.is_some());
        let (kept, hints) = (Vec::new(), Vec::new());
        Self { out, format, suite, line: 0, passed: 0, failed: 0, changed: 0, writes_junit, kept, hints }
    }

    pub(super) fn add(&mut self, case: Case) -> Result<()> {
        match self.format {
            TestFormat::Human => self.print(&case)?,
            TestFormat::Github => self.annotate(&case)?,
            TestFormat::Json => {}
        }
        *(if case.failure.is_none() { &mut self.passed } else { &mut self.failed }) += 1;
        self.changed += u64::from(case.change.is_some());
        if self.writes_junit || self.format == TestFormat::Json {
            let Case { name, failure, change } = case;
            self.kept.push(TestCase { name, line: self.line, failure, change });
        }
        Ok(())
    }

    fn print(&mut self, case: &Case) -> Result<()> {
        let result =
            if case.failure.is_none() { paint(style::ALLOWED, "ok  ") } else { paint(style::DISALLOWED, "FAIL") };
        writeln!(self.out, "{result}  {}", case.name)?;
        for line in case.failure.iter().chain(&case.change).flat_map(|text| text.lines()) {
            writeln!(self.out, "      {line}")?;
        }
        Ok(())
    }

    /// Prints an annotation of the test file for a case that fails, or that has another answer in the other file.
    fn annotate(&mut self, case: &Case) -> Result<()> {
        let (severity, message) = match (&case.failure, &case.change) {
            (Some(failure), _) => (Severity::Error, failure),
            (None, Some(change)) => (Severity::Note, change),
            (None, None) => return Ok(()),
        };
        let (title, message) = ((&*case.name).into(), message.into());
        let annotation =
            Annotation { severity, file: &self.suite, line: Some(self.line), columns: None, title, message };
        github::write(&mut self.out, &annotation)?;
        Ok(())
    }

    pub(super) fn outcome(&self) -> Outcome {
        if self.failed == 0 { Outcome::Yes } else { Outcome::No }
    }

    /// Prints the end of the report. Returns the report as `JUnit` XML if that was requested.
    pub(super) fn finish(mut self, file: &File, against: Option<&File>) -> Result<Option<Vec<u8>>> {
        let of_files = file.notes.iter().chain(against.iter().flat_map(|file| &file.notes));
        let notes: Vec<&str> = self.hints.iter().chain(of_files).map(String::as_str).collect();
        if self.format == TestFormat::Json {
            json::print(&TestRun {
                file: &self.suite,
                robots: &file.name,
                against: against.map(|against| &*against.name),
                passed: self.passed,
                failed: self.failed,
                changed: self.changed,
                cases: &self.kept,
                notes,
            })?;
        } else {
            let out = &mut self.out;
            writeln!(out, "\n{} passed, {} failed against {}", self.passed, self.failed, file.name)?;
            if let Some(against) = against {
                match self.changed {
                    0 => writeln!(out, "All answers are the same as those of {}.", against.name)?,
                    1 => writeln!(out, "1 answer differs from that of {}.", against.name)?,
                    n => writeln!(out, "{n} answers differ from those of {}.", against.name)?,
                }
            }
            for note in notes {
                writeln!(out, "{}", paint(style::FAINT, note))?;
            }
            out.flush()?;
        }
        if !self.writes_junit {
            return Ok(None);
        }
        let case = |case: TestCase| junit::Case {
            class: "robots.txt".to_owned(),
            name: case.name,
            failure: case.failure,
            remark: case.change,
        };
        let suite = junit::Suite { name: self.suite, cases: self.kept.into_iter().map(case).collect() };
        Ok(Some(junit::report(&[suite])?))
    }
}
