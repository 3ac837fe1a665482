//! The functions `diff` and `prove`, which compare and examine files for all URLs and all crawlers, and their results.

use comity::{Crawler, Escaped, Governed};
use comity_meaning::{Claim, Comparison, Direction, Held, Outcome};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::crawler;
use crate::document::lossy;
use crate::errors;
use crate::robots::Robots;

/// The differences between two files, for all URLs and all crawlers.
///
/// It has no truth value, since the comparison may be undecided. Use `outcome`.
#[pyclass(frozen, get_all, module = "comity")]
#[derive(Debug)]
pub(crate) struct Difference {
    /// `"same"`, `"differs"`, or `"undecided"` if the limit on the work was reached.
    outcome: &'static str,
    /// The changes: newly blocked URLs first, then newly allowed ones.
    changes: Vec<Change>,
    /// The uses of content for which `Content-Signal` or `Content-Usage` differs, as sentences.
    signals: Vec<String>,
    /// The crawlers whose comparison is incomplete because the limit on the work was reached.
    unfinished: Vec<String>,
}

#[pymethods]
impl Difference {
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(format!(
            "a comparison has no truth value, since it may be undecided; use .outcome (this one is {:?})",
            self.outcome
        )))
    }

    fn __repr__(&self) -> String {
        let (count, s) = (self.changes.len(), if self.changes.len() == 1 { "" } else { "s" });
        format!("<Difference: {}, {count} change{s}>", self.outcome)
    }
}

/// A set of URLs for which one rule makes two files give different answers. `str()` of it is a sentence.
#[pyclass(frozen, module = "comity")]
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// `"blocked"` or `"allowed"`.
    #[pyo3(get)]
    direction: &'static str,
    /// The crawlers that it affects. `"*"` means every crawler that neither file names.
    #[pyo3(get)]
    crawlers: Vec<String>,
    /// The pattern of the rule that makes the difference, in normal form.
    #[pyo3(get)]
    pattern: String,
    /// The line of that rule, from 1. `None` if URLs are allowed because no rule matches.
    #[pyo3(get)]
    line: Option<u32>,
    /// An example: a path whose answers differ.
    #[pyo3(get)]
    witness: String,
    text: String,
}

#[pymethods]
impl Change {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Change: {}>", self.text)
    }
}

/// Compares two files for all URLs and all crawlers. `crawlers` and `under`, a pattern, limit the comparison.
///
/// >>> old = comity.Robots.parse("User-agent: *\nDisallow: /shop/\n")
/// >>> new = comity.Robots.parse("User-agent: *\nDisallow: /shop/\nAllow: /shop/help/\n")
/// >>> difference = comity.diff(old, new)
/// >>> difference.outcome, difference.changes[0].witness
/// ('differs', '/shop/help/')
#[pyfunction]
#[pyo3(signature = (old, new, *, crawlers=None, under=None))]
pub(crate) fn diff(
    py: Python<'_>,
    old: &Robots,
    new: &Robots,
    crawlers: Option<Vec<Bound<'_, PyAny>>>,
    under: Option<&str>,
) -> PyResult<Difference> {
    let crawlers = read(py, crawlers)?;
    let (old, new) = (&old.parsed, &new.parsed);
    py.detach(|| {
        let mut comparison = Comparison::new(old, new);
        if let Some(only) = &crawlers {
            comparison = comparison.only(only);
        }
        if let Some(under) = under {
            comparison = comparison.under(under.as_bytes())?;
        }
        Ok(Difference::from(&comparison.run()))
    })
    .map_err(|error: comity_meaning::PatternError| errors::invalid_pattern(py, error.to_string()))
}

impl From<&comity_meaning::Difference> for Difference {
    fn from(found: &comity_meaning::Difference) -> Self {
        let change = |change: &comity_meaning::Change| Change {
            direction: if change.direction == Direction::Blocked { "blocked" } else { "allowed" },
            crawlers: change.crawlers.to_vec(),
            pattern: lossy(&change.rule.pattern),
            line: change.rule.line,
            witness: lossy(&change.witness),
            text: change.to_string(),
        };
        Self {
            outcome: match found.outcome() {
                Outcome::Same => "same",
                Outcome::Differs => "differs",
                _ => "undecided",
            },
            changes: found.changes.iter().map(change).collect(),
            signals: found.signals.iter().map(ToString::to_string).collect(),
            unfinished: found.unfinished.clone(),
        }
    }
}

/// The result of checking a claim about all URLs.
///
/// It has no truth value, since the claim may be undecided. Use `holds`.
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Proof {
    held: Held,
}

#[pymethods]
impl Proof {
    /// True if the claim holds, false if not, and `None` if the limit on the work was reached.
    #[getter]
    fn holds(&self) -> Option<bool> {
        match &self.held {
            Held::Yes => Some(true),
            Held::No(_) => Some(false),
            _ => None,
        }
    }

