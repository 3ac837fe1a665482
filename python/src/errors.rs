//! The exceptions of the package. They are defined in Python, in `comity/_errors.py`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Creates an exception of this name, with these arguments.
fn new<A>(py: Python<'_>, cell: &PyOnceLock<Py<PyType>>, name: &str, arguments: A) -> PyErr
where
    A: pyo3::PyErrArguments + Send + Sync + 'static,
{
    match cell.import(py, "comity._errors", name) {
        Ok(class) => PyErr::from_type(class.clone(), arguments),
        Err(error) => error,
    }
}

/// Returns an `InvalidURL`.
pub(crate) fn invalid_url(py: Python<'_>, message: String) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    new(py, &CLASS, "InvalidURL", message)
}

/// Returns an `InvalidPattern`.
pub(crate) fn invalid_pattern(py: Python<'_>, message: String) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    new(py, &CLASS, "InvalidPattern", message)
}

/// Returns an `InvalidCrawler`, with the token that was probably meant.
pub(crate) fn invalid_crawler(py: Python<'_>, message: String, suggestion: Option<String>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    new(py, &CLASS, "InvalidCrawler", (message, suggestion))
}
