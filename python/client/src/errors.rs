//! The exceptions, which the package `comity` defines in Python.

use std::time::Duration;

use comity::{Crawler, Escaped, TokenError};
use comity_fetch::CheckError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::decision::Decision;

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

/// Returns an `InvalidArgument`.
pub(crate) fn invalid_argument(py: Python<'_>, message: String) -> PyErr {
    new(py, "InvalidArgument", message)
}

/// Returns a `TooSoon`, about a host that has to be left alone for too long.
pub(crate) fn too_soon(py: Python<'_>, whom: impl std::fmt::Display, wait: Duration) -> PyErr {
    let seconds = wait.as_secs_f64();
    let message = format!(
        "{whom} may be requested in about {seconds:.0} s, and not before an open turn of its host ends: this takes longer than \
         the patience"
    );
    new(py, "TooSoon", (message, seconds))
}

/// Returns a `Disallowed`.
pub(crate) fn disallowed(py: Python<'_>, url: &str, decision: Decision) -> PyErr {
    let message = format!("{url}: {}", decision.__str__());
    match Py::new(py, decision) {
        Ok(decision) => new(py, "Disallowed", (message, decision)),
        Err(error) => error,
    }
}

/// Returns the exception for a check without a decision.
pub(crate) fn check(py: Python<'_>, error: &CheckError) -> PyErr {
    if error.is_url() || error.is_scheme() {
        return invalid_url(py, error.to_string());
    }
    client(py, error.to_string())
}

/// Returns the exception for text that is no product token.
fn invalid_crawler(py: Python<'_>, text: &str, error: &TokenError) -> PyErr {
    let suggestion = error.suggestion().map(str::to_owned);
    let message = match &suggestion {
        Some(token) if error.is_header() => {
            format!("expected a product token, found a User-Agent header; use crawler={token:?}")
        }
        Some(token) => {
            format!("expected a product token, found `{}`; use crawler={token:?}", Escaped(text.as_bytes()))
        }
        None => error.to_string(),
    };
    new(py, "InvalidCrawler", (message, suggestion))
}

/// Returns the crawler with this name: a product token, a name of the table, or `*`.
pub(crate) fn crawler(py: Python<'_>, name: &str) -> PyResult<Crawler<'static>> {
    if name == "*" {
        return Ok(Crawler::ANY);
    }
    let token = || Crawler::token(name).map(Crawler::into_owned).map_err(|error| invalid_crawler(py, name, &error));
    Crawler::known(name).map_or_else(token, Ok)
}
