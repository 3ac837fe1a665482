//! Crawlers as arguments: one name, or a column of names.

use arrow_array::ArrayRef;
use comity::{Crawler, TokenError};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

use crate::capsule;

/// The crawlers of a call.
pub(crate) enum CrawlerArgument {
    One(String, Literal),
    Column(Vec<ArrayRef>),
}

/// True if names are product tokens, which are not looked up in the table.
pub(crate) type Literal = bool;

impl CrawlerArgument {
    /// Reads a product token, a name of the table, `*`, or a column of these.
    pub(crate) fn new(argument: &Bound<'_, PyAny>, literal: Literal) -> PyResult<Self> {
        if let Ok(name) = argument.cast::<PyString>() {
            let name = name.to_str()?;
            if literal || name == "*" || Crawler::known(name).is_some() {
                return Ok(Self::One(name.to_owned(), literal));
            }
            Crawler::token(name).map_err(|error| invalid(argument.py(), &error))?;
            return Ok(Self::One(name.to_owned(), literal));
        }
        if capsule::is_column(argument) {
            return Ok(Self::Column(capsule::read("crawler", argument)?));
        }
        Err(PyTypeError::new_err(format!(
            "expected a product token as str, such as \"ExampleBot\", or an Arrow column of them, found {}",
            argument.get_type().name()?
        )))
    }

    /// Returns the crawler with this name, which was read before.
    pub(crate) fn crawler(name: &str, literal: Literal) -> Crawler<'_> {
        match name {
            "*" if !literal => Crawler::ANY,
            _ if literal => Crawler::literal(name),
            _ => Crawler::known(name).unwrap_or_else(|| Crawler::literal(name)),
        }
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
