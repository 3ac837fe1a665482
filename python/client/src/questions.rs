//! The crawler of questions.

use std::sync::Arc;

use comity::{Crawler, Crawlers};
use comity_fetch::SiteRobots;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors;

/// The crawler of questions, and its name as it was given.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub(crate) crawler: Crawler<'static>,
    argument: Arc<Py<PyAny>>,
}

impl Asker {
    /// Reads a name, which is a product token, a name of the table or `*`, or a `comity.Crawler`.
    pub(crate) fn new(argument: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = argument.py();
        let crawler = if let Ok(name) = argument.cast::<PyString>() {
            errors::crawler(py, &name.to_string_lossy())?
        } else if let Ok(row) = argument.getattr("_row") {
            // The class is one of another native module.
            let table: Crawlers = serde_json::from_str(row.extract()?)
                .map_err(|error| errors::invalid_argument(py, error.to_string()))?;
            table.iter().next().map_or(Crawler::ANY, |row| Crawler::from(row).into_owned())
        } else {
            return Err(PyTypeError::new_err(format!(
                "expected a product token as str, such as \"ExampleBot\", or a comity.Crawler, found {}",
                argument.get_type().name()?
            )));
        };
        Ok(Self { crawler, argument: Arc::new(argument.clone().unbind()) })
    }

    /// The crawler as it was given.
    pub(crate) fn argument(&self) -> &Py<PyAny> {
        &self.argument
    }

    /// Returns the crawl-delay of the file in force in seconds.
    pub(crate) fn crawl_delay(&self, site: &SiteRobots) -> Option<f64> {
        site.pace(&self.crawler).delay().map(|found| found.delay.as_secs_f64())
    }

    /// Compiles the rules of a `comity.Robots`.
    pub(crate) fn rules<'py>(&self, robots: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        robots.call_method1("rules_for", (self.argument(),))
    }
}
