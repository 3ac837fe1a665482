//! The classes `Decision` and `SiteFile`.

use comity_fetch::{Access, SiteRobots};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The answer to whether a crawler may fetch a URL of a live site, with the reason.
///
/// A decision has no truth value, since some crawlers are not governed by robots.txt. Use `allowed`.
#[pyclass(frozen, get_all, module = "comity_client")]
#[derive(Debug)]
pub(crate) struct Decision {
    /// True if the crawler may fetch the URL. False if it may not, and if there is no answer.
    allowed: bool,
    /// True if the crawler may not fetch the URL. False if it may, and if there is no answer.
    disallowed: bool,
    /// The answer: `"allowed"`, `"disallowed"` or `"not-governed"`.
    answer: &'static str,
    /// The line number of the deciding rule, from 1. `None` if no rule decides.
    line: Option<u32>,
    /// The origin of the site, such as `"https://example.com"`.
    origin: String,
    /// `"rules"`, `"allow-all"` or `"disallow-all"`: the access to the site that is in force.
    access: &'static str,
    /// The time since the site last confirmed the file, in seconds. `None` if there is no file.
    age: Option<f64>,
    /// The decision as a sentence without its period.
    text: String,
}

impl Decision {
    pub(crate) fn new(decision: &comity_fetch::Decision) -> Self {
        Self {
            allowed: decision.is_allowed(),
            disallowed: decision.is_disallowed(),
            answer: decision.answer().name(),
            line: decision.verdict().and_then(|verdict| verdict.line()),
            origin: decision.site().origin().to_string(),
            access: access(decision.site()),
            age: decision.site().age().map(|age| age.as_secs_f64()),
            text: decision.to_string(),
        }
    }
}

#[pymethods]
impl Decision {
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(format!(
            "a decision has no truth value, since it may have no answer; use .allowed (this one is `{}`)",
            self.text
        )))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Decision: {}>", self.text)
    }
}

/// The robots.txt of a live site.
#[pyclass(frozen, get_all, module = "comity_client")]
#[derive(Debug)]
pub(crate) struct SiteFile {
    /// The origin of the site, such as `"https://example.com"`.
    origin: String,
    /// `"rules"`, `"allow-all"` or `"disallow-all"`: the access to the site that is in force.
    access: &'static str,
    /// The last good copy of the file, in force or not. `None` if there is none.
    body: Option<Vec<u8>>,
}

impl SiteFile {
    pub(crate) fn new(site: &SiteRobots) -> Self {
        let body = site.copy().map(|copy| copy.body.to_vec());
        Self { origin: site.origin().to_string(), access: access(site), body }
    }
}

#[pymethods]
impl SiteFile {
    fn __repr__(&self) -> String {
        format!("<SiteFile of {}: {}>", self.origin, self.access)
    }
}

/// Returns the name of the access to a site. Missing rules disallow everything.
fn access(site: &SiteRobots) -> &'static str {
    match site.ruling().access {
        Access::Rules => "rules",
        Access::AllowAll => "allow-all",
        _ => "disallow-all",
    }
}
