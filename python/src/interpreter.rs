//! A check that only one interpreter of the process uses the module.

use std::ptr;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;

/// Raises `ImportError` in an interpreter that is not the first one to import the module. The classes would be those of
/// the first one, so an `except comity.InvalidURL` would catch nothing.
pub(crate) fn check(py: Python<'_>) -> PyResult<()> {
    /// The module `sys` of the first interpreter. It is kept, so that its address stays its own.
    static SYS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let sys = py.import("sys")?;
    let first = SYS.get_or_init(py, || sys.clone().unbind());
    if ptr::eq(first.as_ptr(), sys.as_ptr()) {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "comity is used by another interpreter of this process, and does not support sub-interpreters: use threads or \
         processes",
    ))
}
