//! The exceptions of the package. They are defined in Python, in `comity/_errors.py`.

use comity::Escaped;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

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

/// Returns the text of a `str`. Half a surrogate pair is no text, and raises the exception.
pub(crate) fn text<'a>(
    text: &'a Bound<'_, PyString>,
    expected: &str,
    error: impl FnOnce(Python<'_>, String) -> PyErr,
) -> PyResult<&'a str> {
    text.to_str().map_err(|_| {
        let found = Escaped(text.to_string_lossy().as_bytes()).to_string();
        error(text.py(), format!("expected {expected}, found `{found}`, which has half a surrogate pair"))
    })
}

/// Returns the exception for an argument of the wrong type.
pub(crate) fn wrong_type(expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    match found.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("{expected}, found {found}")),
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
