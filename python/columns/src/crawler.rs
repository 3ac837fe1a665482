//! Crawlers as arguments: one name, or a column of names.

use arrow_array::ArrayRef;
use comity::{Crawler, Crawlers, TokenError};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

use crate::capsule;

/// The crawlers of a call.
pub(crate) enum CrawlerArgument {
    One(Crawler<'static>),
    Column(Vec<ArrayRef>),
}

impl CrawlerArgument {
    /// Reads a product token, a name of the table, `*`, a `comity.Crawler`, or a column of names. With `literal`, names are
    /// product tokens, which are not looked up in the table.
    pub(crate) fn new(argument: &Bound<'_, PyAny>, literal: bool) -> PyResult<Self> {
        if let Ok(name) = argument.cast::<PyString>() {
            return Ok(Self::One(named(argument.py(), name.to_str()?, literal)?.into_owned()));
        }
        if let Ok(row) = argument.getattr("_row") {
            // The class is one of another native module.
            let table: Crawlers = serde_json::from_str(row.extract()?)
                .map_err(|error| PyTypeError::new_err(format!("expected a comity.Crawler: {error}")))?;
            let row = table.iter().next();
            return Ok(Self::One(row.map_or(Crawler::ANY, |row| Crawler::from(row).into_owned())));
        }
        if capsule::is_column(argument) {
            return Ok(Self::Column(capsule::read("crawler", argument)?));
        }
        Err(PyTypeError::new_err(format!(
            "expected a product token as str, such as \"ExampleBot\", a comity.Crawler, or an Arrow column of tokens, found {}",
            argument.get_type().name()?
        )))
    }
}

fn named<'n>(py: Python<'_>, name: &'n str, literal: bool) -> PyResult<Crawler<'n>> {
    match name {
        _ if literal => Ok(Crawler::literal(name)),
        "*" => Ok(Crawler::ANY),
        _ => Crawler::known(name).map_or_else(|| Crawler::token(name).map_err(|error| invalid(py, &error)), Ok),
    }
}

/// Returns the exception `InvalidCrawler` of the package `comity`.
fn invalid(py: Python<'_>, error: &TokenError) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let suggestion = error.suggestion().map(str::to_owned);
    let message = match &suggestion {
        Some(token) if error.is_header() => {
            format!("expected a product token, found a User-Agent header; use crawler={token:?}")
        }
        _ => error.to_string(),
    };
    match CLASS.import(py, "comity._errors", "InvalidCrawler") {
        Ok(class) => PyErr::from_type(class.clone(), (message, suggestion)),
        Err(error) => error,
    }
}
