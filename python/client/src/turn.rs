//! The class `Turn`.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use comity_fetch::PagePermit;
use pyo3::prelude::*;

use crate::errors;

/// The turn of one request for a page. The next request of the client to the host waits until it ends: at the end of a
/// `with` statement, by `end`, or when it is dropped.
#[pyclass(frozen, module = "comity_client")]
#[derive(Debug)]
pub(crate) struct Turn(Mutex<Option<PagePermit>>);

impl Turn {
    pub(crate) fn new(permit: PagePermit) -> Self {
        Self(Mutex::new(Some(permit)))
    }
}

#[pymethods]
impl Turn {
    /// Ends the turn. Has no effect the second time.
    fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Lets the host rest after a response with the status 429 or 503: for `retry_after` seconds, at most an hour, and a
    /// minute without it. Has no effect after the end of the turn.
    #[pyo3(signature = (retry_after=None))]
    fn pause(&self, py: Python<'_>, retry_after: Option<f64>) -> PyResult<()> {
        let refused =
            |seconds| errors::invalid_argument(py, format!("retry_after: expected 0 seconds or more, found {seconds}"));
        let pause = retry_after.map(|seconds| Duration::try_from_secs_f64(seconds).map_err(|_| refused(seconds)));
        if let Some(permit) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            permit.pause(pause.transpose()?);
        }
        Ok(())
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(&self, _kind: &Bound<'_, PyAny>, _error: &Bound<'_, PyAny>, _trace: &Bound<'_, PyAny>) {
        self.end();
    }
}
