//! The exceptions, which the package `comity` defines in Python.

use comity::{Crawler, TokenError};
use comity_fetch::CheckError;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Creates an exception of this name, with these arguments. The class is looked up each time, since a program may import
/// the package again.
fn new<A>(py: Python<'_>, name: &str, arguments: A) -> PyErr
where
    A: pyo3::PyErrArguments + Send + Sync + 'static,
{
    let class = py.import("comity._errors").and_then(|module| Ok(module.getattr(name)?.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, arguments),
        Err(error) => error,
    }
}

/// Returns an `InvalidURL`.
pub(crate) fn invalid_url(py: Python<'_>, message: String) -> PyErr {
    new(py, "InvalidURL", message)
}

/// Returns a `ClientError`.
pub(crate) fn client(py: Python<'_>, message: String) -> PyErr {
    new(py, "ClientError", message)
}

/// Returns the exception for a check without a decision.
pub(crate) fn check(py: Python<'_>, error: &CheckError) -> PyErr {
    if error.is_url() || error.is_scheme() {
        return invalid_url(py, error.to_string());
    }
    client(py, error.to_string())
}

/// Returns the exception for text that is no product token.
fn invalid_crawler(py: Python<'_>, error: &TokenError) -> PyErr {
    let suggestion = error.suggestion().map(str::to_owned);
    let message = match &suggestion {
        Some(token) => format!("expected a product token, found other text; use crawler={token:?}"),
        None => error.to_string(),
    };
    new(py, "InvalidCrawler", (message, suggestion))
}

/// A crawler with one name, which a task can keep.
#[derive(Debug)]
pub(crate) enum CrawlerName {
    Known(Crawler<'static>),
    Token(String),
}

impl CrawlerName {
    /// Reads a product token, a name of the table, or `*`.
    pub(crate) fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        if name == "*" {
            return Ok(Self::Known(Crawler::ANY));
        }
        if let Some(known) = Crawler::known(name) {
            return Ok(Self::Known(known));
        }
        match Crawler::token(name) {
            Ok(_) => Ok(Self::Token(name.to_owned())),
            Err(error) => Err(invalid_crawler(py, &error)),
        }
    }

    pub(crate) fn crawler(&self) -> Crawler<'_> {
        match self {
            Self::Known(known) => *known,
            Self::Token(token) => Crawler::literal(token.as_str()),
        }
    }
}
