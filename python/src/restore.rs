//! The results of `__reduce__`, for pickles.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A function and its arguments.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// Returns the function of the Python module `comity._restore` with this name, and its arguments.
pub(crate) fn by<'py, A>(py: Python<'py>, name: &str, arguments: A) -> PyResult<Reduced<'py>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
{
    Ok((py.import("comity._restore")?.getattr(name)?, arguments.into_pyobject(py)?))
}
