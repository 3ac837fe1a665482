//! The crawler of questions.

use std::time::Duration;

use comity::{Crawler, Origin};
use comity_fetch::{PagePermit, SiteRobots};
use pyo3::prelude::*;

use crate::errors;
use crate::turn::Turn;

/// The crawler of questions, and its name as it was given.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub(crate) crawler: Crawler<'static>,
    name: std::sync::Arc<str>,
}

impl Asker {
    /// Reads a name: a product token, a name of the table, or `*`.
    pub(crate) fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        Ok(Self { crawler: errors::crawler(py, name)?, name: name.into() })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the crawl-delay of the file in force in seconds.
    pub(crate) fn crawl_delay(&self, site: &SiteRobots) -> Option<f64> {
        site.pace(&self.crawler).delay().map(|found| found.delay.as_secs_f64())
    }

    /// Compiles the rules of a `comity.Robots`.
    pub(crate) fn rules<'py>(&self, robots: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        robots.call_method1("rules_for", (self.name(),))
    }

    /// Returns a turn, or the exception for a wait that is too long.
    pub(crate) fn turn(&self, py: Python<'_>, origin: &Origin, turn: Result<PagePermit, Duration>) -> PyResult<Turn> {
        turn.map(Turn::new).map_err(|wait| errors::too_soon(py, origin, wait))
    }
}
