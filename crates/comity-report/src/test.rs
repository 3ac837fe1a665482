//! The results of a site's own tests of its robots.txt.

use serde::Serialize;

/// The results of a test file.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
#[must_use]
pub struct TestRun<'a> {
    /// The name of the test file.
    pub file: &'a str,
    /// The name of the robots.txt.
    pub robots: &'a str,
    /// The name of the robots.txt that it is compared with; `null` if there is none.
    pub against: Option<&'a str>,
    /// The number of cases that pass.
    pub passed: u64,
    /// The number of cases that fail.
    pub failed: u64,
    /// The number of cases that have another answer in the file that it is compared with.
    pub changed: u64,
    /// The cases, in the order of the test file.
    pub cases: &'a [TestCase],
    /// Remarks about the crawlers and the files.
    pub notes: Vec<&'a str>,
}

/// The result of one case.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "callers construct it")]
#[must_use]
pub struct TestCase {
    /// The name of the case: the question, with the name of its test if it has one.
    pub name: String,
    /// The line of the test file where its test starts.
    pub line: u64,
    /// The reason why it fails; `null` if it passes.
    pub failure: Option<String>,
    /// The answer of the file that this one is compared with, if it differs.
    pub change: Option<String>,
}
