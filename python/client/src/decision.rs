//! The class `Decision`.

use comity_fetch::Decision as Found;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors;
use crate::questions::Asker;
use crate::site::{access, robots, sitemaps};

/// The answer to whether a crawler may fetch a URL of a live site, with the reason.
///
/// A decision has no truth value, since some crawlers are not governed by robots.txt. Use `allowed`.
#[pyclass(frozen, module = "comity_client")]
#[derive(Debug)]
pub(crate) struct Decision {
    decision: Found,
    asker: Asker,
}

impl Decision {
    pub(crate) fn new(decision: Found, asker: Asker) -> Self {
        Self { decision, asker }
    }
}

#[pymethods]
impl Decision {
    /// True if the crawler may fetch the URL. False if it may not, and if there is no answer.
    #[getter]
    fn allowed(&self) -> bool {
        self.decision.is_allowed()
    }

    /// True if the crawler may not fetch the URL. False if it may, and if there is no answer.
    #[getter]
    fn disallowed(&self) -> bool {
        self.decision.is_disallowed()
    }

    /// The answer: `"allowed"`, `"disallowed"`, `"not-governed"`, or `"out-of-scope"` for a URL of another site than that
    /// of `Site.check`.
    #[getter]
    fn answer(&self) -> &'static str {
        self.decision.answer().name()
    }

    /// The line number of the deciding rule, from 1. `None` if no rule decides.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.decision.verdict().and_then(|verdict| verdict.line())
    }

    /// The verdict of the file's rules, as a `comity.Verdict`. `None` if no rules are in force.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(verdict) = self.decision.verdict() else { return Ok(None) };
        let file = self.decision.site().robots();
        let rule = verdict.line().and_then(|line| {
            let rule = file.groups().flat_map(|group| group.rules()).find(|rule| rule.line() == line)?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Some((
                line,
                if rule.kind() == comity::RuleKind::Allow { "allow" } else { "disallow" },
                text(rule.value()),
                text(rule.pattern()),
            ))
        });
        let fields = serde_json::to_string(&verdict).map_err(|error| errors::client(py, error.to_string()))?;
        py.import("comity._restore")?.getattr("verdict")?.call1((fields, rule)).map(Some)
    }

    /// The origin of the site, such as `"https://example.com"`.
    #[getter]
    fn origin(&self) -> &str {
        self.decision.site().origin().as_str()
    }

    /// `"rules"`, `"allow-all"` or `"disallow-all"`: the access to the site that is in force.
    #[getter]
    fn access(&self) -> &'static str {
        access(self.decision.site())
    }

    /// The time since the site last confirmed the file, in seconds. `None` if there is no file.
    #[getter]
    fn age(&self) -> Option<f64> {
        self.decision.site().age().map(|age| age.as_secs_f64())
    }

    /// The rules in force for the crawler, as `comity.Rules`.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.asker.rules(&robots(py, self.decision.site())?)
    }

    /// The crawl-delay for the crawler in seconds, or `None`. It has no upper limit.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.asker.crawl_delay(self.decision.site())
    }

    /// The URLs of the `Sitemap` records in force, in file order.
    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        sitemaps(self.decision.site())
    }

    /// The decision as a sentence without its period.
    #[getter]
    fn text(&self) -> String {
        self.decision.to_string()
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(format!(
            "a decision has no truth value, since it may have no answer; use .allowed (this one is `{}`)",
            self.decision
        )))
    }

    pub(crate) fn __str__(&self) -> String {
        self.decision.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Decision: {}>", self.decision)
    }
}
