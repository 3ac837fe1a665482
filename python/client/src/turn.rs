//! The class `Turn`.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use comity_fetch::PagePermit;
use comity_policy::{Head, Time};
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

    /// Returns a turn, or the exception for a wait that is too long.
    pub(crate) fn granted(py: Python<'_>, origin: &str, turn: Result<PagePermit, Duration>) -> PyResult<Self> {
        turn.map(Self::new).map_err(|wait| errors::too_soon(py, origin, wait))
    }
}

#[pymethods]
impl Turn {
    /// Ends the turn. Has no effect the second time.
    ///
    /// After a response with the `status` 429 or 503, the host rests: for the time of its `Retry-After`, seconds or a date,
    /// at most an hour, and for a minute without it.
    #[pyo3(signature = (status=None, retry_after=None))]
    fn end(&self, status: Option<u16>, retry_after: Option<&str>) {
        let turn = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(turn), Some(status @ (429 | 503))) = (turn, status) {
            let head = Head::http(status).with("Retry-After", retry_after.unwrap_or_default().as_bytes());
            turn.pause(head.retry_after(Time::from(SystemTime::now())));
        }
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(&self, _kind: &Bound<'_, PyAny>, _error: &Bound<'_, PyAny>, _trace: &Bound<'_, PyAny>) {
        self.end(None, None);
    }
}