    /// A crawler and a path for which the claim does not hold, if it does not.
    #[getter]
    fn counterexample(&self) -> Option<Counterexample> {
        let Held::No(found) = &self.held else { return None };
        Some(Counterexample { crawler: found.crawler.clone(), path: lossy(&found.path), line: found.line })
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(format!(
            "a claim has no truth value, since it may be undecided; use .holds (this is {})",
            self.__repr__()
        )))
    }

    fn __repr__(&self) -> String {
        match &self.held {
            Held::Yes => "<Proof: it holds>".to_owned(),
            Held::No(found) => {
                format!("<Proof: it does not hold for {}, {}>", found.crawler, Escaped(&found.path))
            }
            _ => "<Proof: undecided>".to_owned(),
        }
    }
}

/// A crawler and a path for which a claim does not hold.
#[pyclass(frozen, eq, hash, get_all, module = "comity")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Counterexample {
    /// The crawler. `"*"` means every crawler that the file does not name.
    crawler: String,
    /// The path, in normal form.
    path: String,
    /// The line that decides, from 1. `None` if no rule matches.
    line: Option<u32>,
}

#[pymethods]
impl Counterexample {
    fn __repr__(&self) -> String {
        format!("<Counterexample: {} for {}>", Escaped(self.path.as_bytes()), self.crawler)
    }
}

/// Checks a claim about all URLs and all crawlers: that all URLs of the pattern `allowed` may be fetched, or that none of
/// the pattern `disallowed` may.
///
/// `exceptions` are patterns of URLs that are left out. `crawlers` limits the claim to some crawlers.
///
/// >>> robots = comity.Robots.parse("User-agent: *\nDisallow: /private/\nAllow: /private/press/\n")
/// >>> comity.prove(robots, disallowed="/private/", exceptions=["/private/press/"], crawlers=["*"]).holds
/// True
/// >>> comity.prove(robots, disallowed="/private/", crawlers=["ExampleBot"]).counterexample
/// <Counterexample: /private/press/ for ExampleBot>
#[pyfunction]
#[pyo3(signature = (robots, *, allowed=None, disallowed=None, exceptions=None, crawlers=None))]
pub(crate) fn prove(
    py: Python<'_>,
    robots: &Robots,
    allowed: Option<&str>,
    disallowed: Option<&str>,
    exceptions: Option<Vec<String>>,
    crawlers: Option<Vec<Bound<'_, PyAny>>>,
) -> PyResult<Proof> {
    let claim = match (allowed, disallowed) {
        (Some(pattern), None) => Claim::all_allowed(pattern.as_bytes()),
        (None, Some(pattern)) => Claim::none_allowed(pattern.as_bytes()),
        _ => {
            return Err(PyTypeError::new_err(
                "expected one of allowed= and disallowed=, a pattern such as \"/private/\"",
            ));
        }
    };
    let claim = exceptions.iter().flatten().fold(claim, |claim, pattern| claim.except(pattern.as_bytes()));
    let crawlers = read(py, crawlers)?;
    let robots = &robots.parsed;
    let held = py.detach(|| match &crawlers {
        Some(only) => claim.only(only).check(robots),
        None => claim.check(robots),
    });
    held.map(|held| Proof { held }).map_err(|error| errors::invalid_pattern(py, error.to_string()))
}

/// Reads the crawlers, of which each has one name.
fn read(py: Python<'_>, crawlers: Option<Vec<Bound<'_, PyAny>>>) -> PyResult<Option<Vec<Crawler<'static>>>> {
    let Some(names) = crawlers else { return Ok(None) };
    // About no crawler at all, every claim would hold.
    if names.is_empty() {
        return Err(errors::invalid_argument(
            py,
            "expected at least one of `crawlers`, found none: leave it out for all crawlers".to_owned(),
        ));
    }
    let one = |name: &Bound<'_, PyAny>| {
        // A list is one crawler elsewhere, whose groups are merged. Here, it would look like several.
        if name.is_instance_of::<PyList>() || name.is_instance_of::<PyTuple>() {
            return Err(errors::wrong_type("expected the name of a crawler as str, or a comity.Crawler", name));
        }
        crawler::argument(name, false)
    };
    let crawlers = names.iter().map(one).collect::<PyResult<Vec<_>>>()?;
    match crawlers.iter().find(|crawler| crawler.governed() == Governed::No) {
        Some(crawler) => {
            let name = crawler.profile().map_or("", |row| &row.token);
            let message = format!("{} ignores robots.txt, so no rule applies to it", Escaped(name.as_bytes()));
            Err(errors::invalid_crawler(py, message, None))
        }
        None => Ok(Some(crawlers)),
    }
}
