//! The class `Verdict`.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::document::Rule;
use crate::errors;
use crate::restore::{self, Reduced};

/// The answer of a robots.txt to whether a crawler may fetch a URL, with the reason.
///
/// A verdict has no truth value, since two of its answers are neither yes nor no: `if verdict` raises `TypeError`. Use
/// `allowed`.
///
/// >>> rules = comity.Robots.parse("User-agent: *\nDisallow: /private/\n").rules_for("ExampleBot")
/// >>> verdict = rules.check("/private/diary.html")
/// >>> verdict.allowed, verdict.answer, verdict.line, str(verdict)
/// (False, 'disallowed', 2, 'disallowed by line 2')
/// >>> print(verdict.rule)
/// Disallow: /private/
#[pyclass(frozen, eq, hash, module = "comity")]
#[derive(Debug)]
pub(crate) struct Verdict {
    verdict: comity::Verdict,
    rule: DecidingRule,
}

/// The deciding rule, if there is one.
#[derive(Debug)]
enum DecidingRule {
    /// It is looked up when somebody asks for it.
    In(comity::Robots),
    Copied(Option<Rule>),
}

impl PartialEq for Verdict {
    fn eq(&self, other: &Self) -> bool {
        self.verdict == other.verdict
    }
}

impl std::hash::Hash for Verdict {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.verdict.hash(state);
    }
}

impl Verdict {
    pub(crate) fn new(verdict: comity::Verdict, robots: &comity::Robots) -> Self {
        Self { verdict, rule: DecidingRule::In(robots.clone()) }
    }
}

#[pymethods]
impl Verdict {
    /// True if the crawler may fetch the URL. False if it may not, and if there is no answer.
    #[getter]
    fn allowed(&self) -> bool {
        self.verdict.is_allowed()
    }

    /// True if the crawler may not fetch the URL. False if it may, and if there is no answer.
    #[getter]
    fn disallowed(&self) -> bool {
        self.verdict.is_disallowed()
    }

    /// The answer: `"allowed"`, `"disallowed"`, `"not-governed"` for a crawler that does not obey robots.txt, or
    /// `"out-of-scope"` for a URL of another site.
    #[getter]
    fn answer(&self) -> &'static str {
        self.verdict.answer().name()
    }

    /// The line number of the deciding rule, from 1. `None` if no rule decides.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.verdict.line()
    }

    /// The deciding rule. `None` if no rule decides.
    #[getter]
    fn rule(&self) -> Option<Rule> {
        let robots = match &self.rule {
            DecidingRule::In(robots) => robots,
            DecidingRule::Copied(rule) => return rule.clone(),
        };
        let line = self.verdict.line()?;
        let mut rules = robots.groups().flat_map(|group| group.rules());
        rules.find(|rule| rule.line() == line).as_ref().map(Rule::new)
    }

    /// The reason, such as `"rule"` or `"no-rule-matches"`.
    #[getter]
    fn reason(&self) -> &'static str {
        self.verdict.reason().name()
    }

    /// The groups that the answer is based on, such as `"own-token"` or `"star"`.
    #[getter]
    fn basis(&self) -> &'static str {
        self.verdict.basis().name()
    }

    /// True if the crawler's operator does not promise to obey robots.txt. The answer is then a request of the site.
    #[getter]
    fn advisory(&self) -> bool {
        self.verdict.is_advisory()
    }

    /// True if the file names the crawler by any of its tokens.
    #[getter]
    fn names_crawler(&self) -> bool {
        self.verdict.names_crawler()
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(format!(
            "a verdict has no truth value, since it may have no answer; use .allowed (this one is `{}`)",
            self.verdict
        )))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// Returns the verdict from what `__reduce__` returned.
    #[staticmethod]
    fn _restored(py: Python<'_>, fields: &str, rule: Option<(u32, &str, String, String)>) -> PyResult<Self> {
        let verdict = serde_json::from_str(fields).map_err(|error| errors::comity(py, error.to_string()))?;
        Ok(Self { verdict, rule: DecidingRule::Copied(rule.map(Rule::restored)) })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let fields = serde_json::to_string(&self.verdict).map_err(|error| errors::comity(py, error.to_string()))?;
        restore::by(py, "verdict", (fields, self.rule().map(|rule| rule.fields(py)).transpose()?))
    }

    fn __str__(&self) -> String {
        self.verdict.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Verdict: {}>", self.verdict)
    }
}
