//! The exceptions of the package. They are defined in Python, in `comity/_errors.py`.

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

/// Returns a `ComityError`.
pub(crate) fn comity(py: Python<'_>, message: String) -> PyErr {
    new(py, "ComityError", message)
}

/// Returns an `InvalidArgument`.
pub(crate) fn invalid_argument(py: Python<'_>, message: String) -> PyErr {
    new(py, "InvalidArgument", message)
}

/// Returns an `InvalidURL`.
pub(crate) fn invalid_url(py: Python<'_>, message: String) -> PyErr {
    new(py, "InvalidURL", message)
}

/// Returns an `InvalidPattern`.
pub(crate) fn invalid_pattern(py: Python<'_>, message: String) -> PyErr {
    new(py, "InvalidPattern", message)
}

/// Returns an `InvalidCrawler`, with the token that was probably meant.
pub(crate) fn invalid_crawler(py: Python<'_>, message: String, suggestion: Option<String>) -> PyErr {
    new(py, "InvalidCrawler", (message, suggestion))
}
